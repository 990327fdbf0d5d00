# SPDX-License-Identifier: GPL-2.0-or-later
"""FC-VI and FC-AE-RDMA through the program: the same answers over every carrier, in every kind of output."""

import csv
import json
import sqlite3
import subprocess

import pytest
from fc_samples import rule_cases, samples
from harness import BUILD, ROOT, analyze, fabricscope, run, sample

CARRIERS = ["fc2", "fc2-vft", "fc2-delimited", "fcoe", "fcoe-vlan", "mds", "boardwalk", "fcip"]
VERSIONS = {"iso": "iso", "rev10": "rev-1.0"}


def recorded(name):
    return ROOT / f"samples/{name}.pcap"


def message_data(octets):
    """What the Messages of the samples hold."""
    return bytes((i * 7 + (i >> 8)) & 0xFF for i in range(octets))


def summary(capture, *options):
    return fabricscope("analyze", capture, *options).decode()


# ---- carriers ----

@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_connection_over_every_carrier(tmp_path, version, carrier):
    capture = tmp_path / "carried.pcap"
    run([BUILD / "bin/carry_fc", recorded(f"fcvi/reliable_reception_{version}"), capture, carrier])
    result = analyze(capture)
    assert result["findings"] == []
    (connection,) = result["fcvi"]["connections"]
    fabric = {"fc2-vft": " in fabric 5", "mds": " in fabric 20", "boardwalk": " in fabric 30"}.get(carrier, "")
    assert (connection["id"], connection["version"]) == ("fcvi-1", VERSIONS[version])
    assert (connection["client"], connection["server"]) == ("01.02.03" + fabric, "04.05.06" + fabric)
    assert (connection["outcome"], connection["close"]) == ("connected", "closed")
    assert connection["client_to_server"]["bytes"] == connection["server_to_client"]["bytes"] == 500 + 400 + 300
    assert [(m["from"], m["operation"], m["bytes"], m["state"]) for m in result["fcvi"]["messages"]] == [
        (side, operation, octets, "complete") for side in ("client", "server")
        for operation, octets in (("send", 500), ("rdma write", 400), ("rdma read", 300))]
    assert result["fc_ae_rdma"]["messages"] == []


@pytest.mark.parametrize("carrier", CARRIERS)
def test_memory_over_every_carrier(tmp_path, carrier):
    capture = tmp_path / "carried.pcap"
    run([BUILD / "bin/carry_fc", recorded("fc_ae_rdma/login_read_write"), capture, carrier])
    result = analyze(capture)
    assert result["findings"] == []
    write, read = result["fc_ae_rdma"]["messages"]
    assert (write["operation"], write["bytes"], write["status_name"]) == ("write", 400, "GOOD")
    assert (read["operation"], read["bytes"], read["state"]) == ("read", 150, "complete")
    (region,) = result["fc_ae_rdma"]["regions"]
    base = write["base_address"]
    assert read["base_address"] == base + 50 and read["region"] == write["region"] == region["id"]
    assert (region["written"], region["read"]) == ([[base, base + 400]], [[base + 50, base + 200]])
    assert result["fcvi"]["connections"] == []


# ---- what is not theirs ----

@pytest.mark.parametrize("name", ["fcoe_vn2vn"])
def test_ordinary_fcp_is_left_alone(name):
    result = analyze(sample(name))
    assert result["fc"]["exchanges"]
    assert result["findings"] == []
    assert result["fcvi"]["connections"] == result["fcvi"]["messages"] == []
    assert result["fc_ae_rdma"]["messages"] == result["fc_ae_rdma"]["regions"] == []
    text = summary(sample(name))
    assert "FC-VI" not in text and "FC-AE-RDMA" not in text


def test_protocol_option():
    capture = recorded("fcvi/reliable_reception_iso")
    only = analyze(capture, "--protocol", "fcvi")
    assert "fcvi" in only and not {"fc", "fc_ae_rdma", "smcr", "rdma_cm"} & set(only)
    assert only["fcvi"]["connections"] == analyze(capture)["fcvi"]["connections"]
    assert "fcvi" not in analyze(capture, "--protocol", "fc,fc-ae-rdma")


# ---- for people ----

def test_summary_of_a_connection():
    text = summary(recorded("fcvi/reliable_reception_iso"))
    assert "FC-VI: 1 connection (1 connected), 6 Messages (6 complete)" in text
    assert "Reliable Reception" in text and "closed" in text
    assert "fcvi-1 client" in text and "fcvi-1 server" in text


def test_summary_says_who_refused():
    text = summary(recorded("fcvi/setup_refused_iso"))
    assert "! fcvi-1: the connection was refused by the server: Connect Reject [FCVI-O-rejected]" in text


def test_summary_of_memory():
    text = summary(recorded("fc_ae_rdma/login_read_write"))
    assert "FC-AE-RDMA: 2 messages (2 complete), 1 memory region" in text
    assert "fc-ae-rdma-region-1" in text
    text = summary(recorded("fc_ae_rdma/status_write_protect_error"))
    assert "ended with WRITE PROTECT ERROR" in text


# ---- tables ----

@pytest.mark.parametrize("name", ["fcvi/reliable_reception_iso", "fcvi/setup_refused_rev10",
                                  "fc_ae_rdma/login_read_write", "fc_ae_rdma/status_buffer_overrun"])
def test_tables_hold_what_json_does(tmp_path, name):
    database = tmp_path / "out.db"
    fabricscope("analyze", recorded(name), "--sqlite", database, "--csv", tmp_path / "csv")
    result = analyze(recorded(name))
    with sqlite3.connect(database) as db:
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        for table, things in (("fcvi_connections", result["fcvi"]["connections"]),
                              ("fcvi_messages", result["fcvi"]["messages"]),
                              ("fc_ae_rdma_messages", result["fc_ae_rdma"]["messages"]),
                              ("fc_ae_rdma_regions", result["fc_ae_rdma"]["regions"])):
            cursor = db.execute(f"SELECT * FROM {table} ORDER BY rowid")
            columns = [column[0] for column in cursor.description]
            rows = [dict(zip(columns, row)) for row in cursor]
            assert [row["id"] for row in rows] == [thing["id"] for thing in things]
            for row, thing in zip(rows, things):
                for key in set(row) & set(thing):
                    assert row[key] == thing[key], (table, key)
            with open(tmp_path / "csv" / f"{table}.csv", newline="") as file:
                assert [row["id"] for row in csv.DictReader(file)] == [thing["id"] for thing in things]
        ranges = sum(len(region[kind]) for region in result["fc_ae_rdma"]["regions"] for kind in ("read", "written"))
        assert db.execute("SELECT count(*) FROM fc_ae_rdma_ranges").fetchone() == (ranges,)


def test_views_answer_their_questions(tmp_path):
    def ask(name, view):
        database = tmp_path / "view.db"
        database.unlink(missing_ok=True)
        fabricscope("analyze", recorded(name), "--sqlite", database)
        with sqlite3.connect(database) as db:
            db.row_factory = sqlite3.Row
            return [dict(row) for row in db.execute(f"SELECT * FROM {view}")]

    (refusal,) = ask("fcvi/setup_refused_iso", "fcvi_refusals")
    assert (refusal["reject_by"], refusal["reject_name"], refusal["example"]) == ("server", "Connect Reject", "fcvi-1")
    traffic = ask("fcvi/reliable_reception_iso", "fcvi_traffic")
    assert {(row["direction"], row["bytes"]) for row in traffic} == {
        ("client_to_server", 1200), ("server_to_client", 1200)}
    assert len(ask("fcvi/reliable_reception_iso", "fcvi_slowest_messages")) == 6
    assert ask("fcvi/reliable_reception_iso", "fcvi_troubled_messages") == []
    (status,) = ask("fc_ae_rdma/status_buffer_overrun", "fc_ae_rdma_statuses")
    assert (status["status_name"], status["messages"], status["bytes"]) == ("BUFFER OVERRUN", 1, 0)
    memory = ask("fc_ae_rdma/login_read_write", "fc_ae_rdma_memory")
    assert {(row["kind"], row["octets"]) for row in memory} == {("read", 150), ("written", 400)}


# ---- ladders ----

def rungs(text):
    return [line for line in text.splitlines() if line.count("│") == 2 or line.count("|") == 2]


def test_ladder_of_a_connection():
    text = fabricscope("timeline", recorded("fcvi/reliable_reception_iso"), "--connection", "fcvi-1", status=(0,)).decode()
    lines = rungs(text)
    names = ["CONNECT_RQST", "CONNECT_RESP1", "CONNECT_RESP2", "CONNECT_RESP3", "SEND_RQST 1: 500 bytes", "SEND_RESP 1",
             "WRITE_RQST 2: 400 bytes", "WRITE_RESP 2", "READ_RQST 3", "READ_RESP 3: 300 bytes"]
    assert [name for name, line in zip(names, lines) if f"FCVI_{name}" not in line] == []
    assert "▶" in lines[4] and "◀" in lines[5]
    assert "DISCONNECT_RQST" in lines[-4] and "DISCONNECT_RESP" in lines[-1]


def test_ladder_shows_the_abort():
    capture = next(row for row in samples() if "aborted" in row["result"])["captures"][0]
    assert "ABTS of Exchange" in fabricscope("timeline", capture, "--connection", "fcvi-1", status=(0,)).decode()


def test_ladder_of_a_message_and_of_its_exchange():
    capture = recorded("fc_ae_rdma/several_sequences")
    text = fabricscope("timeline", capture, "--connection", "fc-ae-rdma-1", status=(0,)).decode()
    assert "Initiator 01.02.03" in text and "Target 04.05.06" in text
    assert "FCP_CMND: read of 1,200 bytes" in text and "FCP_RSP: GOOD" in text
    assert sum("FCP_DATA: 400 bytes in 2 frames" in line for line in rungs(text)) == 3
    exchange = next(x["id"] for x in analyze(capture)["fc"]["exchanges"] if x["kind"] == "FCP")
    text = fabricscope("timeline", capture, "--connection", exchange, status=(0,)).decode()
    assert f"Exchange {exchange} of FCP" in text and len(rungs(text)) == 5


@pytest.mark.parametrize("name, session", [("fcvi/reliable_reception_iso", "fcvi-1"),
                                           ("fc_ae_rdma/login_read_write", "fc-ae-rdma-1")])
def test_pictures(tmp_path, name, session):
    fabricscope("timeline", recorded(name), "--connection", session, "--svg", tmp_path / "a.svg", "--png",
                tmp_path / "a.png", status=(0,))
    assert session in (tmp_path / "a.svg").read_text()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_ladder_wrong_usage():
    capture = recorded("fcvi/reliable_reception_iso")
    fabricscope("timeline", capture, "--connection", "fcvi-2", status=(2,))
    fabricscope("timeline", capture, "--connection", "fc-ae-rdma-1", status=(2,))
    fabricscope("timeline", capture, "--connection", "fc-ae-rdma-region-1", status=(2,))


# ---- streams ----

@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("side", ["client", "server"])
def test_stream_of_a_connection(version, side):
    capture = recorded(f"fcvi/reliable_reception_{version}")
    octets = fabricscope("stream", capture, "--connection", "fcvi-1", "--from", side, status=(0,))
    # Its Send and its Write, and its answer to the peer's Read; the server's own Messages come later.
    parts = [500, 400, 300] if side == "client" else [300, 500, 400]
    assert octets == b"".join(message_data(part) for part in parts)


def test_stream_of_memory():
    capture = recorded("fc_ae_rdma/login_read_write")
    write = analyze(capture)["fc_ae_rdma"]["messages"][0]
    message = fabricscope("stream", capture, "--connection", "fc-ae-rdma-1", "--from", "client", status=(0,))
    assert message == message_data(400)
    region = fabricscope("stream", capture, "--connection", "fc-ae-rdma-region-1", "--from", "client", status=(0,))
    assert region == bytes(write["base_address"]) + message_data(400)
    read = fabricscope("stream", capture, "--connection", "fc-ae-rdma-2", "--from", "server", status=(0,))
    assert read == message_data(150)
    assert fabricscope("stream", capture, "--connection", "fc-ae-rdma-2", "--from", "client", status=(0,)) == b""


def test_stream_tells_of_holes():
    command = [BUILD / "bin/fabricscope", "stream", recorded("fc_ae_rdma/missing_frame"), "--connection", "fc-ae-rdma-1",
               "--from", "server"]
    done = subprocess.run(command, capture_output=True)
    data = message_data(1000)
    assert done.returncode == 3
    assert done.stdout == data[:256] + bytes(256) + data[512:]
    assert b"256 bytes at position 256 were not captured; zeros stand in for them" in done.stderr


def test_stream_wrong_usage():
    capture = recorded("fcvi/reliable_reception_iso")
    for session in ("fcvi-2", "xchg-1", "fc-ae-rdma-1", "fc-ae-rdma-region-1", "nonsense"):
        fabricscope("stream", capture, "--connection", session, "--from", "client", status=(2,))


# ---- findings ----

def test_a_finding_in_every_output(tmp_path):
    cases = rule_cases(tmp_path / "cases")
    for rules, prefix in ((("FCVI-", "VI-"), "fcvi-"), (("AERDMA-",), "fc-ae-rdma-")):
        mine = [case for case in cases if case["name"].startswith(rules) and not case["options"]]
        results = [(case, analyze(case["capture"])["findings"]) for case in mine]
        case, findings = next((case, found) for case, found in results if found[0]["session"])
        capture, rule = case["capture"], case["findings"][0]
        assert [finding["rule"] for finding in findings] == case["findings"]
        assert findings[0]["session"].startswith(prefix) and findings[0]["clause"]
        assert rule in summary(capture)
        copy = tmp_path / f"{rule}.pcapng"
        fabricscope("analyze", capture, "--annotate", copy)
        assert rule.encode() in copy.read_bytes()
        assert analyze(capture, "--rule", "SMCR-R02")["findings"] == []


def test_annex_a_is_asked_for_only_on_demand():
    capture = recorded("fc_ae_rdma/login_read_write")
    assert analyze(capture)["findings"] == []
    strict = analyze(capture, "--profile", "fc-ae-rdma-annex-a")
    assert strict["profile"] == "fc-ae-rdma-annex-a"
    rules = {rule["id"]: rule for rule in json.loads(fabricscope("rules", "--json"))}
    broken = {finding["rule"] for finding in strict["findings"]}
    assert "AERDMA-24" in broken, "R_A_TOV is 10 s, E_D_TOV 2 s"
    assert all(rules[rule]["only_in"] == "fc-ae-rdma-annex-a" for rule in broken)
    assert not {result["rule"] for result in analyze(capture)["rules"]} & broken
