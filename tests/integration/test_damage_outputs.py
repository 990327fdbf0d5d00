# SPDX-License-Identifier: GPL-2.0-or-later
"""Damaged captures through every other way out: tables, comments, pictures, traces, recordings, parts.

Each ends by itself with a status of its own, and what it wrote is whole.
"""

import json
import random
import sqlite3
import xml.etree.ElementTree as ElementTree

import pytest

from harness import BUILD, attempt, run
from test_damage import CAPTURES, SAMPLES, THOROUGH

DONE, FINDINGS, WRONG_USAGE, NOT_READ = range(4)
MOST_SECONDS = 120


def ends_well(*arguments, status=(DONE, FINDINGS, NOT_READ)):
    """Its standard output."""
    done = attempt(*arguments, seconds=MOST_SECONDS)
    assert done.returncode in status, (done.returncode, arguments, done.stderr[-500:])
    assert b"anitizer" not in done.stderr and b"runtime error" not in done.stderr
    return done.stdout


def with_bit_errors(octets, seed, every=2000):
    """In frames, lengths, blocks and headers alike; the first octets still say what kind of file it is."""
    chance, damaged = random.Random(seed), bytearray(octets)
    for _ in range(1 + len(damaged) // every):
        damaged[chance.randrange(24, len(damaged))] ^= 1 << chance.randrange(8)
    return damaged


def damaged_copies(name, seed, folder):
    """The sample with errors inside of frames, with errors anywhere, and cut."""
    inside, anywhere, cut = (folder / f"{kind}.pcap" for kind in ("inside", "anywhere", "cut"))
    run(["editcap", "-E", "0.005", "--seed", str(seed), SAMPLES / name, inside])
    whole = (SAMPLES / name).read_bytes()
    anywhere.write_bytes(with_bit_errors(whole, seed))
    cut.write_bytes(whole[:random.Random(seed).randrange(len(whole) // 2, len(whole))])
    return inside, anywhere, cut


def sessions(result):
    """Names by which timeline takes them."""
    lists = (("smcr", "connections"), ("rdma_cm", "connections"), ("fcvi", "connections"), ("fc", "exchanges"), ("rdma", "streams"))
    return [record["id"] for protocol, kind in lists for record in result[protocol][kind][:2]]


def everything_written_is_whole(capture, folder):
    text = ends_well("analyze", "--json", "--", capture)
    database, trace, annotated = folder / "out.sqlite", folder / "trace", folder / "annotated.pcapng"
    ends_well("analyze", capture, "--sqlite", database, "--perfetto", trace, "--cursors")
    ends_well("replay", capture, "--list", status=range(4))
    if not text:
        return  # no capture any more
    result = json.loads(text)
    (frames,) = sqlite3.connect(database).execute("SELECT frames FROM capture").fetchone()
    assert frames == result["capture"]["frames"]
    assert sqlite3.connect(database).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    ends_well("analyze", capture, "--annotate", annotated, status=range(4))
    if annotated.exists():
        run(["capinfos", "-c", annotated])
    for session in sessions(result):
        picture = folder / "out.svg"
        ends_well("timeline", capture, "--connection", session, "--svg", picture, status=range(4))
        ends_well("timeline", capture, "--connection", session, "--ladder", status=range(4))
        if picture.exists():
            ElementTree.parse(picture)
            picture.unlink()
    for path in (database, trace, annotated):
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("seed", range(1, 1 + THOROUGH))
@pytest.mark.parametrize("name", CAPTURES)
def test_what_is_written_of_damaged_captures_is_whole(name, seed, tmp_path):
    for capture in damaged_copies(name, seed, tmp_path):
        everything_written_is_whole(capture, tmp_path)


@pytest.mark.parametrize("seed", range(1, 1 + 5 * THOROUGH))
def test_what_is_written_of_edited_captures_is_whole(seed, tmp_path):
    """Lengths and checksums are right: what is wrong gets further."""
    edited = tmp_path / "edited.pcapng"
    run([BUILD / "bin/write_edits", "5", str(seed), edited])
    everything_written_is_whole(edited, tmp_path)
    ends_well("replay", edited, "--all", status=range(4))
