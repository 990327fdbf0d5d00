# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets that were damaged on their way: their ICRC or TCP checksum is wrong, and what they were comes again. They are left out as if
they had been lost; what was merely edited is judged."""

import hashlib
import struct
from pathlib import Path

import pytest

from edit import ETHERNET, IPV4, SEND, records_of, written
from harness import analyze, fabricscope, fields, followed, truth, tshark
from test_cli_truth import client_port, port
from test_plugin_order import taken_apart

BTH = ETHERNET + IPV4 + 8
ROCE = 4791
LOSSY = "smcr_v2_lossy"
# Six connections between two Linux hosts whose interfaces turn a bit over in 3 % of the packets, and what the applications said.
REAL = Path(__file__).parent / "damaged/smcr_v2_corrupt.pcap"
# Where a bit is turned over: in the IP address of the sender, the number of the queue pair, the PSN, and in the producer cursor of a CDC
# message (in a WRITE its length).
PLACES = {"source": ETHERNET + 12, "queue pair": BTH + 6, "psn": BTH + 9, "body": SEND + 12}

FIELDS = ("smcr.connection", "smcr.link_group", "smcr.in_flight", "rdma.stream", "rdma.operation",
          "rdma.analysis.retransmission", "rdma.packets_in_flight", "rdma.ack_rtt")


def sent(frame):
    """What would come again with the same number; None: an acknowledgment, or no RoCE."""
    if frame[ETHERNET + 9] != 17 or struct.unpack_from(">H", frame, ETHERNET + IPV4 + 2)[0] != ROCE or frame[BTH] == 0x11:
        return None
    return bytes(frame[ETHERNET + 12:ETHERNET + 20] + frame[BTH:BTH + 1] + frame[BTH + 5:BTH + 8] + frame[BTH + 9:BTH + 12])


def is_cdc(frame):
    return sent(frame) is not None and frame[BTH] == 0x04 and frame[SEND] == 0xFE


def those_that_come_again():
    """Indices into the records of LOSSY, behind the first 100 frames; of what came three times the first two."""
    found, latest = [], {}
    for index, (_, _, frame) in enumerate(records_of(LOSSY)[1]):
        if (key := sent(frame)) is None:
            continue
        if key in latest and latest[key] > 100:
            found.append(latest[key])
        latest[key] = index
    return sorted(found)


def damage(frame, place, bit=6):
    frame[PLACES[place]] ^= 1 << bit


def seen(result):
    """What users compare, without the numbers of frames."""
    directions = {"smcr": ("client_to_server", "server_to_client"), "rdma": ("a_to_b", "b_to_a")}
    return {"rules": [finding["rule"] for finding in result["findings"]],
            "connections": [(c["outcome"], c["close"], *(c[way]["bytes_announced"] for way in directions["smcr"])) for c in result["smcr"]["connections"]],
            "streams": [[(s[way]["packets"], s[way]["retransmitted"]) for way in directions["rdma"]] for s in result["rdma"]["streams"]],
            "link_groups": len(result["smcr"]["link_groups"])}


def left_out(result):
    return sum(o["count"] for o in result["observations"] if o["id"] == "CAPTURE-O-damaged")


@pytest.fixture(params=PLACES)
def captures(request, tmp_path):
    """One with some packets damaged, one that lacks them, and their indices."""
    head, records = records_of(LOSSY)
    indices = those_that_come_again()
    chosen = indices[::max(1, len(indices) // 6)]
    assert len(chosen) >= 6
    damage(records[chosen[0]][2], "body")  # what shows, wherever the others were hit, that bits are turned over there
    for bit, index in enumerate(chosen[1:]):
        damage(records[index][2], request.param, bit)
    damaged = written(head, records, tmp_path / "damaged.pcap")
    for index in chosen:
        records[index][2] = b""
    return damaged, written(head, records, tmp_path / "lost.pcap"), chosen


def test_a_damaged_packet_is_one_that_was_lost(captures):
    damaged, lost = map(analyze, captures[:2])
    assert left_out(damaged) == len(captures[2]) and left_out(lost) == 0
    assert seen(damaged) == seen(lost)


def shown(capture, *options):
    return fields(capture, "fabricscope.damaged", *FIELDS, options=options)


def test_wireshark_shows_as_much(captures):
    damaged, lost, indices = captures
    rows, expected = shown(damaged, "-2"), shown(lost, "-2")
    assert [index for index, row in enumerate(rows) if row["fabricscope.damaged"]] == indices
    assert [row for row in rows if not row["fabricscope.damaged"]] == expected
    assert all(any(row[name] for row in expected) for name in FIELDS)
    assert followed(damaged, 1, "-2")[0] == followed(lost, 1, "-2")[0] != {"client": b"", "server": b""}


def test_frames_of_two_interfaces_out_of_order(captures, tmp_path):
    """The program puts them in order first. So does the plugin, which knows then before the first frame which are damaged."""
    damaged, lost, indices = captures
    apart = taken_apart(damaged, tmp_path)
    result = analyze(apart)
    assert left_out(result) == len(indices)
    assert seen(result) == seen(analyze(lost))
    found = [sum(bool(row["rdma.analysis.retransmission"]) for row in shown(*of)) for of in ((apart,), (apart, "-2"), (lost, "-2"))]
    assert found[0] == found[1] == found[2] != 0


def test_what_does_not_come_again_is_judged(tmp_path):
    """Somebody edited the capture, and left the ICRC as it was."""
    head, records = records_of("smcr_v2_echo")
    cdc = next(index for index, (_, _, frame) in enumerate(records) if index > 50 and is_cdc(frame))
    damage(records[cdc][2], "body")
    result = analyze(written(head, records, tmp_path / "edited.pcap"))
    assert left_out(result) == 0
    assert "SMCR-R34" in {finding["rule"] for finding in result["findings"]}


def test_other_reports_leave_them_out_as_well(tmp_path):
    """They observe the engine, so that it has to be known before which packets are damaged."""
    head, records = records_of(LOSSY)
    index = next(index for index in those_that_come_again() if is_cdc(records[index][2]))
    rows = {}
    for name, change in (("damaged", lambda frame: damage(frame, "body")), ("lost", bytearray.clear)):
        change(records[index][2])
        capture = written(head, records, tmp_path / f"{name}.pcap")
        csv = fabricscope("timeline", capture, "--connection", "smcr-1", "--csv", "-").decode().splitlines()
        column = csv[0].split(",").index("frame")
        rows[name] = [[value for i, value in enumerate(row.split(",")) if i != column] for row in csv]
    assert rows["damaged"] == rows["lost"] and len(rows["lost"]) > 20


def test_a_real_capture_is_what_the_applications_say():
    reports = truth(REAL)
    result = analyze(REAL)
    assert result["findings"] == [] and left_out(result) == 20
    assert len(result["smcr"]["link_groups"]) == len(result["rdma"]["streams"]) == 1
    ids = {port(c["client"]): c["id"] for c in result["smcr"]["connections"]}
    assert len(reports) == 12 and ids.keys() == {client_port(report) for report in reports}
    for report in reports:
        connection = ids[client_port(report)]
        octets = fabricscope("stream", REAL, "--connection", connection, "--from", report["role"], status=(0,))
        assert hashlib.sha256(octets).hexdigest() == report["sent_sha256"]
        assert followed(REAL, int(connection.removeprefix("smcr-")), "-2")[0][report["role"]] == octets
    rows = fields(REAL, "smcr.connection", "smcr.link_group", "rdma.stream", "smcr.rule", "rdma.rule", "fabricscope.damaged", "_ws.col.Info",
                  options=["-2"])
    shown = {name: {value for row in rows for value in row[name]} for name in rows[0]}
    assert shown["smcr.connection"] == set(ids.values())
    assert (shown["smcr.link_group"], shown["rdma.stream"], shown["smcr.rule"], shown["rdma.rule"]) == ({"lg-1"}, {"1"}, set(), set())
    assert sum(bool(row["fabricscope.damaged"]) for row in rows) == 20
    assert all(bool(row["fabricscope.damaged"]) == row["_ws.col.Info"][0].startswith("[Damaged] ") for row in rows)
    assert "[Damaged]" not in tshark("-2", "-r", REAL, "--disable-protocol", "fabricscope")
