# SPDX-License-Identifier: GPL-2.0-or-later
"""`fabricscope replay` against itself over real interfaces: two processes in two network namespaces joined by a veth pair, one
of which plays the client of a recording, the other one the server. Needs root."""

import json
import subprocess
import time

import pytest

from edit import FRAME_HEADER, delayed, edited, fcp, fcvi, patch, patch_fcoe
from harness import BUILD, ROOT, sample
from namespaces import CLIENT, CLIENT6, REASON, SERVER, SERVER6, wired_namespaces

RESPONDER_RESOURCES = 14 + 20 + 8 + 12 + 8 + 48  # of a REP in a RoCEv2 frame
DISCONNECT = 66  # the frame of the DREQ in rdmacm_rping_v4

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


def test_nobody_there(wire):
    (client_space, _), _ = wire
    process = begin(client_space, sample("rdmacm_rping_v4"), "client", f"rocev2://{SERVER}", timeout=3)
    _, err = process.communicate(timeout=100)
    assert process.returncode == 4, err.decode()
