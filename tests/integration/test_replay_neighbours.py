# SPDX-License-Identifier: GPL-2.0-or-later
"""Replay of one connection of a link group: what its neighbours said at the same time is not its own."""

import json

import pytest

from harness import fabricscope, run, sample


@pytest.fixture
def reused_keys(tmp_path):
    """The end of smcr_v2_close's first connection, and its second one, whose SYN comes before the keys are withdrawn.

    Linux gives both connections the same RMBs with the same keys.
    """
    parts = [tmp_path / f"{part}.pcap" for part in ("end", "syn", "rest")]
    for part, frames in zip(parts, ("36-44", "45", "46-184")):
        run(["editcap", "-r", sample("smcr_v2_close"), part, frames])
    early = tmp_path / "early.pcap"
    run(["editcap", "-t", "-3.8195", parts[1], early])
    capture = tmp_path / "reused_keys.pcap"
    run(["mergecap", "-F", "nsecpcap", "-w", capture, parts[0], early, parts[2]])
    return capture


@pytest.mark.parametrize("side", ["client", "server"])
def test_keys_that_the_connection_before_withdrew(reused_keys, side):
    played = json.loads(fabricscope("replay", reused_keys, "--session", "smcr-1", "--play", side, "--json", status=(0,)))
    recorded = [message["name"] for message in played["messages"] if message["recorded"]]
    assert recorded.index("LLC CONFIRM RKEY") < recorded.index("LLC DELETE RKEY")
