#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""samples/suite against a Linux kernel, three times in a row: what can be set up on a 6.12 peer with soft-RoCE, in both roles.

    tests/live/suite.py LAB [--fabricscope PROGRAM]
"""

import json
import time
import tomllib

from live import A, A6, B, B6, ROOT, SAMPLES, run
from smcr import APPLICATION, link_groups

PLAYED = "192.0.2.77"
PORT = 7999
START = 8  # seconds that a program of the peer takes until it listens, on a slow machine
SMC_ECHO = "echo --fam smc --port 18001 --bytes 100 --msgs 5 --seed s"
SMC_URGENT = "urg --fam smc --port 18001 --seed s"
SMC_7000 = "echo --fam smc --port 7000 --bytes 333 --msgs 3 --seed s"
# The peer's programs as clients, and those of SMC-R; the manifest has the other servers.
PROGRAMS = {
    "rdmacm_rping_v4": {"client": f"timeout 50 rping -c -a {A} -p 7174 -v -V -C 5 -S 64"},
    "rdmacm_rping_v6": {"client": f"timeout 50 rping -c -a {A6} -p 7175 -v -V -C 3 -S 2000"},
    "rdmacm_reject_no_listener": {"play": "client"},
    "rdmacm_lossy_rping": {"play": "client"},
    "rdmacm_lossy_rsocket": {"play": "client"},
    "rdmacm_udaddy": {"play": "client"},
    "smcr_v2_echo": {"server": f"timeout 60 {APPLICATION} server {SMC_ECHO}",
                     "client": f"timeout 60 {APPLICATION} client {SMC_ECHO} --host {PLAYED} --hold 3"},
    "smcr_v2_urgent": {"server": f"timeout 60 {APPLICATION} server {SMC_URGENT}",
                       "client": f"timeout 60 {APPLICATION} client {SMC_URGENT} --host {PLAYED}"},
    "smcr_v2_port7000": {"server": f"timeout 60 {APPLICATION} server {SMC_7000}",
                         "client": f"timeout 60 {APPLICATION} client {SMC_7000} --host {PLAYED}"},
}
TARGETS = [
    (f"rocev2://{B}", [name for name in PROGRAMS if name.startswith("rdmacm") and not name.endswith("v6")]),
    (f"rocev2://[{B6}]", ["rdmacm_rping_v6"]),
    (f"smc://{B}", [name for name in PROGRAMS if name.startswith("smcr")]),
]


def lines_of(table, heading):
    """The table in TOML, which has strings and lists of them only."""
    yield f"[[{heading}]]"
    for key, value in table.items():
        if not isinstance(value, list) or not isinstance(value[0], dict):
            yield f"{key} = {json.dumps(value)}"
    for key, value in table.items():
        if isinstance(value, list) and isinstance(value[0], dict):
            for one in value:
                yield from lines_of(one, f"{heading}.{key}")


def write_manifest(trial):
    """samples/suite, as far as it is for this peer, with its commands."""
    manifest = tomllib.loads((ROOT / "samples/suite/suite.toml").read_text())
    shell = f"python3 {ROOT}/tests/live/peer_shell.py run {B} {PORT}"
    lines = [f"shell = {json.dumps(shell)}"]
    for recording in manifest["recording"]:
        name = recording["file"].rsplit("/", 1)[-1].partition(".")[0]
        if name in PROGRAMS:
            lines += lines_of({**recording, "start": START, "file": str(SAMPLES / recording["file"].rsplit("/", 1)[-1]), **PROGRAMS[name]}, "recording")
    path = f"{trial.lab.dir}/suite.toml"
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    return path


def prepare(trial):
    trial.cases.smc_up(trial.lab, guests=[trial.b])
    trial.b.run("modprobe -a rdma_ucm rdma_cm ib_uverbs", quiet=True, check=True)
    trial.b.bg(f"python3 {ROOT}/tests/live/peer_shell.py serve {PORT}", 3600)
    time.sleep(2)


def sockets(trial):
    """What smcss lists of the peer."""
    return trial.b.run("python3 /lab/guest/smcinfo.py diag | grep mode=", quiet=True)[1]


def three_in_a_row(trial):
    manifest = write_manifest(trial)
    for count in range(1, 4):
        for target, names in TARGETS:
            only = " ".join(f"--only {name}" for name in names)
            report = f"{trial.lab.dir}/report-{count}.json"
            status, said = trial.a.run(
                f"{trial.program} verify {manifest} --against '{target}' --address {PLAYED} --interface eth0 {only} --all --json {report}",
                600, quiet=True)
            trial.check(f"run {count}: {', '.join(names)} against {target}", status == 0, said[-3000:])
        left = link_groups(trial) + sockets(trial)
        trial.check(f"run {count} leaves no queue pair, no link group and no SMC socket", left == "", left)


if __name__ == "__main__":
    run(__doc__, "suite", [prepare, three_in_a_row])
