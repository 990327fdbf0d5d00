# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin rdma_ip_cm: the program's connections, Wireshark's own decode wherever that is right, and each place
where that is wrong."""

import functools
import json
import random
import re
import struct
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict

import cm_probe
import pytest
from cm_probe import CmCapture
from harness import ROOT, analyze, fabricscope, fields, fields_of_all, frames_of_all, run, sample, samples, sharkd, tshark, without_plugin
from test_damage import survives

CM = samples("rdmacm_*")
WITHOUT_ANALYSIS = ["--disable-protocol", "rdma"]
LINKS = ["rocev2", "rocev1", "native", "native_grh"]


@pytest.fixture
def path(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path / "probe.pcap"


def connections(capture):
    return analyze(capture)["rdma_cm"]["connections"]


def decode(capture, frame, *names, options=()):
    """The values of one frame, as a tuple of lists."""
    (row,) = fields(capture, *names, display_filter=f"frame.number == {frame}", options=options)
    return tuple(row[name] for name in names)


def info(capture, frame, options=()):
    ((text,),) = decode(capture, frame, "_ws.col.Info", options=options)
    return text


def lines(capture, *options):
    return tshark("-r", capture, *options).splitlines()


# ---- the program's connections ----


@pytest.mark.parametrize("name", CM)
def test_connections_are_the_programs(name):
    seen = defaultdict(lambda: defaultdict(list))
    for row in fields(
        sample(name), "frame.number", "rdma_ip_cm.connection", "rdma_ip_cm.from", "rdma_ip_cm.mad.attribute_id",
        "rdma_ip_cm.client", "rdma_ip_cm.server", "rdma_ip_cm.protocol", "rdma_ip_cm.service", "rdma_ip_cm.outcome",
        "rdma_ip_cm.local_qpn", display_filter="rdma_ip_cm.connection", options=["-2"],
    ):
        of = seen[row["rdma_ip_cm.connection"][0]]
        if not row["rdma_ip_cm.mad.attribute_id"]:
            of[row["rdma_ip_cm.from"][0], "packets"].append(int(row["frame.number"][0]))
            continue
        of[int(row["rdma_ip_cm.mad.attribute_id"][0], 0)].append(int(row["frame.number"][0]))
        for key in ("client", "server", "protocol", "service", "outcome"):
            of[key].append(row[f"rdma_ip_cm.{key}"])
        if row["rdma_ip_cm.local_qpn"]:
            of[row["rdma_ip_cm.from"][0], "qpn"].append(int(row["rdma_ip_cm.local_qpn"][0], 0))
    expected = connections(sample(name))
    assert sorted(seen) == sorted(c["id"] for c in expected)
    for c in expected:
        of = seen[c["id"]]
        for key in ("client", "server", "protocol", "service"):
            assert all(values == [c[key]] for values in of[key])
        assert {outcome for values in of["outcome"] for outcome in values} == {c["outcome"]}
        request, reply = (0x17, 0x18) if c["service"] == "ud" else (0x10, 0x13)
        steps = {"req": request, "rep": reply, "rtu": 0x14, "dreq": 0x15, "drep": 0x16}
        for step, attribute in steps.items():
            assert of[attribute][:1] == [c["frames"][step]] or c["frames"][step] is None
        assert len(of[request]) == c["req_transmissions"]
        if c["service"] == "rc":
            assert of["client", "qpn"][:1] == [c["client_qpn"]]
        assert of["server", "qpn"][:1] == [c["server_qpn"]] or c["server_qpn"] is None
        for side in ("client", "server"):
            other = "server" if side == "client" else "client"
            assert len(of[side, "packets"]) == c[f"{side}_to_{other}"]["packets"]


def test_a_datagram_service_that_is_refused_shows_private_data(path):
    capture = CmCapture()
    capture.mad(True, cm_probe.sidr_req())
    capture.mad(False, cm_probe.sidr_rep(status=2, private=b"no room"))
    capture.save(path)
    assert info(path, 2).endswith('(2), private data "no room"')


def test_why_it_was_rejected():
    rows = fields(
        sample("rdmacm_reject_no_listener"), "rdma_ip_cm.outcome", "rdma_ip_cm.rejection", "rdma_ip_cm.rejected_in",
        "rdma_ip_cm.rej.reason", display_filter="rdma_ip_cm", options=["-2"])
    why = ["by the server: invalid service id (8), nobody listens there"]
    assert [row["rdma_ip_cm.rejection"] for row in rows] == [why] * 4
    assert [row["rdma_ip_cm.rejected_in"] for row in rows] == [["2"], [], ["4"], []]
    assert [row["rdma_ip_cm.outcome"] for row in rows] == [["rejected"]] * 4
    assert info(sample("rdmacm_reject_no_listener"), 2).endswith(
        "192.0.2.20:7999 → 192.0.2.10:46807 rejects REQ: invalid service id (8), nobody listens there")


def private_data(name, event):
    text = (ROOT / f"samples/real/{name}.truth.txt").read_text()
    return re.findall(rf"event=RDMA_CM_EVENT_{event} status=-?\d+ private_data_len=(\d+) data=([0-9a-f]*)", text)


def test_private_data_is_what_the_applications_were_given():
    rows = fields(
        sample("rdmacm_private_data"), "rdma_ip_cm.private_data", display_filter="rdma_ip_cm.mad.attribute_id in {0x10, 0x13}")
    found = [row["rdma_ip_cm.private_data"][0].replace(":", "") for row in rows]
    for shown, event in zip(found, ("CONNECT_REQUEST", "ESTABLISHED"), strict=True):
        length, data = private_data("rdmacm_private_data", event)[0]
        assert shown == data and len(shown) == 2 * int(length)
    rejections = private_data("rdmacm_reject_private_data", "REJECTED")
    rows = fields(
        sample("rdmacm_reject_private_data"), "rdma_ip_cm.private_data", "_ws.col.Info",
        display_filter="rdma_ip_cm.rej.reason == 28")
    for row, (_, data) in zip(rows, rejections, strict=True):
        assert row["rdma_ip_cm.private_data"][0].replace(":", "").startswith(data.rstrip("0"))
        assert 'consumer reject (28), the application refuses, private data "go away' in row["_ws.col.Info"][0]


# ---- the same, however Wireshark is driven ----


@functools.cache
def columns_of_all():
    """What is shown of each frame once all of a capture has been seen, by its number."""
    rows = fields_of_all(
        [sample(name) for name in CM], "rdma_ip_cm.connection", "rdma_ip_cm.response_in", "rdma_ip_cm.outcome",
        "rdma_ip_cm.mad.attribute_id")
    return {name: {row["frame"]: row for row in of_one} for name, of_one in zip(CM, rows, strict=True)}


@pytest.mark.parametrize("name", CM)
def test_one_pass_two_passes_and_filters_agree(name):
    one_pass = lines(sample(name))
    assert lines(sample(name), "-2") == one_pass
    messages = {number for number, row in columns_of_all()[name].items() if row["rdma_ip_cm.mad.attribute_id"]}
    filtered = lines(sample(name), "-Y", "rdma_ip_cm.mad.attribute_id")
    assert filtered == [line for line in one_pass if int(line.split()[0]) in messages]


@pytest.mark.parametrize("name", CM[:3])
def test_a_read_filter_that_all_pass_changes_nothing(name):
    assert lines(sample(name), "-2", "-R", "frame") == lines(sample(name), "-2")


@pytest.mark.parametrize("name", CM)
def test_random_access_shows_the_same(name):
    def shown(frames):
        answers = sharkd(sample(name), *(("frame", {"frame": n, "proto": True, "columns": True}) for n in frames))
        return dict(zip(frames, answers, strict=True))

    rows = columns_of_all()[name]
    frames = [number for number, row in rows.items() if row["rdma_ip_cm.connection"]]
    in_order = shown(frames)
    assert shown(random.Random(name).sample(frames, len(frames))) == in_order
    # The tree shows what the columns know.
    for number, answer in in_order.items():
        text = str(answer["tree"])
        for values, label in ((rows[number]["rdma_ip_cm.response_in"], "Response in: "),
                              (rows[number]["rdma_ip_cm.outcome"], "Outcome: ")):
            assert not values or f"{label}{values[0]}" in text


def test_captures_of_smcr_hold_none():
    names = samples("smcr_*")
    of_all = frames_of_all([sample(name) for name in names], "rdma_ip_cm || rdma_ip_cm.connection")
    assert dict(zip(names, of_all, strict=True)) == {name: [] for name in names}


@pytest.mark.parametrize("name", sorted(set(samples()) - set(CM) - set(samples("smcr_*"))))
def test_captures_without_cm_are_left_alone(name):
    assert tshark("-r", sample(name), "-V", *WITHOUT_ANALYSIS) == without_plugin("-r", sample(name), "-V")


@pytest.mark.parametrize("name", ["rdmacm_private_data", "rdmacm_rocev1_rping"])
def test_switched_off_it_leaves_everything_as_it_was(name):
    off = ["--disable-protocol", "rdma_ip_cm", *WITHOUT_ANALYSIS]
    assert tshark("-r", sample(name), "-V", *off) == without_plugin("-r", sample(name), "-V")
    assert tshark("-r", sample(name), "-o", "rdma_ip_cm.columns:FALSE", *WITHOUT_ANALYSIS) == without_plugin("-r", sample(name))


@pytest.mark.parametrize("name", CM)
def test_wiresharks_own_decode_stays(name):
    def theirs(text):
        return [[(f.get("name"), f.get("show"), f.get("pos")) for f in protocol.iter("field")]
                for protocol in ET.fromstring(text).iter("proto") if protocol.get("name") == "infiniband"]

    assert theirs(tshark("-r", sample(name), "-T", "pdml")) == theirs(without_plugin("-r", sample(name), "-T", "pdml"))


# ---- field by field ----

SAME = {
    "cm.req": "local_comm_id", "cm.req.serviceid": "service_id", "cm.req.localcaguid": "local_ca_guid",
    "cm.req.localqkey": "local_q_key", "cm.req.localqpn": "local_qpn", "cm.req.responderres": "responder_resources",
    "cm.req.localeecn": "local_eecn", "cm.req.initdepth": "initiator_depth", "cm.req.remoteeecn": "req.remote_eecn",
    "cm.req.remoteresptout": "remote_response_timeout", "cm.req.transpsvctype": "req.transport_service",
    "cm.req.e2eflowctrl": "end_to_end_flow_control", "cm.req.startpsn": "starting_psn",
    "cm.req.localresptout": "req.local_response_timeout", "cm.req.retrcount": "req.retry_count", "cm.req.pkey": "p_key",
    "cm.req.pppmtu": "req.path_mtu", "cm.req.rdcexist": "req.rdc_exists", "cm.req.rnrretrcount": "rnr_retry_count",
    "cm.req.maxcmretr": "req.max_cm_retries", "cm.req.srq": "srq", "cm.req.ext_transport": "req.extended_transport",
    **{f"cm.req.{path}_{theirs}": f"path.{ours}" for path in ("prim", "alt") for theirs, ours in {
        "locallid": "local_lid", "remotelid": "remote_lid", "localgid": "local_gid", "remotegid": "remote_gid",
        "tfcclass": "traffic_class", "hoplim": "hop_limit", "sl": "sl", "subnetlocal": "subnet_local",
        "localacktout": "local_ack_timeout"}.items()},
    "cm.req.ip_cm.majv": "ip.major_version", "cm.req.ip_cm.minv": "ip.minor_version", "cm.req.ip_cm.ipv": "ip.version",
    "cm.req.ip_cm.reserved": "ip.reserved", "cm.req.ip_cm.sport": "ip.source_port", "cm.req.ip_cm.sip6": "ip.source6",
    "cm.req.ip_cm.dip6": "ip.destination6", "cm.req.ip_cm.sip4": "ip.source", "cm.req.ip_cm.dip4": "ip.destination",
    "cm.req.ip_cm.private": "private_data", "cm.req.private": "private_data",
    "cm.rep": "local_comm_id", "cm.rep.remotecommid": "remote_comm_id", "cm.rep.localqkey": "local_q_key",
    "cm.rep.localqpn": "local_qpn", "cm.rep.localeecn": "local_eecn", "cm.rep.startpsn": "starting_psn",
    "cm.rep.respres": "responder_resources", "cm.rep.initdepth": "initiator_depth",
    "cm.rep.tgtackdelay": "rep.target_ack_delay", "cm.rep.failoveracc": "rep.failover_accepted",
    "cm.rep.e2eflowctrl": "end_to_end_flow_control", "cm.rep.rnrretrcount": "rnr_retry_count", "cm.rep.srq": "srq",
    "cm.rep.reserved": "reserved", "cm.rep.localcaguid": "local_ca_guid", "cm.rep.private": "private_data",
    "cm.rej.msgrej": "rej.message", "cm.rej.rejinfolen": "rej.ari_length", "cm.rej.reason": "rej.reason",
    "cm.rej.ari": "additional_information", "cm.rej.reserved0": "reserved", "cm.rej.reserved1": "reserved",
    **{f"cm.{message}.{theirs}": ours for message in ("rtu", "rej", "dreq", "drsp")
       for theirs, ours in {"localcommid": "local_comm_id", "remotecommid": "remote_comm_id", "private": "private_data"}.items()},
    "cm.req.remoteqpneecn": "remote_qpn",
    "mad.baseversion": "mad.base_version", "mad.mgmtclass": "mad.class", "mad.classversion": "mad.class_version",
    "mad.method": "mad.method", "mad.status": "mad.status", "mad.classspecific": "mad.class_specific",
    "mad.transactionid": "mad.transaction_id", "mad.attributeid": "mad.attribute_id",
    "mad.attributemodifier": "mad.attribute_modifier",
}
NOT_COMPARED = {
    "mad", "mad.data", "cm.req.ip_cm",  # areas
    "cm.req.serviceid.prefix", "cm.req.serviceid.protocol", "cm.req.serviceid.dport",  # see test_the_service_in_words
    "cm.req.prim_localgid_ipv4", "cm.req.prim_remotegid_ipv4",  # the last 4 octets of the GID
    # Wireshark 4.0 reads these three from 24 bits
    *(f"cm.req.{path}_{field}" for path in ("prim", "alt") for field in ("flowlabel", "reserved0", "pktrate")),
    # shared by several places of ours; compared by their octets
    *(f"cm.req.{path}_reserved{number}" for path in ("prim", "alt") for number in (1, 2)),
}


def values_by_place(pdml, prefix):
    """{frame: {position: {name: value}}}"""
    frames = {}
    for packet in ET.fromstring(pdml).findall("packet"):
        number = packet.find("proto[@name='geninfo']/field[@name='num']").get("show")
        places = frames[number] = defaultdict(dict)
        for field in packet.iter("field"):
            name = field.get("name", "")
            if name.startswith(prefix) and field.get("size") != "0":
                places[field.get("pos")][name.removeprefix(prefix)] = normal(field.get("show"))
    return frames


def normal(text):
    """Numbers as numbers, octets without separators."""
    try:
        return int(text, 0)
    except ValueError:
        return {"True": 1, "False": 0, "::": "0" * 32}.get(text, text.replace(":", ""))


def compare(capture):
    theirs = values_by_place(without_plugin("-r", capture, "-T", "pdml"), "infiniband.")
    ours = values_by_place(tshark("-r", capture, "-T", "pdml"), "rdma_ip_cm.")
    compared = Counter()
    for frame, places in theirs.items():
        for place, found in places.items():
            for name, value in found.items():
                if not name.startswith(("cm", "mad")) or name in NOT_COMPARED:
                    continue
                of = ours[frame][place]
                if name == "mad.method":  # with the response bit
                    of["mad.method"] |= of["mad.response"] << 7
                is_left_out = "reserved" in name and not str(value).strip("0")  # ours shows what is in use
                assert of.get(SAME[name]) == (None if is_left_out else value), f"frame {frame}: {name}"
                compared[name] += 1
    return compared


@pytest.mark.parametrize("name", CM)
def test_equal_to_the_builtin_decode(name):
    compared = compare(sample(name))
    assert compared["mad.attributeid"] and (name == "rdmacm_udaddy" or compared["cm.req.localqpn"])


@pytest.mark.parametrize("link", LINKS)
def test_equal_to_the_builtin_decode_on_every_link(link, path):
    capture = cm_probe.handshake()
    capture.mad(True, cm_probe.req(head=cm_probe.ip_header("2001:db8::10", "2001:db8::20", ip_version=6), transaction=2))
    capture.mad(False, cm_probe.rej(8))
    compared = compare(capture.save(path, link))
    assert compared["cm.req.ip_cm.sip6"] == 1 and compared["cm.rej.reason"] == 1 and compared["cm.drsp.localcommid"] == 1


# ---- where the built-in dissector goes wrong ----


@pytest.mark.parametrize("link", LINKS)
def test_every_message_is_decoded_on_every_link(link, path):
    capture = cm_probe.handshake().save(path, link)
    shown = [re.sub(r" 192.0.2.\d+:\d+ → 192.0.2.\d+:\d+", "", row["_ws.col.Info"][0])
             for row in fields(capture, "_ws.col.Info", display_filter="rdma_ip_cm")]
    assert shown == [
        "REQ cm-1 tcp, librdmacm examples, QP 0x11", "MRA cm-1 REQ received, wait 4294 ms", "REP cm-1, QP 0x14", "RTU cm-1", "LAP cm-1",
        "APR cm-1: alternate path rejected (3)", "DREQ cm-1", "DREP cm-1", "SIDR_REQ cm-2 udp, udaddy", "SIDR_REP cm-2, QP 0x14",
        "ClassPortInfo Get response"]
    assert fields(capture, "frame.number", display_filter="rdma_ip_cm.malformed || rdma_ip_cm.cut || rdma_ip_cm.repeated") == []
    assert len(fields(capture, "frame.number", display_filter='rdma_ip_cm.connection == "cm-1"')) == 9


@pytest.mark.parametrize("frame,names", [
    (2, {"mra.message": "0", "mra.service_timeout": "20", "local_comm_id": "0x0b0b0b0b", "remote_comm_id": "0x0a0a0a0a"}),
    (6, {"remote_qpn": "0x000014", "path.local_lid": "1", "path.flow_label": "0x0abcde", "path.hop_limit": "64",
         "path.packet_rate": "3", "path.sl": "3", "path.local_ack_timeout": "18", "path.remote_gid": "::ffff:192.0.2.20"}),
    (7, {"apr.status": "3", "information_length": "4"}),
    (10, {"request_id": "0x0a0a0a0a", "p_key": "0xffff", "service_id": "0x0000000001111c06", "ip.source": "192.0.2.10",
          "ip.destination": "192.0.2.20", "ip.source_port": "40000", "destination_port": "7174"}),
    (11, {"sidr_rep.status": "0", "local_qpn": "0x000014", "local_q_key": "0x11111111", "service_id": "0x0000000001111c06"}),
    (12, {"class_port_info.capability_mask": "0x0600", "class_port_info.response_time": "18",
          "class_port_info.redirect_gid": "::ffff:192.0.2.20"}),
])
def test_messages_that_the_builtin_calls_not_implemented(frame, names, path):
    capture = cm_probe.handshake().save(path)
    assert "Dissector Not Implemented" in without_plugin("-r", capture, "-V", "-Y", f"frame.number == {frame}")
    found = decode(capture, frame, *(f"rdma_ip_cm.{name}" for name in names))
    assert dict(zip(names, (values[0] for values in found), strict=True)) == names


@pytest.mark.parametrize("link,source,destination", [
    ("rocev2", "192.0.2.10", "192.0.2.20"), ("rocev1", "GID: ::ffff:192.0.2.10", "GID: ::ffff:192.0.2.20"),
    ("native", "LID: 7", "LID: 9"), ("native_grh", "GID: ::ffff:192.0.2.10", "GID: ::ffff:192.0.2.20")])
def test_the_addresses_of_a_req(link, source, destination, path):
    capture = cm_probe.handshake().save(path, link)
    theirs = re.findall("^ *1 .*?LID: 65535 → ", without_plugin("-r", capture))
    assert theirs or link == "native"
    for frame in (1, 4, 8):
        assert decode(capture, frame, "_ws.col.Source", "_ws.col.Destination") == ([source], [destination])
    for frame in (3, 9):
        assert decode(capture, frame, "_ws.col.Source", "_ws.col.Destination") == ([destination], [source])


def test_reasons_have_names(path):
    capture = CmCapture()
    frames = {}
    for reason in (1, 4, 8, 10, 24, 28, 33):
        capture.mad(True, cm_probe.req(transaction=reason))
        frames[reason] = capture.mad(False, cm_probe.rej(reason))
    capture.save(path)
    text = tshark("-r", path, "-V")
    for reason, name in {1: "no QP available", 4: "timeout", 8: "invalid service id", 10: "stale connection",
                         24: "port and CM redirection", 28: "consumer reject", 33: "invalid alternate flow label"}.items():
        assert f"Reason: {name} ({reason})" in text
        assert f"{name} ({reason})" in info(path, frames[reason])


@pytest.mark.parametrize("information,words,names", [
    (cm_probe.ari(1, b"\0"), "major version not supported, suggests 0", ("0", "1", "1", "00")),
    (cm_probe.ari(3, b"\6"), "IP version not supported, suggests 6", ("0", "3", "1", "06")),
    (cm_probe.ari(6, bytes([192, 0, 2, 21])), "destination IP address is not the server's, suggests c0000215",
     ("0", "6", "4", "c0000215")),
    (cm_probe.ari(5), "destination IP address does not fit the IP version", ("0", "5", "0", None)),
    (cm_probe.ari(0), "for an unspecified reason", ("0", "0", "0", None)),
    (cm_probe.ari(9, layer=1), "the application refuses", ("1", None, None, None)),
])
def test_additional_rejection_information(information, words, names, path):
    capture = CmCapture()
    capture.mad(True, cm_probe.req())
    frame = capture.mad(False, cm_probe.rej(28, information))
    capture.save(path)
    assert info(path, frame).endswith(f"rejects REQ: consumer reject (28), {words}")
    found = decode(path, frame, "rdma_ip_cm.ari.layer", "rdma_ip_cm.ari.code", "rdma_ip_cm.ari.suggested_length",
                   "rdma_ip_cm.ari.suggested_value", "rdma_ip_cm.rejection")
    assert [values[0] if values else None for values in found] == [*names, f"by the server: consumer reject (28), {words}"]


def test_sidr_can_say_no(path):
    capture = CmCapture()
    capture.mad(True, cm_probe.sidr_req())
    frame = capture.mad(False, cm_probe.sidr_rep(status=1))
    capture.save(path)
    assert info(path, frame) == (
        "SIDR_REP cm-1 192.0.2.20:7174 → 192.0.2.10:40000: service id not supported (1), nobody listens there")
    assert decode(path, frame, "rdma_ip_cm.outcome", "rdma_ip_cm.request_in") == (["rejected"], ["1"])


def test_flow_label_and_packet_rate(path):
    capture = CmCapture()
    capture.mad(True, cm_probe.req())
    capture.save(path)
    labels, rates = decode(path, 1, "rdma_ip_cm.path.flow_label", "rdma_ip_cm.path.packet_rate")
    assert (int(labels[0], 0), rates[0]) == (0xABCDE, "3")


@pytest.mark.parametrize("ip_version", [0, 5, 15])
def test_an_unknown_ip_version_is_told(ip_version, path):
    capture = CmCapture()
    capture.mad(True, cm_probe.req(head=cm_probe.ip_header(versions=0x12, ip_version=ip_version)))
    capture.save(path)
    assert f"IP CM version 1.2, IP version {ip_version}" in info(path, 1)
    assert decode(path, 1, "rdma_ip_cm.ip.version") == ([str(ip_version)],)


@pytest.mark.parametrize("protocol,name", [(6, "tcp"), (17, "udp"), (63, "ib"), (132, "sctp"), (99, "99")])
def test_the_service_in_words(protocol, name, path):
    capture = CmCapture()
    capture.mad(True, cm_probe.req(cm_probe.service_id(20049, protocol)))
    capture.save(path)
    assert decode(path, 1, "rdma_ip_cm.protocol", "rdma_ip_cm.destination_port") == ([name], ["20049"])
    protocol_name = f"{'protocol ' * name.isdigit()}{name}" + ", NFS/RDMA" * (name == "tcp")
    assert info(path, 1) == f"REQ cm-1 192.0.2.10:40000 → 192.0.2.20:20049 {protocol_name}, QP 0x11"


def test_a_service_of_somebody_else_has_no_addresses(path):
    capture = CmCapture()
    capture.mad(True, cm_probe.req(0x1000000000000001, head=b"", consumer=b"all mine"))
    capture.mad(False, cm_probe.rej(28, b"\0\3\1\0\6"))
    capture.save(path)
    assert info(path, 1) == "REQ cm-1 service id 0x1000000000000001, QP 0x11"
    source, data = decode(path, 1, "rdma_ip_cm.ip.source", "rdma_ip_cm.private_data")
    assert source == [] and data[0].startswith(b"all mine".hex()) and len(data[0]) == 2 * 92
    assert info(path, 2) == "REJ cm-1 rejects REQ: consumer reject (28), the application refuses"


@pytest.mark.parametrize("snap_length", [66, 70, 86, 120, 200, 230, 250, 280, 318])
def test_cut_frames_are_shown_as_far_as_they_go(snap_length, path, tmp_path):
    whole = cm_probe.handshake().save(path)
    cut = tmp_path / "cut.pcap"
    run(["editcap", "-F", "pcap", "-s", str(snap_length), whole, cut])
    rows = {row["frame.number"][0]: row for row in fields(whole, "frame.number", "rdma_ip_cm.mad.attribute_id", display_filter="rdma_ip_cm")}
    for row in fields(cut, "frame.number", "rdma_ip_cm.mad.attribute_id", "_ws.col.Protocol", display_filter="rdma_ip_cm"):
        assert row["_ws.col.Protocol"] == ["RDMA CM"]
        if snap_length >= 14 + 20 + 8 + 12 + 8 + 24:
            assert row["rdma_ip_cm.mad.attribute_id"] == rows[row["frame.number"][0]]["rdma_ip_cm.mad.attribute_id"]
    if snap_length >= 280:  # everything but private data
        assert info(cut, 1) == info(whole, 1)
        assert lines(cut, "-Y", "rdma_ip_cm.malformed") == []
    survives(cut)


# ---- private data are still the consumer's ----


def test_private_data_go_to_wiresharks_own_dissectors(path):
    capture = CmCapture()
    capture.mad(True, cm_probe.req(cm_probe.service_id(4420), consumer=struct.pack("<HHHHH", 0, 1, 31, 32, 1)))
    capture.mad(False, cm_probe.rep(struct.pack("<HH", 0, 32)))
    capture.mad(True, cm_probe.req(cm_probe.service_id(4420), transaction=2))
    capture.mad(False, cm_probe.rej(28, private=struct.pack("<HH", 0, 6)))
    capture.save(path)
    names = ["nvme-rdma.cm.req.qid", "nvme-rdma.cm.rsp.crqsize", "nvme-rdma.cm.rej.status"]
    arguments = ["-r", path, "-T", "fields", *(word for name in names for word in ("-e", name))]
    for passes in ([], ["-2"]):
        assert tshark(*arguments, *passes) == without_plugin(*arguments, *passes)
    assert decode(path, 2, "nvme-rdma.cm.rsp.crqsize", "rdma_ip_cm.local_qpn") == (["32"], ["0x000014"])
    assert decode(path, 4, "nvme-rdma.cm.rej.status", "rdma_ip_cm.rej.reason") == (["0x0006"], ["28"])


# ---- links between messages ----


def test_requests_and_responses(path):
    capture = cm_probe.handshake().save(path)
    rows = fields(
        capture, "frame.number", "rdma_ip_cm.request_in", "rdma_ip_cm.response_in", "rdma_ip_cm.time",
        display_filter="rdma_ip_cm", options=["-2"])
    links = {int(row["frame.number"][0]): (row["rdma_ip_cm.request_in"], row["rdma_ip_cm.response_in"]) for row in rows}
    assert links[1] == ([], ["2"]) and links[2] == (["1"], []) and links[3] == (["1"], ["4"])
    assert links[4] == (["3"], []) and links[8] == ([], ["9"]) and links[9] == (["8"], [])
    assert links[10] == ([], ["11"]) and links[11] == (["10"], [])
    times = {int(row["frame.number"][0]): row["rdma_ip_cm.time"] for row in rows}
    assert times[3] == ["0.002000000"] and times[11] == ["0.001000000"]


def test_a_copy_from_another_interface(path, tmp_path):
    whole = cm_probe.handshake().save(path)
    both = tmp_path / "both.pcapng"
    run(["mergecap", "-I", "none", "-w", both, whole, whole])
    rows = fields(both, "frame.number", "rdma_ip_cm.copy_of", "rdma_ip_cm.connection", display_filter="rdma_ip_cm.connection")
    copies = [row for row in rows if row["rdma_ip_cm.copy_of"]]
    assert len(copies) == len(rows) / 2
    known = {row["frame.number"][0]: row["rdma_ip_cm.connection"] for row in rows}
    assert all(known[row["rdma_ip_cm.copy_of"][0]] == row["rdma_ip_cm.connection"] for row in copies)


# ---- windows ----


@pytest.mark.parametrize("name", CM)
def test_conversations_are_the_connections(name):
    rows = fields(sample(name), "rdma_ip_cm.connection", "frame.len", display_filter="rdma_ip_cm.connection")
    octets, frames = Counter(), Counter()
    for row in rows:
        octets[row["rdma_ip_cm.connection"][0]] += int(row["frame.len"][0])
        frames[row["rdma_ip_cm.connection"][0]] += 1
    ids = {frozenset((c["client"], c["server"])): c["id"] for c in connections(sample(name))}
    (result,) = sharkd(sample(name), ("tap", {"tap0": "conv:RDMA CM"}))
    found = {}
    for conversation in result["taps"][0]["convs"]:
        connection = ids[frozenset((conversation["saddr"], conversation["daddr"]))]
        found[connection] = conversation["txf"] + conversation["rxf"]
        assert conversation["txb"] + conversation["rxb"] == octets[connection]
        numbers = {tuple(row["rdma_ip_cm.connection"]) for row in fields(
            sample(name), "rdma_ip_cm.connection", display_filter=conversation["filter"])}
        assert numbers == {(connection,)}
    assert found == frames
    endpoints = tshark("-q", "-r", sample(name), "-z", "endpoints,rdma_ip_cm")
    assert all(end in endpoints for pair in ids for end in pair)


def test_response_times():
    for name in ("rdmacm_concurrent", "rdmacm_udaddy", "rdmacm_reject_no_listener"):
        expected = Counter()
        for row in fields(sample(name), "rdma_ip_cm.mad.attribute_id", display_filter="rdma_ip_cm.request_in && !rdma_ip_cm.retransmission"):
            expected[int(row["rdma_ip_cm.mad.attribute_id"][0], 0)] += 1
        (result,) = sharkd(sample(name), ("tap", {"tap0": "srt:rdma_ip_cm"}))
        (table,) = result["taps"][0]["tables"]
        names = {0x12: "REJ", 0x13: "REP", 0x14: "RTU", 0x16: "DREP", 0x18: "SIDR_REP"}
        assert {row["n"]: row["num"] for row in table["r"] if row["num"]} == {names[a]: n for a, n in expected.items()} != {}
        assert all(0 <= row["min"] <= row["max"] < 10 for row in table["r"] if row["num"])
    text = tshark("-q", "-r", sample("rdmacm_concurrent"), "-z", "rdma_ip_cm,srt")
    assert re.search(r"^\s*19\s+REP\s+19\s", text, re.MULTILINE), text


def test_counts():
    text = tshark("-q", "-r", sample("rdmacm_reject_no_listener"), "-z", "rdma_ip_cm,tree")
    counts = {match[1].strip(): int(match[2]) for match in re.finditer(r"^ *(\S.*?)  +(\d+)\s", text, re.MULTILINE)}
    assert counts["RDMA CM messages"] == 4 and counts["REQ"] == 2 and counts["REJ"] == 2
    assert counts["by the server: invalid service id (8), nobody listens there"] == 2
    text = tshark("-q", "-r", sample("rdmacm_req_timeout"), "-z", "rdma_ip_cm,tree")
    assert re.search(r"REQ, retransmitted +15\s", text)
    text = tshark("-q", "-r", sample("rdmacm_rping_v4"), "-z", "rdma_ip_cm,tree")
    (c,) = connections(sample("rdmacm_rping_v4"))
    assert re.search(rf"cm-1 from client +{c['client_to_server']['packets']}\s", text)


def test_the_ladder():
    (result,) = sharkd(sample("rdmacm_rping_v4"), ("tap", {"tap0": "seqa:rdma_ip_cm"}))
    (graph,) = result["taps"]
    assert set(graph["nodes"]) == {"192.0.2.10", "192.0.2.20"}
    assert len(graph["flows"]) == len(fields(sample("rdmacm_rping_v4"), "frame.number", display_filter="rdma_ip_cm"))
    text = tshark("-q", "-r", sample("rdmacm_rping_v4"), "-z", "flow,rdma_ip_cm,standard")
    assert [label for label in ("REQ", "REP", "RTU", "DREQ", "DREP") if label not in text] == []


def test_rejections_are_expert_infos():
    text = tshark("-q", "-r", sample("rdmacm_reject_no_listener"), "-z", "expert")
    assert "Rejected by the server: invalid service id (8), nobody listens there" in text
    assert "Rejected" not in tshark("-q", "-r", sample("rdmacm_rping_v4"), "-z", "expert")


# ---- fields ----


def test_clauses_of_fields():
    reference = {f["name"]: f for f in json.loads(fabricscope("fields", "--json")) if f["protocol"] == "rdma_ip_cm"}
    generated = ("connection", "stream", "source", "time", "rule")
    assert all(reference[f"rdma_ip_cm.{name}"]["clause"] is None for name in generated)
    assert reference["rdma_ip_cm.rej.reason"]["clause"] == "IBA 12.6.7"


@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("name", ["rdmacm_concurrent", "rdmacm_reject_private_data", "rdmacm_rocev1_rping", "rdmacm_udaddy"])
def test_random_errors(name, seed, tmp_path):
    for probability in ("0.0005", "0.02"):
        damaged = tmp_path / "damaged.pcapng"
        run(["editcap", "-E", probability, "--seed", str(seed), sample(name), damaged])
        survives(damaged)
