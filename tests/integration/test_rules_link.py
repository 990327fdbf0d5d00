# SPDX-License-Identifier: GPL-2.0-or-later
"""LLC messages of a real capture, changed so that they break a rule: the program and Wireshark both say so."""

import pytest
from edit import SEND, edited, patch
from harness import analyze, fields, sample

NAME = "smcr_v2_lgr_rdma_link_delete"

CONFIRM_LINK = "smcr.llc.type == 0x21 && smcr.llc.reply == {}"
ADD_LINK = "smcr.llc.type == 0x22 && smcr.llc.reply == {}"
CONFIRM_RKEY = "smcr.llc.type == 0x26 && smcr.llc.reply == {}"
TEST_LINK = "smcr.llc.type == 0x27 && smcr.llc.reply == {}"

# rule: which message (the first that passes), and the octets to change in it
CHANGES = {
    "SMCR-R15": (CONFIRM_LINK.format(1), 28, b"\x77"),  # queue pair number
    "SMCR-R16": (CONFIRM_LINK.format(0), 34, b"\x09"),  # links allowed
    "SMCR-R20": (TEST_LINK.format(0), 3, b"\x80"),      # a reply to no request
    "SMCR-R25": (ADD_LINK.format(1), 3, b"\xc7"),       # reject reason 7
    "SMCR-R27": (CONFIRM_RKEY.format(1), 16, b"\x77"),  # an address that was not announced
    "SMCR-R31": (TEST_LINK.format(1), 4, b"\x77"),      # user data
}


@pytest.mark.parametrize("rule", CHANGES)
def test_a_changed_message_breaks_its_rule(rule, tmp_path):
    message, offset, octets = CHANGES[rule]
    number = int(fields(sample(NAME), "frame.number", display_filter=message)[0]["frame.number"][0])
    path = edited(NAME, tmp_path / "changed.pcap", patch(number, SEND + offset, octets))
    finding = next(finding for finding in analyze(path)["findings"] if finding["rule"] == rule)
    assert finding["frames"][-1] == number
    assert finding["severity"] == "error"
    # A later packet may be the proof: the first pass is over before the frame is shown.
    shown = fields(path, "frame.number", "_ws.expert.message", display_filter=f'smcr.rule == "{rule}"', options=["-2"])
    assert int(shown[0]["frame.number"][0]) == number
    assert any(rule in text for text in shown[0]["_ws.expert.message"])


def test_unchanged_it_breaks_none():
    result = analyze(sample(NAME))
    assert result["findings"] == []
    held = {rule["rule"] for rule in result["rules"] if rule["held"]}
    assert {"SMCR-R14", "SMCR-R15", "SMCR-R16", "SMCR-R20", "SMCR-R21", "SMCR-R24", "SMCR-R27", "SMCR-R31"} <= held
