# SPDX-License-Identifier: GPL-2.0-or-later
"""Of captures that lack something, Wireshark says what the program says: streams and their packets, CM connections, broken
rules. test_plugin_variants holds what Wireshark says against the whole capture."""

import functools
import json
import random
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from edit import records_of
from harness import ROOT, analyze, fields_of_all, tshark
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


@functools.cache
def scratch():
    folder = tempfile.TemporaryDirectory()
    Path(folder.name).chmod(0o755)
    return folder


@functools.cache
def variants_of_all(make, which):
    """Of each capture that can be changed so: the variant, and its rows in Wireshark."""
    captures = [path for path in CAPTURES if path.suffix == ".pcap" or make not in (lossy, one_direction)]
    variants = [Path(scratch().name, f"{make.__name__}-{which}-{path.stem}.pcap") for path in captures]
    for capture, variant in zip(captures, variants, strict=True):
        make(capture, variant, which)
    rows = fields_of_all(variants, "rdma.stream", "rdma.cnp", "rdma.copy_of", *RULES, *SESSIONS)
    return dict(zip(captures, zip(variants, rows, strict=True), strict=True))


@pytest.mark.parametrize(("make", "which"), VARIANTS, ids=lambda value: getattr(value, "__name__", str(value)))
@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_both_say_the_same(capture, make, which):
    if capture not in variants_of_all(make, which):
        pytest.skip("made from the records of a pcap file")
    variant, rows = variants_of_all(make, which)[capture]
    whole, packets, findings = of_program(variant)
    assert Counter((rule, row["frame"]) for row in rows for name in RULES for rule in row[name]) == findings
    sent = Counter(row["rdma.stream"][0] for row in rows if row["rdma.stream"] and not row["rdma.cnp"] and not row["rdma.copy_of"])
    assert sent == {stream: count for stream, count in packets.items() if count}
    assert {row["rdma_ip_cm.connection"][0] for row in rows if row["rdma_ip_cm.connection"]} == {
        connection["id"] for connection in whole["rdma_cm"]["connections"]}


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_json_says_what_columns_say(capture):
    variant, rows = variants_of_all(cut, 70)[capture]
    frames = json.loads(tshark("-2", "-r", variant, "-T", "json", "--no-duplicate-keys"))
    assert len(frames) == len(rows)
    for frame, row in zip(frames, rows, strict=True):
        for name in SESSIONS:
            assert names_in(frame["_source"]["layers"], name) == row[name], row["frame"]
