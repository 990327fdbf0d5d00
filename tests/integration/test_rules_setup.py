# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules of set-up and close on real captures with a few octets changed: the program and the plugin find the same."""

import re

import pytest
from edit import CLC, ETHERNET, IPV4, SEND, drop, edited, patch, records_of, written
from harness import ROOT, analyze, fabricscope, fields, run, sample, samples

# smcr_v2_echo: SYN 4, SYN-ACK 5, PROPOSAL 7, ACCEPT 9, CONFIRM 11, CONFIRM LINK 13 and 15.
OPTION = ETHERNET + IPV4 + 40  # of a SYN; the SMC option and two octets of padding are its last 8
ACCEPT_LENGTH = 160
CASES = {
    "SMCR-R01": (patch(5, OPTION, b"\x01" * 8),),
    "SMCR-R02": (patch(9, CLC + ACCEPT_LENGTH - 4, b"\0"),),
    "SMCR-R03": (patch(11, CLC + 4, b"\x01"),),
    "SMCR-R04": (patch(9, CLC + 51, b"\x80"), patch(13, SEND + 36, b"\x80")),
    "SMCR-R06": (patch(9, CLC + 50, b"\x56"),),
    "SMCR-R07": (patch(11, CLC + 45, b"\0"),),
}


@pytest.mark.parametrize("rule", CASES)
def test_finding_in_the_program_and_in_tshark(rule, tmp_path):
    capture = edited("smcr_v2_echo", tmp_path / "edited.pcap", *CASES[rule])
    found = [f for f in analyze(capture)["findings"] if f["rule"] == rule]
    assert found, rule
    rows = fields(capture, "frame.number", "smcr.rule", "_ws.expert.message", display_filter=f'smcr.rule == "{rule}"')
    assert {int(row["frame.number"][0]) for row in rows} == {f["frames"][-1] for f in found}
    assert all(any(rule in text for text in row["_ws.expert.message"]) for row in rows)


def test_undecided_rules_say_why(tmp_path):
    capture = edited("smcr_v2_echo", tmp_path / "edited.pcap", drop(4, 5))
    rules = {rule["rule"]: rule for rule in analyze(capture)["rules"]}
    assert rules["SMCR-R01"]["undecided"] == 1 and rules["SMCR-R01"]["why_undecided"] == "the TCP handshake was not captured"
    text = fabricscope("analyze", capture).decode()
    assert re.search(r"SMCR-R01 .* the TCP handshake was not captured", text)


@pytest.mark.parametrize("name", samples("smcr_*"))
def test_no_rule_is_broken_without_reason(name):
    """What real captures truly break is listed in docs/findings.md; of the rules of this file they break none."""
    mine = {*(f"SMCR-R{n:02}" for n in (*range(1, 14), 44, 45, 48, 50, 53))}
    assert [f for f in analyze(sample(name))["findings"] if f["rule"] in mine] == []
    strict = analyze(sample(name), "--profile", "rfc7609")["findings"]
    assert {f["rule"] for f in strict} & mine <= {"SMCR-R04", "SMCR-R45"}


def test_the_catalogue_fits_the_page():
    lines = fabricscope("rules", status=(0,)).decode().splitlines()
    assert max(map(len, lines)) <= 120


def test_data_that_waited_for_a_late_segment(tmp_path):
    """PROPOSAL is captured late, DECLINE is not: what the client knew when it sent its data, their own segments told."""
    capture = tmp_path / "whole.pcap"
    run(["editcap", "-F", "pcap", ROOT / "samples/synth/smcr_fallback_version.pcapng", capture])
    header, records = records_of(capture)
    proposal, decline = records[3], records[5]
    late = [record for record in records if record is not proposal and record is not decline]
    late.insert(15, [*late[15][:2], proposal[2]])
    report = analyze(written(header, late, tmp_path / "late.pcap"))
    assert report["findings"] == []
    assert "SMCR-O-option-lost" not in {observation["id"] for observation in report["observations"]}
