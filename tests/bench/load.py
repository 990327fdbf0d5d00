#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How many sessions and messages `fabricscope load` makes between two network namespaces, both ends on this machine.

    tests/bench/load.py [--fabricscope PROGRAM] [--seconds S]

Prints, for each kind, the rate, percentiles of the latency, and the processor time of both ends for one session or message. Needs root.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))
os.environ.setdefault("FABRICSCOPE_BUILD", str(ROOT / "build/release"))

from namespaces import REASON, wired_namespaces  # noqa: E402  pylint: disable=wrong-import-position

OWN, PEER = "192.0.2.110", "192.0.2.120"
RUNS = [("cm", ["--sessions", "64"]),
        ("rc", ["--sessions", "4", "--depth", "256"]),
        ("rc", ["--sessions", "4", "--depth", "256", "--gso"]),
        ("smc", ["--sessions", "16"])]


def command(program, namespace, *words):
    return ["ip", "netns", "exec", namespace, program, "load", *words, "--json"]


def processor_time(process):
    """Of a process that is about to be waited for: seconds in user mode and in the kernel."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime, usage.ru_stime


def measure(program, wire, kind, options, seconds):
    (client_space, _), (server_space, _) = wire
    server = subprocess.Popen(command(program, server_space, kind, "--serve", "--address", PEER),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stderr.readline() == "fabricscope: ready\n"
    client = subprocess.Popen(
        command(program, client_space, kind, "--against", PEER, "--address", OWN, "--duration", str(seconds), *options),
        stdout=subprocess.PIPE, text=True)
    report = json.loads(client.stdout.read())
    of_client = processor_time(client)
    server.send_signal(signal.SIGTERM)
    server.stdout.read()
    return report, of_client, processor_time(server)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fabricscope", default=str(ROOT / "build/release/bin/fabricscope"))
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    if REASON is not None:
        sys.exit(f"skipped: {REASON}")
    print(f"load of the machine: {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    for kind, words in RUNS:
        with wired_namespaces() as wire:
            report, of_client, of_server = measure(options.fabricscope, wire, kind, words, options.seconds)
        unit, latency = ("messages", "message") if kind == "rc" else ("sessions", "set_up")
        count = report[unit]["count" if kind == "rc" else "completed"]
        times = report["latency"][latency]
        def each(second, number=count):
            return f"{1e6 * second / max(number, 1):.2f} us"
        print(f"{' '.join([kind, *words])}: {report[unit]['per_second']:,.0f} {unit} a second, {report['sessions']['failed']} sessions failed; "
              f"{latency.replace('_', '-')} p50 {times['p50'] * 1e6:,.0f} us, p99 {times['p99'] * 1e6:,.0f} us, "
              f"max {times['max'] * 1e6:,.0f} us; each costs the client {each(of_client[0])} and its kernel {each(of_client[1])}, "
              f"the server {each(of_server[0])} and {each(of_server[1])}")


if __name__ == "__main__":
    main()
