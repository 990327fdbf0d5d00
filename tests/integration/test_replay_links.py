# SPDX-License-Identifier: GPL-2.0-or-later
"""Replay of captures whose link headers tell the Ethernet addresses of one side, or of none."""

import json
import struct

import pytest

from edit import ETHERNET, records_of, written
from harness import fabricscope

RAW_IP, COOKED_V1, COOKED_V2 = 101, 113, 276


def header(link, frame):
    """In place of the frame's Ethernet header: of the addresses, -i any keeps the sender's."""
    sender, ether_type = frame[6:12], frame[12:14]
    if link == COOKED_V1:
        return struct.pack("!HHH8s", 4, 1, 6, sender) + ether_type
    if link == COOKED_V2:
        return ether_type + struct.pack("!HIHBB8s", 0, 2, 1, 4, 6, sender)
    return b""


def over(link, name, out):
    head, records = records_of(name)
    for record in records:
        record[2] = header(link, record[2]) + record[2][ETHERNET:]
    return written(head[:20] + struct.pack("<I", link), records, out)


@pytest.mark.parametrize("link", [RAW_IP, COOKED_V1, COOKED_V2])
@pytest.mark.parametrize("name", ["smcr_v2_echo", "smcr_fallback_plain_server", "smcr_v2_20conns", "rdmacm_rping_v4"])
def test_both_sides_are_played(name, link, tmp_path):
    capture = over(link, name, tmp_path / "capture.pcap")
    runs = json.loads(fabricscope("replay", capture, "--all", "--json", status=(0,)))["runs"]
    assert {run["play"] for run in runs} == {"client", "server"}


def test_the_sender_of_a_cooked_frame_is_who_is_played(tmp_path):
    capture = over(COOKED_V1, "rdmacm_rping_v4", tmp_path / "capture.pcap")
    run = tmp_path / "run.pcapng"
    for side, address in (("client", b"\x00\x00\x5e\x00\x53\x0a"), ("server", b"\x00\x00\x5e\x00\x53\x14")):
        fabricscope("replay", capture, "--session", "cm-1", "--play", side, "--write", run, status=(0,))
        assert address in run.read_bytes()
