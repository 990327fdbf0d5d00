# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that ask for ever more of one thing: memory stays within a quarter of a gigabyte, a limit that is reached is told,
and nothing is accused for what was left out."""

import os
import subprocess

import pytest

from harness import BUILD, analyze, run

MOST_MEMORY = 256 << 20
# So many that each limit is passed; docs/performance.md has a million of each.
HOSTILE = {"half_open": 80_000, "link_groups": 80_000, "midstream_groups": 60_000, "midstream_queue_pairs": 60_000,
           "midstream_tokens": 80_000, "queue_pairs": 120_000, "cm_storm": 120_000, "cm_violations": 120_000,
           "fc_exchanges": 250_000, "fc_logins": 250_000}
WITHOUT_LIMIT = {"tcp_holes": 300_000, "fcip_streams": 100_000}  # the oldest makes room
sanitized = "FABRICSCOPE_SANITIZE:STRING=address" in (BUILD / "CMakeCache.txt").read_text()


def summary(capture):
    """The summary, and the most memory that the program had, in octets: not before this process has read anything large, of
    which a child's account would have a part."""
    with subprocess.Popen([BUILD / "bin/fabricscope", "analyze", capture], stdout=subprocess.PIPE) as program:
        text = program.stdout.read()
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
    assert program.returncode in (0, 1)
    return text, usage.ru_maxrss << 10


def reached(document):
    return [o["count"] for o in document["observations"] if o["id"] == "CAPTURE-O-limits"]


@pytest.mark.parametrize("kind", [*HOSTILE, *WITHOUT_LIMIT])
def test_memory_is_bounded(kind, tmp_path):
    capture = tmp_path / "hostile.pcap"
    run([BUILD / "bin/generate_hostile", kind, {**HOSTILE, **WITHOUT_LIMIT}[kind], capture])
    text, memory = summary(capture)
    assert (b"CAPTURE-O-limits" in text) == (kind != "fcip_streams")
    assert sanitized or memory <= MOST_MEMORY, f"{memory >> 20} MiB"


@pytest.mark.parametrize("limit", [
    "smcr.connections=30", "smcr.connections=300", "smcr.link-groups=1", "rdma.streams=3"])
def test_what_is_left_out_is_no_fault_of_smcr(limit, tmp_path):
    capture = tmp_path / "smcr.pcap"
    run([BUILD / "bin/generate_smcr", capture, "--frames", "30000", "--connections", "1000"])
    document = analyze(capture, "--limit", limit)
    assert reached(document) and reached(analyze(capture)) == []
    assert {o["id"] for o in document["observations"] if o["severity"] != "note"} == {"CAPTURE-O-limits"}


@pytest.mark.parametrize("limit", [
    "fc.exchanges=10", "fc.logins=1", "fcvi.connections=1", "fcvi.messages=10", "fc-ae-rdma.messages=5"])
def test_what_is_left_out_is_no_fault_of_fibre_channel(limit, tmp_path):
    capture = tmp_path / "fc.pcap"
    run([BUILD / "bin/generate_fc", capture, "--carrier", "fcoe", "--frames", "20000"])
    document = analyze(capture, "--limit", limit)
    assert reached(document)
    known = {"CAPTURE-O-limits", "FC-O-aborted"}  # one Exchange is aborted
    assert {o["id"] for o in document["observations"] if o["severity"] != "note"} <= known


@pytest.mark.parametrize("limit", ["smcr.connections", "smcr.connections=", "smcr.connections=0", "smcr.none=3", "=3", "x"])
def test_a_limit_that_is_none(limit):
    complaint = subprocess.run(
        [BUILD / "bin/fabricscope", "analyze", "--limit", limit, "x.pcap"], capture_output=True, check=False)
    assert complaint.returncode == 2 and b"is no NAME=COUNT" in complaint.stderr and b"rdma.streams" in complaint.stderr
