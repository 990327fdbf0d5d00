# SPDX-License-Identifier: GPL-2.0-or-later
"""What is told of all samples is what was told of them when somebody last looked at it."""

import collections

import pytest

import baselines


@pytest.fixture(scope="module")
def found():
    return baselines.digests(baselines.all_told(baselines.BUILD))


def test_all_that_is_told_is_as_it_was(found):
    before = baselines.recorded()
    changed = collections.defaultdict(list)
    for capture, view in found:
        if before.get((capture, view)) != found[capture, view]:
            changed[capture].append(view)
    changed.update({capture: ["is gone"] for capture, _ in set(before) - set(found)})
    assert not changed, ("\n".join(f"{capture}: {', '.join(views)}" for capture, views in sorted(changed.items())) +
                         "\n`./dev baselines BUILD` shows how it differs from another build; if all of that is meant, `./dev baselines` records it.")
