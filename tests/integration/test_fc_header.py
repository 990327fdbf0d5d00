# SPDX-License-Identifier: GPL-2.0-or-later
"""Every field of every Fibre Channel frame header as Wireshark decodes it, over every carrier."""

import json

import pytest
from harness import BUILD, run, sample, without_plugin

OURS = "fabricscope.fc."

#: what Wireshark calls a field, and the bits it makes of ours
HEADER = {
    "fc.r_ctl": {"r_ctl": 0},
    "fc.cs_ctl": {"cs_ctl": 0, "cs_ctl.preference": 7},
    "fc.type": {"type": 0},
    "fc.f_ctl": {
        "f_ctl.exchange_responder": 23, "f_ctl.sequence_recipient": 22, "f_ctl.first_sequence": 21,
        "f_ctl.last_sequence": 20, "f_ctl.end_sequence": 19, "f_ctl.end_connection": 18, "f_ctl.priority_enable": 17,
        "f_ctl.sequence_initiative": 16, "f_ctl.x_id_reassigned": 15, "f_ctl.invalidate_x_id": 14, "f_ctl.ack_form": 12,
        "f_ctl.data_compression": 11, "f_ctl.data_encryption": 10, "f_ctl.retransmitted_sequence": 9,
        "f_ctl.unidirectional": 8, "f_ctl.continue_sequence": 6, "f_ctl.abort_sequence": 4,
        "f_ctl.relative_offset_present": 3, "f_ctl.exchange_reassembly": 2, "f_ctl.fill_bytes": 0},
    "fc.seq_id": {"seq_id": 0},
    "fc.df_ctl": {"df_ctl.reserved_7": 7, "df_ctl.esp_header": 6, "df_ctl.network_header": 5,
                  "df_ctl.association_header": 4, "df_ctl.reserved_3_2": 2, "df_ctl.device_header": 0},
    "fc.seq_cnt": {"seq_cnt": 0},
    "fc.ox_id": {"ox_id": 0},
    "fc.rx_id": {"rx_id": 0},
}
ADDRESSES = {"fc.d_id": "d_id", "fc.s_id": "s_id"}
#: single bits of F_CTL that Wireshark shows on their own
FLAGS = {
    "fc.fctl.exchange_responder": "f_ctl.exchange_responder", "fc.fctl.seq_recipient": "f_ctl.sequence_recipient",
    "fc.fctl.exchange_first": "f_ctl.first_sequence", "fc.fctl.exchange_last": "f_ctl.last_sequence",
    "fc.fctl.seq_last": "f_ctl.end_sequence", "fc.fctl.priority": "f_ctl.priority_enable",
    "fc.fctl.transfer_seq_initiative": "f_ctl.sequence_initiative",
    "fc.fctl.rexmitted_seq": "f_ctl.retransmitted_sequence", "fc.fctl.rel_offset": "f_ctl.relative_offset_present"}
SOF = {0x28: "SOFf", 0x2D: "SOFi2", 0x35: "SOFn2", 0x2E: "SOFi3", 0x36: "SOFn3"}
EOF = {0x41: "EOFn", 0x42: "EOFt", 0x49: "EOFni", 0x50: "EOFa"}
CARRIERS = ["fc2", "fc2-vft", "fc2-delimited", "fcoe", "fcoe-vlan", "mds", "boardwalk", "fcip"]


def dump(capture):
    return [json.loads(line) for line in run([BUILD / "bin/dump_fc", capture]).splitlines()]


def wireshark(capture, *names):
    """For each frame number with Fibre Channel the values of each field, one for each Fibre Channel frame."""
    arguments = ["-r", capture, "-Y", "fc", "-T", "fields", "-E", "separator=\t", "-E", "aggregator=;"]
    for name in ("frame.number", *names):
        arguments += ["-e", name]
    rows = {}
    for line in without_plugin(*arguments).splitlines():
        number, *values = line.split("\t")
        rows[int(number)] = {name: value.split(";") if value else [] for name, value in zip(names, values, strict=True)}
    return rows


@pytest.fixture(scope="module", params=["real", *CARRIERS])
def both(request, tmp_path_factory):
    """Our decode and Wireshark's of the same capture."""
    if request.param == "real":
        capture = sample("fcoe_vn2vn")
    else:
        capture = tmp_path_factory.mktemp("fc") / f"{request.param}.pcap"
        run([BUILD / "bin/generate_fc", capture, "--carrier", request.param, "--frames", "150"])
    names = [*HEADER, *ADDRESSES, *FLAGS, "fc.parameter", "fc.relative_offset", "fcoe.sof", "fcoe.eof",
             "fcoe.crc.status", "fc.sof", "fc.eof", "fc.crc.status", "fcip.sof", "mdshdr.vsan", "brdwlk.vsan",
             "fc.vft.vf_id"]
    ours = {}
    for frame in dump(capture):
        ours.setdefault(frame["frame"], []).append(frame)
    return request.param, ours, wireshark(capture, *names)


def pairs(both):
    """(our frame, Wireshark's values, its place among those of one packet)"""
    _, ours, theirs = both
    assert ours.keys() == theirs.keys()
    for number, frames in ours.items():
        for place, frame in enumerate(frames):
            yield frame, theirs[number], place


def test_there_are_frames(both):
    name, ours, _ = both
    assert sum(map(len, ours.values())) >= (584 if name == "real" else 150)


def test_every_header_field(both):
    for frame, values, place in pairs(both):
        for name, parts in HEADER.items():
            mine = sum(frame[OURS + part] << shift for part, shift in parts.items())
            assert mine == int(values[name][place], 0), (frame["frame"], name)
        for name, part in ADDRESSES.items():
            assert f"{frame[OURS + part]:06x}" == values[name][place].replace(".", "").replace(":", "")
        for name, part in FLAGS.items():
            assert frame[OURS + part] == int(values[name][place] in ("1", "True")), (frame["frame"], name)


def test_parameter(both):
    for frame, values, place in pairs(both):
        shown = values["fc.parameter"] or values["fc.relative_offset"]
        assert frame[OURS + "parameter"] == int(shown[place], 0), frame["frame"]


def test_delimiters_and_crc(both):
    name, _, _ = both
    for frame, values, place in pairs(both):
        if values["fcoe.sof"]:
            assert frame["sof"] == SOF[int(values["fcoe.sof"][place], 0)]
            assert frame["eof"] == EOF[int(values["fcoe.eof"][place], 0)]
            assert frame["crc"] is (values["fcoe.crc.status"][place] == "1")
        if name == "fc2-delimited":
            assert values["fc.crc.status"][place] == "1"
        if values["fcip.sof"]:
            assert frame["sof"] == SOF[int(values["fcip.sof"][place], 0)]
        if name not in ("real", "fc2", "fc2-vft"):
            assert frame["crc"] is True and frame["sof"] != "none" and frame["eof"] != "none"


def test_fabric(both):
    name, _, _ = both
    field = {"mds": "mdshdr.vsan", "boardwalk": "brdwlk.vsan", "fc2-vft": "fc.vft.vf_id"}.get(name)
    for frame, values, place in pairs(both):
        assert frame["fabric"] == (int(values[field][place], 0) if field else None)
