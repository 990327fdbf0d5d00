#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How closely `fabricscope replay --speed recorded` keeps recorded gaps, beside tcpreplay with the same file.

Two network namespaces are joined by a pair of virtual Ethernet interfaces. Replay plays one side in each of them, so
that every frame follows another one; tcpreplay sends all frames from one end. tcpdump watches, with the kernel's time
stamps. A deviation is the difference between a gap as recorded and as seen. Needs root.
"""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
FABRICSCOPE = str(ROOT / "build/release/bin/fabricscope")
CLIENT, SERVER = "192.0.2.10", "192.0.2.20"  # of the recording, too
FILTER = "udp port 4791"  # the interfaces say something of their own, too
NAMESPACES = {CLIENT: "fabricscope-a", SERVER: "fabricscope-b"}
MACS = {CLIENT: "02:00:00:00:00:0a", SERVER: "02:00:00:00:00:14"}


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def inside(address, *command):
    return ["ip", "netns", "exec", NAMESPACES[address], *command]


@contextlib.contextmanager
def network():
    for name in NAMESPACES.values():
        run("ip", "netns", "add", name)
    try:
        a, b = NAMESPACES.values()
        run("ip", "link", "add", "fs0", "netns", a, "type", "veth", "peer", "name", "fs0", "netns", b)
        for address, name in NAMESPACES.items():
            run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", "fs0")
            run("ip", "-n", name, "link", "set", "fs0", "address", MACS[address], "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
        # What tcpreplay sends has ARP of the recording in it.
        for address, peer in ((CLIENT, SERVER), (SERVER, CLIENT)):
            run("ip", "-n", NAMESPACES[address], "neigh", "replace", peer, "lladdr", MACS[peer], "dev", "fs0")
        yield
    finally:
        for name in NAMESPACES.values():
            run("ip", "netns", "del", name)


@contextlib.contextmanager
def watched(address, path, filter_):
    """tcpdump while the body runs."""
    tcpdump = subprocess.Popen(
        inside(address, "tcpdump", "-i", "fs0", "-w", path, "-U", "--immediate-mode", "--time-stamp-precision=nano",
               "-Z", "root", filter_), stderr=subprocess.PIPE, text=True)
    for line in tcpdump.stderr:
        if "listening on" in line:
            break
    try:
        yield
        time.sleep(0.3)
    finally:
        tcpdump.terminate()
        tcpdump.communicate()


def times(path):
    """Of all RoCEv2 frames of a capture, in seconds."""
    text = run("tshark", "-r", path, "-Y", "udp.port == 4791", "-T", "fields", "-e", "frame.time_epoch", capture_output=True, text=True).stdout
    return [float(line) for line in text.split()]


def replay_deviations(capture, session, folder):
    """Of the played messages, from the message before; both sides are played."""
    seen = str(folder / "seen.pcap")
    with watched(CLIENT, seen, FILTER):
        command = [FABRICSCOPE, "replay", capture, "--session", session, "--speed", "recorded", "--json", "--against"]
        server = subprocess.Popen(
            inside(SERVER, *command, f"rocev2://{CLIENT}", "--play", "server"), stdout=subprocess.DEVNULL)
        while ":12B7 " not in run(*inside(SERVER, "cat", "/proc/net/udp"), capture_output=True, text=True).stdout:
            time.sleep(0.01)  # until port 4791 is open
        client = run(*inside(CLIENT, *command, f"rocev2://{SERVER}", "--play", "client"), stdout=subprocess.PIPE)
        if server.wait() != 0:
            sys.exit("the server's side did not go as recorded")
    wire = times(seen)
    messages = json.loads(client.stdout)["messages"]
    result = []
    for before, message in zip(messages, messages[1:]):
        # An adapter answers RDMA READ by itself, whatever the application's pace.
        if message["name"] == "RDMA READ response" or before["name"] == "RDMA READ":
            continue
        recorded = message["recorded"]["time"] - before["recorded"]["time"]
        result.append(wire[message["actual"]["frame"] - 1] - wire[before["actual"]["frame"] - 1] - recorded)
    return result


def tcpreplay_deviations(capture, folder):
    seen = str(folder / "seen.pcap")
    with watched(SERVER, seen, FILTER):
        run(*inside(CLIENT, "tcpreplay", "-q", "-i", "fs0", capture), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
    recorded, wire = times(capture), times(seen)
    if len(recorded) != len(wire):
        sys.exit(f"tcpreplay: {len(wire)} frames were seen of {len(recorded)}")
    return [(b - a) - (d - c) for a, b, c, d in zip(wire, wire[1:], recorded, recorded[1:])]


def line(name, deviations):
    microseconds = sorted(abs(deviation) * 1e6 for deviation in deviations)
    cuts = statistics.quantiles(microseconds, n=100, method="inclusive")
    return f"{name:<36} {len(microseconds):>6} {cuts[49]:>10.1f} {cuts[98]:>10.1f} {microseconds[-1]:>10.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--capture", default=str(ROOT / "samples/real/rdmacm_rping_v4.pcap"))
    parser.add_argument("--session", default="cm-1")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("network namespaces need root")
    ours, theirs = [], []
    with network(), tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            ours += replay_deviations(options.capture, options.session, pathlib.Path(folder))
            theirs += tcpreplay_deviations(options.capture, pathlib.Path(folder))
    print(f"{'deviation of gaps, microseconds':<36} {'gaps':>6} {'p50':>10} {'p99':>10} {'most':>10}")
    print(line("fabricscope replay --speed recorded", ours))
    print(line("tcpreplay", theirs))


if __name__ == "__main__":
    main()
