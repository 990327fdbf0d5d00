# SPDX-License-Identifier: GPL-2.0-or-later
"""Network namespaces for tests that need hosts and wires between them. Need root."""

import contextlib
import os
import shutil
import subprocess
import sys
import time


def why_not():
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "iproute2 is not installed"
    name = f"fstest{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode != 0:
        return "network namespaces are not permitted here"
    subprocess.run(["ip", "netns", "del", name], check=False)
    return None


REASON = why_not()


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextlib.contextmanager
def namespaces():
    """The names of two namespaces, which exist as long as the context."""
    names = [f"fs{role}{os.getpid()}" for role in ("a", "b")]
    try:
        for name in names:
            ip("netns", "add", name)
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


CLIENT, SERVER = "192.0.2.10", "192.0.2.20"
CLIENT6, SERVER6 = "2001:db8::10", "2001:db8::20"


@contextlib.contextmanager
def wired_namespaces():
    """Two namespaces, of the client and the server, each with its end of a wire: (namespace, interface)."""
    with namespaces() as (client, server):
        ip("link", "add", "wire0", "netns", client, "type", "veth", "peer", "name", "wire1", "netns", server)
        ends = [(client, "wire0"), (server, "wire1")]
        for (name, interface), address, address6 in zip(ends, (CLIENT, SERVER), (CLIENT6, SERVER6)):
            for words in (["addr", "add", f"{address}/24", "dev", interface], ["link", "set", interface, "up"],
                          ["addr", "add", f"{address6}/64", "dev", interface, "nodad"], ["link", "set", "lo", "up"]):
                ip("-n", name, *words)
        yield ends


def packet_sockets(namespace):
    """How many packet sockets see frames in a namespace."""
    table = subprocess.run(
        ["ip", "netns", "exec", namespace, "cat", "/proc/net/packet"], check=True, capture_output=True, text=True).stdout
    return sum(line.split()[5] == "1" for line in table.splitlines()[1:])


def wait_until(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def begin_listening(namespace, command, sockets=1, **files):
    """The command in the namespace: it sees every frame from now on, by so many packet sockets, or has ended of itself."""
    wanted = packet_sockets(namespace) + sockets
    process = subprocess.Popen(["ip", "netns", "exec", namespace, *map(str, command)],
                               **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **files})
    wait_until(lambda: process.poll() is not None or packet_sockets(namespace) == wanted)
    return process


def status_of(process):
    """What /proc says of it, by name."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return dict(line.rstrip("\n").split(":\t", 1) for line in status)


SEND = """
import socket, sys, time
from edit import records_of
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind((sys.argv[1], 0))
only = {int(number) for number in sys.argv[4:]}
for number, (_, _, frame) in enumerate(records_of(sys.argv[2])[1], 1):
    if not only or number in only:
        out.send(frame)
        time.sleep(float(sys.argv[3]))
"""


def send_frames(namespace, interface, sample, gap, only=()):
    """Each frame of a sample, or those with these numbers, out of an interface, so many seconds after the one before."""
    subprocess.run(["ip", "netns", "exec", namespace, sys.executable, "-c", SEND, interface, sample, str(gap),
                    *map(str, only)], check=True,
                   env={**os.environ, "PYTHONPATH": os.path.dirname(__file__)})
