# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernels of a sample's two machines reported while the capture was taken."""

import ast
import ipaddress
import re
from dataclasses import dataclass

from harness import ROOT

_CURSOR = r"\((\d+), (\d+)\)"


@dataclass(frozen=True)
class Cursor:
    wrap: int
    offset: int

    def position(self, size):
        """Octets from the start; Linux counts from 0."""
        return self.wrap * size + self.offset


@dataclass(frozen=True)
class Socket:
    """An SMC socket as smcss shows it: tx is what it sent last, rx what it received last."""

    guest: str
    local_port: int
    peer_port: int
    token: int
    rmbe: int
    peer_rmbe: int
    rx_prod: Cursor
    rx_cons: Cursor
    tx_prod: Cursor
    tx_cons: Cursor


@dataclass(frozen=True)
class Link:
    guest: str
    role: str  # "client" or "server" of the link group
    number: int
    gid: str
    peer_gid: str


def _text(name):
    return (ROOT / f"samples/real/{name}.truth.txt").read_text()


def _lines(name):
    """Pairs of guest and line. What a guest showed stands below "[A]" or "--- guest A view ---"."""
    guest = None
    for line in _text(name).splitlines():
        if match := re.match(r"\[([AB])\](?: \$|$)|--- guest ([AB]) view|(?:client|server) on ([AB]):", line):
            guest = next(g for g in match.groups() if g)
        yield guest, line


def sockets(name):
    """Active sockets. Addresses are left out: smcss shows IPv6 ones as IPv4."""
    found, ports = [], None
    for guest, line in _lines(name):
        if match := re.match(r"  ACTIVE \S+:(\d+) -> \S+:(\d+) ", line):
            ports = int(match[1]), int(match[2])
        elif match := re.match(
            rf"\s+token=(\w+) sndbuf=\d+ rmbe=(\d+) peer_rmbe=(\d+) rx_prod={_CURSOR} rx_cons={_CURSOR} "
            rf"tx_prod={_CURSOR} tx_cons={_CURSOR}", line):
            numbers = [int(n) for n in match.groups()[1:]]
            cursors = [Cursor(*numbers[i : i + 2]) for i in range(2, 10, 2)]
            found.append(Socket(guest, *ports, int(match[1], 16), *numbers[:2], *cursors))
    return found


def queue_pairs(name):
    """(guest, local QPN, remote QPN) of every queue pair that belonged to SMC."""
    pattern = r"link \S+ lqpn (\d+) rqpn (\d+) type RC .* comm \[smc\]"
    return {(guest, int(m[1]), int(m[2])) for guest, line in _lines(name) if (m := re.match(pattern, line))}


def memory_regions(name):
    """(guest, RKey, length) of every memory region that belonged to SMC."""
    pattern = r"dev \S+ mrn \d+ rkey (0x\w+) .* mrlen (\d+) comm \[smc\]"
    return {(guest, int(m[1], 16), int(m[2])) for guest, line in _lines(name) if (m := re.match(pattern, line))}


def links(name):
    """Every link that was active at some time."""
    found, role = set(), None
    for guest, line in _lines(name):
        kind, _, fields = line.strip().partition(" ")
        if not fields.startswith("{"):
            continue
        values = ast.literal_eval(fields)
        if kind == "lgr":
            role = {"CLNT": "client", "SERV": "server"}[values["role"]]
        elif kind == "link" and values["state"] == "ACTIVE":
            gids = (str(ipaddress.ip_address(values[key])) for key in ("gid", "peer_gid"))
            found.add(Link(guest, role, values["link"], *gids))
    return found


def fallback_reasons(name):
    """The codes in the kernels' fallback statistics, by guest."""
    reasons = {"A": set(), "B": set()}
    for guest, line in _lines(name):
        if match := re.search(r"'reason': '(0x\w+)'", line):
            reasons[guest].add(int(match[1], 16))
    return reasons
