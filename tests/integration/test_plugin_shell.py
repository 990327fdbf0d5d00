# SPDX-License-Identifier: GPL-2.0-or-later
"""One shared object for all protocols: what it exports, and that each protocol can be switched off by itself."""

import itertools
import json
import re

import pytest
from harness import BUILD, ROOT, fabricscope, run, sample, tshark, with_plugins, without_plugin

PROTOCOLS = {
    "smcr": sample("smcr_v1_echo"),
    "rdma_ip_cm": sample("rdmacm_private_data"),
    "fcvi": ROOT / "samples/fcvi/client_server_iso.pcap",
    "fcaerdma": ROOT / "samples/fc_ae_rdma/beside_plain_fcp.fcoe.pcap",
}
# Adds to the packets of others, whose own part must not depend on it; see test_plugin_rdma.py.
WITHOUT_ANALYSIS = ["--disable-protocol", "rdma"]


def plugin():
    (found,) = (BUILD / "wireshark-plugins").glob("*/epan/*.so")
    return found


def off(protocols):
    return [word for name in protocols for word in ("--disable-protocol", name)]


def test_it_exports_what_wireshark_looks_for_and_nothing_else():
    lines = run(["nm", "-D", "--defined-only", plugin()]).decode().splitlines()
    assert {line.split()[-1] for line in lines} == {
        "plugin_register", "plugin_version", "plugin_want_major", "plugin_want_minor"}


def test_it_registers_all_protocols():
    registered = {line.split("\t")[2] for line in tshark("-G", "protocols").splitlines()}
    assert registered >= PROTOCOLS.keys() | {"rdma", "fabricscope"}


def test_with_plugins_keeps_what_is_bundled_with_wireshark():
    bundled_too = {"FABRICSCOPE_WIRESHARK_PLUGINS": ""}
    listed = with_plugins("tshark", "-G", "plugins", env=bundled_too).decode().splitlines()
    loaded = {line.split("\t")[0].rstrip() for line in listed if ".so" in line}
    bundled = {path.name for path in (BUILD / "all-wireshark-plugins").glob("*/*/*.so")}
    assert loaded == bundled >= {"fabricscope.so", "stats_tree.so"}
    text = with_plugins(
        "tshark", "-q", "-r", sample("smcr_v1_echo"), "-z", "ip_hosts,tree", "-z", "smcr,tree", env=bundled_too).decode()
    assert "IPv4 Statistics/All Addresses" in text
    assert "SMC-R" in text


def test_the_reference_lists_every_field_and_no_other():
    """`fabricscope fields` and Wireshark's View > Internals > Fields, expert infos included."""
    types = {"string": "string", "framenum": "framenum", "relative_time": "reltime", "boolean": "boolean", "none": "none",
             "bytes": "bytes", "ipv4": "ipv4", "ipv6": "ipv6", "ether": "ether"}
    registered = {}
    for line in tshark("-G", "fields").splitlines():
        words = line.split("\t")
        if words[0] == "F" and words[4] in PROTOCOLS.keys() | {"rdma", "fabricscope"}:
            kind = words[3].removeprefix("FT_").lower()
            registered.setdefault(words[2], set()).add(types.get(kind, kind))
    reference = {field["name"]: field["type"] for field in json.loads(fabricscope("fields", "--json"))}
    assert set(registered) == set(reference)
    # An expert info may have the name of a field.
    assert {name: kinds for name, kinds in registered.items() if reference[name] not in kinds} == {}


def test_fields_of_messages_are_described_with_their_clauses():
    """What Wireshark shows of a field: where in the message it is, and which clause says so."""
    clauses = {field["name"]: field["clause"] for field in json.loads(fabricscope("fields", "--json")) if field["clause"]}
    rows = [line.split("\t") for line in tshark("-G", "fields").splitlines() if line.startswith("F\t")]
    described = [(words[2], words[7]) for words in rows if words[2] in clauses]
    assert {name for name, _ in described} == clauses.keys()
    for name, text in described:  # messages that share a field may have it in several clauses
        told = re.search(r" \((.+)\)\.$", text)
        assert told and told.group(1) in clauses[name], (name, text)
    assert ("smcr.clc.mac", "Octets 32 to 37 of PROPOSAL hold it (RFC 7609, A.2.2).") in described


def test_fields_are_described_by_a_sentence():
    """Generated fields and expert infos as well, whose meaning no document may define."""
    rows = [line.split("\t") for line in tshark("-G", "fields").splitlines() if line.startswith("F\t")]
    ours = [(words[2], words[7]) for words in rows if words[4] in PROTOCOLS.keys() | {"rdma", "fabricscope"}]
    assert len(ours) > 500
    assert [name for name, text in ours if not re.fullmatch(r"[A-Z]\S*( \S+){2,}\.", text)] == []
    # What is fabricscope's own has no clause; what happens on a wire has one.
    texts = dict(ours)
    assert texts["smcr.in_flight"].endswith("(RFC 7609, 4.3).")
    assert texts["rdma.analysis.timeout_retransmission"] == "The packet is retransmitted after a timeout (IBA 9.9.2.1.3)."
    assert texts["smcr.stream"] == "This is the number of the connection: n in smcr-n."


@pytest.mark.parametrize("alone", PROTOCOLS)
def test_a_protocol_needs_no_other(alone):
    capture = PROTOCOLS[alone]
    others = off(PROTOCOLS.keys() - {alone})
    for how in (["-V"], ["-2", "-T", "json"]):
        assert tshark("-r", capture, *how, *others, *WITHOUT_ANALYSIS) == tshark("-r", capture, *how, *WITHOUT_ANALYSIS)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_switched_off_it_is_as_if_it_were_absent(name):
    capture = PROTOCOLS[name]
    assert tshark("-r", capture, "-V", *off([name]), *WITHOUT_ANALYSIS) == without_plugin("-r", capture, "-V")


def test_all_switched_off_leave_every_capture_as_it_was():
    for capture in PROTOCOLS.values():
        assert tshark("-r", capture, "-V", *off(PROTOCOLS), *WITHOUT_ANALYSIS) == without_plugin("-r", capture, "-V")


def test_protocols_do_not_meddle_with_each_other():
    for name, other in itertools.permutations(PROTOCOLS, 2):
        assert tshark("-r", PROTOCOLS[name], "-Y", other) == ""
