# SPDX-License-Identifier: GPL-2.0-or-later
"""Of captures that lack something, Wireshark says what the program says: streams and their packets, CM connections, broken
rules. test_plugin_variants holds what Wireshark says against the whole capture."""

import json
import random
from collections import Counter

import pytest
from edit import records_of
from harness import ROOT, analyze, fields, run, tshark
from test_plugin_variants import cut, from_frame, one_direction, write

CAPTURES = sorted(path for path in ROOT.glob("samples/real/*.pcap*") if path.suffix in (".pcap", ".pcapng"))
RULES = ("smcr.rule", "rdma_ip_cm.rule", "rdma.rule", "fcvi.rule", "fcaerdma.rule")
SESSIONS = ("smcr.connection", "smcr.link_group", "rdma_ip_cm.connection", "fcvi.connection", "fcaerdma.message")


def lossy(capture, out, percent):
    header, records = records_of(capture)
    chance = random.Random(1)
    write(header, [record for record in records if chance.random() * 100 >= percent], out)


VARIANTS = [(cut, 70), (cut, 110), (lossy, 10), (from_frame, 12), (one_direction, 0)]



def of_program(capture):
    """From JSON: all of it, packets of streams, findings."""
    whole = analyze(capture)
    packets = {
        str(int(stream["id"].removeprefix("rdma-"))): stream["a_to_b"]["packets"] + stream["b_to_a"]["packets"]
        for stream in whole["rdma"]["streams"]}
    findings = Counter((finding["rule"], finding["frames"][-1]) for finding in whole["findings"])
    return whole, packets, findings


def names_in(layer, name):
    """The values of a field of one layer, however deep, as `-T json` nests them."""
    if isinstance(layer, list):
        return [value for one in layer for value in names_in(one, name)]
    if not isinstance(layer, dict):
        return []
    found = []
    for key, value in layer.items():
        if key == name:
            found += value if isinstance(value, list) else [value]
        else:
            found += names_in(value, name)
    return found


@pytest.mark.parametrize(("make", "which"), VARIANTS, ids=lambda value: getattr(value, "__name__", str(value)))
@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_both_say_the_same(capture, make, which, tmp_path):
    tmp_path.chmod(0o755)
    if capture.suffix == ".pcapng" and make in (lossy, one_direction):
        pytest.skip("made from the records of a pcap file")
    variant = tmp_path / "variant.pcap"
    make(capture, variant, which)
    rows = fields(variant, "frame.number", "rdma.stream", "rdma.cnp", "rdma.copy_of", *RULES, *SESSIONS, options=["-2"])
    whole, packets, findings = of_program(variant)
    shown = Counter(
        (rule, int(row["frame.number"][0])) for row in rows for name in RULES for rule in row[name])
    assert shown == findings
    sent = Counter(row["rdma.stream"][0] for row in rows if row["rdma.stream"] and not row["rdma.cnp"] and not row["rdma.copy_of"])
    assert sent == {stream: count for stream, count in packets.items() if count}
    assert {row["rdma_ip_cm.connection"][0] for row in rows if row["rdma_ip_cm.connection"]} == {
        connection["id"] for connection in whole["rdma_cm"]["connections"]}


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_json_says_what_fields_say(capture, tmp_path):
    tmp_path.chmod(0o755)
    variant = tmp_path / "variant.pcap"
    run(["editcap", "-s", 70, capture, variant])
    rows = fields(variant, "frame.number", *SESSIONS, options=["-2"])
    frames = json.loads(tshark("-2", "-r", variant, "-T", "json", "--no-duplicate-keys"))
    assert len(frames) == len(rows)
    for frame, row in zip(frames, rows, strict=True):
        for name in SESSIONS:
            assert names_in(frame["_source"]["layers"], name) == row[name], row["frame.number"]
