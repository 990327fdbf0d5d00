# SPDX-License-Identifier: GPL-2.0-or-later
"""The recorded captures of Fibre Channel: analyze finds in each what its row says, and nothing else."""

import pytest

from fc_samples import samples
from fc_story import of_fc_ae_rdma, of_fcvi
from harness import ROOT, analyze, frames_of_all

SAMPLES = samples()


def name_of(row):
    return f"{row['group']}-{row['name']}"


def test_readme_has_a_row_for_each():
    for group in ("fcvi", "fc_ae_rdma"):
        listed = sorted(path for row in SAMPLES if row["group"] == group for path in row["captures"])
        assert sorted((ROOT / "samples" / group).iterdir()) == listed


@pytest.mark.parametrize("row", SAMPLES, ids=name_of)
def test_analyze_tells_what_happens(row):
    for capture in row["captures"]:
        result = analyze(capture, *row["options"].split())
        found = [finding["rule"] for finding in result["findings"]]
        assert sorted(found) == sorted(row["findings"]), (capture, result["findings"])
        told = of_fcvi(result) if row["group"] == "fcvi" else of_fc_ae_rdma(result)
        assert told == row["result"], capture
        assert result["capture"]["frames"] == row["frames"], capture
        assert result["capture"]["undecoded_frames"] == result["fc"]["damaged_frames"] == 0, capture


def test_wireshark_reads_every_frame():
    captures = {capture: row["frames"] for row in SAMPLES for capture in row["captures"]}
    counts = [len(frames) for frames in frames_of_all(captures)]
    assert counts == list(captures.values())
    assert not any(frames_of_all(captures, "_ws.malformed"))
