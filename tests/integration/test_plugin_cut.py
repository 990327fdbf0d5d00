# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames that a snap length cut: each field that Wireshark still shows has the value that it has in the whole frame. What
was not captured has none."""

import functools
import json

import pytest
from harness import ROOT, run, sample, tshark

CAPTURES = {
    "smcr": sample("smcr_v2_echo"),
    "smcr_v1": sample("smcr_v1_ipv6_echo"),
    "rdma_cm": sample("rdmacm_rping_v6"),
    "rdma": sample("rdmacm_udaddy"),
    "fcvi": ROOT / "samples/fcvi/reliable_reception_iso.fcoe.pcap",
    "fcvi_1_0": ROOT / "samples/fcvi/reliable_reception_rev10.fcoe.pcap",
    "fc_ae_rdma": ROOT / "samples/fc_ae_rdma/several_sequences.fcoe.pcap",
}
PROTOCOLS = ("smcr", "rdma_ip_cm", "fcvi", "fcaerdma", "rdma")
# That it was cut; octets as far as they go; ends by their address alone, where what tells the port was cut; states as
# far as was seen; numbers that the engine gives, and positions in a stream whose beginning was cut; the
# acknowledgment, and what is in flight, behind one whose AETH was cut, which may have been a NAK; the time
# of a READ whose length was cut, which ends with the first response for all that is known.
NOT_COMPARED = (
    "_ws.", ".cut", ".data", ".octets", ".private_data", ".additional_information", ".source", ".destination", ".endpoint",
    ".state", ".connection", ".stream", ".rmbe.position", ".response_in", ".acknowledged_in", "_in_flight", ".operation.time")


def leaves(node, key=""):
    """Each field below a protocol's node, with its value."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield from leaves(value, name)
    elif isinstance(node, list):
        for value in node:
            yield from leaves(value, key)
    else:
        yield key, node


def shown(capture):
    """What is shown of each frame by our protocols."""
    packets = json.loads(tshark("-2", "-r", capture, "-T", "json", "--no-duplicate-keys"))
    for packet in packets:
        layers = packet["_source"]["layers"]
        yield {pair for protocol in PROTOCOLS for pair in leaves(layers.get(protocol, {}))
               if pair[0].startswith(PROTOCOLS) and not any(part in pair[0] for part in NOT_COMPARED)}


@functools.cache
def of_whole(name):
    return list(shown(CAPTURES[name]))


@pytest.mark.parametrize("length", (58, 75, 94, 110, 131, 160, 202, 250))
@pytest.mark.parametrize("name", CAPTURES)
def test_what_was_not_captured_has_no_value(name, length, tmp_path):
    tmp_path.chmod(0o755)
    run(["editcap", "-s", length, CAPTURES[name], tmp_path / "cut.pcap"])
    whole = of_whole(name)
    assert any(whole)
    for number, (cut, expected) in enumerate(zip(shown(tmp_path / "cut.pcap"), whole, strict=True), 1):
        assert cut <= expected, f"frame {number}: {sorted(cut - expected)}"
