# SPDX-License-Identifier: GPL-2.0-or-later
"""RDMA CM connections of the real captures: as the applications reported them, and as Wireshark decodes their messages."""

import re
import struct

import pytest
from harness import ROOT, analyze, fabricscope, run, sample, samples, without_plugin

CM = samples("rdmacm_*")

#: outcomes and destination ports, in order
EXPECTED = {
    "rdmacm_concurrent": [("connected", 7313), ("connected", 7300), ("connected", 7312), ("connected", 7311)] +
                         [("connected", 7300)] * 15,
    "rdmacm_lossy_rping": [("connected", 7174)],
    "rdmacm_lossy_rsocket": [("connected", 7393)],
    "rdmacm_nvme": [("connected", 4420)] * 2,
    "rdmacm_private_data": [("connected", 8003)],
    "rdmacm_reject_no_listener": [("rejected", 7999), ("rejected", 8001)],
    "rdmacm_reject_private_data": [("rejected", 8002)] * 2,
    "rdmacm_req_timeout": [("timeout", 8007)],
    "rdmacm_rocev1_rping": [("connected", 7174)],
    "rdmacm_rping_v4": [("connected", 7174)],
    "rdmacm_rping_v6": [("connected", 7175)],
    "rdmacm_udaddy": [("connected", 7174)] * 3,
}


def connections(name, *options):
    return analyze(sample(name), *options)["rdma_cm"]["connections"]


def truth_text(name):
    return (ROOT / f"samples/real/{name}.truth.txt").read_text()


def port(address):
    return int(address.rsplit(":", 1)[1])


@pytest.mark.parametrize("name", CM)
def test_outcomes(name):
    assert [(c["outcome"], port(c["server"])) for c in connections(name)] == EXPECTED[name]


@pytest.mark.parametrize("name", CM)
def test_addresses(name):
    client, server = ("2001:db8::10", "2001:db8::20") if name.endswith("_v6") else ("192.0.2.10", "192.0.2.20")
    for c in connections(name):
        assert client in c["client"] and server in c["server"]
        assert c["protocol"] == ("udp" if name == "rdmacm_udaddy" else "tcp")
        assert c["service"] == ("ud" if name == "rdmacm_udaddy" else "rc")
        assert c["service_id"].endswith(f"{port(c['server']):04x}")


@pytest.mark.parametrize("name", CM)
def test_messages_are_those_that_wireshark_decodes(name):
    def rows(attribute, *names):
        arguments = ["-r", sample(name), "-Y", f"infiniband.mad.attributeid == {attribute}", "-T", "fields"]
        for field in ("frame.number", *names):
            arguments += ["-e", field]
        return [[int(value, 0) for value in line.split("\t")] for line in without_plugin(*arguments).splitlines()]

    found = {c["frames"]["req"]: c for c in connections(name)}
    if name == "rdmacm_udaddy":  # Wireshark does not decode SIDR
        assert [row[0] for row in rows(0x17)] == list(found)
        return
    requests = rows(0x10, "infiniband.cm.req.localqpn", "infiniband.cm.req.startpsn", "infiniband.cm.req.localcaguid",
                    "infiniband.cm.req.responderres", "infiniband.cm.req.initdepth", "infiniband.cm.req.retrcount",
                    "infiniband.cm.req.rnrretrcount", "infiniband.cm.req.maxcmretr", "infiniband.cm.req.ip_cm.sport",
                    "infiniband.cm.req.pppmtu")
    for frame, qpn, psn, guid, resources, depth, retries, rnr, cm_retries, source, mtu in requests:
        if frame not in found:  # a repetition
            continue
        c = found[frame]
        end = c["client_end"]
        assert (end["qpn"], end["starting_psn"], int(end["ca_guid"], 16)) == (qpn, psn, guid)
        assert (end["responder_resources"], end["initiator_depth"], end["rnr_retry_count"]) == (resources, depth, rnr)
        assert (c["retry_count"], c["max_cm_retries"], port(c["client"])) == (retries, cm_retries, source)
        assert c["mtu"] == 128 << mtu
    assert sum(c["req_transmissions"] for c in found.values()) == len(requests)
    replies = {row[0]: row[1:] for row in rows(0x13, "infiniband.cm.rep.localqpn", "infiniband.cm.rep.startpsn",
                                               "infiniband.cm.rep.remotecommid")}
    for c in found.values():
        if c["frames"]["rep"] is None:
            continue
        qpn, psn, client_id = replies.pop(c["frames"]["rep"])
        assert (c["server_end"]["qpn"], c["server_end"]["starting_psn"]) == (qpn, psn)
        assert c["client_end"]["comm_id"] == client_id
        # What is left are repetitions.
        replies = {frame: reply for frame, reply in replies.items() if reply != [qpn, psn, client_id]}
    assert not replies
    for attribute, step in ((0x14, "rtu"), (0x15, "dreq"), (0x16, "drep")):
        assert sorted(row[0] for row in rows(attribute)) == sorted(
            c["frames"][step] for c in found.values() if c["frames"][step] is not None)


def private_data(name, event):
    """What an application was given with an event, without the zeros behind it."""
    found = re.findall(rf"event=RDMA_CM_EVENT_{event} status=-?\d+ private_data_len=\d+ data=([0-9a-f]*)", truth_text(name))
    return [re.sub("(00)+$", "", data) for data in found]


def test_private_data():
    (c,) = connections("rdmacm_private_data")
    assert [c["client_end"]["private_data"]] == private_data("rdmacm_private_data", "CONNECT_REQUEST")
    assert [c["server_end"]["private_data"]] == private_data("rdmacm_private_data", "ESTABLISHED")[:1]
    assert (c["client_to_server"]["bytes"], c["server_to_client"]["bytes"]) == (22, 22)
    rejected = connections("rdmacm_reject_private_data")
    # The application's log is cut after 64 of these octets.
    for c, log in zip(rejected, private_data("rdmacm_reject_private_data", "REJECTED"), strict=True):
        assert log and log.startswith(c["server_end"]["private_data"])


def test_rejections():
    for c in connections("rdmacm_reject_no_listener"):
        assert c["reject"]["by"] == "server" and c["reject"]["message"] == "REQ"
        assert (c["reject"]["reason"], c["reject"]["name"], c["reject"]["ari"]) == (8, "invalid service id", None)
    for c in connections("rdmacm_reject_private_data"):
        assert (c["reject"]["reason"], c["reject"]["name"]) == (28, "consumer reject")


def test_timeout():
    (c,) = connections("rdmacm_req_timeout")
    assert c["req_transmissions"] == 16 and c["max_cm_retries"] == 15 and c["server_qpn"] is None


@pytest.mark.parametrize("name,count,reads,writes", [
    ("rdmacm_rping_v4", 5, 5, 5), ("rdmacm_rocev1_rping", None, None, None), ("rdmacm_rping_v6", None, None, None)])
def test_rping_reads_and_writes_as_often_as_it_pings(name, count, reads, writes):
    (c,) = connections(name)
    pings = len(re.findall(r"^server ping data: ", truth_text(name), re.MULTILINE))
    assert count in (None, pings) and pings > 0
    assert (c["server_to_client"]["reads"], c["server_to_client"]["writes"]) == (reads or pings, writes or pings)
    assert (c["client_to_server"]["reads"], c["client_to_server"]["writes"]) == (0, 0)


def test_what_ucmatose_and_udaddy_sent():
    for c in connections("rdmacm_concurrent"):  # -C 3 -S 300
        if port(c["server"]) == 7300:
            assert (c["client_to_server"]["bytes"], c["server_to_client"]["bytes"]) == (900, 900)
            assert (c["client_to_server"]["sends"], c["server_to_client"]["sends"]) == (3, 3)
    for c in connections("rdmacm_udaddy"):  # -C 5 -S 200
        assert (c["client_to_server"]["bytes"], c["server_to_client"]["bytes"]) == (1000, 1000)
        assert c["client_qpn"] is not None and c["server_qpn"] is not None


@pytest.mark.parametrize("name", sorted(set(samples()) - set(CM)))
def test_nothing_is_claimed_elsewhere(name):
    assert connections(name) == []


def test_begun_before_the_capture(tmp_path):
    cut = tmp_path / "cut.pcap"
    (whole,) = connections("rdmacm_rping_v4")
    run(["editcap", sample("rdmacm_rping_v4"), cut, f"1-{whole['frames']['req']}"])
    (c,) = analyze(cut)["rdma_cm"]["connections"]
    assert c["outcome"] == "connected" and c["client"] is None and c["service"] == "unknown" and c["req"] is None
    assert c["client_to_server"]["packets"] > 0


def test_cut_by_the_snap_length(tmp_path):
    cut = tmp_path / "cut.pcap"
    run(["editcap", "-s", "270", sample("rdmacm_rping_v4"), cut])  # behind the addresses
    (c,) = analyze(cut)["rdma_cm"]["connections"]
    (whole,) = connections("rdmacm_rping_v4")
    for key in ("client", "server", "client_qpn", "server_qpn", "outcome", "frames"):
        assert c[key] == whole[key]


@pytest.mark.parametrize("name", CM)
def test_traffic_is_what_wireshark_sees_go_to_the_queue_pairs(name):
    arguments = ["-r", sample(name), "-Y", "infiniband.bth", "-T", "fields"]
    for field in ("infiniband.bth.destqp", "infiniband.bth.opcode", "infiniband.aeth.syndrome.opcode"):
        arguments += ["-e", field]
    packets, naks = {}, {}
    for line in without_plugin(*arguments).splitlines():
        destination, opcode, syndrome = (line.split("\t") + ["", ""])[:3]
        queue_pair = int(destination, 16)
        packets[queue_pair] = packets.get(queue_pair, 0) + 1
        if int(opcode, 0) == 0x11 and syndrome.startswith("3"):
            naks[queue_pair] = naks.get(queue_pair, 0) + 1
    expected, counted, counted_naks = 0, 0, 0
    queue_pairs = {(c[f"{side}_qpn"]) for c in connections(name) for side in ("client", "server")} - {None}
    for c in connections(name):
        for direction in ("client_to_server", "server_to_client"):
            counted += c[direction]["packets"]
            counted_naks += c[direction]["naks"]
    expected = sum(packets.get(queue_pair, 0) for queue_pair in queue_pairs)
    assert (counted, counted_naks) == (expected, sum(naks.get(queue_pair, 0) for queue_pair in queue_pairs))


def native_infiniband(source, target):
    """The RoCE v1 packets of a capture as a switch of InfiniBand would carry them."""
    octets = source.read_bytes()
    position, out = 24, octets[:20] + struct.pack("<I", 247)
    while position < len(octets):
        captured, = struct.unpack_from("<I", octets, position + 8)
        frame = octets[position + 16:position + 16 + captured]
        if frame[12:14] == b"\x89\x15":
            lids = (frame[5], frame[11])  # the last octets of the MAC addresses
            words = (8 + len(frame) - 14) // 4
            packet = struct.pack(">BBHHH", 0, 3, lids[0], words, lids[1]) + frame[14:] + b"\0\0"
            out += octets[position:position + 8] + struct.pack("<II", len(packet), len(packet)) + packet
        position += 16 + captured
    target.write_bytes(out)
    return target


def test_native_infiniband(tmp_path):
    (native,) = analyze(native_infiniband(sample("rdmacm_rocev1_rping"), tmp_path / "ib.pcap"))["rdma_cm"]["connections"]
    (roce,) = connections("rdmacm_rocev1_rping")
    for key in ("outcome", "client", "server", "client_qpn", "server_qpn", "message_count", "client_end", "server_end"):
        assert native[key] == roce[key], key
    for direction in ("client_to_server", "server_to_client"):
        for key in ("packets", "bytes", "sends", "writes", "reads", "acks"):
            assert native[direction][key] == roce[direction][key], (direction, key)


@pytest.mark.parametrize("octets", range(60, 340, 17))
def test_every_length_of_a_mad(octets, tmp_path):
    """What was captured is as in the whole capture, or not known."""
    cut = tmp_path / "cut.pcap"
    run(["editcap", "-s", octets, sample("rdmacm_private_data"), cut])
    result = analyze(cut)
    assert result["findings"] == []
    (whole,) = connections("rdmacm_private_data")
    for c in result["rdma_cm"]["connections"]:
        for key in ("client", "server", "mtu", "path", "ip_header", "client_qpn", "server_qpn", "service_id", "outcome"):
            assert c[key] in (whole[key], None), key
        assert c["began_before"] is False


def test_summary():
    text = fabricscope("analyze", sample("rdmacm_reject_no_listener")).decode()
    assert "RDMA CM: 2 connections (2 rejected)" in text
    assert "! cm-1: the server rejected the connection: reason 8, invalid service id [CM-O-rejected]" in text
    assert "SMC-R" not in text
    assert "RDMA CM" not in fabricscope("analyze", sample("smcr_v2_echo")).decode()
    assert "rdma_cm" not in analyze(sample("rdmacm_rping_v4"), "--protocol", "smcr")
    assert "smcr" not in analyze(sample("rdmacm_rping_v4"), "--protocol", "rdma-cm")
