# SPDX-License-Identifier: GPL-2.0-or-later
"""`fabricscope load` between two network namespaces: both sides count the same, and tell what fails. Needs root."""

import contextlib
import json
import signal
import subprocess
import sys
import time

import pytest

from harness import BUILD, ROOT, analyze, run, sample
from namespaces import CLIENT, REASON, SERVER, begin_listening, ip, wired_namespaces

OWN, PEER = "192.0.2.110", "192.0.2.120"

pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))


@pytest.fixture
def wire():
    with wired_namespaces() as ends:
        yield ends


def command(namespace, *words):
    return ["ip", "netns", "exec", namespace, str(BUILD / "bin/fabricscope"), "load", *map(str, words)]


@contextlib.contextmanager
def serving(wire, kind, *options, report=None):
    """A server; its report is in the list afterwards."""
    namespace = wire[1][0]
    process = subprocess.Popen(command(namespace, kind, "--serve", "--address", PEER, "--json", *options),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr.readline() == "fabricscope: ready\n"
        yield process
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        if report is not None:
            report.append(json.loads(out))
    finally:
        process.kill()
        process.wait()


def load(wire, kind, *options, against=PEER, address=OWN):
    """Exit status, report, complaints."""
    done = subprocess.run(command(wire[0][0], kind, "--against", against, "--address", address, *options, "--json"),
                          capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def test_cm_sessions_are_counted_alike_by_both_sides(wire):
    seen = []
    with serving(wire, "cm", report=seen):
        status, report, _ = load(wire, "cm", "--sessions", 20, "--total", 500, "--hosts", 5)
    sessions = report["sessions"]
    assert (status, sessions["started"], sessions["completed"], sessions["failed"], sessions["open"]) == (0, 500, 500, 0, 0)
    assert report["latency"]["set_up"]["count"] == 500
    assert 0 < report["latency"]["set_up"]["p50"] <= report["latency"]["set_up"]["p99"] <= report["latency"]["set_up"]["max"]
    assert seen[0]["sessions"]["completed"] == 500 and seen[0]["sessions"]["failed"] == 0
    assert report["frames"]["sent"] == seen[0]["frames"]["received"] and report["frames"]["received"] == seen[0]["frames"]["sent"]


@contextlib.contextmanager
def capturing(wire, file):
    namespace, interface = wire[0]
    tcpdump = begin_listening(namespace, ["tcpdump", "-i", interface, "-U", "-Z", "root", "-w", file])
    yield
    time.sleep(1.5)  # until tcpdump has read all
    tcpdump.send_signal(signal.SIGINT)
    tcpdump.wait(timeout=60)


def test_what_is_on_the_wire(wire, tmp_path):
    """Five hosts, a session of each with an address, a port and a queue pair of its own, and no rule broken."""
    capture = tmp_path / "load.pcap"
    with capturing(wire, capture), serving(wire, "rc"):
        status, _, _ = load(wire, "rc", "--sessions", 5, "--hosts", 5, "--total", 5, "--messages", 20, "--size", 100)
    result = analyze(capture)
    connections = result["rdma_cm"]["connections"]
    assert status == 0 and len(connections) == 5
    assert {connection["client"].split(":")[0] for connection in connections} == {f"192.0.2.{110 + i}" for i in range(5)}
    assert {connection["disconnected_by"] for connection in connections} == {"client"}
    streams = result["rdma"]["streams"]
    assert [stream["a_to_b"]["operations"]["send"] for stream in streams] == 5 * [{"count": 20, "bytes": 2000}]
    assert [finding for finding in result["findings"] if finding["severity"] == "error"] == []


def test_copies_of_a_recorded_connection(wire, tmp_path):
    """Four hosts play what one did, all at once and again and again: nobody takes one copy for another."""
    recording, copies = tmp_path / "one.pcap", tmp_path / "copies.pcap"
    with capturing(wire, recording), serving(wire, "rc"):
        load(wire, "rc", "--total", 1, "--messages", 20, "--size", 100)
    seen = []
    with capturing(wire, copies), serving(wire, "rc", "--port", 7300, report=seen):
        status, report, _ = load(wire, "recorded", recording, "--session", "cm-1", "--port", 7300, "--hosts", 4, "--sessions", 4, "--total", 40)
    sessions = report["sessions"]
    assert (status, sessions["started"], sessions["completed"], sessions["failed"], sessions["open"]) == (0, 40, 40, 0, 0), report
    assert seen[0]["sessions"]["completed"] == 40 and seen[0]["messages"]["count"] == 800
    assert report["latency"]["session"]["count"] == 40 and report["latency"]["set_up"]["count"] == 0
    result = analyze(copies)
    connections = result["rdma_cm"]["connections"]
    assert len({connection["client"] for connection in connections}) == 40
    assert {connection["client"].split(":")[0] for connection in connections} == {f"192.0.2.{110 + i}" for i in range(4)}
    assert [finding for finding in result["findings"] if finding["severity"] == "error"] == []


def test_copies_of_a_recorded_smcr_connection(wire, tmp_path):
    recording = tmp_path / "one.pcap"
    with capturing(wire, recording), serving(wire, "smc"):
        load(wire, "smc", "--total", 1, "--messages", 5, "--size", 100)
    seen = []
    with serving(wire, "smc", report=seen):
        status, report, _ = load(wire, "recorded", recording, "--session", "smcr-1", "--hosts", 3, "--sessions", 3, "--total", 12)
    assert (status, report["sessions"]["completed"], report["sessions"]["failed"]) == (0, 12, 0), report
    assert seen[0]["sessions"]["completed"] == 12 and seen[0]["messages"]["octets"] == 12 * 500


def test_copies_that_nobody_answers_say_what_they_waited_for(wire):
    with serving(wire, "cm", "--port", 7300):
        status, report, _ = load(wire, "recorded", sample("rdmacm_private_data"), "--session", "cm-1", "--timeout", 2, "--total", 2)
    ((failure),) = report["sessions"]["failures"]
    assert status == 1 and failure["count"] == 2 and "REP" in failure["reason"], report


@pytest.mark.parametrize("words, why", [
    (["recorded", "--session", "cm-1"], "a FILE and its --session"), (["recorded", sample("rdmacm_rping_v4")], "a FILE and its --session"),
    (["cm", sample("rdmacm_rping_v4")], "a FILE and its --session"), (["recorded", sample("rdmacm_rping_v4"), "--session", "cm-9"], "no session cm-9"),
    (["recorded", ROOT / "samples/fcvi/client_server_iso.pcap", "--session", "fcvi-1"], "not over IP")])
def test_recordings_that_will_not_do(wire, words, why):
    status, report, complaint = load(wire, *words)
    assert status == 2 and report is None and why in complaint, complaint


def test_rc_messages_are_all_received_in_order(wire):
    seen = []
    with serving(wire, "rc", report=seen):
        status, report, _ = load(wire, "rc", "--sessions", 3, "--total", 3, "--messages", 2000, "--size", 200)
    assert (status, report["messages"]["count"], report["messages"]["octets"]) == (0, 6000, 1_200_000)
    assert seen[0]["messages"] | {"per_second": 0} == {"count": 6000, "octets": 1_200_000, "wrong": 0, "per_second": 0}
    assert report["latency"]["message"]["count"] == 6000


@pytest.mark.parametrize("longest", [65536, 2000])
def test_joined_packets_arrive_one_by_one(wire, tmp_path, longest):
    """Whoever cuts them: the server, to whom a veth hands them whole, or the kernel, if the interface takes no long ones."""
    namespace, interface = wire[0]
    ip("-n", namespace, "link", "set", interface, "gso_max_size", str(longest))
    capture, seen = tmp_path / "joined.pcap", []
    with capturing(wire, capture), serving(wire, "rc", report=seen):
        status, report, complaints = load(wire, "rc", "--gso", "--sessions", 2, "--total", 2, "--messages", 3000, "--depth", 256,
                                          "--size", 61)
    assert (status, complaints) == (0, "")
    assert report["messages"]["count"] == seen[0]["messages"]["count"] == 6000 and seen[0]["messages"]["wrong"] == 0
    assert report["frames"]["retransmitted"] == 0 and seen[0]["frames"]["received"] == report["frames"]["sent"] > 6000
    sizes = run(["tshark", "-r", capture, "-T", "fields", "-e", "frame.len"]).split()
    assert (max(map(int, sizes)) > 2000) == (longest > 2000)
    result = analyze(capture)
    assert [finding for finding in result["findings"] if finding["severity"] == "error"] == []
    joined = ["datagrams of several RoCE packets (segmentation offload)"]  # they are not read as one packet
    names = [carrier["name"] for carrier in result["capture"]["not_decoded"]]
    assert names == joined or (names == [] and longest == 2000), "what is not too long may stay together"


def test_rc_until_the_end(wire):
    """What is under way at the end is waited for."""
    seen = []
    with serving(wire, "rc", report=seen):
        status, report, _ = load(wire, "rc", "--sessions", 2, "--duration", 1)
    assert status == 0 and report["sessions"]["completed"] == 2
    assert report["messages"]["count"] == seen[0]["messages"]["count"] > 1000


def test_smc_connections_echo_what_they_are_sent(wire):
    seen = []
    with serving(wire, "smc", report=seen):
        status, report, _ = load(wire, "smc", "--sessions", 10, "--total", 60, "--messages", 3, "--size", 500, "--hosts", 2)
    assert (status, report["sessions"]["completed"], report["messages"]["count"]) == (0, 60, 180)
    assert report["messages"]["octets"] == seen[0]["messages"]["octets"] == 90_000
    assert seen[0]["sessions"]["completed"] == 60 and seen[0]["messages"]["wrong"] == 0


@pytest.mark.parametrize("kind, rate", [("cm", 200), ("rc", 500)])
def test_a_rate_is_kept(wire, kind, rate):
    with serving(wire, kind):
        status, report, _ = load(wire, kind, "--sessions", 10, "--rate", rate, "--duration", 2)
    count = report["sessions" if kind == "cm" else "messages"]["completed" if kind == "cm" else "count"]
    assert status == 0 and 0.8 * 2 * rate <= count <= 2 * rate + 1


def test_no_such_service_is_told(wire):
    with serving(wire, "cm", "--port", 7200):
        status, report, _ = load(wire, "cm", "--sessions", 3, "--total", 10)
    assert status == 1
    assert report["sessions"]["failures"] == [{"reason": "rejected: invalid service id", "count": 10}]
    assert report["sessions"]["completed"] == 0


def test_a_server_that_goes_away_is_told(wire):
    with serving(wire, "cm") as server:
        server.send_signal(signal.SIGSTOP)
        # ARP was answered before: the peer is known only if it answers now.
        status, _, complaint = load(wire, "cm", "--timeout", 1)
        assert status == 4 and "no answer to ARP" in complaint
        server.send_signal(signal.SIGCONT)


def test_nobody_there(wire):
    status, report, complaint = load(wire, "rc", "--timeout", 1)
    assert status == 4 and report is None and f"nobody on wire0 has the address {PEER}" in complaint


def test_others_that_speak_arp_do_not_prolong_the_wait(wire):
    """Frames of somebody else's ARP come all the time, until the client gives up."""
    flood = f"""
import socket, time
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind(({wire[1][1]!r}, 0))
end = time.monotonic() + 20
while time.monotonic() < end:
    wire.send(bytes.fromhex("ffffffffffff00005e005363 0806 0001080006040001 00005e005363 c0000263 000000000000 c0000262"))
    time.sleep(0.05)
"""
    noise = subprocess.Popen(["ip", "netns", "exec", wire[1][0], sys.executable, "-c", flood])
    try:
        begun = time.monotonic()
        status, _, complaint = load(wire, "rc", "--timeout", 1)
        assert status == 4 and "no answer to ARP" in complaint and time.monotonic() - begun < 5
        client = subprocess.Popen(command(wire[0][0], "rc", "--against", PEER, "--address", OWN, "--timeout", 60, "--json"),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        client.send_signal(signal.SIGINT)
        out, _ = client.communicate(timeout=10)
        assert client.returncode == 3 and json.loads(out)["broken_off"] == "interrupted"
    finally:
        noise.kill()
        noise.wait()


@pytest.mark.parametrize("options, status, broken_off", [((), 0, None), (("--duration", 60), 3, "interrupted")])
def test_a_server_with_an_end_of_its_own_is_broken_off(wire, options, status, broken_off):
    seen = []
    with serving(wire, "rc", *options, report=seen) as server:
        pass
    assert server.returncode == status and seen[0]["broken_off"] == broken_off


@pytest.mark.parametrize("against, address, why", [
    (PEER, CLIENT, "is one of this host's own"), (PEER, SERVER, "is in use"), (CLIENT, OWN, "is this host itself"),
    ("224.0.0.1", OWN, "address of many hosts"), (PEER, PEER, "is the peer's"), ("2001:db8::20", OWN, "IPv4")])
def test_addresses_that_will_not_do(wire, against, address, why):
    status, report, complaint = load(wire, "cm", against=against, address=address)
    assert status == 2 and report is None and why in complaint, complaint


@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGTERM, signal.SIGTERM]], ids=str)
def test_ctrl_c_leaves_nothing_behind(wire, signals):
    seen = []
    with serving(wire, "rc", report=seen):
        client = subprocess.Popen(command(wire[0][0], "rc", "--against", PEER, "--address", OWN, "--sessions", 4, "--json"),
                                  stdout=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        time.sleep(2.5)
        for which in signals:
            client.send_signal(which)
            time.sleep(0.02)
        out, _ = client.communicate(timeout=60)
    report = json.loads(out)
    assert client.returncode == 3 and report["broken_off"] == "interrupted"
    assert report["sessions"]["completed"] == 4 and report["sessions"]["open"] == 0
    assert seen[0]["sessions"]["completed"] == 4 and seen[0]["sessions"]["open"] == 0


def test_memory_does_not_grow_with_the_sessions(wire):
    """A server that has had three times as many needs no more. What has ended is remembered for half a second."""
    def peak(process):
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    for kind, rate in (("cm", 4000), ("smc", 1000)):
        with serving(wire, kind) as server:
            load(wire, kind, "--sessions", 20, "--rate", rate, "--total", rate, "--duration", 60)
            time.sleep(1)
            before = peak(server)
            status, report, _ = load(wire, kind, "--sessions", 20, "--rate", rate, "--total", 3 * rate, "--duration", 60)
            assert (status, report["sessions"]["completed"]) == (0, 3 * rate)
            assert peak(server) < before + 8192, (kind, before, peak(server))
