# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures distributed over files: no frame is lost or there twice, and the parts say together what the captures say."""

import gzip
import json
import re
import signal
import subprocess

import pytest

from harness import BUILD, analyze, attempt, fabricscope, run, sample, samples, shifted

ALL = [sample(name) for name in samples()]
ECHO = sample("smcr_v2_echo")
# What names a record, or numbers it over the whole of a capture.
NUMBERING = {"id", "places", "stream", "connection", "link_group", "session", "connections"}


def partition(files, into, folder, status=(0,)):
    fabricscope("partition", *files, "--into", str(into), "-o", folder, status=status)
    manifest = json.loads((folder / "manifest.json").read_text())
    return manifest, [folder / part["file"] for part in manifest["parts"]]


def complaints_of(*arguments):
    done = attempt(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stderr.decode()


def frames(capture):
    """Of each frame its comments, time, lengths and the digest of its octets."""
    names = ["frame.time_epoch", "frame.len", "frame.cap_len", "frame.md5_hash", "frame.comment"]
    lines = run(["tshark", "-n", "-r", capture, "-o", "frame.generate_md5_hash:TRUE", "-T", "fields",
                 *(word for name in names for word in ("-e", name))])
    return [tuple(line.split("\t")) for line in lines.decode().splitlines()]


def originals(captures, folder):
    """The same of captures, each frame with the comment that a part gives it."""
    run(["mergecap", "-a", "-w", folder / "all.pcapng", *captures])
    counts = [int(line.split()[-1]) for line in run(["capinfos", "-c", "-M", "-r", "-T", *captures]).decode().splitlines()]
    origins = [f"{capture}, frame {number}" for capture, count in zip(captures, counts, strict=True)
               for number in range(1, count + 1)]
    return [(*frame[:4], origin) for frame, origin in zip(frames(folder / "all.pcapng"), origins, strict=True)]


def split_comment(frame):
    """The frame without the number that it has among all, and that number."""
    origin, number = re.fullmatch(r"(.*) \((\d+) of all\)", frame[-1]).groups()
    return (*frame[:-1], origin), int(number)


def moved(capture, network, folder):
    """The capture with its hosts' addresses, wherever they are named, and their adapters' in a network of its own."""
    octets = capture.read_bytes().replace(bytes([192, 0, 2]), bytes([10, 9, network]))
    path = folder / f"{network}-{capture.name}"
    path.write_bytes(octets)
    return path


def sessions(*captures):
    """Each record of the results as text, without what numbers it, and without times, which count from a capture's start."""
    def strip(value):
        if isinstance(value, dict):
            return {key: strip(each) for key, each in value.items()
                    if "frame" not in key and key not in NUMBERING and not isinstance(each, float)}
        return [strip(each) for each in value] if isinstance(value, list) else value
    found = []
    for files in captures:
        result = analyze(*files)
        for protocol, lists in result.items():
            if not isinstance(lists, dict) or protocol in ("capture", "rules", "overview"):
                continue
            for name, records in lists.items():
                if isinstance(records, list):
                    found += [f"{protocol}.{name} {json.dumps(strip(record), sort_keys=True)}" for record in records]
    return sorted(found)


def test_each_frame_is_in_exactly_one_part(tmp_path):
    manifest, parts = partition(ALL, 3, tmp_path / "parts")
    written = [frames(part) for part in parts]
    split = [split_comment(frame) for frame in sum(written, [])]
    assert sorted(frame for frame, _ in split) == sorted(originals(ALL, tmp_path))
    by_number = sorted(split, key=lambda pair: pair[1])
    assert [number for _, number in by_number] == list(range(1, len(split) + 1))
    run(["mergecap", "-w", tmp_path / "by_time.pcapng", *ALL])
    assert [frame[:4] for frame, _ in by_number] == [frame[:4] for frame in frames(tmp_path / "by_time.pcapng")]
    assert [part["frames"] for part in manifest["parts"]] == [len(each) for each in written]
    assert [part["octets"] for part in manifest["parts"]] == [sum(int(frame[2]) for frame in each) for each in written]
    assert manifest["complete"]
    assert manifest["inputs"] == [{"file": str(path), "size": path.stat().st_size} for path in ALL]
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == ["manifest.json", *(part.name for part in parts)]


@pytest.mark.parametrize("own_networks", [False, True], ids=["as they are", "each sample in a network of its own"])
def test_the_parts_have_the_sessions_of_the_whole(own_networks, tmp_path):
    captures = [moved(path, number, tmp_path) for number, path in enumerate(ALL)] if own_networks else ALL
    manifest, parts = partition(captures, 4, tmp_path / "parts")
    assert all(part["frames"] for part in manifest["parts"]) or not own_networks
    whole = sessions(captures)
    assert len(whole) > 100
    assert sessions(*([part] for part in parts if frames(part))) == whole


def test_a_compressed_capture(tmp_path):
    packed = tmp_path / "echo.pcap.gz"
    packed.write_bytes(gzip.compress(ECHO.read_bytes()))
    _, (part,) = partition([packed], 1, tmp_path / "parts")
    assert frames(part) == originals([packed], tmp_path)


def test_it_can_be_repeated_and_replaces_nothing_else(tmp_path):
    folder = tmp_path / "parts"
    partition([ECHO], 2, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    partition([ECHO], 2, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    fabricscope("partition", ECHO, "--into", "1", "-o", folder, status=(2,))  # part 2 would remain
    (folder / "part-1.pcapng").write_text("mine")
    fabricscope("partition", ECHO, "--into", "2", "-o", folder, status=(2,))
    assert (folder / "part-1.pcapng").read_text() == "mine"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def long_captures(tmp_path_factory):
    """More frames than are written before a run first notes how far it has come."""
    folder = tmp_path_factory.mktemp("long")
    for name, connections in (("a", 20), ("b", 30)):
        run([BUILD / "bin/generate_smcr", folder / f"{name}.pcap", "--frames", "60000", "--connections", str(connections)])
    return [folder / "a.pcap", folder / "b.pcap"]


@pytest.fixture(scope="module")
def written_at_once(long_captures, tmp_path_factory):
    folder = tmp_path_factory.mktemp("at once") / "parts"
    partition(long_captures, 3, folder)
    return contents(folder)


def break_off(captures, written_at_once, folder, at_limit):
    """Shortly before the end: no file may be as large as the largest one has to be."""
    limit = max(len(octets) for octets in written_at_once.values()) - 10_000
    done = subprocess.run(["prlimit", f"--fsize={limit}", BUILD / "bin/fabricscope", "partition", *captures, "--into", "3", "-o", folder],
                          capture_output=True, text=True, timeout=60, preexec_fn=lambda: signal.signal(signal.SIGXFSZ, at_limit))
    assert not (folder / "manifest.json").exists()
    return done


def test_a_run_that_was_killed_goes_on(long_captures, written_at_once, tmp_path):
    folder = tmp_path / "parts"
    assert break_off(long_captures, written_at_once, folder, signal.SIG_DFL).returncode == -signal.SIGXFSZ
    assert "resumes behind frame 100000 of" in complaints_of("partition", *long_captures, "--into", "3", "-o", folder)
    assert contents(folder) == written_at_once


def test_a_run_whose_disk_was_full_goes_on(long_captures, written_at_once, tmp_path):
    folder = tmp_path / "parts"
    done = break_off(long_captures, written_at_once, folder, signal.SIG_IGN)
    assert done.returncode == 2 and "the same command goes on from there" in done.stderr
    assert "resumes behind frame 100000 of" in complaints_of("partition", *long_captures, "--into", "3", "-o", folder)
    assert contents(folder) == written_at_once


@pytest.mark.parametrize("change", ["touch", "into", "damage", "cut"])
def test_what_another_run_left_is_not_gone_on_with(change, long_captures, written_at_once, tmp_path):
    folder, into = tmp_path / "parts", 3
    break_off(long_captures, written_at_once, folder, signal.SIG_DFL)
    if change == "touch":
        long_captures[0].touch()
    elif change == "into":
        into = 2
    elif change == "damage":
        (folder / "unfinished-plan").open("a").write("1 00 0\n")
    else:
        (folder / "unfinished-part-2.pcapng").write_bytes(b"")
    assert "goes on" not in complaints_of("partition", *long_captures, "--into", str(into), "-o", folder)
    assert sorted(contents(folder)) == ["manifest.json", *(f"part-{number}.pcapng" for number in range(1, into + 1))]
    assert into != 3 or contents(folder) == written_at_once


def test_two_runs_at_once(long_captures, written_at_once, tmp_path):
    command = [BUILD / "bin/fabricscope", "partition", *long_captures, "--into", "3", "-o", tmp_path / "parts"]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert contents(tmp_path / "parts") == written_at_once


def test_a_capture_that_ends_early(tmp_path):
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(ECHO.read_bytes()[:-10])
    manifest, (part,) = partition([cut], 1, tmp_path / "parts", status=(3,))
    assert not manifest["complete"]
    assert [frame[:4] for frame in frames(part)] == [frame[:4] for frame in frames(ECHO)[:-1]]


def test_a_file_that_is_not_there_leaves_no_parts(tmp_path):
    fabricscope("partition", ECHO, tmp_path / "none.pcap", "--into", "2", "-o", tmp_path / "parts", status=(3,))
    assert not (tmp_path / "parts").exists()


def test_captures_of_different_weeks_are_refused(tmp_path):
    """analyze would leave the later one out, and the parts would not."""
    later = shifted(ECHO, 8 * 86400, tmp_path / "later.pcap")
    done = subprocess.run([BUILD / "bin/fabricscope", "partition", ECHO, later, "--into", "2", "-o", tmp_path / "parts"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 3 and f"{later} begins 8.0 days after {ECHO} ends, so that they are not one capture" in done.stderr
    assert not (tmp_path / "parts").exists()
