# SPDX-License-Identifier: GPL-2.0-or-later
"""What went on, for other programs and for people: the trace for Perfetto, the report as HTML, the way to the viewer."""

import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from harness import BUILD, ROOT, analyze, fabricscope, sample, samples

CAPTURES = [sample("smcr_v2_echo"), sample("rdmacm_rping_v4"), ROOT / "samples/fcvi/client_server_iso.pcap",
            ROOT / "samples/fc_ae_rdma/several_exchanges.pcap"]


def wire_fields(octets):
    """A protocol buffer as (number, wire type, value): integers and octets."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = octets[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(octets):
        key = varint()
        kind = key & 7
        assert kind in (VARINT, FIXED, OCTETS), "only integers and octets are written"
        if kind == FIXED:
            yield key >> 3, kind, int.from_bytes(octets[at:at + 8], "little")
            at += 8
            continue
        value = varint()
        if kind == OCTETS:
            at += value
            value = octets[at - value:at]
            assert at <= len(octets)
        yield key >> 3, kind, value


def fields(octets):
    """The same as (number, value)."""
    return ((number, value) for number, _, value in wire_fields(octets))


VARINT, FIXED, OCTETS = 0, 1, 2
UINT64, UINT32, INT64 = range(1 << 64), range(1 << 32), range(1 << 63)
TEXT = str
# What Perfetto's documents (protos/perfetto/trace/) say of the messages that a trace has of it: name, type, how often. A list: a message.
# At most one field of a `oneof` may be there.
ONCE, OFTEN = "optional", "repeated"
CLOCK = {1: ("clock_id", UINT32, ONCE), 2: ("timestamp", UINT64, ONCE)}
CLOCK_SNAPSHOT = {1: ("clocks", CLOCK, OFTEN), 2: ("primary_trace_clock", range(1, 7), ONCE)}
COUNTER_DESCRIPTOR = {3: ("unit", range(4), ONCE)}
TRACK_DESCRIPTOR = {
    1: ("uuid", UINT64, ONCE), 2: ("name", TEXT, ONCE), 5: ("parent_uuid", UINT64, ONCE), 8: ("counter", COUNTER_DESCRIPTOR, ONCE)}
DEBUG_ANNOTATION = {3: ("uint_value", UINT64, "value"), 6: ("string_value", TEXT, "value"), 10: ("name", TEXT, ONCE)}
TRACK_EVENT = {
    4: ("debug_annotations", DEBUG_ANNOTATION, OFTEN), 9: ("type", range(5), ONCE), 11: ("track_uuid", UINT64, ONCE),
    22: ("categories", TEXT, OFTEN), 23: ("name", TEXT, ONCE), 30: ("counter_value", INT64, ONCE),
    47: ("flow_ids", FIXED, OFTEN), 48: ("terminating_flow_ids", FIXED, OFTEN)}
TRACE_PACKET = {
    6: ("clock_snapshot", CLOCK_SNAPSHOT, "data"), 8: ("timestamp", UINT64, ONCE), 10: ("trusted_packet_sequence_id", UINT32, ONCE),
    11: ("track_event", TRACK_EVENT, "data"), 58: ("timestamp_clock_id", UINT32, ONCE), 60: ("track_descriptor", TRACK_DESCRIPTOR, "data")}
TRACE = {1: ("packet", TRACE_PACKET, OFTEN)}


def held_to(schema, octets):
    """A message as its fields by name, a list for each; fails where it is not what the schema says."""
    message = {}
    for number, kind, value in wire_fields(octets):
        name, of, _ = schema[number]
        if of == FIXED:
            assert kind == FIXED, name
        elif isinstance(of, range):
            assert kind == VARINT and value in of, name
        else:
            assert kind == OCTETS, name
            value = value.decode("utf-8") if of is TEXT else held_to(of, value)
        message.setdefault(name, []).append(value)
    groups = [group for name, _, group in schema.values() for _ in message.get(name, ()) if group not in (ONCE, OFTEN)]
    assert len(groups) == len(set(groups)), groups
    for name, _, group in schema.values():
        assert group == OFTEN or len(message.get(name, ())) <= 1, name
    return message


@pytest.mark.parametrize("capture", [sample(name) for name in samples()], ids=lambda path: path.stem)
def test_trace_is_what_perfettos_schema_says(capture, tmp_path):
    fabricscope("analyze", capture, "--perfetto", tmp_path / "out.pftrace")
    packets = held_to(TRACE, (tmp_path / "out.pftrace").read_bytes())["packet"]
    tracks, flows, last = {}, {}, {}
    snapshots = [packet["clock_snapshot"][0] for packet in packets if "clock_snapshot" in packet]
    assert [snapshot["primary_trace_clock"] for snapshot in snapshots] == [[1]]  # REALTIME
    for packet in packets:
        assert packet["trusted_packet_sequence_id"] == [1]
        if "track_descriptor" in packet:
            (track,) = packet["track_descriptor"]
            (uuid,) = track["uuid"]
            assert uuid not in tracks and uuid != 0 and track["name"] != [""]
            assert all(parent in tracks for parent in track.get("parent_uuid", ()))
            tracks[uuid] = track
        if "track_event" not in packet:
            continue
        (event,) = packet["track_event"]
        (time,), (kind,), (uuid,) = packet["timestamp"], event["type"], event["track_uuid"]
        assert packet["timestamp_clock_id"] == [1]
        # Nothing but values on tracks that count, with none of what other events have; and no values elsewhere.
        counts = "counter" in tracks[uuid]
        assert counts == (kind == 4) == ("counter_value" in event)
        if counts or kind == 2:
            assert not {"name", "categories", "debug_annotations", "flow_ids", "terminating_flow_ids"} & event.keys()
        assert time >= last.get(uuid, 0), "events of a track come in order"
        last[uuid] = time
        assert all(set(note) in ({"name", "uint_value"}, {"name", "string_value"}) for note in event.get("debug_annotations", ()))
        ids = event.get("flow_ids", []), event.get("terminating_flow_ids", [])
        assert not set(ids[0]) & set(ids[1]), "either it goes on, or it ends here"
        for end, these in enumerate(ids):
            for flow in these:
                flows.setdefault(flow, [None, None])[end] = time
    assert tracks[1]["name"][0].startswith("fabricscope")
    assert all(None not in ends and ends[0] <= ends[1] for ends in flows.values())


def trace_of(capture, folder):
    """The tracks by uuid, and the events, of a trace in Perfetto's schema."""
    fabricscope("analyze", capture, "--perfetto", folder / "out.pftrace")
    tracks, events = {}, []
    for _, packet in fields((folder / "out.pftrace").read_bytes()):
        packet = dict(fields(packet))
        if 60 in packet:
            track = dict(fields(packet[60]))
            tracks[track[1]] = track
        if 11 in packet:
            events.append({"time": packet[8], **{f"f{n}": v for n, v in fields(packet[11])}})
    return tracks, events


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_trace_has_whole_slices_on_known_tracks(capture, tmp_path):
    tracks, events = trace_of(capture, tmp_path)
    assert all(track.get(5, 1) in tracks for track in tracks.values())
    open_since = {}
    slices = 0
    for event in events:
        track, kind = event["f11"], event["f9"]
        assert track in tracks
        if kind == 1:
            assert track not in open_since, "slices of a track do not overlap"
            open_since[track] = event["time"]
        elif kind == 2:
            assert event["time"] >= open_since.pop(track)
            slices += 1
    assert not open_since and slices > 0


def test_arrows_lead_from_writes_by_cdc_messages_to_consumer_updates(tmp_path):
    fabricscope("analyze", sample("smcr_v2_echo"), "--perfetto", tmp_path / "out.pftrace")
    tracks, begins, ends = {}, {}, {}
    for _, packet in fields((tmp_path / "out.pftrace").read_bytes()):
        parts = dict(fields(packet))
        if 60 in parts:
            track = dict(fields(parts[60]))
            tracks[track[1]] = track[2].decode()
        for number, value in fields(parts.get(11, b"")):
            if number in (47, 48):
                lane = tracks[dict(fields(parts[11]))[11]]
                (begins if number == 47 else ends)[value] = (lane, parts[8])
    assert begins and begins.keys() == ends.keys()
    ways = {(begins[flow][0], ends[flow][0]) for flow in begins}
    assert {("client writes", "client → server"), ("client → server", "server has consumed")} <= ways
    assert all(ends[flow][1] >= begins[flow][1] for flow in begins)


def test_trace_has_every_connection_and_the_wall_clock(tmp_path):
    capture = sample("smcr_v2_20conns")
    tracks, events = trace_of(capture, tmp_path)
    names = {track[2].decode().split("  ")[0] for track in tracks.values()}
    assert {c["id"] for c in analyze(capture)["smcr"]["connections"]} <= names
    assert min(e["time"] for e in events) // 10**9 > 1_700_000_000


def test_trace_replaces_only_traces(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    fabricscope("analyze", CAPTURES[0], "--perfetto", other, status=(2,))
    assert other.read_text() == "mine"


class Page(HTMLParser):
    """Which tags are open, and what they would load."""

    def __init__(self, text):
        super().__init__()
        self.open, self.loads, self.cells = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.loads += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "link", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.cells.append(data)


@pytest.mark.parametrize("capture", CAPTURES + [ROOT / "samples/fcvi/retried_setup_fails.pcap"], ids=lambda path: path.stem)
def test_report_is_whole_and_needs_nothing_else(capture, tmp_path):
    out = tmp_path / "out.html"
    fabricscope("report", capture, "-o", out)
    text = out.read_text()
    page = Page(text)
    assert not page.open and not page.loads and "<script" not in text
    assert text.count("<svg") == text.count("</svg>") > 0
    assert 'name="viewport"' in text and not any("`" in cell for cell in page.cells)
    assert text.count("<table") == text.count('<div class="wide"><table') > 0
    expected = analyze(capture)
    for finding in expected["findings"]:
        assert finding["rule"] in page.cells
    for connection in expected["smcr"]["connections"] + expected["rdma_cm"]["connections"] + expected["fcvi"]["connections"]:
        assert connection["id"] in page.cells
    assert fabricscope("report", capture, "-o", "-").decode() == text


def test_report_of_nothing(tmp_path):
    fabricscope("report", tmp_path / "missing.pcap", "-o", tmp_path / "out.html", status=(3,))
    empty = tmp_path / "empty.pcap"
    empty.write_bytes(CAPTURES[0].read_bytes()[:24])
    fabricscope("report", empty, "-o", tmp_path / "out.html")
    assert "Nothing of the protocols" in (tmp_path / "out.html").read_text()
    fabricscope("report", sample("smcr_fallback_plain_client"), "-o", tmp_path / "out.html")
    assert "<li>1 TCP connection began without offering SMC" in (tmp_path / "out.html").read_text()


def test_view_without_viewer_is_a_sentence(tmp_path):
    alone = tmp_path / "fabricscope"
    shutil.copy(BUILD / "bin/fabricscope", alone)
    done = subprocess.run([alone, "view", "x.pcap"], capture_output=True, text=True, env={**os.environ, "PATH": str(tmp_path)})
    assert done.returncode == 2
    assert re.fullmatch(r"fabricscope: the viewer is not installed: .*\n", done.stderr)


def test_view_wants_files_that_can_be_read_again(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    fabricscope("view", tmp_path / "pipe", status=(2,))
    fabricscope("view", "-", status=(2,))


@pytest.mark.skipif(not (BUILD / "bin/fabricscope-viewer").exists(), reason="built without Qt")
def test_view_starts_the_viewer():
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([BUILD / "bin/fabricscope", "view", "--help"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and "fabricscope view" in done.stdout
    running = subprocess.Popen([BUILD / "bin/fabricscope", "view", CAPTURES[0]], env=environment)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(timeout=3)  # it stays until it is closed
        assert os.readlink(f"/proc/{running.pid}/exe").endswith("fabricscope-viewer")
    finally:
        running.kill()
        running.wait()
