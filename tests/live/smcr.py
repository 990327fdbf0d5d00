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


def server_report(trial, job):
    status, said = trial.b.wait(job, 70)
    return status == 0 and '"received": 500' in said and '"sent": 500' in said, said


def client_against_linux(trial):
    job = trial.b.bg(f"timeout 60 {APPLICATION} server {WHAT}", 70)
    time.sleep(3)
    status, report = trial.replay(CAPTURE, SESSION, "client", f"smc://{B}", OPTIONS)
    trial.check("first contact, five messages echoed, orderly close, as client", status == 0, report)
    trial.check("the server's application got and sent 500 octets", *server_report(trial, job))


def server_for_linux(trial):
    status, report, (client_status, said) = trial.replay_while(
        f"timeout 50 {APPLICATION} client {WHAT} --host {PLAYED} --hold 3", CAPTURE, SESSION, "server", f"smc://{B}",
        OPTIONS)
    trial.check("the same as server", status == 0, report)
    trial.check("the client's application got and sent 500 octets",
                client_status == 0 and '"received": 500' in said and '"sent": 500' in said, said)


if __name__ == "__main__":
    run(__doc__, "smcr", [prepare, client_against_linux, server_for_linux])
