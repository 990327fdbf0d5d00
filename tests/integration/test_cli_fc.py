# SPDX-License-Identifier: GPL-2.0-or-later
"""Fibre Channel in analyze: the real FCoE capture as it was made and as Wireshark decodes it, and made captures."""

import sqlite3
import struct
from itertools import pairwise

import pytest
from harness import BUILD, ROOT, analyze, fabricscope, run, sample, without_plugin
from test_parts import compare

SESSION = ROOT / "samples/fcvi/client_server_iso.fcoe.pcap"
INITIATOR, TARGET = "00.53.0a", "00.53.14"
CARRIERS = ["fc2", "fc2-vft", "fc2-delimited", "fcoe", "fcoe-vlan", "mds", "boardwalk", "fcip"]


@pytest.fixture(scope="module")
def real():
    return analyze(sample("fcoe_vn2vn"))


@pytest.fixture(scope="module", params=CARRIERS)
def made(request, tmp_path_factory):
    capture = tmp_path_factory.mktemp("fc") / f"{request.param}.pcap"
    run([BUILD / "bin/generate_fc", capture, "--carrier", request.param, "--frames", "200"])
    return analyze(capture)


def frames_of(display_filter):
    text = without_plugin("-r", sample("fcoe_vn2vn"), "-Y", display_filter, "-T", "fields", "-e", "frame.number")
    return [int(line) for line in text.split()]


def test_nothing_is_found(real):
    assert real["findings"] == []
    assert real["capture"]["undecoded_frames"] == 0
    assert real["fc"]["damaged_frames"] == 0
    assert all(x["abort"] is None and x["link_reject"] is None and x["incomplete_sequences"] == 0
               for x in real["fc"]["exchanges"])


def test_every_frame_belongs_to_an_exchange(real):
    assert real["fc"]["frames"] == len(frames_of("fc"))
    seen = sum(x[side]["frames"] for x in real["fc"]["exchanges"] for side in ("from_originator", "from_responder"))
    assert seen == real["fc"]["frames"], "class 3: data frames only, none twice"


def test_scsi_exchanges_are_those_of_wireshark(real):
    fcp = [x for x in real["fc"]["exchanges"] if x["kind"] == "FCP"]
    assert [x["first_frame"] for x in fcp] == frames_of("fc.r_ctl == 0x06 && fc.type == 8")
    assert sorted(x["last_frame"] for x in fcp) == frames_of("fc.r_ctl == 0x07 && fc.type == 8")
    assert {(x["originator"], x["responder"]) for x in fcp} <= {(INITIATOR, TARGET), (TARGET, INITIATOR)}
    assert all(x["state"] == "closed" and x["class"] == 3 for x in fcp)


def test_data_is_what_wireshark_counts(real):
    text = without_plugin("-r", sample("fcoe_vn2vn"), "-Y", "fc.r_ctl == 0x01", "-T", "fields", "-e", "frame.len")
    expected = sum(int(length) - 14 - 14 - 24 - 8 for length in text.split())
    data = [s for x in real["fc"]["exchanges"] if x["kind"] == "FCP" for s in x["sequences"] if s["r_ctl"] == 1]
    assert sum(s["bytes"] for s in data) == expected
    assert any(s["frames"] > 10 for s in data), "Sequences of many frames"


def test_link_services(real):
    services = {}
    for x in real["fc"]["exchanges"]:
        if x["type"] == 1:
            services.setdefault(x["kind"], []).append(x)
    assert {kind: len(list_) for kind, list_ in services.items()} == {
        "FLOGI": 6, "PLOGI": 3, "PRLI": 4, "RTV": 4, "ADISC": 2, "LOGO": 2}
    for x in services["FLOGI"] + services["PLOGI"]:
        rejected = x["answer"] == "rejected"
        assert rejected == (x["first_frame"] in (574, 607, 611))
        if rejected:
            assert x["rejected"]["name"] and x["rejected"]["frame"] == x["last_frame"]
    assert services["FLOGI"][-1]["state"] == "open", "the capture ends with a FLOGI"


def test_logins(real):
    port = [login for login in real["fc"]["logins"] if login["kind"] == "port"]
    assert [(login["state"], login["frames"]["request"]) for login in port] == [
        ("logged-out", 15), ("logged-out", 581), ("rejected", 611)]
    first = port[0]
    assert (first["originator"], first["responder"]) == (TARGET, INITIATOR)
    assert first["originator_parameters"]["port_name"] == "20:00:00:00:5e:00:53:14"
    assert first["responder_parameters"]["node_name"] == "10:00:00:00:5e:00:53:0a"
    assert first["responder_parameters"]["receive_data_field_size"] == 2112
    assert first["responder_parameters"]["class_3"]["supported"]
    assert not first["responder_parameters"]["class_2"]["supported"]
    assert (first["r_a_tov"], first["e_d_tov"]) == (4.0, 2.0)
    assert {(p["asked_by"], p["type_name"], p["image_pair"]) for p in first["processes"]} == {
        (INITIATOR, "FCP", True), (TARGET, "FCP", True)}
    assert first["frames"]["logout"] == 572


def test_protocol_option():
    assert "fc" not in analyze(sample("fcoe_vn2vn"), "--protocol", "smcr")
    assert "smcr" not in analyze(sample("fcoe_vn2vn"), "--protocol", "fc")


def test_summary():
    text = fabricscope("analyze", sample("fcoe_vn2vn"), "--protocol", "fc").decode()
    assert "Fibre Channel: 584 frames" in text
    assert "FLOGI was rejected (LS_RJT: logical busy)" in text
    assert "20:00:00:00:5e:00:53:14" in text


def test_other_captures_have_none():
    fc = analyze(sample("plain_tcp_http"))["fc"]
    assert fc["frames"] == 0 and fc["exchanges"] == []
    assert "Fibre Channel" not in fabricscope("analyze", sample("plain_tcp_http")).decode()


def test_every_carrier_tells_the_same(made):
    fc = made["fc"]
    kinds = [x["kind"] for x in fc["exchanges"]]
    assert kinds[:5] == ["TYPE E0h"] * 5
    assert {"FLOGI", "PLOGI", "PRLI", "GID_IPP", "FARP-REQ", "FARP-REPLY", "FC-VI", "FCP"} <= set(kinds[5:])
    assert next(x for x in fc["exchanges"] if x["kind"] == "FLOGI")["assigned_id"] == "01.01.00"
    class_2, aborted = fc["exchanges"][:2]
    assert class_2["from_responder"]["acks"] == class_2["from_originator"]["frames"] == 4
    assert (aborted["state"], aborted["abort"]["by"], aborted["abort"]["of"]) == ("aborted", "originator", "exchange")
    for x in fc["exchanges"][2:]:
        assert (x["state"], x["incomplete_sequences"]) == ("closed", 0)
    for x in fc["exchanges"][2:5]:
        assert x["from_originator"]["bytes"] == 4 * 2048 - 3, "Device_Headers and fill left out"
    assert made["findings"] == []
    assert {(c["outcome"], c["close"]) for c in made["fcvi"]["connections"]} == {("connected", "closed")}
    assert {m["state"] for m in made["fcvi"]["messages"] + made["fc_ae_rdma"]["messages"]} == {"complete"}
    assert fc["logins"][0]["responder_parameters"]["r_a_tov"] == 10.0
    assert {(a["by"], a["ip"], *a["ports"]) for a in fc["addresses"]} >= {
        ("FARP", "192.0.2.20", "01.02.00"), ("GID_IPP", "192.0.2.20", "01.02.00")}
    assert fc["damaged_frames"] == 0


def test_cut_by_the_snap_length(tmp_path):
    """Headers suffice for Exchanges; what was cut off is not taken for missing frames."""
    capture, cut = tmp_path / "whole.pcap", tmp_path / "cut.pcap"
    run([BUILD / "bin/generate_fc", capture, "--carrier", "fcoe", "--frames", "200"])
    run(["editcap", "-s", "64", capture, cut])
    whole, short = analyze(capture)["fc"]["exchanges"], analyze(cut)["fc"]["exchanges"]
    keys = ("originator", "responder", "ox_id", "state", "from_originator", "from_responder", "incomplete_sequences")
    assert [[x[key] for key in keys] for x in short] == [[x[key] for key in keys] for x in whole]


# ---- FIP -----------------------------------------------------------------------------------------

def places_of(pcap):
    """Where its records begin, and where the last one ends."""
    places = [24]
    while places[-1] < len(pcap):
        places.append(places[-1] + 16 + struct.unpack_from("<I", pcap, places[-1] + 8)[0])
    return places


def keep_alive():
    """What an ENode tells its FCF every few seconds, with its address."""
    return bytes.fromhex("000dec000001 00005e00530a 8914 1000 0003 0001 0002 0000 0202 00005e00530a") + bytes(28)


def clear_virtual_link(port_id):
    """What an FCF says when none came any more: its own address, its name and the VN_Port, as FC-BB-5 has them."""
    port = bytes((port_id >> 16, port_id >> 8 & 0xFF, port_id & 0xFF))
    fip = bytes.fromhex("1000 0003 0002 000a 0000  0202 000dec000001  0403 0000 20010000dec00001  0b05 0efc00") + port + \
        bytes(1) + port + bytes.fromhex("200000005e00530a")
    return bytes.fromhex("00005e00530a 000dec000001 8914") + fip


def test_a_switch_that_clears_a_virtual_link(tmp_path):
    """In the middle of a capture in which the port has logged in."""
    whole = SESSION.read_bytes()
    places = places_of(whole)
    middle = places[len(places) // 2]
    octets = b""
    for place, fip in ((24, keep_alive()), (middle, clear_virtual_link(0x040506))):
        octets += whole[24:place] + whole[place:place + 8] + struct.pack("<II", len(fip), len(fip)) + fip
    capture = tmp_path / "cleared.pcap"
    capture.write_bytes(whole[:24] + octets + whole[middle:])
    number = len(places) // 2 + 2
    assert [without_plugin("-r", capture, "-Y", "fip.ctrl_subcode == 2 && fip.vn.fc_id == 0x040506", "-T", "fields", "-e", "frame.number").strip()] == [str(number)]
    result = analyze(capture)
    (seen,) = (o for o in result["observations"] if o["id"] == "FC-O-link-cleared")
    assert seen["text"] == "00:0d:ec:00:00:01 cleared the virtual link of 04.05.06, which ended its login with the fabric, 12.0 ms after its last keep-alive"
    assert seen["severity"] == "warning" and seen["frames"] == [number]
    (login,) = (login for login in result["fc"]["logins"] if login["originator"] == "04.05.06" and login["kind"] == "fabric")
    assert login["logout_by"] == "responder"
    assert result["findings"] == analyze(SESSION)["findings"] == []
    compare([capture], 3, tmp_path)


def in_vlans(whole, vlans):
    """Each frame once in each VLAN, a microsecond apart, with the tags of those that have a number."""
    octets = whole[:24]
    places = places_of(whole)
    for place, end in pairwise(places):
        seconds, fraction = struct.unpack_from("<II", whole, place)
        frame = whole[place + 16:end]
        for copy, vlan in enumerate(vlans):
            tagged = frame if vlan is None else frame[:12] + struct.pack(">HH", 0x8100, vlan) + frame[12:]
            octets += struct.pack("<IIII", seconds, fraction + copy, len(tagged), len(tagged)) + tagged
    return octets


def told(result):
    """What goes on in each fabric, without numbers of frames."""
    return [[(x["kind"], x["originator"], x["responder"], x["state"]) for x in result["fc"]["exchanges"] if x["fabric"] == fabric]
            for fabric in (None, 200)] + [len(result["fcvi"]["connections"]), result["findings"]]


def test_vlans_of_fcoe_are_fabrics(tmp_path):
    """Two with the same addresses and OX_IDs; frames without their tags are those of the first VLAN."""
    exchanges, none, connections, findings = told(analyze(SESSION))
    assert none == [] and findings == [] and len(exchanges) > 10 and connections > 0
    for vlans in ((100, 200), (100, None, 200), (None, 100, 200), (100,), (None, 100), (0, 100)):
        capture = tmp_path / f"{'-'.join(map(str, vlans))}.pcap"
        capture.write_bytes(in_vlans(SESSION.read_bytes(), vlans))
        result = analyze(capture)
        second = 200 in vlans
        assert told(result) == [exchanges, exchanges if second else [], connections * (2 if second else 1), []], vlans
        assert result["capture"]["copied_frames"] == result["capture"]["frames"] // len(vlans) * (len(vlans) - 1 - second), vlans
        compare([capture], 3, tmp_path)


def test_tables(tmp_path):
    database = tmp_path / "fc.sqlite"
    fabricscope("analyze", sample("fcoe_vn2vn"), "--sqlite", database)
    with sqlite3.connect(database) as connection:
        count, = connection.execute("SELECT count(*) FROM fc_exchanges WHERE kind = 'FCP'").fetchone()
        assert count == 99
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        kinds = connection.execute("SELECT kind, rejected_name FROM fc_unfinished_exchanges").fetchall()
        assert kinds == [("FLOGI", "FIP error"), ("FLOGI", "logical busy"), ("PLOGI", "logical busy"), ("FLOGI", None)]
        rows = connection.execute("SELECT count(*), sum(frames) FROM fc_sequences").fetchone()
        assert rows[0] > 198 and rows[1] == 584
