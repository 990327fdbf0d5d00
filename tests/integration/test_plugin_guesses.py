# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's guesses about what a connection carries: only those that its service id allows, or, if its set-up was not captured, its messages."""

import struct

import pytest
from cm_probe import CLIENT_QPN, RC_SEND_ONLY, SERVER_QPN, UD_SEND_ONLY, UDP, CmCapture, rep, req, rtu, service_id, sidr_rep, sidr_req
from harness import fields, sample, tshark, without_plugin

SCTP = 132
RC_WRITE_FIRST, RC_WRITE_MIDDLE, RC_WRITE_LAST = 6, 7, 8
RPC_OVER_RDMA = struct.pack("!IIIII", 7, 1, 32, 1, 0) + bytes(12)  # XID 7, version 1, RDMA_NOMSG without chunks
IPV4_OVER_IB = bytes.fromhex("080000004500001c000000004001000001020304050607080800f7ff00000000")
FREELY = ["-o", "rdma_ip_cm.guesses:FALSE", "-o", "rdma.guesses:FALSE"]
NO_CHUNK_LISTS = struct.pack("!IIIIIII", 7, 1, 32, 2, 16, 64, 9) + bytes(20)  # RDMA_MSGP; the read list begins with 9, which is no XDR boolean
WRITE = struct.pack("!QII", 0x1000, 7, 3072)


@pytest.fixture
def path(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path / "probe.pcap"


def connection(service, sent=(), **request):
    capture = CmCapture()
    capture.mad(True, req(service=service, **request))
    capture.mad(False, rep())
    capture.mad(True, rtu())
    for payload in sent:
        capture.send(True, payload)
    return capture


def above_infiniband(path, options=()):
    """What each frame's payload is taken for."""
    rows = fields(path, "frame.protocols", options=options)
    return [row["frame.protocols"][0].partition("infiniband")[2].removeprefix(":") for row in rows]


@pytest.mark.parametrize("service, name", [(service_id(7471), "an example of librdmacm"), (service_id(40001), "a port of nobody"),
                                           (service_id(18515), "perftest"), (service_id(3260), "iSER")])
def test_other_data_is_no_rpc_over_rdma(service, name, path):
    connection(service, [RPC_OVER_RDMA]).save(path)
    assert above_infiniband(path, FREELY)[3] == "rpcordma", "else there is nothing to keep off"
    assert above_infiniband(path)[3] == "data", name


@pytest.mark.parametrize("service", [service_id(20049), service_id(2049, SCTP)])
def test_nfs_is_rpc_over_rdma(service, path):
    connection(service, [RPC_OVER_RDMA]).save(path)
    assert above_infiniband(path)[3] == "rpcordma"


def test_an_unknown_service_may_be_anything(path):
    """The REQ was not captured: nothing says what the connection is for."""
    capture = CmCapture()
    capture.mad(False, rep())
    capture.mad(True, rtu())
    capture.send(False, RPC_OVER_RDMA)
    capture.send(True, RPC_OVER_RDMA)
    capture.save(path)
    assert above_infiniband(path)[2:] == ["rpcordma", "rpcordma"]


def test_nvme_write_middle_packets(path):
    """The octets of a file that is read may look like anything."""
    command = bytearray(64)
    command[0:8] = struct.pack("<BBHI", 2, 0x40, 5, 1)  # Read, SGL, command id 5, namespace 1
    command[24:40] = struct.pack("<Q", 0x1000) + (3072).to_bytes(3, "little") + struct.pack("<IB", 7, 0x40)
    capture = connection(service_id(4420), [bytes(command)], consumer=struct.pack("<HHHH", 0, 1, 32, 32) + bytes(24))
    data = IPV4_OVER_IB.ljust(1024, b"\0")
    capture.packet(True, RC_SEND_ONLY, 0x77, b"", IPV4_OVER_IB)  # whoever matched last is asked first
    capture.packet(False, RC_WRITE_FIRST, CLIENT_QPN, WRITE, data)
    capture.packet(False, RC_WRITE_MIDDLE, CLIENT_QPN, b"", data)
    capture.packet(False, RC_WRITE_LAST, CLIENT_QPN, b"", data)
    capture.save(path)
    assert above_infiniband(path, FREELY)[6].startswith("ethertype:ip"), "else there is nothing to keep off"
    assert above_infiniband(path)[5:] == ["nvme-rdma"] * 3


def test_ports_that_the_user_gave_a_ulp(path):
    """NVMe's dissector asks for the service id itself, and so does iSER's."""
    connection(service_id(40001), [RPC_OVER_RDMA]).save(path)
    assert above_infiniband(path, ["-o", "nvme-rdma.subsystem_ports:40001"])[3] == "nvme-rdma"


def test_datagrams_are_no_ethernet(path):
    capture = CmCapture()
    capture.mad(True, sidr_req(service=service_id(7174, UDP)))
    capture.mad(False, sidr_rep())
    capture.packet(True, UD_SEND_ONLY, SERVER_QPN, struct.pack("!II", 0x11111111, CLIENT_QPN), IPV4_OVER_IB)
    capture.save(path)
    assert above_infiniband(path, FREELY)[2].startswith("ethertype:ip")
    assert above_infiniband(path)[2] == "data"


def test_zeros_of_an_own_service_are_no_sdp(path):
    """Private data of zeros are an SDP Hello to Wireshark, and from then on the connection's payloads are SDP."""
    connection(0x0123456789ABCDEF, [bytes(16)], head=b"").save(path)
    assert "infiniband_sdp" in ":".join(above_infiniband(path, FREELY))
    assert above_infiniband(path) == ["", "", "", "data"]
    assert not fields(path, "frame.number", display_filter="_ws.malformed")


def test_sdp_is_sdp(path):
    connection(0x0000000000010050, head=b"").save(path)
    assert above_infiniband(path)[1:] == ["infiniband_sdp"] * 2


def test_other_connections_are_guessed_as_ever(path):
    """What is switched off for one packet is on for the next one."""
    capture = connection(service_id(7471), [RPC_OVER_RDMA])
    capture.packet(True, RC_SEND_ONLY, 0x77, b"", RPC_OVER_RDMA)
    capture.send(True, RPC_OVER_RDMA)
    capture.packet(True, RC_SEND_ONLY, 0x77, b"", RPC_OVER_RDMA)
    capture.save(path)
    for options in ([], ["-2"]):
        assert above_infiniband(path, options)[3:] == ["data", "rpcordma", "data", "rpcordma"]


def unannounced(*packets):
    """Of queue pairs whose set-up was not captured."""
    capture = CmCapture()
    for from_client, opcode, qpn, head, payload in packets:
        capture.packet(from_client, opcode, qpn, head, payload)
    return capture


def test_octets_that_are_no_rpc_over_rdma(path):
    """Its heuristic looks at little more than version and type, and shows a malformed message."""
    unannounced((True, RC_SEND_ONLY, 0x77, b"", NO_CHUNK_LISTS)).save(path)
    assert above_infiniband(path, FREELY) == ["rpcordma"], "else there is nothing to keep off"
    assert fields(path, "frame.number", display_filter="_ws.malformed", options=FREELY)
    assert above_infiniband(path) == ["data"]


def test_a_stream_is_one_ulp_s(path):
    """What one of its messages cannot be, none of them is: known of all once the capture has been read."""
    unannounced((True, RC_SEND_ONLY, 0x77, b"", RPC_OVER_RDMA), (True, RC_SEND_ONLY, 0x77, b"", b"perftest" * 8),
                (True, RC_SEND_ONLY, 0x78, b"", RPC_OVER_RDMA)).save(path)
    assert above_infiniband(path) == ["rpcordma", "data", "rpcordma"]
    assert above_infiniband(path, ["-2"]) == ["data", "data", "rpcordma"]


def test_memory_is_no_message(path):
    """A WRITE's octets may look like anything. RPC-over-RDMA's own WRITEs are announced by its SENDs."""
    unannounced((True, RC_WRITE_FIRST, 0x77, WRITE, RPC_OVER_RDMA.ljust(1024, b"\0")), (True, RC_WRITE_MIDDLE, 0x77, b"", IPV4_OVER_IB.ljust(1024, b"\0")),
                (True, RC_WRITE_LAST, 0x77, b"", IPV4_OVER_IB.ljust(1024, b"\0"))).save(path)
    assert "ethertype:ip" in ":".join(above_infiniband(path, FREELY)), "else there is nothing to keep off"
    assert above_infiniband(path) == ["data"] * 3


def test_on_ethernet_ip_needs_no_infiniband(path):
    unannounced((True, UD_SEND_ONLY, 0x77, struct.pack("!II", 0x11111111, 0x78), IPV4_OVER_IB)).save(path)
    assert above_infiniband(path, FREELY)[0].startswith("ethertype:ip")
    assert above_infiniband(path) == ["data"]


@pytest.mark.parametrize("name", ["plain_tcp_http", "plain_udp", "fcoe_vn2vn", "plain_roce_perftest"])
def test_nothing_changes_elsewhere(name):
    off = ["--disable-protocol", "rdma"]
    assert tshark("-r", sample(name), *off, "-V") == tshark("-r", sample(name), *off, *FREELY, "-V")
    if name.startswith("plain_"):
        assert tshark("-r", sample(name), *off, "-V") == without_plugin("-r", sample(name), "-V")


def test_switched_off_protocol_guesses_as_ever(path):
    connection(service_id(7471), [RPC_OVER_RDMA]).save(path)
    assert above_infiniband(path, ["--disable-protocol", "rdma_ip_cm"])[3] == "rpcordma"
