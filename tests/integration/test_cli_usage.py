# SPDX-License-Identifier: GPL-2.0-or-later
"""Options, exit statuses and output formats of the program."""

import csv
import io
import json
import os
import pty
import re
import subprocess

import pytest

from harness import BUILD, analyze, attempt, fabricscope, sample

ECHO = sample("smcr_v2_echo")
PROGRAM = BUILD / "bin/fabricscope"


def complains(*arguments, status):
    done = attempt(*arguments)
    assert done.returncode == status
    return done.stderr.decode()


def on_a_terminal(*arguments, **environment):
    """What the program writes if standard output is a terminal, and its exit status."""
    controller, terminal = pty.openpty()
    env = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment}
    process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=terminal, stderr=subprocess.DEVNULL, env=env)
    os.close(terminal)
    text = b""
    try:
        while chunk := os.read(controller, 65536):
            text += chunk
    except OSError:  # the other end has been closed
        pass
    os.close(controller)
    return text.decode(), process.wait()


# ---- usage ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("command", [[], ["analyze"], ["stream"], ["timeline"], ["fields"], ["rules"]])
def test_help_and_version_everywhere(command):
    assert b"Usage: fabricscope" in fabricscope(*command, "--help", status=(0,))
    assert re.fullmatch(rb"fabricscope \d+\.\d+\.\d+\n", fabricscope(*command, "--version", status=(0,)))


@pytest.mark.parametrize("arguments", [
    [], ["nonsense"], ["analyze"], ["analyze", "--nonsense", ECHO], ["analyze", "--protocol", "nonsense", ECHO],
    ["analyze", "--cursor-base", "3", ECHO], ["analyze", "--rules-level", "bad", ECHO],
    ["analyze", "--rule", "SMCR-R00", ECHO],
    ["stream", ECHO], ["stream", ECHO, "--connection", "smcr-1"],
    ["stream", ECHO, "--connection", "smcr-1", "--from", "nobody"], ["timeline", ECHO], ["rules", "SMCR-R00"]])
def test_wrong_usage(arguments):
    assert complains(*arguments, status=2)


@pytest.mark.parametrize("arguments, status, said", [
    (["replay", "none.scenario", "--list"], 3, "none.scenario: cannot be read"),
    (["replay", ECHO, "--session", "smcr-1", "--play", "client", "--mask", "/"], 3, "/ is a folder"),
    (["replay", ECHO, "--session", "smcr-1", "--play", "client", "--mask", "none"], 3, "none"),
    (["replay", ECHO, "--session", "smcr-9", "--play", "client"], 2, "no session smcr-9; the capture has 2 sessions, see"),
    (["replay", ECHO, "--list", "--json"], 2, "--list"),
    (["replay", ECHO, "--list", "--session", "smcr-1"], 2, "--list"),
    (["replay", ECHO, "--all", "--session", "smcr-1"], 2, "--all"),
    (["timeline", ECHO, "--connection", "login-2"], 2, "login-2 is no session's name"),
    (["stream", ECHO, "--connection", "fcvi-message-1", "--from", "client"], 2, "fcvi-message-1 is no session's name"),
    (["timeline", ECHO, "--connection", "smcr-2"], 2, "no connection smcr-2; the capture has smcr-1"),
    (["merge", "-"], 2, "standard input can be read only once; merge needs a file"),
    (["merge", "/dev/null"], 2, "/dev/null is no regular file; merge has to read it twice"),
    (["analyze", ECHO, "--rule", "AERDMA-60"], 2, "--rule AERDMA-60: it is judged with --profile fc-ae-rdma-annex-a only"),
    (["analyze", ECHO, "--rule", "SMCR-R01", "--fail-on", "SMCR-R02"], 2, "--fail-on SMCR-R02: --rule or --rules-level leaves it out"),
    (["analyze", ECHO, "--rule", "SMCR-R01", "--rules-level", "note"], 2, "--rule SMCR-R01: --rule or --rules-level leaves it out"),
    (["analyze", ECHO, "--protocol", "fcvi", "--fail-on", "SMCR-R02"], 2, "--fail-on SMCR-R02: --protocol leaves its protocol out"),
], ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else None)
def test_what_is_wrong_is_said_in_words(arguments, status, said):
    assert said in complains(*arguments, status=status)


@pytest.mark.parametrize("connection", ["smcr-2", "smcr-0", "smcr-", "smcr-1x", "lg-1", "1", "smcr-99999999999"])
@pytest.mark.parametrize("command", [["stream", "--from", "client"], ["timeline"]])
def test_an_unknown_connection_is_answered_with_those_there_are(command, connection):
    assert "smcr-1" in complains(*command, ECHO, "--connection", connection, status=2).partition(";")[2]


def test_an_unknown_connection_leaves_the_output_file_alone(tmp_path):
    out = tmp_path / "out"
    complains("stream", ECHO, "--connection", "smcr-2", "--from", "client", "-o", out, status=2)
    assert not out.exists()


def test_outputs_that_cannot_be_written():
    assert "/dev/full" in complains("analyze", ECHO, "--json", "/dev/full", status=2)
    assert "No such file" in complains("analyze", ECHO, "--json=/nonexistent/x", status=2)


# ---- analyze -------------------------------------------------------------------------------------

def test_json_goes_to_a_file_or_to_standard_output(tmp_path):
    out = tmp_path / "out.json"
    expected = fabricscope("analyze", ECHO, "--json")
    assert fabricscope("analyze", ECHO, "--json", out) == b""
    assert out.read_bytes() == expected
    assert fabricscope("analyze", ECHO, "--json", out) == b"" and out.read_bytes() == expected
    assert fabricscope("analyze", "--json", ECHO) == expected


def test_json_never_overwrites_a_capture(tmp_path):
    captures = [tmp_path / "a.pcap", tmp_path / "b.pcap"]
    for capture in captures:
        capture.write_bytes(ECHO.read_bytes())
    for arguments in (["--json", *captures], [captures[0], "--json", captures[1]]):
        result = json.loads(fabricscope("analyze", *arguments))
        assert sorted(result["capture"]["files"]) == [str(capture) for capture in captures]
        assert all(capture.read_bytes() == ECHO.read_bytes() for capture in captures)


def test_json_has_the_keys_that_scripts_rely_on():
    result = analyze(ECHO)
    assert list(result) == ["schema", "capture", "smcr", "rdma_cm", "fc", "fcvi", "fc_ae_rdma", "rdma", "observations", "findings",
                            "profile", "rules"]
    assert result["schema"] == "fabricscope/1"
    assert {"files", "frames", "start", "duration", "truncated_frames", "undecoded_frames"} <= result["capture"].keys()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", result["capture"]["start"])

    (connection,) = result["smcr"]["connections"]
    assert {"id", "client", "server", "outcome", "version", "release", "contact", "link_group", "decline", "setup",
            "client_to_server", "server_to_client", "close"} <= connection.keys()
    assert {"syn", "proposal", "accept", "confirm", "confirm_link", "first_data"} <= connection["setup"].keys()
    direction = connection["client_to_server"]
    assert {"bytes_announced", "bytes_written", "bytes_acknowledged", "writes", "cdcs", "rmbe_size", "cursor_base",
            "wraps", "peak_in_flight", "stalls", "urgent", "retransmissions", "first_data",
            "last_data"} <= direction.keys()
    assert direction["stalls"].keys() == {"count", "total", "longest"}
    assert "timeline" not in direction

    (group,) = result["smcr"]["link_groups"]
    assert {"id", "client_peer_id", "server_peer_id", "links", "rmbs", "connections"} <= group.keys()
    assert {"number", "client_qpn", "server_qpn", "client_gid", "server_gid", "first_frame",
            "state"} <= group["links"][0].keys()
    assert group["connections"] == ["smcr-1"]
    assert all(re.fullmatch("0x[0-9a-f]{16}", token["address"]) for rmb in group["rmbs"] for token in rmb["rtokens"])


def test_cursors_adds_the_timeline():
    (connection,) = json.loads(fabricscope("analyze", ECHO, "--json", "--cursors"))["smcr"]["connections"]
    timeline = connection["client_to_server"]["timeline"]
    assert [len(row) for row in timeline] == [5] * len(timeline)
    times, frames, produced, consumed, in_flight = zip(*timeline)
    assert list(times) == sorted(times) and list(frames) == sorted(frames)
    assert list(in_flight) == [p - c for p, c in zip(produced, consumed)]
    assert produced[-1] == consumed[-1] == 500


def test_cursor_base_can_be_forced():
    for base in (0, 4):
        (connection,) = analyze(ECHO, "--cursor-base", base)["smcr"]["connections"]
        assert connection["client_to_server"]["cursor_base"] == base


@pytest.fixture
def wrong_eye_catcher(tmp_path):
    """The echo, with the end of its PROPOSAL spoilt."""
    eye_catcher = bytes.fromhex("e2d4c3d9")
    octets = ECHO.read_bytes()
    proposal = octets.index(eye_catcher + b"\x01")
    trailer = octets.index(eye_catcher, proposal + 4)
    capture = tmp_path / "wrong.pcap"
    capture.write_bytes(octets[:trailer] + b"\x00" + octets[trailer + 1 :])
    return capture


def test_findings_of_level_error_show_in_the_exit_status(wrong_eye_catcher):
    (finding,) = json.loads(fabricscope("analyze", wrong_eye_catcher, "--json", status=(1,)))["findings"]
    assert list(finding) == ["rule", "severity", "frames", "session", "text", "clause"]
    assert (finding["rule"], finding["severity"], finding["clause"]) == ("SMCR-R02", "error", "RFC 7609, A.2")
    assert finding["session"] == "smcr-1" and finding["frames"] and finding["text"]
    assert b"SMCR-R02" in fabricscope("analyze", wrong_eye_catcher, status=(1,))


def test_findings_can_be_chosen(wrong_eye_catcher):
    for chosen in (["--rule", "SMCR-R02"], ["--rules-level", "warning,error"]):
        assert json.loads(fabricscope("analyze", wrong_eye_catcher, "--json", *chosen, status=(1,)))["findings"]
    for others in (["--rule", "SMCR-R03"], ["--rules-level", "note,warning"]):
        assert not json.loads(fabricscope("analyze", wrong_eye_catcher, "--json", *others, status=(0,)))["findings"]


def test_summary_fits_the_page_and_limits_its_tables():
    name = sample("smcr_v2_20conns")
    text = fabricscope("analyze", name).decode()
    assert max(len(line) for line in text.splitlines()[1:]) <= 100
    assert "more" not in text
    assert text.count("smcr-") >= 20


def test_colour_only_on_a_terminal():
    assert b"\x1b" not in fabricscope("analyze", ECHO)
    coloured, status = on_a_terminal("analyze", ECHO)
    assert status == 0 and "\x1b[1m" in coloured
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain, _ = on_a_terminal("analyze", ECHO, **environment)
        assert "\x1b" not in plain


# ---- stream and timeline -------------------------------------------------------------------------

def test_stream_spares_terminals():
    text, status = on_a_terminal("stream", ECHO, "--connection", "smcr-1", "--from", "client")
    assert (text, status) == ("", 2)


def test_stream_of_a_direction_without_data(tmp_path):
    out = tmp_path / "out"
    capture = sample("smcr_fallback_eid_mismatch")
    fabricscope("stream", capture, "--connection", "smcr-1", "--from", "client", "-o", out, status=(0,))
    assert out.read_bytes() == b""


def test_timeline_rows(tmp_path):
    out = tmp_path / "rows.csv"
    capture = sample("smcr_v2_virtbuf")
    assert fabricscope("timeline", capture, "--connection", "smcr-1", "--csv", out, status=(0,)) == b""
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert list(rows[0]) == ["time", "frame", "direction", "produced", "consumed", "in_flight", "window"]
    for direction in ("client_to_server", "server_to_client"):
        mine = [row for row in rows if row["direction"] == direction]
        assert mine[-1]["produced"] == mine[-1]["consumed"] == "300001"
        assert all(int(row["in_flight"]) + int(row["window"]) == 65536 for row in mine)
        assert all(int(row["produced"]) - int(row["consumed"]) == int(row["in_flight"]) for row in mine)
    assert [float(row["time"]) for row in rows] == sorted(float(row["time"]) for row in rows)
    assert fabricscope("timeline", capture, "--connection", "smcr-1", "--csv", "-").decode() == out.read_text()


@pytest.mark.parametrize("locale, bar", [("C.UTF-8", "█"), ("C", "#")])
def test_timeline_plot(locale, bar, monkeypatch):
    monkeypatch.setenv("LC_ALL", locale)
    text = fabricscope("timeline", sample("smcr_v2_virtbuf"), "--connection", "smcr-1", status=(0,)).decode()
    assert bar in text and text.isascii() == (locale == "C")
    assert re.search(r"^ +blocked +B+", text, re.MULTILINE)
    assert re.search(r"^ +window full .*F", text, re.MULTILINE)
    assert max(len(line) for line in text.splitlines()) <= 105


def test_timeline_marks_urgent_data(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    text = fabricscope("timeline", sample("smcr_v2_urgent"), "--connection", "smcr-1", status=(0,)).decode()
    assert [line.count("U") for line in re.findall(r"^ +urgent  (.*)$", text, re.MULTILINE)] == [2, 1]


def test_timeline_of_a_connection_that_fell_back_says_why():
    text = fabricscope("timeline", sample("smcr_fallback_eid_mismatch"), "--connection", "smcr-1").decode()
    assert "the server declined with 0x03030000, no SMC device found" in text


# ---- references ----------------------------------------------------------------------------------

def test_fields():
    fields = json.loads(fabricscope("fields", "--json", status=(0,)))
    names = [field["name"] for field in fields]
    assert names == sorted(set(names))
    by_name = {field["name"]: field for field in fields}
    assert by_name["smcr.cdc.producer.offset"] == {
        "name": "smcr.cdc.producer.offset", "type": "uint32", "protocol": "smcr", "clause": "RFC 7609, A.4",
        "label": "Producer cursor"}
    assert by_name["smcr.in_flight"]["clause"] == "RFC 7609, 4.3"
    assert by_name["smcr.stream"]["clause"] is None
    lines = fabricscope("fields", status=(0,)).decode().splitlines()
    assert [line.split()[0] for line in lines[1:]] == names


def test_rules():
    rules = json.loads(fabricscope("rules", "--json", status=(0,)))
    for rule in rules:
        assert list(rule) == ["id", "severity", "clause", "sentence", "evidence", "habit", "only_in"]
        assert rule["severity"] in ("error", "warning", "note")
    ids = [rule["id"] for rule in rules]
    assert len(set(ids)) == len(ids)
    smcr = [name for name in ids if name.startswith("SMCR-")]
    assert smcr and smcr == sorted(smcr) and smcr == ids[: len(smcr)]
    assert "IPCM-CA11-1" in ids
    one = fabricscope("rules", rules[0]["id"], status=(0,)).decode().splitlines()
    assert one[0] == f"{rules[0]['id']}: {rules[0]['sentence']}"
    assert one[3] == f"  Decided from: {rules[0]['evidence']}"
