# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules of WRITEs and CDC messages: single octets of a real capture are changed, program and plugin find it."""

import struct

import pytest

from harness import analyze, fields, sample

RECORD_HEADER, PCAP_HEADER = 16, 24
BTH = 14 + 20 + 8  # behind Ethernet, IPv4 and UDP
PAYLOAD = BTH + 12

# rule: frame as its place among the CDC messages (or WRITEs), offset in the payload, new octets
CHANGES = {
    "SMCR-R32": ("smcr.cdc", 2, 1, b"\x2b"),
    "SMCR-R33": ("smcr.cdc", -1, 2, b"\x40\x00"),
    "SMCR-R34": ("smcr.cdc", -1, 12, b"\x7f\x00\x00\x00"),
    "SMCR-R36": ("smcr.write", 2, 8, b"\xde\xad\xbe\xef"),
    "SMCR-R37": ("smcr.cdc", -1, 15, None),
    "SMCR-R39": ("smcr.cdc", -1, 23, None),
    "SMCR-R43": ("smcr.cdc", 0, 25, b"\x40"),
    "SMCR-R71": ("smcr.cdc", 2, 24, b"\x20"),
}


def changed(capture, frame, offset, octets):
    """The capture with `octets` in place of those at `offset` of the frame; None: the one there and one."""
    content = bytearray(capture.read_bytes())
    at = PCAP_HEADER
    for _ in range(frame - 1):
        at += RECORD_HEADER + struct.unpack_from("<I", content, at + 8)[0]
    at += RECORD_HEADER + offset
    octets = octets or bytes([content[at] + 1])
    content[at:at + len(octets)] = octets
    return content


@pytest.fixture(scope="module")
def frames():
    capture = sample("smcr_v2_echo")
    return {
        kind: [int(row["frame.number"][0]) for row in fields(capture, "frame.number", display_filter=kind)]
        for kind in ("smcr.cdc", "smcr.write")
    }


@pytest.mark.parametrize("rule", sorted(CHANGES))
def test_changed_octets_are_found(rule, frames, tmp_path):
    kind, index, offset, octets = CHANGES[rule]
    frame = frames[kind][index]
    broken = tmp_path / "broken.pcap"
    broken.write_bytes(changed(sample("smcr_v2_echo"), frame, PAYLOAD + offset, octets))
    found = [finding for finding in analyze(broken)["findings"] if finding["rule"] == rule]
    assert found, "the program finds it"
    last = found[0]["frames"][-1]
    assert last >= frame
    # A later packet may be the proof: the first pass is over before the frame is shown.
    shown = fields(broken, "frame.number", "_ws.expert.message", display_filter=f'smcr.rule == "{rule}"', options=["-2"])
    assert last in [int(row["frame.number"][0]) for row in shown]
    assert any(rule in text for row in shown for text in row["_ws.expert.message"]), "as an expert item as well"
