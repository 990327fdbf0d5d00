# SPDX-License-Identifier: GPL-2.0-or-later
"""What code could do that a capture brought into the program: tests/preloaded/intruder.c is preloaded, and tries when all has
been read."""

import ctypes
import os
import pathlib
import subprocess
import tempfile

import pytest

from harness import BUILD, ROOT, sample
from namespaces import REASON, begin_listening, wired_namespaces

PROGRAM = BUILD / "bin/fabricscope"
ECHO, CM = sample("smcr_v2_echo"), sample("rdmacm_private_data")
ASK_FOR_VERSION, CREATE_RULESET = 1, 444

VERSION = ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_FOR_VERSION)
pytestmark = pytest.mark.skipif(VERSION < 1, reason="the kernel has no Landlock")

OUTSIDE = BUILD / "intruded"
DENIED = {"read": "Permission denied", "write": "Permission denied", "start": "Permission denied"}
DENIED |= {"connect": "Permission denied"} if VERSION >= 4 else {}
DENIED |= {"signal": "Operation not permitted"} if VERSION >= 6 else {}
ALLOWED = {"read": "done", "write": "done", "start": "done", "connect": "Connection refused", "signal": "done"}


def intruded(errors):
    return dict(line.removeprefix("intruder: ").split(": ") for line in errors.splitlines() if line.startswith("intruder: "))


def environment():
    # A sanitizer wants to be the first library.
    runtime = os.environ.get("LD_PRELOAD", "")
    return {**os.environ, "LD_PRELOAD": f"{runtime}:{BUILD / 'lib/intruder.so'}".strip(":"), "ASAN_OPTIONS": "verify_asan_link_order=0",
            "INTRUDER_READ": str(ROOT / "README.md"), "INTRUDER_WRITE": str(OUTSIDE)}


@pytest.fixture
def folder():
    """For outputs; not where temporary files are, which every command may write."""
    with tempfile.TemporaryDirectory(dir=BUILD) as path:
        yield pathlib.Path(path)
    OUTSIDE.unlink(missing_ok=True)


def attempt(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], env=environment(), capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return intruded(done.stderr.decode())


def commands(folder):
    return {
        "analyze": ["analyze", ECHO, "--json", folder / "out.json", "--csv", folder / "csv", "--sqlite", folder / "out.sqlite"],
        "annotate": ["analyze", ECHO, "--annotate", folder / "out.pcapng"],
        "each": ["analyze", ECHO, CM, "--each", "--json", folder / "each.json"],
        "timeline": ["timeline", ECHO, "--connection", "smcr-1", "--svg", folder / "out.svg", "--png", folder / "out.png"],
        "stream": ["stream", ECHO, "--connection", "smcr-1", "--from", "client", "-o", folder / "out.bin"],
        "report": ["report", ECHO, "-o", folder / "out.html"],
        "script": ["script", CM, "--session", "cm-1", "-o", folder / "out.scenario"],
        "replay": ["replay", CM, "--all", "--json", folder / "replay.json"],
        "partition": ["partition", ECHO, CM, "--into", "2", "-o", folder / "parts"]}


@pytest.mark.parametrize("name", commands(ROOT))
def test_nothing_but_inputs_and_outputs(name, folder):
    denied = attempt(*commands(folder)[name])
    assert {what: denied[what] for what in DENIED} == DENIED
    assert attempt(*commands(folder)[name], "--no-sandbox") == ALLOWED


def test_parts_and_their_results(tmp_path):
    parts = tmp_path / "parts"
    attempt("partition", ECHO, CM, "--into", "2", "-o", parts)
    results = []
    for part in sorted(parts.glob("*.pcapng")):
        results.append(f"{part}.json")
        assert attempt("analyze", "--as-part", part, "--json", results[-1])["read"] == "Permission denied"
    assert attempt("merge", *results, "-o", tmp_path / "all.json")["read"] == "Permission denied"


@pytest.mark.parametrize("way", ["pipe", "standard input", "descriptor"])
def test_inputs_without_a_name(way, tmp_path):
    out = tmp_path / "out.json"
    name = {"pipe": "<(cat %s)", "standard input": "- < %s", "descriptor": "/dev/stdin < %s"}[way] % ECHO
    subprocess.run(["bash", "-c", f"{PROGRAM} analyze {name} --json {out}"], check=True, capture_output=True)
    assert out.stat().st_size > 0


def test_standard_output_by_name(folder):
    with open(folder / "out.json", "wb") as out:
        subprocess.run([PROGRAM, "analyze", ECHO, "--json", "/dev/stdout"], check=True, stdout=out)
    assert (folder / "out.json").stat().st_size > 0


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_capture(folder):
    with wired_namespaces() as (_, (server, interface)):
        process = begin_listening(
            server, [PROGRAM, "capture", "-i", interface, "--duration", "1", "-w", folder / "out.pcapng"], env=environment())
        _, errors = process.communicate(timeout=60)
    denied = intruded(errors.decode())
    assert {what: denied[what] for what in DENIED} == DENIED
