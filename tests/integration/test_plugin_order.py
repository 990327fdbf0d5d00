# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames of several interfaces that are out of order in their file: Wireshark shows what the program finds, which is what
both find once reordercap has put the file in order."""

from collections import Counter

import pytest
from edit import records_of
from harness import ROOT, analyze, fields, run, sample, tshark
from test_plugin_variants import later, write

OUT_OF_ORDER = ("smcr_v2_asymmetric", "smcr_v2_two_links", "smcr_v2_two_links_b")
# Made of these: what some senders sent, and behind that what the others did, each on an interface of its own. Some last longer than the 2 s within
# which frames are sorted.
TAKEN_APART = {
    "smcr_v2_lossy": sample("smcr_v2_lossy"),
    "smcr_v2_close": sample("smcr_v2_close"),
    "rdmacm_lossy_rping": sample("rdmacm_lossy_rping"),
    "smcr_v2_port7000": sample("smcr_v2_port7000"),
    "rdmacm_rping_v4": sample("rdmacm_rping_v4"),
    "fcvi": ROOT / "samples/fcvi/reliable_reception_iso.fcoe.pcap",
    "fc_ae_rdma": ROOT / "samples/fc_ae_rdma/several_sequences.fcoe.pcap",
}
FIELDS = (
    "smcr.connection", "smcr.link_group", "smcr.from", "smcr.retransmission", "smcr.in_flight", "smcr.window", "smcr.stall_time",
    "smcr.time", "smcr.rule", "rdma_ip_cm.connection", "rdma_ip_cm.from", "rdma_ip_cm.outcome", "rdma_ip_cm.rule",
    "fcvi.connection", "fcvi.message", "fcvi.iu", "fcvi.time", "fcvi.rule", "fcaerdma.message", "fcaerdma.operation",
    "fcaerdma.time", "fcaerdma.rule", "rdma.stream", "rdma.operation", "rdma.analysis.retransmission",
    "rdma.packets_in_flight", "rdma.ack_rtt", "rdma.rule")
# Of these, what one half of the senders sent comes by an interface whose clock is that many microseconds ahead, or behind.
SKEWED = [("smcr_v2_port7000", -1000), ("smcr_v2_port7000", 20), ("rdmacm_rping_v4", 1000), ("fcvi", -20)]
SESSIONS = {
    "smcr.connection": ("smcr", "connections"), "smcr.link_group": ("smcr", "link_groups"), "rdma_ip_cm.connection": ("rdma_cm", "connections"),
    "fcvi.connection": ("fcvi", "connections"), "fcvi.message": ("fcvi", "messages"), "fcaerdma.message": ("fc_ae_rdma", "messages"),
    "rdma.stream": ("rdma", "streams")}
RULES = ("smcr.rule", "rdma_ip_cm.rule", "fcvi.rule", "fcaerdma.rule", "rdma.rule")
NOTE = "From this frame on, the capture is not in order of time"


def taken_apart(capture, folder, microseconds=0):
    header, records = records_of(capture)
    senders = sorted({bytes(octets[6:12]) for _, _, octets in records})
    half = senders[len(senders) // 2]
    for place in (0, 1):
        write(header, [(*later(header, *record[:2], place * microseconds), record[2])
                       for record in records if (record[2][6:12] < half) == place], folder / f"{place}.pcap")
    out = folder / "apart.pcapng"
    run(["mergecap", "-a", "-I", "none", "-w", out, folder / "0.pcap", folder / "1.pcap"])
    return out


@pytest.fixture(params=[(name, None) for name in OUT_OF_ORDER] + [(name, 0) for name in TAKEN_APART] + SKEWED,
                ids=lambda param: "-".join(map(str, param)))
def files(request, tmp_path):
    """A file that is out of order, and the same in order."""
    tmp_path.chmod(0o755)
    name, skew = request.param
    ordered = tmp_path / "ordered.pcapng"
    file = sample(name) if skew is None else taken_apart(TAKEN_APART[name], tmp_path, skew)
    run(["reordercap", file, ordered])
    return file, ordered


def shown(capture, *options):
    """What is shown of each frame, by its time and how often that time was there before."""
    frames, seen = {}, Counter()
    for row in fields(capture, "frame.time_epoch", "eth.src", *FIELDS, options=options):
        key = (*row.pop("frame.time_epoch"), *row.pop("eth.src"))
        frames[*key, seen[key]] = row
        seen[key] += 1
    return frames


def test_shown_as_in_order(files):
    out_of_order, ordered = files
    expected = shown(ordered, "-2")
    assert any(any(row.values()) for row in expected.values())
    assert shown(out_of_order, "-2") == expected
    # The engine has seen all of it before the first frame is shown.
    assert shown(out_of_order) == expected


def without_frames(value):
    if isinstance(value, list):
        return [without_frames(each) for each in value]
    if isinstance(value, dict):
        return {name: without_frames(each) for name, each in value.items() if "frame" not in name}
    return value


def test_the_program_finds_the_same(files):
    """But for the numbers of frames, and what it says of the file."""
    out_of_order, ordered = (without_frames(analyze(file)) for file in files)
    for section in (*{section for section, _ in SESSIONS.values()}, "fc", "findings"):
        assert out_of_order[section] == ordered[section]


def test_shown_as_the_program_finds(files):
    for file in files:
        found = analyze(file)
        rows = fields(file, *SESSIONS, *RULES, options=["-2"])
        for name, (section, sessions) in SESSIONS.items():
            ids = {each["id"] for each in found[section][sessions]}
            prefix = "" if name != "rdma.stream" else "rdma-"  # a stream's number, as Wireshark's own are
            assert {prefix + each for row in rows for each in row[name]} <= ids, name
        shown_rules = Counter(rule for row in rows for name in RULES for rule in row[name])
        assert shown_rules == Counter(finding["rule"] for finding in found["findings"])


def notes(capture, *options, stdin=None):
    text = tshark("-r", capture, "-T", "fields", "-e", "_ws.expert.message", *options, stdin=stdin)
    return text.count(NOTE), "in order of time: what is shown was found in order of time" in text


def test_one_note_tells(files):
    out_of_order, ordered = files
    assert notes(out_of_order) == notes(out_of_order, "-2") == (1, True)
    assert notes(ordered, "-2") == (0, False)
    # What cannot be read twice is taken as it comes.
    assert notes("-", stdin=out_of_order.read_bytes()) == (1, False)


@pytest.mark.parametrize("name", OUT_OF_ORDER)
def test_as_the_program(name, tmp_path):
    capture = sample(name)
    report = analyze(capture)
    rows = fields(capture, "frame.number", *FIELDS, display_filter="!rdma.copy_of && !smcr.copy_of")
    packets = Counter(row["rdma.stream"][0] for row in rows if row["rdma.stream"])
    connections = Counter(row["smcr.connection"][0] for row in rows if row["smcr.connection"])
    assert set(connections) == {connection["id"] for connection in report["smcr"]["connections"]}
    for stream in report["rdma"]["streams"]:
        assert packets[str(stream["id"]).removeprefix("rdma-")] == sum(
            stream[way]["packets"] for way in ("a_to_b", "b_to_a"))
    broken = Counter(
        (finding["rule"], str(finding["frames"][-1])) for finding in report["findings"] if finding["rule"].startswith("SMCR"))
    assert Counter((rule, *row["frame.number"]) for row in rows for rule in row["smcr.rule"]) == broken


@pytest.mark.parametrize("name", OUT_OF_ORDER)
def test_streams_as_in_order(name, tmp_path):
    tmp_path.chmod(0o755)
    ordered = tmp_path / "ordered.pcapng"
    run(["reordercap", sample(name), ordered])
    for number in (1, 2):
        follow = ("-q", "-z", f"follow,smcr,raw,{number}")
        expected = tshark("-2", "-r", ordered, *follow).splitlines()[3:]
        assert len(expected) > 4
        assert tshark("-2", "-r", sample(name), *follow).splitlines()[3:] == expected
        assert tshark("-r", sample(name), *follow).splitlines()[3:] == expected


def test_numbers_that_a_read_filter_moves(tmp_path):
    """Then what was found ahead belongs to no frame any more; nothing is mixed up, and nothing ends."""
    tmp_path.chmod(0o755)
    assert notes(sample("smcr_v2_two_links"), "-2", "-R", "udp")[1] is False


@pytest.mark.parametrize("name", OUT_OF_ORDER)
def test_filters_of_the_second_pass(name):
    """Wireshark asks which frames those depend on that it shows, and knows none of those that are still to come."""
    frames = tshark("-r", sample(name), "-2", "-Y", "smcr", "-T", "fields", "-e", "frame.number").split()
    assert len(frames) > 100
