# SPDX-License-Identifier: GPL-2.0-or-later
"""`timeline --svg`, `--png` and `--ladder`: pictures that can be read, of what the capture holds."""

import csv
import io
import re
import struct
import subprocess
import xml.etree.ElementTree as ET
import zlib

import pytest

from harness import BUILD, analyze, attempt, fabricscope, sample

ECHO = sample("smcr_v2_echo")
SVG = "{http://www.w3.org/2000/svg}"


def refuses(*arguments, status=2):
    done = attempt("timeline", *arguments)
    assert (done.returncode, done.stdout) == (status, b"")
    return done.stderr.decode()


def svg(name, *arguments):
    return ET.fromstring(fabricscope("timeline", sample(name), *arguments, "--svg", "-", status=(0,)))


def layers(picture):
    return [group.get("class") for group in picture.iter(f"{SVG}g")]


def texts(picture):
    return [element.text for element in picture.iter(f"{SVG}text")]


def points(path):
    """The places that a path goes to."""
    x = y = 0.0
    for command, numbers in re.findall(r"([MLHV])([-\d. ]+)", path):
        values = [float(number) for number in numbers.split()]
        x = values[0] if command != "V" else x
        y = values[-1] if command != "H" else y
        yield x, y


def png(octets):
    """Width, height and the set of colours."""
    assert octets.startswith(b"\x89PNG\r\n\x1a\n")
    data, at, texts_seen, resolution = b"", 8, [], None
    while at < len(octets):
        length, kind = struct.unpack(">I4s", octets[at : at + 8])
        body = octets[at + 8 : at + 8 + length]
        assert struct.unpack(">I", octets[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + body),)
        if kind == b"IHDR":
            width, height, depth, colour_type = struct.unpack(">IIBB", body[:10])
            assert (depth, colour_type) == (8, 2)
        data += body if kind == b"IDAT" else b""
        texts_seen += [body] if kind == b"tEXt" else []
        resolution = struct.unpack(">IIB", body) if kind == b"pHYs" else resolution
        at += 12 + length
    assert resolution == (7559, 7559, 1), "192 pixels an inch, per metre"
    assert any(text.startswith(b"Software\0fabricscope ") for text in texts_seen)
    return width, height, colours_of(zlib.decompress(data), width, height)


def colours_of(data, width, height):
    colours, above, stride = set(), bytearray(3 * width), 3 * width + 1
    for row in range(height):
        kind, line = data[row * stride], bytearray(data[row * stride + 1 : (row + 1) * stride])
        for i in range(len(line)):
            left, up, corner = (line[i - 3] if i >= 3 else 0), above[i], (above[i - 3] if i >= 3 else 0)
            estimate = left + up - corner
            paeth = min((left, up, corner), key=lambda value: abs(estimate - value))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 0xFF
        colours |= {bytes(line[i : i + 3]) for i in range(0, len(line), 3)}
        above = line
    return colours


# ---- cursors -------------------------------------------------------------------------------------

def test_a_picture_of_one_connection():
    picture = svg("smcr_v2_virtbuf", "--connection", "smcr-1")
    (connection,) = analyze(sample("smcr_v2_virtbuf"))["smcr"]["connections"]
    assert picture.find(f"{SVG}title").text == f"RMB cursors of smcr-1  {connection['client']} → {connection['server']}"
    seen = layers(picture)
    for name in ("produced", "consumed", "window", "in-flight", "window-full", "blocked", "flags"):
        assert seen.count(name) >= 2, name
    assert "urgent" not in seen
    assert any(text.startswith("client → server: 300,001 bytes, at most 65,536 in flight of a window of 65,536") for text in texts(picture))
    assert "time since the first frame, ms" in texts(picture)
    assert {"KiB", "produced", "consumed", "in flight", "D: sending done, C: closed, A: abnormal close"} <= set(texts(picture))


def test_curves_rise_and_end_together():
    """Everything that was produced was consumed: both curves end at the same place, the highest one."""
    picture = svg("smcr_v2_virtbuf", "--connection", "smcr-1")
    for direction in range(2):
        ends = []
        for name in ("produced", "consumed"):
            group = [g for g in picture.iter(f"{SVG}g") if g.get("class") == name][direction]
            curve = list(points(group.find(f"{SVG}path").get("d")))
            assert [x for x, _ in curve] == sorted(x for x, _ in curve)
            assert [y for _, y in curve] == sorted((y for _, y in curve), reverse=True), "a cursor only goes up"
            ends.append(curve[-1])
        assert ends[0] == ends[1]


def test_urgent_data_and_flags():
    picture = svg("smcr_v2_urgent", "--connection", "smcr-1")
    assert layers(picture).count("urgent") == 2
    assert "C" in texts(picture)
    assert {"D", "C", "A"} <= set(texts(svg("smcr_v2_close", "--connection", "all")))


def test_connections_share_the_time_axis():
    picture = svg("smcr_v2_two_links", "--connection", "smcr-1", "--connection", "smcr-3,smcr-5")
    assert [g.find(f"{SVG}title").text for g in picture.iter(f"{SVG}g") if g.get("class") == "connection"] == [
        "smcr-1", "smcr-3", "smcr-5"]
    assert picture.find(f"{SVG}title").text == "RMB cursors of 3 connections"
    assert texts(picture).count("time since the first frame, s") == 1


def test_many_connections_are_drawn_in_less_detail():
    picture = svg("smcr_v2_20conns", "--connection", "all")
    assert layers(picture).count("connection") == 20 and "produced" not in layers(picture)
    assert layers(picture).count("in-flight") == 40


def test_pictures_stay_small():
    """4,032 frames, 1,000 writes: a few points for each pixel, however many samples there are."""
    octets = fabricscope("timeline", sample("smcr_v2_tiny_writes"), "--connection", "smcr-1", "--svg", "-")
    assert len(octets) < 200_000


def test_nothing_lies_outside_the_picture():
    for name in ("smcr_v2_virtbuf", "smcr_v2_two_links", "smcr_v2_close", "smcr_v2_midstream", "smcr_fallback_eid_mismatch"):
        picture = svg(name, "--connection", "all")
        width, height = float(picture.get("width")), float(picture.get("height"))
        for path in picture.iter(f"{SVG}path"):
            assert all(0 <= x <= width and 0 <= y <= height for x, y in points(path.get("d")))
        for text in picture.iter(f"{SVG}text"):
            assert 0 <= float(text.get("x")) <= width and 0 <= float(text.get("y")) <= height


def test_a_connection_that_fell_back_says_why():
    assert any("the server declined with 0x03030000" in text for text in texts(svg("smcr_fallback_eid_mismatch", "--connection", "all")))


def test_png_shows_what_svg_shows(tmp_path):
    arguments = ["timeline", ECHO, "--connection", "smcr-1", "--svg", tmp_path / "a.svg", "--png", tmp_path / "a.png"]
    assert fabricscope(*arguments, status=(0,)) == b""
    picture = ET.parse(tmp_path / "a.svg").getroot()
    width, height, colours = png((tmp_path / "a.png").read_bytes())
    assert (width, height) == (2 * float(picture.get("width")), 2 * float(picture.get("height")))
    # white paper, the produced curve's blue, the consumed curve's green
    assert {bytes((255, 255, 255)), bytes((0, 114, 178)), bytes((0, 158, 115))} <= colours


# ---- ladders -------------------------------------------------------------------------------------

def ladder(*arguments):
    """Text, and frame, direction and words of each message."""
    text = fabricscope("timeline", *arguments, status=(0,)).decode()
    rungs = re.findall(r"^ +\d+\.\d{9} .*?  +(\d+)  \|(<?)-+ (.*?) -+>?\|$", text, re.MULTILINE)
    return text, [(int(frame), "server" if left else "client", words) for frame, left, words in rungs]


@pytest.fixture(autouse=True)
def plain_characters(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")


def test_the_ladder_of_a_set_up():
    (connection,) = analyze(ECHO)["smcr"]["connections"]
    text, rungs = ladder(ECHO, "--connection", "smcr-1", "--ladder")
    frames = connection["setup_frames"]
    assert max(len(line) for line in text.splitlines()) == 100
    for step, expected in {
            "syn": ("client", "SYN"), "syn_ack": ("server", "SYN-ACK"), "proposal": ("client", "PROPOSAL"),
            "accept": ("server", "ACCEPT, first contact"), "confirm": ("client", "CONFIRM"),
            "first_data": ("client", "first data")}.items():
        assert (frames[step], *expected) in rungs
    (reply,) = [rung for rung in rungs if rung[0] == frames["confirm_link"]]
    assert reply[1] == "client" and re.fullmatch(r"CONFIRM LINK reply, link 1 \(.* ms\)", reply[2])
    assert [frame for frame, _, _ in rungs] == sorted(frame for frame, _, _ in rungs)


def test_the_ladder_of_a_decline():
    text, rungs = ladder(sample("smcr_fallback_eid_mismatch"), "--connection", "smcr-1", "--ladder")
    assert rungs[-1][1:] == ("server", "DECLINE 0x03030000, no SMC device found")
    assert "fell back to TCP" in text


def test_the_ladder_of_a_link_group():
    name = sample("smcr_v2_two_links")
    (group,) = analyze(name)["smcr"]["link_groups"]
    text, rungs = ladder(name, "--link-group", "lg-1")
    frames = [frame for frame, _, _ in rungs]
    for exchange in group["llc_exchanges"]:
        assert exchange["request_frame"] is None or exchange["request_frame"] in frames
        assert exchange["reply_frame"] is None or exchange["reply_frame"] in frames
    assert [words for _, _, words in rungs if words.endswith("SYN")] == [f"{c} SYN" for c in group["connections"]]
    assert "client guest-a" in text and "server guest-b" in text
    assert max(len(line) for line in text.splitlines()) <= 100


def test_the_ladder_of_an_rdma_cm_connection():
    name = sample("rdmacm_rping_v4")
    (connection,) = analyze(name)["rdma_cm"]["connections"]
    text, rungs = ladder(name, "--connection", "cm-1")
    words = [re.sub(r" \(.*s\)$", "", words) for _, _, words in rungs if "bytes" not in words]
    assert words == ["REQ", "REP", "RTU", "DREQ", "DREP"]
    assert [frame for frame, _, words in rungs if "bytes" not in words] == [3, 4, 5, 66, 67]
    for side, direction in (("client", "client_to_server"), ("server", "server_to_client")):
        assert [words for _, who, words in rungs if who == side and "bytes" in words] == [
            f"first of {connection[direction]['packets']} packets, {connection[direction]['bytes']:,} bytes"]
    assert "connected; rc tcp, rping, service id 0x0000000001061c06" in text
    picture = svg("rdmacm_rping_v4", "--connection", "cm-1")
    assert layers(picture).count("rung") == len(rungs) and "RDMA CM connection cm-1" in texts(picture)
    assert png(fabricscope("timeline", name, "--connection", "cm-1", "--png", "-"))[0] == 2 * float(picture.get("width"))


def test_the_ladder_of_a_rejection():
    text, rungs = ladder(sample("rdmacm_reject_no_listener"), "--connection", "cm-1")
    assert rungs[0] == (1, "client", "REQ")
    assert rungs[1][:2] == (2, "server") and re.fullmatch(
        r"REJ, reason 8, invalid service id \(.* ms\)", rungs[1][2])
    assert "The connection was rejected by the server with reason 8, invalid service id" in text


def test_rdma_cm_connections_have_ladders_only():
    name = sample("rdmacm_reject_no_listener")
    assert "a ladder only" in refuses(name, "--connection", "cm-1,smcr-1")
    assert "no connection cm-9; the capture has cm-1, cm-2" in refuses(name, "--connection", "cm-9")
    done = subprocess.run(
        [BUILD / "bin/fabricscope", "stream", name, "--connection", "cm-1", "--from", "client", "-o", "/dev/null"],
        capture_output=True, timeout=60)
    assert done.returncode == 2 and b"cm-1 has no stream" in done.stderr


def test_a_ladder_as_a_picture():
    _, rungs = ladder(ECHO, "--connection", "smcr-1", "--ladder")
    picture = svg("smcr_v2_echo", "--connection", "smcr-1", "--ladder")
    assert layers(picture).count("rung") == len(rungs)
    assert {"SYN", "PROPOSAL", "ACCEPT, first contact", "CONFIRM", "first data"} <= set(texts(picture))
    width, height, colours = png(fabricscope("timeline", ECHO, "--connection", "smcr-1", "--ladder", "--png", "-"))
    assert (width, height) == (2 * float(picture.get("width")), 2 * float(picture.get("height")))
    assert bytes((0, 114, 178)) in colours


@pytest.mark.parametrize("name, options", [
    ("smcr_v2_echo", ["--connection", "smcr-1", "--ladder"]), ("smcr_v2_echo", ["--link-group", "lg-1"]),
    ("rdmacm_reject_no_listener", ["--connection", "cm-1"]), ("fcoe_vn2vn", ["--connection", "xchg-1"])])
def test_a_ladder_as_rows(name, options):
    _, rungs = ladder(sample(name), *options)
    rows = list(csv.DictReader(io.StringIO(fabricscope("timeline", sample(name), *options, "--csv", "-").decode())))
    assert [int(row["frame"]) for row in rows] == [frame for frame, _, _ in rungs]
    assert all(text.startswith(row["text"][:30]) for row, (_, _, text) in zip(rows, rungs))
    assert {row["from"] for row in rows} <= {"client", "server", "originator", "responder"}


def test_ladders_as_rows():
    text = fabricscope("timeline", sample("rdmacm_reject_no_listener"), "--connection", "cm-1,cm-2", "--csv", "-").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["kind"] for row in rows] == ["cm", "refusal"] * 2
    assert len({row["ladder"] for row in rows}) == 2
    assert rows[0]["latency"] == "" and float(rows[1]["latency"]) > 0


# ---- usage ---------------------------------------------------------------------------------------

def test_several_connections_as_text():
    text = fabricscope("timeline", sample("smcr_v2_two_links"), "--connection", "all").decode()
    assert re.findall(r"^(smcr-\d)", text, re.MULTILINE) == [f"smcr-{i}" for i in range(1, 6)]


def test_what_cannot_be_drawn(tmp_path):
    assert "--connection" in refuses(ECHO)
    assert "no link group lg-9; the capture has 1 link group" in refuses(ECHO, "--link-group", "lg-9")
    assert "no SMC-R connection" in refuses(sample("plain_udp"), "--connection", "all")
    assert "one connection" in refuses(sample("smcr_v2_two_links"), "--connection", "all", "--csv", tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []


def test_pictures_replace_pictures_of_ours_only(tmp_path):
    for kind in ("svg", "png"):
        ours, other = tmp_path / f"ours.{kind}", tmp_path / f"other.{kind}"
        for _ in range(2):
            fabricscope("timeline", ECHO, "--connection", "smcr-1", f"--{kind}", ours, status=(0,))
        other.write_bytes(b"<svg/>")
        assert "exists" in refuses(ECHO, "--connection", "smcr-1", f"--{kind}", other)
        assert other.read_bytes() == b"<svg/>"
    capture = tmp_path / "a.pcap"
    capture.write_bytes(ECHO.read_bytes())
    assert "is an input" in refuses(capture, "--connection", "smcr-1", "--svg", capture)
