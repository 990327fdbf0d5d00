# SPDX-License-Identifier: GPL-2.0-or-later
"""`fabricscope replay` against itself over real interfaces: two processes in two network namespaces joined by a veth pair, one
of which plays the client of a recording, the other one the server. Needs root."""

import json
import signal
import subprocess
import time

import pytest

from edit import FRAME_HEADER, delayed, edited, fcp, fcvi, patch, patch_fcoe
from harness import BUILD, ROOT, analyze, open_to_all, sample
from namespaces import (
    CLIENT, CLIENT6, REASON, SERVER, SERVER6, begin_listening, status_of, wait_until, wired_namespaces)

RESPONDER_RESOURCES = 14 + 20 + 8 + 12 + 8 + 48  # of a REP in a RoCEv2 frame
DISCONNECT = 66  # the frame of the DREQ in rdmacm_rping_v4
FIRST_ANSWER = 22  # of the server's datagrams to the first queue pair of rdmacm_udaddy
DATAGRAM = 14 + 20 + 8 + 12 + 8 + 4  # where the payload of one with immediate data begins

pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))


@pytest.fixture
def wire():
    with wired_namespaces() as ends:
        yield ends


def begin(namespace, capture, play, against, timeout=20, session="cm-1", options=()):
    command = ["ip", "netns", "exec", namespace, BUILD / "bin/fabricscope", "replay", capture, "--session", session,
               "--play", play, "--against", against, "--json", "--timeout", timeout, *options]
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def end(process):
    out, err = process.communicate(timeout=100)
    assert process.returncode in (0, 1), err.decode()
    return process.returncode, json.loads(out)


def replayed(wire, capture, server_capture, client_target, server_target, session="cm-1"):
    """Exit status and report of the client's process and of the server's."""
    (client_space, _), (server_space, _) = wire
    server = begin(server_space, server_capture, "server", server_target, session=session)
    time.sleep(1)  # an answer to what was sent too early would be a repetition's
    client = begin(client_space, capture, "client", client_target, session=session)
    return end(client), end(server)


@pytest.mark.parametrize("name", ["rdmacm_rping_v4", "rdmacm_private_data", "rdmacm_reject_no_listener", "rdmacm_udaddy"])
def test_udp(wire, name):
    """RoCEv2 through the kernel's UDP."""
    results = replayed(wire, sample(name), sample(name), f"rocev2://{SERVER}", f"rocev2://{CLIENT}")
    for status, report in results:
        assert status == 0, report


def test_udp_over_ipv6(wire):
    name = "rdmacm_rping_v6"
    for status, report in replayed(wire, sample(name), sample(name), f"rocev2://[{SERVER6}]:7175", f"rocev2://[{CLIENT6}]"):
        assert status == 0, report


def test_versions_of_ip_differ(wire):
    (client_space, _), _ = wire
    process = begin(client_space, sample("rdmacm_rping_v4"), "client", f"rocev2://[{SERVER6}]", timeout=3)
    _, err = process.communicate(timeout=100)
    assert process.returncode == 2 and b"different versions of IP" in err, err.decode()


def test_recorded_pace_with_a_gap_longer_than_the_patience(wire, tmp_path):
    """The client's disconnect comes 4 s late in the recording; 3 s are all that either side waits for an answer."""
    capture = delayed("rdmacm_rping_v4", tmp_path / "slow.pcap", DISCONNECT, 4)
    (client_space, _), (server_space, _) = wire
    options = ("--speed", "recorded")
    server = begin(server_space, capture, "server", f"rocev2://{CLIENT}", timeout=3, options=options)
    time.sleep(1)
    client = begin(client_space, capture, "client", f"rocev2://{SERVER}", timeout=3, options=options)
    for status, report in (end(client), end(server)):
        assert status == 0, report


@pytest.mark.parametrize("name", ["rdmacm_rping_v6", "rdmacm_rocev1_rping"])
def test_raw_frames(wire, name):
    """Frames with the recorded addresses."""
    (_, client_interface), (_, server_interface) = wire
    for status, report in replayed(wire, sample(name), sample(name), f"if://{client_interface}", f"if://{server_interface}"):
        assert status == 0, report


FCOE = [("fcvi/client_server_iso", "fcvi-1"), ("fcvi/reliable_reception_rev10", "fcvi-1"),
        ("fc_ae_rdma/login_read_write", "fc-ae-rdma-1"), ("fc_ae_rdma/login_read_write", "fc-ae-rdma-2"),
        ("fc_ae_rdma/class_2", "fc-pair-1")]


@pytest.mark.parametrize(("name", "session"), FCOE)
def test_fcoe(wire, name, session):
    """N_Ports over Ethernet: both find what they say the same as recorded."""
    capture = ROOT / f"samples/{name}.fcoe.pcap"
    (_, client_interface), (_, server_interface) = wire
    for status, report in replayed(
            wire, capture, capture, f"if://{client_interface}", f"if://{server_interface}", session):
        assert status == 0, report


@pytest.mark.parametrize(("name", "session", "choose", "at", "field"), [
    ("fcvi/client_server_iso", "fcvi-1", fcvi(0x1A), FRAME_HEADER + 3, "fcvi.handle"),  # FCVI_CONNECT_RESP3
    ("fc_ae_rdma/login_read_write", "fc-ae-rdma-1", fcp(0x07, 0), FRAME_HEADER + 15, "fcaerdma.resid")])  # FCP_RSP
def test_altered_n_port(wire, tmp_path, name, session, choose, at, field):
    """The server answers otherwise than the client's recording tells."""
    capture = ROOT / f"samples/{name}.fcoe.pcap"
    number = choose(capture)
    altered = edited(capture, tmp_path / "altered.pcap", patch_fcoe(number, at, b"\x07"))
    (_, client_interface), (_, server_interface) = wire
    (status, report), _ = replayed(
        wire, capture, altered, f"if://{client_interface}", f"if://{server_interface}", session)
    assert status == 1
    (difference,) = [d for d in report["differences"] if d["level"] == "exact"]
    assert (difference["field"], difference["recorded_frame"]) == (field, number)
    assert difference["actual_frame"] != 0


@pytest.mark.parametrize("name", ["smcr_v2_echo", "smcr_v1_echo", "smcr_v2_urgent", "smcr_fallback_eid_mismatch"])
def test_smc_hosts_beside_the_kernels(wire, name):
    """SMC-R between two hosts that exist only while they are played: ARP, TCP with the option, RoCE."""
    client, server = "192.0.2.110", "192.0.2.120"
    (client_space, client_interface), (server_space, server_interface) = wire
    processes = [
        begin(space, sample(name), play, f"smc://{peer}", session="smcr-1",
              options=("--address", own, "--interface", interface))
        for space, interface, play, own, peer in (
            (server_space, server_interface, "server", server, client),
            (client_space, client_interface, "client", client, server))]
    for status, report in map(end, processes):
        assert status == 0, report


def test_altered_server(wire, tmp_path):
    """The server has another number of responder resources than the client's recording tells."""
    altered = edited("rdmacm_rping_v4", tmp_path / "altered.pcap", patch(4, RESPONDER_RESOURCES, b"\x07"))
    (status, report), _ = replayed(
        wire, sample("rdmacm_rping_v4"), altered, f"rocev2://{SERVER}", f"rocev2://{CLIENT}")
    assert status == 1
    (difference,) = [d for d in report["differences"] if d["level"] == "exact"]
    assert (difference["field"], difference["actual"]) == ("rdma_ip_cm.responder_resources", "7")


def test_masked_octets(wire, tmp_path):
    """The server sends other octets, which its recording tells, in the place of memory that nobody has written."""
    altered = edited("rdmacm_udaddy", tmp_path / "altered.pcap", patch(FIRST_ANSWER, DATAGRAM + 5, b"\xee"))
    mask = tmp_path / "mask.toml"
    mask.write_text('[[ignore]]\nfield = "payload[4:8]"\nmessage = "datagram"\nfrom = "server"\n')
    (client_space, _), (server_space, _) = wire
    for options, expected in (((), 1), (("--mask", mask), 0)):
        server = begin(server_space, altered, "server", f"rocev2://{CLIENT}")
        time.sleep(1)
        client = begin(client_space, sample("rdmacm_udaddy"), "client", f"rocev2://{SERVER}", options=options)
        (status, report), _ = end(client), end(server)
        assert status == expected, report
        assert [d["field"] for d in report["differences"] if d["level"] == "exact"] == ["infiniband.payload"] * expected


# ---- why nothing came of it ----------------------------------------------------------------------

CM, SMC = "rdmacm_rping_v4", "smcr_v2_echo"
BESIDE = ("--address", "192.0.2.110")


@pytest.mark.parametrize(("name", "target", "options", "status", "told"), [
    (CM, f"rocev2://{SERVER}", (), 4, "closed UDP port 4791 (connection refused)"),
    (CM, "rocev2://192.0.2.99", (), 4, "nobody has the address 192.0.2.99"),
    (CM, "rocev2://198.51.100.1", (), 4, "unreachable"),
    (CM, f"rocev2://{CLIENT}", (), 2, "this host itself"),
    (CM, "rocev2://127.0.0.1", (), 2, "this host itself"),
    (CM, "rocev2://224.0.0.1", (), 2, "address of many hosts"),
    (CM, f"smc://{SERVER}", BESIDE, 2, "it needs rocev2://HOST"),
    (SMC, f"rocev2://{SERVER}", (), 2, "it needs smc://HOST"),
    (SMC, f"smc://{SERVER}", BESIDE, 4, "refuses the TCP connection: nobody listens at port"),
    (SMC, "smc://192.0.2.99", BESIDE, 4, "nobody on wire0 has the address 192.0.2.99"),
    (SMC, f"smc://{SERVER}", ("--address", CLIENT), 2, "is one of this host's own"),
    (SMC, f"smc://{SERVER}", ("--address", SERVER), 2, "is the peer's"),
    (SMC, f"smc://{SERVER}", ("--address", "192.0.2.21"), 2, "192.0.2.21 is in use, by"),
])
def test_reasons(wire, name, target, options, status, told):
    (client_space, _), (server_space, server_interface) = wire
    subprocess.run(["ip", "-n", server_space, "addr", "add", "192.0.2.21/24", "dev", server_interface], check=True)
    process = begin(client_space, sample(name), "client", target, timeout=8, session=("cm-1" if name == CM else "smcr-1"),
                    options=options)
    _, err = process.communicate(timeout=100)
    assert process.returncode == status and told in err.decode(), err.decode()


def test_a_silent_peer(wire):
    (client_space, _), (server_space, _) = wire
    drop = ["ip", "netns", "exec", server_space, "python3", "-c",
            "import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 4791)); print(flush=True); time.sleep(60)"]
    with subprocess.Popen(drop, stdout=subprocess.PIPE) as silent:
        silent.stdout.readline()  # it has bound the port: before, the kernel would refuse
        process = begin(client_space, sample(CM), "client", f"rocev2://{SERVER}", timeout=3)
        _, err = process.communicate(timeout=100)
        silent.kill()
    assert process.returncode == 4 and b"the peer is silent" in err, err.decode()


def test_a_decline_tells_its_code(wire):
    """The server declines, as its own recording has it; the client's tells of SMC-R."""
    client, server = "192.0.2.110", "192.0.2.120"
    (client_space, client_interface), (server_space, server_interface) = wire
    declined = begin(server_space, sample("smcr_fallback_server_no_rdma"), "server", f"smc://{client}", session="smcr-1",
                     options=("--address", server, "--interface", server_interface), timeout=5)
    played = begin(client_space, sample(SMC), "client", f"smc://{server}", session="smcr-1",
                   options=("--address", client, "--interface", client_interface), timeout=5)
    _, report = end(played)
    declined.communicate(timeout=100)
    assert any("CLC DECLINE of the peer was not recorded: 0x0303" in note for note in report["notes"]), report["notes"]


# ---- the peer is left clean ----------------------------------------------------------------------

def interrupted(client, seconds, *signals):
    time.sleep(seconds)
    for which in signals:
        client.send_signal(which)
        time.sleep(0.02)  # two that are pending at once would be one
    out, err = client.communicate(timeout=100)
    assert client.returncode == 3, err.decode()
    report = json.loads(out)
    assert report["broken_off"] == "interrupted"
    return report


@pytest.mark.parametrize("signals", [
    [signal.SIGINT], [signal.SIGTERM], [signal.SIGHUP], [signal.SIGTERM, signal.SIGTERM]], ids=str)
def test_an_interrupted_rdma_cm_client_disconnects(wire, tmp_path, signals):
    """It would disconnect 60 s later. timeout(1) sends SIGTERM twice: to the program, and to its process group."""
    capture, actual = delayed(CM, tmp_path / "slow.pcap", DISCONNECT, 60), tmp_path / "actual.pcapng"
    (client_space, _), (server_space, _) = wire
    server = begin(server_space, capture, "server", f"rocev2://{CLIENT}", options=("--speed", "recorded"))
    time.sleep(1)
    client = begin(client_space, capture, "client", f"rocev2://{SERVER}", options=("--speed", "recorded", "--write", actual))
    interrupted(client, 3, *signals)
    status, report = end(server)
    assert status == 0, report  # a DREQ came, and then nothing more was to come
    (connection,) = analyze(actual)["rdma_cm"]["connections"]
    assert connection["dreq"] is not None


@pytest.mark.parametrize("play", ["client", "server"])
def test_an_interrupted_smcr_host_ends_the_link_group(wire, tmp_path, play):
    """The connection would go on for 20 s."""
    capture, actual = delayed(SMC, tmp_path / "slow.pcap", 40, 20), tmp_path / "actual.pcapng"
    address = {"client": "192.0.2.110", "server": "192.0.2.120"}
    other = {"client": "server", "server": "client"}[play]
    spaces = dict(zip(("client", "server"), wire))
    def host(side, peer, *options):
        space, interface = spaces[side]
        return begin(space, capture, side, f"smc://{address[peer]}", session="smcr-1",
                     options=("--speed", "recorded", "--address", address[side], "--interface", interface, *options), timeout=5)
    extra = {play: ("--write", actual), other: ()}
    server = host("server", "client", *extra["server"])
    client = host("client", "server", *extra["client"])
    ended = client if play == "client" else server
    interrupted(ended, 5, signal.SIGINT)
    (server if play == "client" else client).communicate(timeout=100)
    result = analyze(actual)["smcr"]
    (connection,), (group,) = result["connections"], result["link_groups"]
    assert connection["outcome"] == "smc-r" and connection["close"] == "abnormal"
    assert {link["state"] for link in group["links"]} == {"deleted"}


def test_no_link_group_is_left_behind(wire, tmp_path):
    """A run that came to its end deletes what it has set up: the next one begins anew."""
    address, (client_space, client_interface), (server_space, server_interface) = ("192.0.2.110", "192.0.2.120"), *wire
    hosts = [begin(space, sample(SMC), play, f"smc://{peer}", session="smcr-1",
                   options=("--address", own, "--interface", interface, "--write", tmp_path / f"{play}.pcapng"))
             for space, interface, play, own, peer in (
                 (server_space, server_interface, "server", address[1], address[0]),
                 (client_space, client_interface, "client", address[0], address[1]))]
    for status, report in map(end, hosts):
        assert status == 0, report
    (group,) = analyze(tmp_path / "client.pcapng")["smcr"]["link_groups"]
    assert {link["state"] for link in group["links"]} == {"deleted"}


def test_privileges_are_given_up(wire, tmp_path):
    """Whoever plays on an interface is nobody as soon as it is open."""
    (space, interface), _ = wire
    open_to_all(tmp_path)
    written = tmp_path / "out.pcapng"
    process = begin_listening(space, [
        BUILD / "bin/fabricscope", "replay", sample("rdmacm_rping_v4"), "--session", "cm-1", "--play", "client",
        "--against", f"if://{interface}", "--timeout", "3", "-Z", "nobody", "--write", written])
    status = {}
    wait_until(lambda: status.update(status_of(process)) or status["Uid"].split() == ["65534"] * 4)
    assert int(status["CapPrm"], 16) == int(status["CapEff"], 16) == 0
    process.communicate(timeout=60)
    assert written.stat().st_uid == 65534
