# SPDX-License-Identifier: GPL-2.0-or-later
"""Streams of queue pairs: what perftest and rping say that they did, and what an incomplete capture leaves of it."""

import csv
import subprocess
from collections import Counter

import pytest

from edit import ETHERNET, records_of, written
from harness import analyze, fabricscope, run, sample, samples
from test_cli_tables import database, rows_of

PERFTEST = sample("plain_roce_perftest")
ADDRESSES = ("192.0.2.10", "192.0.2.20")
# As the truth file has it: queue pair, transport, operations of 192.0.2.10 and of 192.0.2.20.
TRUTH = [
    (0x11, "rc", ("write", 30, 4000), None),
    (0x12, "rc", ("read", 30, 4000), None),
    (0x13, "rc", ("send", 50, 44), None),
    (0x14, "rc", ("send", 30, 3000), None),
    (0x15, "rc", ("write", 20, 44), None),
    (0x16, "rc", ("atomic", 10, 8), None),
    (0x17, "ud", ("send", 20, 44), None),
    (0x18, "uc", ("write", 10, 2500), None),
    (0x19, "rc", ("send", 20, 44), ("send", 20, 44)),
]
HEALTHY = [name for name in samples("rdmacm_*") + samples("smcr_*")
           if not any(word in name for word in ("lossy", "blocked", "netdev", "delete", "frozen", "unload"))]


def asked(direction):
    found = [(kind, each["count"], each["bytes"]) for kind, each in direction["operations"].items() if each and each["count"]]
    return [(kind, count, octets // count) for kind, count, octets in found]


def streams(*arguments):
    return analyze(*arguments)["rdma"]["streams"]


def troubles(stream):
    """What is said to be wrong; packets that were not captured are no trouble. Of a side without packets nothing is said."""
    names = ("lost", "duplicate_requests", "naks", "rnr_naks", "timeouts", "out_of_order")
    return sum(stream[way][name] or 0 for way in ("a_to_b", "b_to_a") for name in names) + sum(
        (stream[way]["retransmitted"] or {"packets": 0})["packets"] for way in ("a_to_b", "b_to_a"))


def test_what_perftest_did():
    found = streams(PERFTEST)
    assert [stream["id"] for stream in found] == [f"rdma-{n}" for n in range(1, len(TRUTH) + 1)]
    for stream, (qpn, transport, forth, back) in zip(found, TRUTH):
        assert (stream["a"], stream["b"]) == ADDRESSES
        assert (stream["transport"], stream["b_qpn"]) == (transport, qpn)
        assert stream["a_qpn"] == (None if transport == "uc" else qpn)
        assert asked(stream["a_to_b"]) == [forth], stream["id"]
        assert asked(stream["b_to_a"]) == ([back] if back else [])
        assert stream["a_to_b"]["bytes"] == forth[1] * forth[2]
        assert troubles(stream) + stream["a_to_b"]["not_captured"] == 0
        assert stream["learned"] == {"rc": "acknowledgments", "ud": "datagrams", "uc": None}[transport]
    assert [stream["mtu"] for stream in found[:2]] == [1024, 1024]


def test_operations_are_rows(tmp_path):
    connection = database(PERFTEST, path=tmp_path / "db")
    operations = rows_of(connection, "rdma_operations")
    assert len(operations) == sum(forth[1] + (back[1] if back else 0) for *_, forth, back in TRUTH)
    assert all(row["answer_frame"] for row in operations if row["stream"] not in ("rdma-7", "rdma-8"))
    assert rows_of(connection, "rdma_events") == []


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_wrong_with_healthy_captures(name):
    result = analyze(sample(name))
    assert [stream["id"] for stream in result["rdma"]["streams"] if troubles(stream)] == []
    assert [finding for finding in result["findings"] if finding["rule"].startswith("RDMA-")] == []


@pytest.mark.parametrize("octets", [64, 80, 96])
def test_cut_packets_tell_the_same(octets, tmp_path):
    cut = tmp_path / "cut.pcap"
    subprocess.run(["editcap", "-s", str(octets), PERFTEST, cut], check=True)
    for whole, part in zip(streams(PERFTEST), streams(cut), strict=True):
        for way in ("a_to_b", "b_to_a"):
            if octets == 64 and (whole[way]["operations"]["read"] or {}).get("count"):  # RETH is cut off
                whole[way]["bytes"] = whole[way]["operations"]["read"] = None
            for direction in (whole[way], part[way]):  # what was cut has no ICRC
                del direction["icrcs_checked"], direction["wrong_icrcs"]
            assert part[way] == whole[way]


# Without their lengths one that was lost may have been packets of the answer to the one before.
@pytest.mark.parametrize("octets, lost_before", [(58, 5), (66, 5), (70, 6)])
def test_reads_whose_lengths_were_cut_off_are_lost_and_captured_as_they_are(octets, lost_before, tmp_path):
    cut = tmp_path / "cut.pcap"
    whole = sample("roce_read_request_loss")
    run(["editcap", "-s", str(octets), whole, cut])
    (of_whole,), (of_part,) = streams(whole), streams(cut)
    told = [{key: stream["a_to_b"][key] for key in ("lost", "lost_before", "lost_behind", "not_captured", "retransmitted")}
            for stream in (of_whole, of_part)]
    assert told[1] == told[0] | {"lost_before": lost_before}
    assert (told[0]["lost"], told[0]["lost_before"], told[0]["not_captured"]) == (6, 6, 0)


@pytest.mark.parametrize("side", [0, 1])
def test_one_direction_claims_nothing(side, tmp_path):
    half = tmp_path / "half.pcap"
    subprocess.run(["tshark", "-r", PERFTEST, "-Y", f"ip.src == {ADDRESSES[side]}", "-w", half], check=True)
    for stream in streams(half):
        assert troubles(stream) + stream["a_to_b"]["not_captured"] + stream["b_to_a"]["not_captured"] == 0
        assert stream["learned"] in (None, "datagrams")


def test_sessions_name_who_set_them_up():
    (stream,) = streams(sample("rdmacm_rping_v4"))
    assert (stream["learned"], stream["session"], stream["end"]) == ("cm", "cm-1", "disconnected")
    (stream,) = streams(sample("smcr_v2_echo"))
    assert (stream["learned"], stream["session"]) == ("smcr", "lg-1")


def test_the_summary_is_about_queue_pairs_that_no_other_section_has():
    plain = fabricscope("analyze", PERFTEST).decode()
    assert "RDMA: 9 streams (7 rc, 1 uc, 1 ud)" in plain and "SMC-R: none" not in plain
    assert len([line for line in plain.splitlines() if line.startswith("  rdma-")]) == 9
    smcr = fabricscope("analyze", sample("smcr_v2_echo")).decode()
    assert "RDMA: 1 stream (1 rc); 1 of SMC-R link groups" in smcr and "rdma-1" not in smcr


def test_a_ladder_shows_operations():
    ladder = fabricscope("timeline", PERFTEST, "--connection", "rdma-2", "--ladder").decode()
    assert ladder.count("response of the READ") == 30
    assert "READ 4,000 bytes ─" in ladder
    ladder = fabricscope("timeline", PERFTEST, "--connection", "rdma-3", "--ladder").decode()
    assert ladder.count("SEND 44 bytes ─") == 50


# ---- PSNs over time ----


def psn_rows(capture, stream):
    text = fabricscope("timeline", capture, "--connection", stream, "--csv", "-", status=(0,)).decode()
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize("name", ["plain_roce_perftest", "smcr_v2_lossy", "rdmacm_rping_v4"])
def test_a_timeline_has_every_packet_of_its_stream(name):
    for stream in streams(sample(name)):
        if stream["transport"] == "ud":
            continue
        rows = psn_rows(sample(name), stream["id"])
        packets = [row for row in rows if row["kind"] != "cnp"]
        assert len(packets) == stream["a_to_b"]["packets"] + stream["b_to_a"]["packets"], stream["id"]
        for way, requester in (("a_to_b", "a"), ("b_to_a", "b")):
            again = Counter(row["cause"] for row in packets if row["cause"] and row["requester"] == requester
                            and row["kind"] == "request")
            if stream[way]["retransmitted"] is None:
                assert stream[way]["packets"] == 0
                continue
            told = stream[way]["retransmitted"]
            assert sum(again.values()) <= told["packets"], "one that overtook others turns out to be lost later"
            assert {cause: again[cause] for cause in ("nak", "rnr")} == {cause: told[cause] for cause in ("nak", "rnr")}
            naks = sum(row["kind"] == "nak" for row in packets if row["requester"] == requester)
            assert naks == stream[way]["naks"]


def test_a_timeline_as_text_and_picture(tmp_path):
    lossy = sample("smcr_v2_lossy")
    text = fabricscope("timeline", lossy, "--connection", "rdma-1", status=(0,)).decode()
    for part in ("PSNs, counted from the first one", "packets in flight", "timeout", "NAK", "goodput"):
        assert part in text
    fabricscope("timeline", lossy, "--connection", "rdma-1", "--svg", tmp_path / "a.svg", "--png", tmp_path / "a.png",
                status=(0,))
    picture = (tmp_path / "a.svg").read_text()
    for layer in ("sent", "acknowledged", "window", "in-flight", "rate", "sent-again", "nak", "timeout"):
        assert f'class="{layer}"' in picture
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "Operations of rdma-1" in fabricscope("timeline", lossy, "--connection", "rdma-1", "--ladder", status=(0,)).decode()


def test_cursors_and_psns_are_not_plotted_together():
    fabricscope("timeline", sample("smcr_v2_lossy"), "--connection", "smcr-1,rdma-1", status=(2,))
    text = fabricscope("timeline", sample("smcr_v2_lossy"), "--connection", "smcr-1,rdma-1", "--ladder", status=(0,)).decode()
    assert "Set-up of smcr-1" in text and "Operations of rdma-1" in text


# ---- wrong ICRCs -------------------------------------------------------------------------------------

LOSSES = "roce_write_behind_tap"  # packets that passed the tap, and did not arrive


def corrupted(target, spoilt):
    """The sample in which the last octet of the payload of each frame is changed of which `spoilt` (number, frame) says so."""
    head, records = records_of(LOSSES)
    for number, (_, _, frame) in enumerate(records, 1):
        if frame[36:38] == b"\x12\xb7" and spoilt(number, frame):
            frame[-5] ^= 0x40
    return written(head, records, target)


def icrcs_of(path):
    result = analyze(path)
    told = [o for o in result["observations"] if o["id"] == "RDMA-O-wrong-icrc"]
    (stream,) = result["rdma"]["streams"]
    return stream, told


def from_client(frame):
    return frame[ETHERNET + 15] == 10


def test_healthy_captures_have_no_wrong_icrcs():
    for name in samples("roce_*") + samples("plain_roce_*") + samples("rdmacm_*") + samples("smcr_*"):
        for stream in streams(sample(name)):
            for direction in (stream["a_to_b"], stream["b_to_a"]):
                assert not direction["wrong_icrcs"], (name, stream["id"])


def test_wrong_icrcs_are_counted(tmp_path):
    wrong = [n for n, (_, _, f) in enumerate(records_of(LOSSES)[1], 1) if f[36:38] == b"\x12\xb7" and from_client(f)][20:120:10]
    stream, told = icrcs_of(corrupted(tmp_path / "wrong.pcap", lambda number, frame: number in wrong))
    (observation,) = told
    assert observation["count"] == stream["a_to_b"]["wrong_icrcs"] == len(wrong)
    assert observation["frames"] == wrong[:4] and observation["session"] == stream["id"]
    assert stream["b_to_a"]["wrong_icrcs"] == 0
    # Some of them come again, so that all were damaged on their way: they are no packets of the stream.
    assert stream["a_to_b"]["icrcs_checked"] == stream["a_to_b"]["packets"] + len(wrong)


def test_an_adapter_that_fills_icrcs_in_behind_the_capture_is_no_trouble(tmp_path):
    stream, told = icrcs_of(corrupted(tmp_path / "filled.pcap", lambda number, frame: from_client(frame)))
    assert not told and stream["a_to_b"]["icrcs_checked"] and stream["a_to_b"]["wrong_icrcs"] is None


def test_of_packets_that_were_cut_nothing_is_known(tmp_path):
    tmp_path.chmod(0o755)
    whole = corrupted(tmp_path / "wrong.pcap", lambda number, frame: number % 10 == 0 and from_client(frame))
    run(["editcap", "-s", "80", whole, tmp_path / "cut.pcap"])
    stream, told = icrcs_of(tmp_path / "cut.pcap")
    assert not told and not stream["a_to_b"]["wrong_icrcs"]
