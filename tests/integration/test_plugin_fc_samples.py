# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugins fcvi and fcaerdma on all recorded captures, and on those that break a rule: the same connections, messages and
findings as `fabricscope analyze`."""

from collections import Counter

import pytest
from fc_samples import rule_cases, samples
from harness import analyze, fields_of_all, frame_lists, open_to_all

#: Wireshark's FCP dissector finds fault with an FCP_XFER_RDY that is none of FC-AE-RDMA's.
NOT_OURS = "FCP_XFER_RDY"


RULES = ("fcvi.rule", "fcaerdma.rule")
IDS = ("fcvi.connection", "fcvi.message", "fcaerdma.message")


def check(captures):
    """What both plugins say of each frame, as far as the program says it, too."""
    for capture, rows in zip(captures, fields_of_all(captures, *RULES, *IDS), strict=True):
        program = analyze(capture)
        # What only the end of the capture decides, nobody tells the plugins.
        of_program = Counter((finding["rule"], finding["frames"][-1]) for finding in program["findings"] if finding["frames"])
        assert Counter((rule, row["frame"]) for row in rows for name in RULES for rule in row[name]) == of_program, capture
        connections, messages, transfers = ({value for row in rows for value in row[name]} for name in IDS)
        assert connections == {c["id"] for c in program["fcvi"]["connections"]}, capture
        assert messages == {m["id"] for m in program["fcvi"]["messages"]}, capture
        assert transfers == {m["id"] for m in program["fc_ae_rdma"]["messages"]}, capture


def malformed(captures):
    """The Info lines of frames that somebody finds fault with."""
    faulty = frame_lists(captures, "fcvi.malformed or fcaerdma.malformed or _ws.malformed", {}, ())
    return [frame["c"][-1] for frames in faulty for frame in frames if NOT_OURS not in frame["c"][-1]]


def of_group(group):
    return [row for row in samples() if row["group"] == group]


@pytest.mark.parametrize("group", ["fcvi", "fc_ae_rdma"])
def test_as_the_program_says(group):
    captures = [row["captures"][0] for row in of_group(group)]
    check(captures)
    assert not malformed(captures)


def test_broken_rules_as_the_program_says(tmp_path):
    cases = rule_cases(tmp_path)
    open_to_all(tmp_path)
    check([case["capture"] for case in cases])


@pytest.mark.parametrize("group", ["fcvi", "fc_ae_rdma"])
def test_carriers_do_not_matter(group):
    rows = of_group(group)[::4]
    *_, protocol, _, info = range(7)  # of the columns that Wireshark comes with
    captures = [capture for row in rows for capture in row["captures"]]
    stories = [[(frame["c"][protocol], frame["c"][info]) for frame in frames]
               for frames in frame_lists(captures, "frame", {}, ())]
    for number, row in enumerate(rows):
        assert stories[2 * number] == stories[2 * number + 1], row["name"]
