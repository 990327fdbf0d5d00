# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugins fcvi and fcaerdma on all made captures, those that break a rule among them: the same connections, messages
and findings as `fabricscope analyze`."""

import json
from collections import Counter

import pytest
from harness import BUILD, analyze, fields, run, tshark

GROUPS = ["fcvi", "fcvi_rules", "fc_ae_rdma", "fc_ae_rdma_rules"]
#: Wireshark's FCP dissector finds fault with an FCP_XFER_RDY that is none of FC-AE-RDMA's.
NOT_OURS = "FCP_XFER_RDY"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """{group: [(what the table says of a scenario, its captures)]}"""
    directory = tmp_path_factory.mktemp("made")
    run([BUILD / "bin/make_samples", directory, "--tests"])
    for path in (directory, *directory.parents[:1], *directory.rglob("*")):
        path.chmod(0o755)
    groups = {group: [] for group in GROUPS}
    for scenario in json.loads(run([BUILD / "bin/make_samples", "--list"])):
        groups[scenario["group"]].append(
            (scenario, [directory / scenario["group"] / capture for capture in scenario["captures"]]))
    return groups


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


@pytest.mark.parametrize("group", GROUPS)
def test_as_the_program_says(group, made):
    for scenario, captures in made[group]:
        capture = captures[0]
        findings, ids, malformed = shown(capture)
        program = analyze(capture)
        # What only the end of the capture decides, nobody tells the plugins.
        of_program = Counter((finding["rule"], finding["frames"][-1]) for finding in program["findings"] if finding["frames"])
        assert findings == of_program, f"{scenario['name']}: {scenario['happens']}"
        assert ids["fcvi.connection"] == {c["id"] for c in program["fcvi"]["connections"]}, scenario["name"]
        assert ids["fcvi.message"] == {m["id"] for m in program["fcvi"]["messages"]}, scenario["name"]
        assert ids["fcaerdma.message"] == {m["id"] for m in program["fc_ae_rdma"]["messages"]}, scenario["name"]
        assert not malformed or "rules" in group, f"{scenario['name']}: {malformed}"


@pytest.mark.parametrize("group", ["fcvi", "fc_ae_rdma"])
def test_carriers_do_not_matter(group, made):
    for scenario, captures in made[group][::4]:
        stories = [tshark("-r", capture, "-T", "fields", "-e", "_ws.col.Info", "-e", "_ws.col.Protocol") for capture in captures]
        assert all(story == stories[0] for story in stories), scenario["name"]
