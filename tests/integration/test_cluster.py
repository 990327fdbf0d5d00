# SPDX-License-Identifier: GPL-2.0-or-later
"""fabricscope-cluster: what several machines find is what one program finds, whatever happens to the machines."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from harness import BUILD, ROOT, fabricscope, sample, samples
from test_cli_partition import moved
from test_parts import assert_same

sys.path.insert(0, str(ROOT / "cluster"))
from local_cluster import Cluster, PostgreSQL  # noqa: E402

PROGRAM = BUILD / "bin/fabricscope"
REAL = [sample(name) for name in samples()]
PARTS = 4


def start(cluster, folder, captures, *arguments, program=PROGRAM, into=PARTS):
    command = [ROOT / "cluster/fabricscope-cluster", "--scheduler", cluster.address, "--folder", folder, "--into", str(into),
               "--program", program, *arguments, *captures]
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process, status):
    _, told = process.communicate(timeout=200)
    assert process.returncode in status, told
    return told


def cluster_run(cluster, folder, captures, *arguments, status=(0, 1), **options):
    return finish(start(cluster, folder, captures, *arguments, **options), status)


def wrapper(folder, body):
    """A program in the place of fabricscope, which is $PROGRAM."""
    script = folder / "wrapper"
    script.write_text(f"#!/bin/sh\nPROGRAM={PROGRAM}\n{body}\n")
    script.chmod(0o755)
    return script


def one_analyze(captures, folder):
    whole = folder / "whole.json"
    fabricscope("analyze", *captures, "--json", whole)
    return whole


def pids_in(path):
    return [int(pid) for pid in path.read_text().split()] if path.exists() else []


@pytest.fixture(name="networks")
def _networks(tmp_path):
    """Captures of hosts that have nothing to do with each other."""
    return [moved(path, number, tmp_path) for number, path in enumerate(REAL[:8])]


@pytest.fixture(name="cluster")
def _cluster(tmp_path):
    with Cluster(tmp_path / "dask", workers=3) as cluster:
        yield cluster


def test_the_same_as_one_analyze(cluster, tmp_path):
    told = cluster_run(cluster, tmp_path / "shared", REAL, "--json", tmp_path / "merged.json", "--sqlite", tmp_path / "merged.sqlite")
    assert_same(one_analyze(REAL, tmp_path), tmp_path / "merged.json")
    assert f"parts analysed: {PARTS} of {PARTS}" in told


def test_a_worker_that_is_killed_twice_loses_nothing_and_doubles_nothing(cluster, networks, tmp_path):
    """The analysis of part 2 waits; the worker that does it is killed, and so is the next one that does."""
    seen = tmp_path / "seen"
    program = wrapper(tmp_path, f"""
        case "$*" in
        *as-part*part-2.pcapng*) echo "$PPID" >>{seen}; [ "$(wc -l <{seen})" -gt 2 ] || exec sleep 600 ;;
        esac
        exec "$PROGRAM" "$@" """)
    process = start(cluster, tmp_path / "shared", networks, "--json", tmp_path / "merged.json", program=program)
    for killed in (1, 2):
        end = time.monotonic() + 120
        while len(pids_in(seen)) < killed:
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.1)
        os.kill(pids_in(seen)[killed - 1], signal.SIGKILL)
        cluster.add_worker()
    finish(process, (0, 1))
    assert len(set(pids_in(seen))) == 3
    assert_same(one_analyze(networks, tmp_path), tmp_path / "merged.json")


def test_a_slow_machine_is_helped(cluster, networks, tmp_path):
    seen = tmp_path / "seen"
    program = wrapper(tmp_path, f"""
        case "$*" in
        *as-part*part-3.pcapng*) echo "$PPID" >>{seen}; [ "$(wc -l <{seen})" -gt 1 ] || exec sleep 600 ;;
        esac
        exec "$PROGRAM" "$@" """)
    told = cluster_run(cluster, tmp_path / "shared", networks, "--json", tmp_path / "merged.json", program=program)
    assert re.search(r"part-3 is slow on tcp://.*: another worker tries it as well", told)
    assert len(set(pids_in(seen))) == 2
    assert_same(one_analyze(networks, tmp_path), tmp_path / "merged.json")


def test_a_full_disk_is_told_and_the_run_goes_on_from_there(cluster, networks, tmp_path):
    """The disk is full for one part; what was done before is not done again."""
    full, done = tmp_path / "full", tmp_path / "done"
    full.touch()
    program = wrapper(tmp_path, f"""
        case "$*" in
        *as-part*part-2.pcapng*) [ ! -e {full} ] || {{ set -- $(printf '%s ' "$@" | sed 's,--json [^ ]*,--json /dev/full,'); }} ;;
        esac
        echo "$*" >>{done}
        exec "$PROGRAM" "$@" """)
    arguments = (cluster, tmp_path / "shared", networks, "--json", tmp_path / "merged.json", "--retries", "1")
    told = cluster_run(*arguments, program=program, status=(2,))
    assert "part-2: fabricscope: cannot write" in told and "No space left on device" in told and "goes on from there" in told
    assert not (tmp_path / "merged.json").exists()
    full.unlink()
    done.unlink()
    cluster_run(*arguments, program=program)
    again = done.read_text()
    assert "partition" not in again and re.findall(r"part-(\d)\.pcapng", again) == ["2"]
    assert_same(one_analyze(networks, tmp_path), tmp_path / "merged.json")


def test_other_options_are_other_results(cluster, tmp_path):
    captures = [sample("smcr_v2_echo")]
    cluster_run(cluster, tmp_path / "shared", captures, "--json", tmp_path / "all.json", into=1)
    process = start(cluster, tmp_path / "shared", [*captures, "--", "--protocol", "smcr"], "--json", tmp_path / "some.json", into=1)
    finish(process, (0, 1))
    assert "rdma_cm" in json.loads((tmp_path / "all.json").read_text())
    assert "rdma_cm" not in json.loads((tmp_path / "some.json").read_text())


def test_what_is_not_there_is_told(cluster, tmp_path):
    """No tracebacks, no captures overwritten."""
    capture = tmp_path / "capture.pcap"
    capture.write_bytes(sample("rdmacm_rping_v4").read_bytes()[:5000])
    out = ("--json", tmp_path / "merged.json")
    told = cluster_run(cluster, tmp_path / "shared", [capture], *out, into=1, status=(3,))
    assert f"{capture}: frame" in told and (tmp_path / "merged.json").exists()
    refuses = wrapper(tmp_path, """[ "$1" != merge ] || { echo no such results >&2; exit 3; }; exec "$PROGRAM" "$@" """)
    told = [
        cluster_run(cluster, tmp_path / "shared", [capture], *out, into=1, program=refuses, status=(2,)),
        cluster_run(cluster, tmp_path / "shared", [capture], "--json", capture, into=1, status=(2,)),
        cluster_run(cluster, tmp_path / "shared", [capture], "--postgresql", "host=127.0.0.1 port=1", into=1, status=(2,))]
    cluster.scheduler.kill()
    told.append(cluster_run(cluster, tmp_path / "shared", [capture], *out, into=1, status=(2,)))
    for text, said in zip(told, ("no such results", "is one of the captures", "PostgreSQL: ", "imed out"), strict=True):
        assert said in text and "Traceback" not in text


def test_results_in_postgresql(cluster, tmp_path):
    """All tables, with all rows, and once more in their own place."""
    psycopg2 = pytest.importorskip("psycopg2")
    with PostgreSQL() as server:
        for _ in range(2):
            cluster_run(cluster, tmp_path / "shared", REAL, "--sqlite", tmp_path / "merged.sqlite", "--postgresql", server.destination)
        expected = sqlite3.connect(tmp_path / "merged.sqlite")
        tables = [name for (name,) in expected.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        assert {"connections", "observations", "rdma_operations"} <= set(tables)
        with psycopg2.connect(server.destination) as connection, connection.cursor() as cursor:
            for table in tables:
                cursor.execute(f'SELECT * FROM fabricscope."{table}"')
                loaded = sorted(cursor.fetchall(), key=repr)
                booleans = [index for index, column in enumerate(cursor.description) if column.type_code == 16]
                rows = [tuple(bool(value) if index in booleans and value is not None else value for index, value in enumerate(row))
                        for row in expected.execute(f'SELECT * FROM "{table}"')]
                assert loaded == sorted(rows, key=repr), table
            for panel in json.loads((ROOT / "cluster/grafana.json").read_text())["panels"]:
                cursor.execute(panel["targets"][0]["rawSql"].replace("${schema}", "fabricscope"))
                assert cursor.description, panel["title"]
