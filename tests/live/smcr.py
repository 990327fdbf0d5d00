#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A recorded SMC-R connection, replayed against a Linux kernel's SMC-R with soft-RoCE.

    tests/live/smcr.py LAB [--fabricscope PROGRAM]
"""

import time

from live import B, SAMPLES, run

CAPTURE, SESSION = SAMPLES / "smcr_v2_echo.pcap", "smcr-1"
PLAYED = "192.0.2.77"  # an address of its own, beside guest A's
APPLICATION = "python3 /lab/guest/smcapp.py"
WHAT = "echo --fam smc --port 18001 --bytes 100 --msgs 5 --seed s"  # as recorded
OPTIONS = f"--address {PLAYED} --interface eth0"


def prepare(trial):
    trial.cases.smc_up(trial.lab, guests=[trial.b])


def listening(trial):
    """The application, once it listens: a slow machine takes its time."""
    job = trial.b.bg(f"timeout 60 {APPLICATION} server {WHAT}", 70)
    trial.b.run("for i in $(seq 100); do grep -q ':4651 00000000:0000 0A' /proc/net/tcp && break; sleep 0.2; done", quiet=True)
    return job


def server_report(trial, job):
    status, said = trial.b.wait(job, 70)
    return status == 0 and '"received": 500' in said and '"sent": 500' in said, said


def client_against_linux(trial):
    job = listening(trial)
    status, report = trial.replay(CAPTURE, SESSION, "client", f"smc://{B}", OPTIONS)
    trial.check("first contact, five messages echoed, orderly close, as client", status == 0, report)
    trial.check("the server's application got and sent 500 octets", *server_report(trial, job))


def link_groups(trial):
    """Of the peer's kernel, and its queue pairs; a link group that has been told to go takes a moment."""
    for _ in range(10):
        said = trial.b.run("python3 /lab/guest/smcinfo.py lgr; rdma resource show qp | grep 'type RC'", quiet=True)[1]
        if "type RC" not in said:
            return ""
        time.sleep(1)
    return said


def three_in_a_row(trial):
    """A link group that the run before had left behind would be offered, and differ."""
    for count in range(1, 4):
        job = listening(trial)
        status, report = trial.replay(CAPTURE, SESSION, "client", f"smc://{B}", OPTIONS)
        good, said = server_report(trial, job)
        trial.check(f"run {count} of three in a row", status == 0 and good, report, said)
    left = link_groups(trial)
    trial.check("no link group and no queue pair is left", left == "", left)


def interrupted(trial):
    """SIGTERM in the middle: an abort, and DELETE LINK for all links."""
    job = listening(trial)
    command = trial.command(CAPTURE, SESSION, "client", f"smc://{B}", OPTIONS, "--speed 0.3x")
    _, said = trial.a.run(f"timeout -s TERM 6 {command}", 60, quiet=True)
    trial.b.wait(job, 70)
    left = link_groups(trial)
    trial.check("an interrupted run leaves no link group", '"broken_off": "interrupted"' in said and left == "", said[-500:], left)


def copies(trial):
    """Three hosts, each of which plays two copies: three link groups at once."""
    job = trial.b.bg(f"timeout 60 {APPLICATION} server {WHAT} --conns 6", 70)
    time.sleep(8)
    status, report = trial.load(CAPTURE, SESSION, "192.0.2.80", "--hosts 3 --sessions 3 --total 6")
    trial.check("six copies, three at once", status == 0 and report["sessions"]["completed"] == 6, report)
    server_status, said = trial.b.wait(job, 70)
    trial.check("the server's application got and sent 500 octets of each", server_status == 0 and said.count('"received": 500') == 6, said)
    left = link_groups(trial)
    trial.check("and no link group is left", left == "", left)


def server_for_linux(trial):
    status, report, (client_status, said) = trial.replay_while(
        f"timeout 50 {APPLICATION} client {WHAT} --host {PLAYED} --hold 3", CAPTURE, SESSION, "server", f"smc://{B}",
        OPTIONS)
    trial.check("the same as server", status == 0, report)
    trial.check("the client's application got and sent 500 octets",
                client_status == 0 and '"received": 500' in said and '"sent": 500' in said, said)


if __name__ == "__main__":
    run(__doc__, "smcr", [prepare, client_against_linux, three_in_a_row, interrupted, copies, server_for_linux])
