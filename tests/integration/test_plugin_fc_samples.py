# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugins fcvi and fcaerdma on all recorded captures, and on those that break a rule: the same connections, messages and
findings as `fabricscope analyze`."""

from collections import Counter

import pytest
from fc_samples import rule_cases, samples
from harness import analyze, fields, open_to_all, tshark

#: Wireshark's FCP dissector finds fault with an FCP_XFER_RDY that is none of FC-AE-RDMA's.
NOT_OURS = "FCP_XFER_RDY"


def shown(capture):
    """What both plugins say of each frame, as far as the program says it, too."""
    rows = fields(
        capture, "frame.number", "fcvi.rule", "fcaerdma.rule", "fcvi.connection", "fcvi.message", "fcaerdma.message",
        "fcvi.malformed", "fcaerdma.malformed", "_ws.malformed", "_ws.col.Info", options=["-2"])
    findings = Counter(
        (rule, int(row["frame.number"][0])) for row in rows for rule in row["fcvi.rule"] + row["fcaerdma.rule"])
    ids = {name: {value for row in rows for value in row[name]} for name in ("fcvi.connection", "fcvi.message", "fcaerdma.message")}
    malformed = [row["_ws.col.Info"][0] for row in rows
                 if row["fcvi.malformed"] + row["fcaerdma.malformed"] + row["_ws.malformed"]]
    return findings, ids, [info for info in malformed if NOT_OURS not in info]


def check(name, capture):
    """Returns what is malformed."""
    findings, ids, malformed = shown(capture)
    program = analyze(capture)
    # What only the end of the capture decides, nobody tells the plugins.
    of_program = Counter((finding["rule"], finding["frames"][-1]) for finding in program["findings"] if finding["frames"])
    assert findings == of_program, name
    assert ids["fcvi.connection"] == {c["id"] for c in program["fcvi"]["connections"]}, name
    assert ids["fcvi.message"] == {m["id"] for m in program["fcvi"]["messages"]}, name
    assert ids["fcaerdma.message"] == {m["id"] for m in program["fc_ae_rdma"]["messages"]}, name
    return malformed


@pytest.mark.parametrize("group", ["fcvi", "fc_ae_rdma"])
def test_as_the_program_says(group):
    for row in samples():
        if row["group"] == group:
            assert not check(row["name"], row["captures"][0]), row["name"]


def test_broken_rules_as_the_program_says(tmp_path):
    cases = rule_cases(tmp_path)
    open_to_all(tmp_path)
    for case in cases:
        check(case["name"], case["capture"])


@pytest.mark.parametrize("group", ["fcvi", "fc_ae_rdma"])
def test_carriers_do_not_matter(group):
    for row in [row for row in samples() if row["group"] == group][::4]:
        stories = [tshark("-r", capture, "-T", "fields", "-e", "_ws.col.Info", "-e", "_ws.col.Protocol") for capture in row["captures"]]
        assert all(story == stories[0] for story in stories), row["name"]
