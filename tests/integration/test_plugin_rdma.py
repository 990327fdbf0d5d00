# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin rdma: each packet of a queue pair says what the program says of its stream, and nothing else changes."""

import random
import re
from collections import Counter, defaultdict

import pytest
from edit import ETHERNET, IPV4, SEND, edited, records_of
from harness import ROOT, analyze, fields, run, sample, samples, sharkd, tshark, without_plugin
from test_cli_tables import database, rows_of
from test_damage import survives

PERFTEST = "plain_roce_perftest"
RDMA = [PERFTEST, "rdmacm_rocev1_rping", *samples("rdmacm_rping_*"), "rdmacm_udaddy", "smcr_v2_echo", "smcr_v2_lossy", "smcr_v2_two_links"]
WITHOUT_RDMA = ["plain_tcp_http", "plain_udp", "fcoe_vn2vn"]
OFF = ["--disable-protocol", "rdma"]
CAUSES = ("nak", "timeout", "rnr", "implied")


@pytest.fixture
def ordered(tmp_path):
    """A capture in order of time: the program puts frames in order, Wireshark takes them as they stand."""

    def order(name):
        tmp_path.chmod(0o755)
        run(["reordercap", sample(name), tmp_path / name])
        return tmp_path / name

    return order


def lines(capture, *options):
    return tshark("-r", capture, *options).splitlines()


def infos(capture, *options):
    return [row["_ws.col.Info"][0] if row["_ws.col.Info"] else "" for row in fields(capture, "_ws.col.Info", options=options)]


# ---- links between packets ----


@pytest.mark.parametrize("name", [PERFTEST, "smcr_v2_lossy"])
def test_packets_know_what_acknowledges_them_and_what_they_repeat(name, ordered):
    capture = ordered(name)
    names = ["frame.number", "rdma.stream", "rdma.source", "infiniband.bth.psn", "rdma.ack_to", "rdma.acknowledged_in",
             "rdma.retransmission.cause", "rdma.retransmission.of"]
    shown = fields(capture, *names, display_filter="rdma.stream && !rdma.copy_of", options=["-2"])
    rows = {int(row["frame.number"][0]): row for row in shown}
    acknowledged = {frame: int(row["rdma.acknowledged_in"][0]) for frame, row in rows.items() if row["rdma.acknowledged_in"]}
    assert acknowledged
    for packet, answer in acknowledged.items():
        assert answer > packet
        assert rows[answer]["rdma.stream"] == rows[packet]["rdma.stream"]
        assert rows[answer]["rdma.source"] != rows[packet]["rdma.source"]
        assert int(rows[answer]["rdma.ack_to"][0]) >= packet
    repeated = {frame: int(row["rdma.retransmission.of"][0]) for frame, row in rows.items() if row["rdma.retransmission.of"]}
    assert bool(repeated) == (name == "smcr_v2_lossy")
    for packet, original in repeated.items():
        assert original < packet
        assert not rows[original]["rdma.retransmission.cause"]
        assert all(rows[original][field] == rows[packet][field] for field in ("rdma.stream", "rdma.source", "infiniband.bth.psn"))


# ---- the program's account ----


@pytest.mark.parametrize("name", RDMA)
def test_streams_are_the_programs(name, ordered):
    capture = ordered(name)
    counts = defaultdict(Counter)
    operations = defaultdict(set)
    queue_pairs = defaultdict(set)
    flags = ("lost_packets", "duplicate_request", "out_of_order")
    names = ["rdma.stream", "rdma.source", "rdma.source_qp", "rdma.operation", "rdma.retransmission.cause", "rdma.nak",
             "rdma.cnp", "rdma.ecn.ce", "rdma.request_in", "rdma.transport", *(f"rdma.analysis.{flag}" for flag in flags)]
    for row in fields(capture, *names, display_filter="rdma.stream && !rdma.copy_of", options=["-2"]):
        number, address = int(row["rdma.stream"][0]), row["rdma.source"][0].split()[0]
        of = counts[number, address]
        if not row["rdma.cnp"]:
            of["packets"] += 1
        for cause in row["rdma.retransmission.cause"]:
            of[cause] += 1
            of["retransmitted"] += 1
        of["ce_marked"] += len(row["rdma.ecn.ce"])
        for flag in flags:
            of[flag] += len(row[f"rdma.analysis.{flag}"])
        for nak in row["rdma.nak"]:
            of["rnr_naks sent" if nak == "RNR NAK" else "naks sent"] += 1
        if row["rdma.operation"] and not row["rdma.request_in"]:
            operations[number, address].add(row["rdma.operation"][0])
        if row["rdma.source_qp"]:
            queue_pairs[number, address].add(int(row["rdma.source_qp"][0]))
    streams = analyze(capture)["rdma"]["streams"]
    assert {number for number, _ in counts} == {int(stream["id"].removeprefix("rdma-")) for stream in streams} != set()
    for stream in streams:
        number = int(stream["id"].removeprefix("rdma-"))
        for near, far, way in (("a", "b", "a_to_b"), ("b", "a", "b_to_a")):
            seen, direction = counts[number, stream[near]], stream[way]
            assert seen["packets"] == direction["packets"]
            if not seen["packets"]:
                assert direction["retransmitted"] is None, "nobody knows what it did"
                continue
            # What seemed to be late came again, if what follows it does as well.
            assert direction["retransmitted"]["packets"] - seen["retransmitted"] == seen["out_of_order"] - direction["out_of_order"] >= 0
            assert all(seen[cause] <= direction["retransmitted"][cause] for cause in CAUSES)
            # That a timer had run out before the first answer shows when that comes: behind the frames that it is of.
            late = sum(direction["retransmitted"][cause] - seen[cause] for cause in CAUSES)
            assert late == direction["retransmitted"]["timeout"] - seen["timeout"] <= seen["unknown"]
            assert seen["ce_marked"] == direction["ce_marked"]
            assert counts[number, stream[far]]["naks sent"] == direction["naks"]
            assert counts[number, stream[far]]["rnr_naks sent"] == direction["rnr_naks"]
            assert seen["duplicate_request"] <= direction["duplicate_requests"], "others a later acknowledgment tells"
            if stream["transport"] != "ud":
                assert len(operations[number, stream[near]]) == sum(each["count"] for each in direction["operations"].values())
            assert len(queue_pairs[number, stream[near]]) <= 1
            if stream["learned"] == "acknowledgments":
                assert queue_pairs[number, stream[near]] == {stream[f"{near}_qpn"]}


@pytest.mark.parametrize("name, share", [(PERFTEST, 1), ("rdmacm_rping_v4", 1), ("smcr_v2_lossy", 0.4)])
def test_answers_are_the_programs(name, share, ordered, tmp_path):
    """Of operations whose first packet came first; those of the lossy capture are mostly out of order."""
    capture = ordered(name)
    rows = [row for row in rows_of(database(capture, path=tmp_path / "db"), "rdma_operations") if row["answer_frame"]]
    shown = {}
    for row in fields(capture, "frame.number", "rdma.response_in", "rdma.operation.type",
                      display_filter="rdma.response_in && !rdma.copy_of", options=["-2"]):
        shown[int(row["frame.number"][0])] = (int(row["rdma.response_in"][0]), row["rdma.operation.type"][0])
    expected = {row["first_frame"]: (row["answer_frame"], row["type"]) for row in rows}
    assert shown.items() <= expected.items() and len(shown) >= share * len(expected) > 0
    # Whoever completes an operation points back at it, unless it completes several.
    back = fields(capture, "frame.number", "rdma.request_in", "rdma.time", "rdma.operation.time",
                  display_filter="rdma.operation.time", options=["-2"])
    by_frame = {row["first_frame"]: row for row in rows}
    assert back
    for row in back:
        operation = by_frame[int(row["rdma.request_in"][0])]
        assert operation["answer_frame"] <= int(row["frame.number"][0])
        assert row["rdma.time"] == row["rdma.operation.time"]
        if operation["answer_frame"] == int(row["frame.number"][0]):
            assert float(row["rdma.time"][0]) == pytest.approx(operation["answer_time"] - operation["first_time"], abs=2e-9)


def test_what_is_in_flight():
    """30 WRITEs of 4000 bytes in 4 packets each; when the first is acknowledged, three packets of the last have been sent."""
    names = ("rdma.ack_to", "rdma.source_qp", "rdma.psn_relative", "rdma.packets_in_flight", "rdma.bytes_in_flight")
    (row,) = fields(sample(PERFTEST), *names, display_filter="frame.number == 139")
    assert [row[name] for name in names] == [["23"], ["17"], ["3"], [str(28 * 4 + 3)], [str(28 * 4000 + 3 * 1024)]]


def test_info_says_what_a_packet_is_to_its_operation():
    capture = sample(PERFTEST)
    rows = fields(capture, "frame.number", "_ws.col.Info", "_ws.col.Protocol", "infiniband.bth.opcode", "rdma.request_in",
                  display_filter="rdma.stream <= 3")
    by_opcode = defaultdict(list)
    for row in rows:
        by_opcode[int(row["infiniband.bth.opcode"][0], 0)].append((row["frame.number"][0], row["_ws.col.Info"][0]))
        assert row["_ws.col.Protocol"] == ["RRoCE"]
    first, text = by_opcode[0x06][0]
    assert re.fullmatch(r"WRITE 4000 bytes, first packet, QP 0x000011, PSN \d+", text)
    assert re.fullmatch(rf"WRITE 4000 bytes, last packet, begun in {first}, QP 0x000011, PSN \d+", by_opcode[0x08][0][1])
    assert re.fullmatch(r"READ 4000 bytes, QP 0x000012, PSN \d+", by_opcode[0x0C][0][1])
    assert re.fullmatch(rf"READ response, last packet to {by_opcode[0x0C][0][0]}, QP 0x000012, PSN \d+", by_opcode[0x0F][0][1])
    assert re.fullmatch(rf"ACK of the WRITE in {first}, QP 0x000011, PSN \d+", by_opcode[0x11][0][1])
    assert re.fullmatch(r"SEND 44 bytes, QP 0x000013, PSN \d+", by_opcode[0x04][0][1])


def test_queue_pairs_have_six_digits(tmp_path):
    numbers = [2, 0xF, 0x10, 0xFFF, 0x1000, 0xFFFF, 0x10000, 0xFFFFF, 0x100000, 0xFFFFFF]
    destination = SEND - 7  # 5 octets behind the beginning of the BTH

    def number_all(frames):
        for frame, number in zip(frames, numbers, strict=False):
            frame[destination:destination + 3] = number.to_bytes(3, "big")

    opcodes = [frame[ETHERNET + IPV4 + 8] for _, _, frame in records_of(PERFTEST)[1]]
    behind_set_up = opcodes.index(0x06)
    capture = edited(PERFTEST, tmp_path / "numbers.pcap", lambda frames: number_all(frames[behind_set_up:]))
    told = infos(capture)[behind_set_up:behind_set_up + len(numbers)]
    assert [re.search(r"QP 0x([0-9a-f]+)", text)[1] for text in told] == [f"{number:06x}" for number in numbers]


def test_what_stands_out_are_expert_infos(ordered):
    capture = ordered("smcr_v2_lossy")
    again = fields(capture, "rdma.retransmission.cause", "rdma.analysis.fast_retransmission", "rdma.analysis.timeout_retransmission",
                   display_filter="rdma.analysis.retransmission")
    assert again
    for row in again:
        (cause,) = row["rdma.retransmission.cause"]
        assert bool(row["rdma.analysis.fast_retransmission"]) == (cause in ("nak", "implied"))
        assert bool(row["rdma.analysis.timeout_retransmission"]) == (cause == "timeout")
    text = tshark("-q", "-r", capture, "-z", "expert")
    assert "The packet is retransmitted" in text
    assert "RDMA" not in tshark("-q", "-r", sample(PERFTEST), "-z", "expert")


# ---- the same, however Wireshark is driven ----


@pytest.mark.parametrize("name", RDMA)
def test_one_pass_two_passes_and_filters_agree(name):
    one_pass = lines(sample(name))
    assert lines(sample(name), "-2") == one_pass
    numbers = {row["frame.number"][0] for row in fields(sample(name), "frame.number", display_filter="rdma.transport")}
    assert lines(sample(name), "-Y", "rdma.transport") == [line for line in one_pass if line.split()[0] in numbers]


@pytest.mark.parametrize("name", [PERFTEST, "rdmacm_rping_v4", "smcr_v2_lossy"])
def test_random_access_shows_the_same(name):
    def shown(frames):
        answers = sharkd(sample(name), *(("frame", {"frame": n, "proto": True, "columns": True}) for n in frames))
        return dict(zip(frames, answers, strict=True))

    frames = [int(row["frame.number"][0]) for row in fields(sample(name), "frame.number", display_filter="rdma")][:300]
    shuffled = random.Random(name).sample(frames, len(frames))
    assert shown(shuffled) == shown(frames)


# ---- what the set-up tells of queue pairs ----


@pytest.mark.parametrize("passes", [[], ["-2"]])
@pytest.mark.parametrize(("name", "setup", "session"), [
    ("rdmacm_rping_v4", "infiniband.mad", "cm-"), ("smcr_v2_echo", "tcp || smcr.llc", "lg-")])
def test_the_setup_names_the_sender_where_no_answer_was_captured(name, setup, session, passes, tmp_path):
    """One direction only: acknowledgments tell nothing; CM and CLC have named both queue pairs."""
    tmp_path.chmod(0o777)
    one_way = tmp_path / "one_way.pcap"
    (source,) = {row["ip.src"][0] for row in fields(sample(name), "ip.src", display_filter="rdma.stream && frame.number < 60")
                 if row["ip.src"]} - {"192.0.2.20"}
    tshark("-r", sample(name), "-F", "pcap", "-w", one_way, "-Y", f"({setup}) || ip.src == {source}")
    (stream,) = [each for each in analyze(one_way)["rdma"]["streams"] if each["a"] == source or each["b"] == source][:1]
    assert stream["session"].startswith(session) and stream["a_qpn"] and stream["b_qpn"]
    data = fields(one_way, "rdma.source_qp", "rdma.source", display_filter=f"rdma.stream == {stream['id'][5:]} && ip.src == {source}", options=passes)
    qpn = stream["a_qpn"] if stream["a"] == source else stream["b_qpn"]
    assert data and {row["rdma.source_qp"][0] for row in data} == {str(qpn)}
    assert {row["rdma.source"][0] for row in data} == {f"{source} QP 0x{qpn:06x}"}
    text = tshark("-r", one_way, "-V", "-Y", "rdma.stream", *passes)
    assert f"(set up by {stream['session']})" in text


# ---- what it leaves alone ----


@pytest.mark.parametrize("name", WITHOUT_RDMA)
def test_captures_without_rdma_are_left_alone(name):
    for how in (["-V"], [], ["-2", "-T", "pdml"]):
        # Logins of Fibre Channel that were refused are observed.
        observations_off = ["--disable-protocol", "fabricscope"] if name == "fcoe_vn2vn" else []
        ours, theirs = tshark("-r", sample(name), *how, *observations_off), without_plugin("-r", sample(name), *how)
        assert re.sub("<!--.*?-->|time=\".*?\"", "", ours) == re.sub("<!--.*?-->|time=\".*?\"", "", theirs)


def test_switched_off_it_leaves_everything_as_it_was():
    capture = sample(PERFTEST)
    assert tshark("-r", capture, "-V", *OFF) == without_plugin("-r", capture, "-V")
    assert tshark("-r", capture, "-o", "rdma.columns:FALSE") == without_plugin("-r", capture)


@pytest.mark.parametrize("name", ["smcr_v2_echo", "smcr_v2_lossy", "rdmacm_rping_v4", "rdmacm_udaddy"])
def test_info_of_others_stays(name):
    names = ("_ws.col.Protocol", "_ws.col.Info")
    for ours, theirs in zip(fields(sample(name), *names), fields(sample(name), *names, options=OFF), strict=True):
        assert ours["_ws.col.Protocol"] == theirs["_ws.col.Protocol"]
        if ours["_ws.col.Protocol"][0] not in ("RRoCE", "RoCE", "InfiniBand"):
            assert ours == theirs


def test_wiresharks_own_decode_stays():
    def theirs(text):
        return re.findall(r'<field name="infiniband[^>]*>', text)

    capture = sample(PERFTEST)
    assert theirs(tshark("-r", capture, "-T", "pdml")) == theirs(without_plugin("-r", capture, "-T", "pdml")) != []


@pytest.mark.parametrize("octets", [80, 96])
def test_cut_packets_say_their_operation(octets, tmp_path):
    cut = tmp_path / "cut.pcap"
    tmp_path.chmod(0o755)
    run(["editcap", "-s", octets, sample(PERFTEST), cut])

    def own(capture):
        return [info.removesuffix("[Packet size limited during capture]") for info in infos(capture) if ", QP 0x" in info]

    assert own(cut) == own(sample(PERFTEST)) != []


# ---- windows ----


def test_response_times():
    text = tshark("-q", "-r", sample(PERFTEST), "-z", "rdma,srt")
    (first,) = [stream for stream in analyze(sample(PERFTEST))["rdma"]["streams"] if stream["id"] == "rdma-2"]
    assert re.search(rf"\bREAD +{first['a_to_b']['operations']['read']['count']}\b", text), text


def test_counts():
    text = tshark("-q", "-r", sample(PERFTEST), "-z", "rdma,tree")
    counts = {match[1].strip(): int(match[2]) for match in re.finditer(r"^ *(\S.*?)  +(\d+)\s", text, re.MULTILINE)}
    assert (counts["READ"], counts["ATOMIC"], counts["WRITE"]) == (30, 10, 60)
    assert "What stands out" not in counts or counts["What stands out"] == 0


def test_flow_shows_operations_and_what_became_of_them():
    capture = sample("roce_write_behind_tap")
    (stream,) = analyze(capture)["rdma"]["streams"]
    text = tshark("-q", "-r", capture, "-z", "flow,rdma,network")
    arrows = Counter(re.findall(r"^\|[\d.]+\| +(.*?) *\|.*rdma-1, PSN \d", text, re.MULTILINE))
    sent = stream["a_to_b"]
    assert arrows == {
        "WRITE": sent["operations"]["write"]["count"], "WRITE done": sent["operations"]["write"]["count"],
        "NAK: PSN sequence er": sent["naks"], "[Fast retransmission": sent["retransmitted"]["nak"],
        "[Timeout retransmiss": sent["retransmitted"]["timeout"]}


def test_conversations_are_queue_pairs():
    text = tshark("-q", "-r", sample(PERFTEST), "-z", "conv,rdma")
    assert "192.0.2.10 QP 0x000012" in text and "192.0.2.20 QP 0x000012" in text
    text = tshark("-q", "-r", sample(PERFTEST), "-z", "endpoints,rdma")
    assert "192.0.2.20 QP 0x000013" in text


def test_follow_shows_what_was_sent():
    text = tshark("-q", "-r", sample(PERFTEST), "-z", "follow,rdma,raw,3")
    octets = sum(len(line.strip()) // 2 for line in text.splitlines() if re.fullmatch(r"\s*(?:[0-9a-f]{2})+", line))
    assert octets == 50 * 44


# ---- fields and damage ----


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", [PERFTEST, "rdmacm_rocev1_rping"])
def test_random_errors(name, seed, tmp_path):
    for probability in ("0.0005", "0.02"):
        damaged = tmp_path / "damaged.pcapng"
        run(["editcap", "-E", probability, "--seed", str(seed), sample(name), damaged])
        survives(damaged)


def test_the_last_retry_is_the_one_that_the_cm_allows():
    """A queue pair may be told to try seven times again; the REQ of this connection says less."""
    path = ROOT / "samples/synth/rc_retry_exceeded.pcapng"
    result = analyze(path)
    (connection,), (stream,) = result["rdma_cm"]["connections"], result["rdma"]["streams"]
    assert connection["retry_count"] == 3 and stream["end"] == "retries-exhausted"
    again = fields(path, "rdma.analysis.retries_exhausted",
                   display_filter="rdma.analysis.timeout_retransmission", options=["-2"])
    assert [row["rdma.analysis.retries_exhausted"] for row in again] == [[], [], ["1"]], "what comes later tells that it was the last one"
