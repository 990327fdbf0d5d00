# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures partitioned, each part analysed by itself, and the results merged: as if one program had read the whole."""

import json
import os
import re
import sqlite3
from itertools import zip_longest

import pytest

from harness import ROOT, attempt, fabricscope, sample, samples
from test_cli_input import fails
from test_cli_partition import ECHO, moved, partition

REAL = [sample(name) for name in samples()]
FIBRE_CHANNEL = sorted(path for folder in ("fcvi", "fc_ae_rdma") for path in ROOT.glob(f"samples/{folder}/*.pcap*"))
READ = (0, 1, 3)


def analysed_in_parts(captures, into, folder, *options):
    """The results of all parts."""
    _, parts = partition(captures, into, folder / "parts", status=(0, 3))
    results = [folder / f"{part.stem}.json" for part in parts]
    for part, result in zip(parts, results, strict=True):
        fabricscope("analyze", "--as-part", part, "--json", result, *options, status=READ)
    return results


# Their ids say in which order they were done with, which is another one where some wait.
NUMBERED_BY_THE_CLOCK = {"rdma_operations", "rdma_events"}


def tables(database):
    """All rows of all tables."""
    connection = sqlite3.connect(database)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
    return {name: sorted((row[name in NUMBERED_BY_THE_CLOCK:] for row in connection.execute(f'SELECT * FROM "{name}"')), key=repr)
            for name in names}


def without_first_reasons(document):
    """Of which doubt comes first in a capture, parts do not tell."""
    for rule in document["rules"]:
        rule["why_undecided"] = rule["why_undecided"] is not None
    return document


def assert_same(whole, merged):
    """Line by line, so that a failure shows the record."""
    pairs = zip_longest(whole.read_text().splitlines(), merged.read_text().splitlines())
    different = [pair for pair in pairs if pair[0] != pair[1] and '"why_undecided"' not in (pair[0] or "")]
    assert different == []
    assert without_first_reasons(json.loads(whole.read_text())) == without_first_reasons(json.loads(merged.read_text()))


def compare(captures, into, folder, *options):
    whole, merged = folder / "whole", folder / "merged"
    status = [fabricscope_status("analyze", *captures, "--json", f"{whole}.json", "--sqlite", f"{whole}.sqlite", *options)]
    results = analysed_in_parts(captures, into, folder, *options)
    status.append(fabricscope_status("merge", *results, "-o", f"{merged}.json", "--sqlite", f"{merged}.sqlite"))
    assert status[0] == status[1]
    assert_same(folder / "whole.json", folder / "merged.json")
    of_whole, of_parts = tables(f"{whole}.sqlite"), tables(f"{merged}.sqlite")
    for name, rows in of_whole.items():
        if name != "rule_results":
            assert of_parts[name] == rows, name


def fabricscope_status(*arguments):
    done = attempt(*arguments)
    assert done.returncode in READ, done.stderr
    return done.returncode


@pytest.mark.parametrize("capture", REAL + FIBRE_CHANNEL, ids=lambda path: path.stem)
def test_of_one_capture(capture, tmp_path):
    compare([capture], 3, tmp_path)


@pytest.mark.parametrize("into", [1, 5])
def test_of_all_captures_of_one_network(into, tmp_path):
    compare(REAL, into, tmp_path)


def test_of_hosts_that_have_nothing_to_do_with_each_other(tmp_path):
    compare([moved(path, number, tmp_path) for number, path in enumerate(REAL)], 4, tmp_path, "--cursors")


@pytest.mark.parametrize("name", ["none.pcap", os.fsdecode(b"no UTF-8 \xff.pcap")])
def test_of_unusual_captures(name, tmp_path):
    """One without frames, one whose name is no text."""
    octets = sample("rdmacm_rping_v4").read_bytes()
    (tmp_path / name).write_bytes(octets[:24] if name == "none.pcap" else octets)
    compare([tmp_path / name], 2, tmp_path)


def test_with_counters(tmp_path):
    """Not all parts have adapters; those of each are in a row."""
    captures = [moved(path, number, tmp_path) for number, path in enumerate([ECHO, sample("rdmacm_rping_v4")])]
    merged = json.loads(fabricscope("merge", *analysed_in_parts(captures, 3, tmp_path, "--counters"), status=READ))
    whole = json.loads(fabricscope("analyze", *captures, "--counters", "--json", status=READ))
    assert sorted(map(str, merged["counters"])) == sorted(map(str, whole["counters"])) != []


@pytest.mark.parametrize("options", [
    ["--profile", "rfc7609"], ["--rules-level", "error"], ["--rule", "SMCR-R04"], ["--limit", "smcr.connections=7"], ["--cursors"],
    ["--counters"], ["--cursor-base", "4"], ["--protocol", "smcr"]], ids=" ".join)
def test_of_other_options_are_refused(options, tmp_path):
    _, parts = partition([ECHO], 2, tmp_path / "parts")
    results = [tmp_path / "1.json", tmp_path / "2.json"]
    for part, result, given in zip(parts, results, ([], options), strict=True):
        fabricscope("analyze", "--as-part", part, "--json", result, *given, status=READ)
    status, _, complaint = fails("merge", *results)
    assert status == 3 and re.search(rf"1.json was made with.* {options[0]}\b.*, and .*2.json with {' '.join(options)}$", complaint)


@pytest.mark.parametrize("written, instead", [
    ('"schema": "fabricscope/1"', '"schema": {'),
    ('"smcr": {', '"smcr": 5'),
    ('"exchanges": []', '"exchanges": {'),
    ('"of":1', '"of":1000000000000000'),
    ('"errors":[]', '"errors":[' + "[" * 100_000 + "]" * 100_000 + "]"),
    ('"why_undecided":null}', '"why_undecided":null},\n    {}'),
], ids=["object", "value", "list", "parts", "nesting", "record"])
def test_what_is_no_result_is_refused(written, instead, tmp_path):
    text = (ROOT / "tests/fuzz/texts/result_of_empty_part.json").read_text()
    path = tmp_path / "result.json"
    assert written in text
    path.write_text(text.replace(written, instead, 1))
    status, _, complaint = fails("merge", path)
    assert status == 3 and complaint.startswith("fabricscope: ")
