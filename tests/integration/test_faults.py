# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks that are full or fail, and memory that is short: a clear error with the documented exit status, and no file that
looks whole and is not. tests/preloaded/faults.c is preloaded to make reads and allocations fail.

FABRICSCOPE_THOROUGH=1 in the environment lets every allocation of every command fail, as `./dev nightly` does.
"""

import json
import os
import resource
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import BUILD, run, sample

PROGRAM = BUILD / "bin/fabricscope"
THOROUGH = "FABRICSCOPE_THOROUGH" in os.environ
ECHO, MIDDLE = sample("smcr_v2_echo"), sample("smcr_v2_midstream")
LINKS = sample("smcr_v2_two_links")  # pcapng of several interfaces: read by wiretap
CM = sample("rdmacm_private_data")
NOT_DONE, NOT_READ = 2, 3
SHORT_OF_MEMORY = (b"out of memory", b"Cannot allocate memory", b"Resource temporarily unavailable", b"bad_alloc")

sanitized = "FABRICSCOPE_SANITIZE:STRING=address" in (BUILD / "CMakeCache.txt").read_text()
preloaded = pytest.mark.skipif(sanitized, reason="the sanitizers have an allocator of their own")


def attempt(*arguments, stdout=subprocess.PIPE, largest_file=None, seconds=60, **faults):
    """The program with faults; whatever happens, it ends by itself."""
    environment = dict(os.environ)
    if faults:
        environment |= {"LD_PRELOAD": str(BUILD / "lib/faults.so")}
        environment |= {f"FAULTS_{name.upper()}": str(value) for name, value in faults.items()}
    limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))) if largest_file else None
    return subprocess.run(  # Python ignores SIGXFSZ, which is what a full disk is like
        [PROGRAM, *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE, timeout=seconds, check=False,
        env=environment, preexec_fn=limit, restore_signals=False)


# ---- full disks ----------------------------------------------------------------------------------

STREAM = ("stream", ECHO, "--connection", "smcr-1", "--from", "client")
TIMELINE = ("timeline", ECHO, "--connection", "smcr-1")
TO_STANDARD_OUTPUT = [
    ("analyze", ECHO), ("analyze", ECHO, "--json"), ("analyze", ECHO, "--ndjson"), ("analyze", "--each", ECHO, CM),
    STREAM, TIMELINE, (*TIMELINE, "--ladder"), (*TIMELINE, "--csv", "-"), (*TIMELINE, "--svg", "-"),
    (*TIMELINE, "--png", "-"), ("report", ECHO, "-o", "-"), ("replay", CM, "--list"), ("replay", CM, "--all"),
    ("replay", CM, "--all", "--json"), ("synth", "smcr_v2_echo"), ("synth", "--list"), ("rules",), ("rules", "--json"),
    ("fields",), ("fields", "--json"), ("explain",), ("explain", "--markdown"), ("tables",), ("tables", "--sql"),
    ("tables", "--json-schema"), ("capture", "-D"), ("--help",), ("--version",), ("help", "analyze")]


def words(command):
    return " ".join(str(word).rsplit("/", 1)[-1] for word in command)


@pytest.mark.parametrize("command", TO_STANDARD_OUTPUT, ids=words)
def test_standard_output_is_full(command):
    with open("/dev/full", "wb") as full:
        done = attempt(*command, stdout=full)
    assert done.returncode == NOT_DONE, done.stderr
    assert done.stderr.startswith(b"fabricscope: ") and b"No space left on device" in done.stderr
    assert done.stderr.count(b"No space left") == 1


TO_A_FILE = [
    ("analyze", ECHO, "--json"), ("analyze", ECHO, "--ndjson", "--json"), ("analyze", ECHO, "--sqlite"),
    ("analyze", ECHO, "--annotate"), ("analyze", ECHO, "--perfetto"), ("analyze", ECHO, "--csv"), (*TIMELINE, "--csv"),
    (*TIMELINE, "--svg"), (*TIMELINE, "--png"), ("report", ECHO, "-o"), ("synth", "smcr_v2_echo", "-o"), (*STREAM, "-o"),
    ("replay", CM, "--session", "cm-1", "--play", "client", "--write"), ("replay", CM, "--all", "--json")]


@pytest.mark.parametrize("command", TO_A_FILE, ids=words)
def test_a_device_is_full_or_refused(command):
    done = attempt(*command, "/dev/full")
    assert done.returncode == NOT_DONE
    assert any(text in done.stderr for text in (b"No space left on device", b"is no regular file", b"is no folder"))


@pytest.mark.parametrize("command", TO_A_FILE, ids=words)
def test_the_disk_is_full(command, tmp_path):
    """Nothing is left of what could not be written whole, and what stood there before is still there."""
    out = tmp_path / "out"
    whole = attempt(*command, out)
    assert whole.returncode in (0, 1), whole.stderr
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    largest = max(map(len, before.values()))
    for room in sorted({1, largest // 2, largest - 1} - {0}):
        done = attempt(*command, out, largest_file=room)
        assert done.returncode == NOT_DONE and done.stderr.startswith(b"fabricscope: "), (room, done.stderr)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


# ---- reads ---------------------------------------------------------------------------------------

@pytest.fixture(scope="module", name="inputs")
def forms_of_captures(tmp_path_factory):
    """Each way into the program: libpcap, plain records, wiretap, libarchive."""
    folder = tmp_path_factory.mktemp("inputs")
    for command, name in ((["gzip", "-c"], "echo.pcap.gz"), (["xz", "-c"], "echo.pcap.xz")):
        (folder / name).write_bytes(run([*command, ECHO]))
    run(["editcap", "-F", "pcapng", ECHO, folder / "echo.pcapng"])
    return [ECHO, LINKS, *sorted(folder.iterdir())]


@preloaded
def test_reads_that_fail(inputs):
    """The first, the second ... to the one that the program does not get to."""
    for path in inputs:
        failed = 0
        for number in range(1, 60):
            done = attempt("analyze", path, "--json", read=number)
            if done.returncode in (0, 1):
                break
            assert done.returncode == NOT_READ, (path, number, done.stderr)
            assert done.stderr.startswith(f"fabricscope: {path}: ".encode()), (number, done.stderr)
            if done.stdout:
                assert json.loads(done.stdout)["capture"]["errors"]
            failed += 1
        assert failed > 2, path


@preloaded
@pytest.mark.parametrize("octets", [7, 4093])
def test_reads_in_pieces(inputs, octets):
    for path in inputs:
        whole = attempt("analyze", path, "--json")
        pieces = attempt("analyze", path, "--json", pieces=octets)
        assert (pieces.returncode, pieces.stdout, pieces.stderr) == (whole.returncode, whole.stdout, whole.stderr)


# ---- memory --------------------------------------------------------------------------------------

before_main = 20  # allocations of constructors, which nobody can catch
most_in_glib = 12  # while its handlers of messages are set, GLib ends the process by a signal, or waits for itself


def ends_in_glib(done):
    return done.returncode < 0 and b"failed to allocate" in done.stderr


def check_failing_allocation(command, number, whole, out):
    """Whether it ended as it should; false: GLib did not let it."""
    try:
        done = attempt(*command, out, allocation=number, seconds=20)
    except subprocess.TimeoutExpired:
        return False
    octets = out.read_bytes() if out.exists() else None
    for path in out.parent.glob(out.name + "*"):  # what was cut off by libraries in C has another name
        path.unlink()
    if done.returncode == whole[0]:
        assert octets == whole[1], f"allocation {number}: not all is there"
        return True
    if ends_in_glib(done) and octets is None:
        return False
    known = done.returncode in (NOT_DONE, NOT_READ) or (number <= before_main and done.returncode < 0)
    assert known and any(text in done.stderr for text in SHORT_OF_MEMORY), (number, done.returncode, done.stderr)
    if octets is not None:  # read as far as possible, or another output failed
        assert done.returncode == NOT_READ or octets == whole[1], number
    return True


@preloaded
@pytest.mark.parametrize("command, step", [
    (("analyze", MIDDLE, "--json"), 23), (("analyze", LINKS, "--json"), 197), (("analyze", ECHO, "--sqlite"), 199),
    (("analyze", ECHO, "--annotate"), 101), (("report", ECHO, "-o"), 197), ((*TIMELINE, "--svg"), 61),
    (("replay", CM, "--all", "--json"), 401), (("synth", "smcr_v2_echo", "-o"), 401), ((*STREAM, "-o"), 59)],
    ids=lambda value: words(value) if isinstance(value, tuple) else "")
def test_allocations_that_fail(command, step, tmp_path):
    """Some of the first 10,000. Not of those that write PNG: fontconfig crashes."""
    out, count = tmp_path / "whole", tmp_path / "count"
    whole = attempt(*command, out, count=count)
    expected = (whole.returncode, out.read_bytes())
    last = min(int(count.read_text()), 100_000 if THOROUGH else 10_000)
    assert last > 1_000
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ended = list(pool.map(
            lambda number: check_failing_allocation(command, number, expected, tmp_path / f"out{number}"),
            range(1, last + 1, 1 if THOROUGH else step)))
    assert ended.count(False) <= most_in_glib


@preloaded
def test_no_memory_at_all_any_more(tmp_path):
    """From one allocation on, all fail."""
    out = tmp_path / "out"
    for number in range(before_main + 1, 3_000, 97):
        done = attempt("analyze", ECHO, "--json", out, **{"from": number})
        assert done.returncode in (NOT_DONE, NOT_READ), (number, done.returncode, done.stderr)
        assert not out.exists()
