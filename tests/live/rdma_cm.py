#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Recorded RDMA CM connections, replayed against librdmacm's rping on a Linux kernel with soft-RoCE.

    tests/live/rdma_cm.py LAB [--fabricscope PROGRAM]
"""

import struct
import time

from live import A6, B, B6, SAMPLES, run

PORT = 7174  # of the recording
ROUNDS = "-p 7174 -v -V -C 5 -S 64"  # as in the recording
REP_RESPONDER_RESOURCES = 48  # where the field stands in the MAD
HEADERS = 14 + 20 + 8 + 12 + 8  # before the MAD in a RoCEv2 frame


def prepare(trial):
    trial.cases.rxe(trial.b)
    trial.b.run("modprobe -a rdma_ucm rdma_cm ib_uverbs", quiet=True, check=True)


def rping_server(trial):
    job = trial.b.bg(f"timeout 60 rping -s -a {B} {ROUNDS}", 70)
    time.sleep(2)
    return job


def client_against_rping(trial):
    job = rping_server(trial)
    status, report = trial.replay(SAMPLES / "rdmacm_rping_v4.pcap", "cm-1", "client", f"rocev2://{B}")
    trial.check("handshake, READs, WRITEs and disconnect as client of rping -s", status == 0, report)
    rping_status, said = trial.b.wait(job, 70)
    trial.check("rping -s found all the data right", rping_status == 0 and said.count("server ping data") == 5, said)


def queue_pairs(trial):
    """Reliable connections of the peer's kernel."""
    return [line for line in trial.b.run("rdma resource show qp", quiet=True)[1].splitlines() if "type RC" in line]


def three_in_a_row(trial):
    for count in range(1, 4):
        job = rping_server(trial)
        status, report = trial.replay(SAMPLES / "rdmacm_rping_v4.pcap", "cm-1", "client", f"rocev2://{B}")
        rping_status, said = trial.b.wait(job, 70)
        trial.check(f"run {count} of three in a row", status == 0 and rping_status == 0, report, said)
    trial.check("no queue pair is left", queue_pairs(trial) == [], queue_pairs(trial))


def interrupted(trial):
    """SIGTERM, twice as timeout(1) sends it. Before the RTU the peer's program gets a REJ, in the middle of the data a DREQ; it ends, and
    its queue pair goes."""
    for speed, event in (("0.002x", "REJECTED"), ("0.004x", "DISCONNECT")):
        job = rping_server(trial)
        command = trial.command(SAMPLES / "rdmacm_rping_v4.pcap", "cm-1", "client", f"rocev2://{B}", "--speed", speed)
        _, said = trial.a.run(f"timeout -s TERM 5 {command}", 60, quiet=True)
        _, server = trial.b.wait(job, 30)
        trial.check(f"an interrupted run ends the connection: {event}",
                    '"broken_off": "interrupted"' in said and event in server.upper(), said[-500:], server)
        trial.check("and leaves no queue pair", queue_pairs(trial) == [], queue_pairs(trial))


def faults(trial):
    """Linux sends again what was lost, and drops what was damaged."""
    for what in ('drop message="RC SEND Only" from=client', 'corrupt message="RC SEND Only" from=client',
                 'duplicate message="RC SEND Only" from=client', "duplicate message=REQ",
                 'drop message="RC Acknowledge" from=server'):
        file = f"{trial.lab.dir}/faults-{trial.count}"
        with open(file, "w", encoding="ascii") as out:
            out.write(what + "\n")
        job = rping_server(trial)
        status, report = trial.replay(
            SAMPLES / "rdmacm_rping_v4.pcap", "cm-1", "client", f"rocev2://{B}", "--faults", file)
        rping_status, said = trial.b.wait(job, 70)
        trial.check(f"the same with {what}", status == 0 and rping_status == 0, report, said)


def another_port(trial):
    job = trial.b.bg(f"timeout 60 rping -s -a {B} {ROUNDS.replace('7174', '7200')}", 70)
    time.sleep(2)
    status, report = trial.replay(SAMPLES / "rdmacm_rping_v4.pcap", "cm-1", "client", f"rocev2://{B}:7200")
    trial.check("the same with another port", status == 0, report)
    trial.b.wait(job, 70)


def copies(trial):
    """Five hosts, each of which plays four copies: none is taken for another. One after the other, since rping -P loses a request that
    comes while it takes up another one."""
    job = trial.b.bg(f"timeout 60 rping -s -P -a {B} {ROUNDS}", 70)
    time.sleep(2)
    status, report = trial.load(SAMPLES / "rdmacm_rping_v4.pcap", "cm-1", "192.0.2.80", "--hosts 5 --sessions 5 --rate 3 --total 20")
    good = status == 0 and report["sessions"]["completed"] == 20
    trial.check("twenty copies, from five hosts", good, report)
    trial.b.run("pkill rping", quiet=True)
    said = trial.b.wait(job, 70)[1]
    trial.check("rping -s -P found the data of all right", said.count("server ping data") == 100, said[-2000:])
    trial.check("and no queue pair is left", queue_pairs(trial) == [], queue_pairs(trial))


def rejection(trial):
    status, report = trial.replay(SAMPLES / "rdmacm_reject_no_listener.pcap", "cm-1", "client", f"rocev2://{B}")
    trial.check("a port without a listener is rejected as recorded", status == 0, report)


def nobody_listens(trial):
    status, report = trial.replay(SAMPLES / "rdmacm_rping_v4.pcap", "cm-1", "client", f"rocev2://{B}:7999")
    notes = str(report)
    trial.check("REJ instead of REP is told", status == 1 and "REJ" in notes, report)


def altered(trial):
    """The recorded REP gets another number of responder resources."""
    octets = bytearray((SAMPLES / "rdmacm_rping_v4.pcap").read_bytes())
    at = 24
    for _ in range(3):  # the REP is frame 4
        at += 16 + struct.unpack_from("<I", octets, at + 8)[0]
    octets[at + 16 + HEADERS + REP_RESPONDER_RESOURCES] += 1
    capture = trial.lab.dir + "/altered.pcap"
    with open(capture, "wb") as out:
        out.write(octets)
    job = rping_server(trial)
    status, report = trial.replay(capture, "cm-1", "client", f"rocev2://{B}")
    trial.b.wait(job, 70)
    fields = [d["field"] for run in report.get("runs", [report]) for d in run.get("differences", [])
              if d.get("level") != "policy"]
    trial.check("an altered recording: the altered field, and no other", status == 1 and
                fields == ["rdma_ip_cm.responder_resources"], fields, report)


def server_for_rping(trial):
    status, report, (rping_status, said) = trial.replay_while(
        f"timeout 50 rping -c -a 192.0.2.10 {ROUNDS}", SAMPLES / "rdmacm_rping_v4.pcap", "cm-1", "server",
        f"rocev2://{B}")
    trial.check("as server for rping -c", status == 0, report)
    trial.check("rping -c got its data back", rping_status == 0 and said.count("ping data") == 5, said)


def over_ipv6(trial):
    """In both roles; the recording is of three rounds of 2000 octets."""
    capture, rounds = SAMPLES / "rdmacm_rping_v6.pcap", "-p 7175 -v -V -C 3 -S 2000"
    job = trial.b.bg(f"timeout 60 rping -s -a {B6} {rounds}", 70)
    time.sleep(2)
    status, report = trial.replay(capture, "cm-1", "client", f"rocev2://[{B6}]")
    rping_status, said = trial.b.wait(job, 70)
    trial.check("over IPv6 as client of rping -s", status == 0 and rping_status == 0, report, said)
    status, report, (rping_status, said) = trial.replay_while(
        f"timeout 50 rping -c -a {A6} {rounds}", capture, "cm-1", "server", f"rocev2://[{B6}]")
    trial.check("over IPv6 as server for rping -c", status == 0 and rping_status == 0, report, said)


def unreachable(trial):
    status, report = trial.replay(
        SAMPLES / "rdmacm_rping_v4.pcap", "cm-1", "client", "rocev2://192.0.2.99", "--timeout 5")
    trial.check("a peer that is not there: status 4", status == 4, status, report)


if __name__ == "__main__":
    run(__doc__, "rdmacm", [prepare, client_against_rping, three_in_a_row, interrupted, faults, another_port, copies, rejection, nobody_listens, altered,
                            server_for_rping, over_ipv6, unreachable])
