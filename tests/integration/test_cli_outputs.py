# SPDX-License-Identifier: GPL-2.0-or-later
"""Where commands write: over nothing that they read, not twice to one place, and into no file that is not theirs."""

import os
import shutil
import signal
import subprocess

import pytest

from harness import BUILD, fabricscope, open_to_all, sample

PROGRAM = BUILD / "bin/fabricscope"
PLAY = "--session", "smcr-1", "--play", "client"


def complaint(*arguments, cwd, status=2, **options):
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True, timeout=120, **options)
    assert done.returncode == status, done.stderr
    return done.stderr.decode()


def succeeds(line, cwd):
    """What it writes."""
    return subprocess.run([PROGRAM, *line.split()], cwd=cwd, stdout=subprocess.PIPE, check=True, timeout=120).stdout


@pytest.fixture
def folder(tmp_path):
    """With a capture, a script of it, a suite and the results of two parts."""
    shutil.copy(sample("smcr_v2_echo"), tmp_path / "a.pcap")
    fabricscope("script", tmp_path / "a.pcap", "--session", "smcr-1", "-o", tmp_path / "a.scenario")
    fabricscope("partition", tmp_path / "a.pcap", "--into", "2", "-o", tmp_path / "p")
    for part in "12":
        fabricscope("analyze", "--as-part", tmp_path / f"p/part-{part}.pcapng", "--json", tmp_path / f"{part}.json")
    (tmp_path / "suite").mkdir()
    shutil.copy(tmp_path / "a.pcap", tmp_path / "suite/a.pcap")
    (tmp_path / "suite/suite.toml").write_text('[[recording]]\nname = "a"\nfile = "a.pcap"\n')
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("arguments", [
    "analyze a.pcap --annotate a.pcap", "analyze a.pcap --sqlite ./a.pcap", "analyze a.pcap --perfetto link.pcap",
    "stream a.pcap --connection smcr-1 --from client -o a.pcap",
    "script a.pcap --session smcr-1 -o a.pcap",
    "timeline a.pcap --connection smcr-1 --csv a.pcap", "timeline a.pcap --connection smcr-1 --svg a.pcap",
    "report a.pcap -o a.pcap",
    "replay a.pcap --session smcr-1 --play client --write a.pcap",
    "replay a.pcap --session smcr-1 --play client --faults a.scenario --json=a.scenario",
    "mutate a.pcap --session smcr-1 --play client --against emulated --runs 1 --json=a.pcap",
    "verify suite --against emulated --junit suite/a.pcap", "verify suite --against emulated --json suite/suite.toml",
    "synth a.scenario -o a.scenario",
    "partition p/part-1.pcapng --into 2 -o p",
    "merge 1.json 2.json -o 2.json", "merge 1.json 2.json --sqlite 1.json",
])
def test_an_input_is_never_overwritten(folder, arguments):
    (folder / "link.pcap").symlink_to("a.pcap")
    before = contents(folder)
    assert " is an input and will not be overwritten" in complaint(*arguments.split(), cwd=folder)
    assert contents(folder) == before


@pytest.mark.parametrize("arguments, where", [
    ("timeline a.pcap --connection smcr-1 --svg x --png ./x", "--svg and --png cannot both go to ./x"),
    ("timeline a.pcap --connection smcr-1 --csv - --svg -", "--csv and --svg cannot both go to standard output"),
    ("analyze a.pcap --json x --perfetto x", "--json and --perfetto cannot both go to x"),
    ("verify suite --against emulated --junit x --json x", "--junit and --json cannot both go to x"),
    ("replay a.pcap --session smcr-1 --play client --json x --write x", "--write and --json cannot both go to x"),
    ("capture -i lo --duration .1 -w x --json x", "--write and --json cannot both go to x"),
])
def test_two_outputs_need_two_places(folder, arguments, where):
    assert where in complaint(*arguments.split(), cwd=folder)
    assert not (folder / "x").exists()


@pytest.mark.parametrize("arguments", [
    "analyze --json a.pcap", "replay --session smcr-1 --play client --json a.pcap",
    "mutate --session smcr-1 --play client --against emulated --runs 1 --seed 2 --json a.pcap",
])
def test_json_takes_no_capture(folder, arguments):
    assert succeeds(arguments, folder).startswith(b"{")


def test_json_takes_no_pipe_that_is_the_only_capture(folder):
    """`analyze --json <(command)`"""
    done = subprocess.run(["bash", "-c", f"{PROGRAM} analyze --json <(cat a.pcap)"], cwd=folder, capture_output=True, check=True)
    assert done.stdout.startswith(b"{")


@pytest.mark.parametrize("arguments", ["analyze a.pcap --json none/x", "stream a.pcap --connection smcr-1 --from client -o none/x"])
def test_a_place_that_is_not_there_is_told_before_the_work(folder, arguments):
    assert "cannot write none/x: No such file or directory" in complaint(*arguments.split(), cwd=folder)


def test_a_script_that_mentions_the_program_is_nobodys_picture_or_report(folder):
    script = folder / "run.sh"
    script.write_text('#!/bin/sh\nfabricscope analyze "$@"\n')
    for arguments in ("report a.pcap -o run.sh", "analyze a.pcap --perfetto run.sh", "timeline a.pcap --connection smcr-1 --svg run.sh"):
        assert "run.sh exists and is not a " in complaint(*arguments.split(), cwd=folder)
    succeeds("timeline a.pcap --connection smcr-1 --svg x.svg --png x.png", folder)
    assert "x.svg exists and is not a report" in complaint("report", "a.pcap", "-o", "x.svg", cwd=folder)
    succeeds("timeline a.pcap --connection smcr-1 --svg x.svg --png x.png", folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: runs as somebody else")
def test_a_file_that_cannot_be_read_is_not_ours(folder):
    open_to_all(folder)
    secret = folder / "secret"
    secret.write_text("")
    secret.chmod(0o600)
    said = complaint("report", folder / "a.pcap", "-o", secret, cwd="/", user=65534, group=65534, extra_groups=[])
    assert "secret exists and cannot be read, so it may not be a report of fabricscope" in said


def test_a_replaced_file_keeps_who_may_read_it(folder):
    out = folder / "out.json"
    out.write_text("{}")
    out.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(out, 65534, 65534)
    before = out.stat()
    fabricscope("analyze", folder / "a.pcap", "--json", out)
    after = out.stat()
    assert out.stat().st_size > 1000 and after.st_ino != before.st_ino
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)


def test_what_is_told_goes_into_no_file_though_standard_streams_are_closed(folder):
    """The first file that is opened would get the descriptor."""
    subprocess.run(["editcap", "a.pcap", "hole.pcap", "21"], cwd=folder, check=True)
    stream = [PROGRAM, "stream", "hole.pcap", "--connection", "smcr-1", "--from", "client", "-o"]
    told = subprocess.run([*stream, "told"], cwd=folder, capture_output=True)
    assert b"not captured" in told.stderr
    subprocess.run(["bash", "-c", '"$@" 2>&-', "bash", *stream, "closed"], cwd=folder)
    assert (folder / "closed").read_bytes() == (folder / "told").read_bytes()


def test_an_interrupted_command_leaves_no_half_file(folder):
    """A pipe that nobody writes to, and then nobody has written all to."""
    os.mkfifo(folder / "pipe")
    octets = (folder / "a.pcap").read_bytes()
    with subprocess.Popen([PROGRAM, "stream", "pipe", "--connection", "smcr-1", "--from", "client", "-o", "out"],
                          cwd=folder, stderr=subprocess.PIPE) as process:
        with open(folder / "pipe", "wb") as pipe:
            pipe.write(octets[:-100])
            pipe.flush()
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 3
        assert b"interrupted" in process.stderr.read()
    assert {path.name for path in folder.iterdir() if path.name.startswith("out")} <= {"out"}


@pytest.mark.parametrize("arguments, said", [
    ("synth smcr_v2_echo --seed 0", "--seed: 0 is no number above 0"),
    ("synth smcr_v2_echo --seed -1", "--seed: -1 is no whole number"),
    ("synth smcr_v2_echo --seed 99999999999999999999999", "--seed: 99999999999999999999999 is too large"),
    ("capture -i lo -c -1", "--count: -1 is no whole number"),
    ("capture -i lo --duration nan", "--duration: nan is no number above 0"),
    ("capture -i lo --incidents d --around 1e10", "--around: 1e10 is not between 0.001 and 86400"),
    ("capture -i lo --incidents d --incident-memory 17592186044416", "--incident-memory: 17592186044416 is not between 1 and 1048576"),
])
def test_numbers_that_mean_nothing_are_refused(folder, arguments, said):
    assert said in complaint(*arguments.split(), cwd=folder)
    assert not (folder / "d").exists()
