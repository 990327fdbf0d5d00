# SPDX-License-Identifier: GPL-2.0-or-later
"""analyze --ndjson and --each: the same answers in another shape."""

import json
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness import analyze, fabricscope, run, BUILD, ROOT, sample

FILES = ["smcr_v2_two_links", "rdmacm_reject_private_data", "plain_roce_perftest", "fcoe_vn2vn", "plain_udp"]


def records(*arguments):
    return [json.loads(line) for line in fabricscope("analyze", "--ndjson", *arguments).splitlines()]


def put_together(lines):
    """The document that the records are of."""
    document = {}
    for line in lines:
        *path, name = line.pop("record").split(".")
        place = document
        for step in path:
            place = place[step]
        if name == "document":
            document.update(line)
        elif name in document_objects:
            place[name] = line
        else:
            place.setdefault(name, []).append(line)
    return document


document_objects = {"smcr", "rdma_cm", "fc", "fcvi", "fc_ae_rdma", "rdma"}


def without_empty_lists(value):
    """A list without elements has no record."""
    if isinstance(value, dict):
        return {name: without_empty_lists(inner) for name, inner in value.items() if inner != []}
    return [without_empty_lists(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", FILES)
def test_records_hold_the_document(name):
    lines = records(sample(name))
    assert lines[0]["record"] == "document"
    assert without_empty_lists(put_together(lines)) == without_empty_lists(analyze(sample(name)))


def test_records_have_names_that_jq_can_choose_by():
    kinds = [line["record"] for line in records(sample("smcr_v2_two_links"), "--cursors")]
    assert kinds.count("smcr.connections") == len(analyze(sample("smcr_v2_two_links"))["smcr"]["connections"]) > 0
    assert "rdma.streams" in kinds and "rules" in kinds


def test_records_go_to_the_file_that_json_names(tmp_path):
    path = tmp_path / "records"
    assert fabricscope("analyze", sample("plain_udp"), "--ndjson", "--json", path) == b""
    assert path.read_bytes() == fabricscope("analyze", "--ndjson", sample("plain_udp"))


def test_each_file_is_judged_by_itself():
    paths = [sample(name) for name in FILES]
    documents = json.loads(fabricscope("analyze", "--each", "--json", *paths))
    assert documents == [analyze(path) for path in paths]
    assert records("--each", *paths) == [line for path in paths for line in records(path)]
    alone = [fabricscope("analyze", path).decode() for path in paths]
    assert fabricscope("analyze", "--each", *paths).decode() == "\n".join(alone)


EVERY_SAMPLE = sorted(path for path in ROOT.glob("samples/*/*.pcap*") if path.suffix in (".pcap", ".pcapng"))
SOME_OF_ALL_KINDS = EVERY_SAMPLE[::4]


@pytest.mark.parametrize("form", [[], ["--json"], ["--ndjson"]])
def test_each_writes_the_same_whatever_the_number_of_jobs(form, tmp_path):
    bad = tmp_path / "bad.pcap"
    bad.write_bytes(EVERY_SAMPLE[0].read_bytes()[:-3])
    command = [BUILD / "bin/fabricscope", "analyze", "--each", *form, bad, tmp_path / "none.pcap", *SOME_OF_ALL_KINDS]
    one, two, seven = (
        subprocess.run([*command, "--jobs", jobs], capture_output=True, check=False) for jobs in ("1", "2", "7"))
    assert one.returncode == two.returncode == seven.returncode == 3
    assert one.stdout == two.stdout == seven.stdout and one.stderr == two.stderr == seven.stderr
    assert len(one.stderr.splitlines()) == 2


def children_of(process):
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


def test_no_more_processes_run_than_jobs(tmp_path):
    """Each waits for a pipe."""
    pipes = [tmp_path / f"pipe{number}" for number in range(4)]
    for pipe in pipes:
        os.mkfifo(pipe)
    capture = sample("plain_udp").read_bytes()
    with subprocess.Popen(
            [BUILD / "bin/fabricscope", "analyze", "--each", "--ndjson", "--jobs", "2", *pipes],
            stdout=subprocess.DEVNULL, start_new_session=True) as program:
        try:
            while len(children_of(program)) < 2:
                time.sleep(0.01)
            time.sleep(0.3)  # a third one would have been begun by now
            assert len(children_of(program)) == 2
            for pipe in pipes:
                pipe.write_bytes(capture)
                assert len(children_of(program)) <= 2
            assert program.wait(timeout=30) == 0
        except BaseException:
            os.killpg(program.pid, signal.SIGKILL)
            raise


def test_a_process_that_is_killed_leaves_the_others(tmp_path):
    """It waits for a pipe, so that there is time."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
            [BUILD / "bin/fabricscope", "analyze", "--each", "--json", "--jobs", "2", pipe, sample("plain_udp")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        while not (children := children_of(program)):
            time.sleep(0.01)
        os.kill(int(children[0]), signal.SIGKILL)
        out, complaints = program.communicate(timeout=30)
    assert program.returncode == 3 and b"file 1 was ended: Killed" in complaints
    assert [document["capture"]["files"] for document in json.loads(out)] == [[str(sample("plain_udp"))]]


@pytest.mark.parametrize("ended, status", [(signal.SIGTERM, 3), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_signal_ends_all_processes(ended, status, tmp_path):
    """The first one waits for a pipe; the others are not begun."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [BUILD / "bin/fabricscope", "analyze", "--each", "--json", "--jobs", "1", pipe, *[sample("plain_udp")] * 2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        while not children_of(program):
            time.sleep(0.01)
        time.sleep(0.3)
        program.send_signal(ended)
        out, complaints = program.communicate(timeout=30)  # the child has standard output, too: it ends as well
    assert program.returncode == status
    if ended == signal.SIGTERM:
        assert b"interrupted: 2 of 3 files have not been read" in complaints and isinstance(json.loads(out), list)


def test_each_hands_on_no_report_that_is_cut():
    """There is no room for a report of more than so many octets."""
    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    done = subprocess.run(
        [BUILD / "bin/fabricscope", "analyze", "--each", "--json", sample("plain_udp")], capture_output=True, check=False,
        preexec_fn=no_room, restore_signals=False)
    assert (done.returncode, json.loads(done.stdout)) == (2, [])
    assert b"cannot write a temporary file: File too large" in done.stderr


def test_each_of_nothing_is_an_empty_list(tmp_path):
    assert json.loads(fabricscope("analyze", "--each", "--json", "-", tmp_path / "none.pcap", status=(3,))) == []


def test_each_reports_the_good_files_beside_a_bad_one(tmp_path):
    bad = tmp_path / "bad.pcap"
    bad.write_bytes(b"no capture at all")
    text = fabricscope("analyze", "--each", "--json", bad, sample("plain_udp"), status=(3,))
    assert [document["capture"]["files"] for document in json.loads(text)] == [[str(sample("plain_udp"))]]


@pytest.mark.parametrize("option", ["--csv", "--sqlite", "--annotate", "--perfetto"])
def test_each_has_no_place_in_one_file_for_all(option, tmp_path):
    run([BUILD / "bin/fabricscope", "analyze", "--each", option, tmp_path / "x", sample("plain_udp")], status=(2,))
