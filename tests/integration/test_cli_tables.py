# SPDX-License-Identifier: GPL-2.0-or-later
"""`analyze --csv` and `--sqlite` say what `--json` says, and never take the place of somebody else's file."""

import csv
import json
import sqlite3

import jsonschema
import pytest

from harness import ROOT, analyze, attempt, fabricscope, sample, samples
from probe import EYE_CATCHER, Capture, proposal

ECHO = sample("smcr_v2_echo")
SMCR, CM = samples("smcr_*"), samples("rdmacm_*")
NUMBERS = {"text": str, "integer": int, "real": (int, float), "boolean": bool}


def flat(record, prefix=""):
    """Members of members with joined names; lists are left out."""
    result = {}
    for name, value in record.items():
        if isinstance(value, dict):
            result.update(flat(value, f"{prefix}{name}_"))
        elif not isinstance(value, list):
            result[prefix + name] = value
    return result


def tables_of_json(result):
    """The rows that the tables ought to have, worked out from the JSON."""
    rows = {name: [] for name in TABLES}
    capture, groups, connections = result["capture"], result["smcr"]["link_groups"], result["smcr"]["connections"]
    limits = {**flat(result["smcr"]), **flat(result["rdma_cm"], "rdma_cm_"), **flat(result["fc"], "fc_"),
              **flat(result["fcvi"], "fcvi_"), **flat(result["fc_ae_rdma"], "fc_ae_rdma_"),
              **flat(result["rdma"], "rdma_")}
    rows["capture"].append({"schema": result["schema"], **flat(capture), **limits, "profile": result["profile"]})
    rows["files"] = [{"position": i, "file": name} for i, name in enumerate(capture["files"])]
    rows["errors"] = [{"position": i, "error": text} for i, text in enumerate(capture["errors"])]
    rows["warnings"] = [{"position": i, "warning": text} for i, text in enumerate(capture["warnings"])]
    rows["not_decoded"] = capture["not_decoded"]
    rows["rules"] = json.loads(fabricscope("rules", "--json"))
    rows["rule_results"] = result["rules"]
    for group in groups:
        rows["link_groups"].append(flat(group))
        for name in ("links", "rmbs", "llc_exchanges"):
            rows[name] += [{"link_group": group["id"], "position": i, **flat(each)} for i, each in enumerate(group[name])]
        for i, rmb in enumerate(group["rmbs"]):
            rows["rtokens"] += [{"link_group": group["id"], "rmb": i, "position": k, **token} for k, token in enumerate(rmb["rtokens"])]
    for connection in connections:
        for name in ("client_to_server", "server_to_client"):
            direction = connection.pop(name)
            key = {"connection": connection["id"], "direction": name}
            rows["directions"].append({**key, **flat(direction)})
            rows["cursor_samples"] += [
                {**key, "position": i, **dict(zip(("time", "frame", "produced", "consumed", "in_flight"), sample))}
                for i, sample in enumerate(direction["timeline"])]
        rows["connections"].append(flat(connection))
    for connection in result["rdma_cm"]["connections"]:
        for name in ("client_to_server", "server_to_client"):
            rows["cm_directions"].append({"connection": connection["id"], "direction": name, **flat(connection.pop(name))})
        rows["cm_messages"] += [
            {"connection": connection["id"], "position": i, **message} for i, message in enumerate(connection["messages"])]
        rows["cm_connections"].append(flat(connection))
    for stream in result["rdma"]["streams"]:
        for name in ("a_to_b", "b_to_a"):
            rows["rdma_directions"].append({"stream": stream["id"], "direction": name, **flat(stream.pop(name))})
        rows["rdma_streams"].append(flat(stream))
    fibre_channel_tables(result, rows)
    for number, finding in enumerate(result["findings"], 1):
        rows["findings"].append({"id": number, **flat(finding)})
        rows["finding_frames"] += [{"finding": number, "position": i, "frame": frame} for i, frame in enumerate(finding["frames"])]
    for number, observation in enumerate(result["observations"], 1):
        rows["observations"].append({"number": number, **flat(observation)})
        rows["observation_frames"] += [
            {"observation": number, "position": i, "frame": frame} for i, frame in enumerate(observation["frames"])]
    return rows


def fibre_channel_tables(result, rows):
    fc, fcvi, rdma = result["fc"], result["fcvi"], result["fc_ae_rdma"]
    for exchange in fc["exchanges"]:
        rows["fc_exchanges"].append(flat(exchange))
        rows["fc_sequences"] += members("exchange", exchange, "sequences")
    for login in fc["logins"]:
        rows["fc_logins"].append(flat(login))
        rows["fc_process_logins"] += members("login", login, "processes")
    for i, address in enumerate(fc["addresses"]):
        rows["fc_addresses"].append({"position": i, **flat(address)})
        rows["fc_address_ports"] += [{"address": i, "position": k, "port": port} for k, port in enumerate(address["ports"])]
    for connection in fcvi["connections"]:
        for name in ("client_to_server", "server_to_client"):
            rows["fcvi_directions"].append({"connection": connection["id"], "direction": name, **flat(connection.pop(name))})
        rows["fcvi_connections"].append(flat(connection))
        rows["fcvi_setups"] += members("connection", connection, "setups")
        rows["fcvi_disconnects"] += members("connection", connection, "disconnects")
    rows["fcvi_messages"] = [flat(message) for message in fcvi["messages"]]
    rows["fc_ae_rdma_messages"] = [flat(message) for message in rdma["messages"]]
    for region in rdma["regions"]:
        rows["fc_ae_rdma_regions"].append(flat(region))
        for kind in ("read", "written"):
            rows["fc_ae_rdma_ranges"] += [
                {"region": region["id"], "kind": kind, "position": i, "begin": begin, "end": end}
                for i, (begin, end) in enumerate(region[kind])]


def members(key, record, name):
    return [{key: record["id"], "position": i, **flat(each)} for i, each in enumerate(record[name])]


def database(*arguments, path):
    fabricscope("analyze", *arguments, "--sqlite", path)
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    return connection


def rows_of(connection, table):
    return [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY rowid")]


def types_of(connection, table):
    return {row["name"]: row["type"].lower() for row in connection.execute(f"PRAGMA table_info({table})")}


def schema():
    """The program's tables, by themselves."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.executescript(fabricscope("tables", "--sql", status=(0,)).decode())
    return connection


def names(connection, kind):
    return [row["name"] for row in connection.execute(f"SELECT name FROM sqlite_master WHERE type = '{kind}' ORDER BY rowid")]


TABLES = names(schema(), "table")
NOT_IN_JSON = {"rdma_operations", "rdma_events"}  # test_cli_rdma.py looks at them


def as_csv(value):
    """A value as a field of CSV shows it."""
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, bool) else value if isinstance(value, str) else repr(value)


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """A capture with a finding in each of two messages."""
    capture = Capture().handshake()
    capture.tcp(True, proposal(trailer=b"\0\0\0\0"))
    capture.tcp(False, EYE_CATCHER + bytes.fromhex("02002810"))
    return capture.save(tmp_path_factory.mktemp("broken") / "broken.pcap")


# ---- contents ------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", SMCR + CM)
def test_tables_hold_what_the_json_holds(name, tmp_path):
    check_tables(sample(name), tmp_path)


@pytest.mark.parametrize("group", ["fcvi", "fc_ae_rdma"])
def test_tables_of_fibre_channel_hold_what_the_json_holds(group, tmp_path):
    for capture in sorted((ROOT / "samples" / group).glob("*.pcap"))[::4]:
        check_tables(capture, tmp_path)
        (tmp_path / "db").unlink()


def test_findings_have_their_frames(broken, tmp_path):
    expected = check_tables(broken, tmp_path)
    assert expected["findings"] and expected["finding_frames"]


def check_tables(capture, folder):
    arguments = [capture, "--cursors"]
    expected = tables_of_json(analyze(*arguments))
    connection = database(*arguments, "--csv", folder / "csv", path=folder / "db")
    assert sorted(path.name for path in (folder / "csv").iterdir()) == sorted(f"{table}.csv" for table in TABLES)
    for table in [table for table in TABLES if table not in NOT_IN_JSON]:
        types = types_of(connection, table)
        # Every member has its column, or is an object that is null, whose members have them.
        for row in expected[table]:
            for member in row.keys() - types.keys():
                assert row[member] is None and any(column.startswith(member + "_") for column in types), (table, member)
        filled = [{column: row.get(column) for column in types} for row in expected[table]]
        assert rows_of(connection, table) == filled, table
        for row in filled:
            for column, value in row.items():
                assert value is None or type(value) is not str or types[column] == "text", (table, column)
                assert value is None or isinstance(value, NUMBERS[types[column]]), (table, column, value)
        with open(folder / "csv" / f"{table}.csv", newline="") as file:
            lines = list(csv.reader(file))
        assert lines[0] == list(types)
        assert [[number_as(types[c], v) for c, v in zip(types, line)] for line in lines[1:]] == [
            [number_as(types[c], as_csv(v)) for c, v in row.items()] for row in filled], table
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    return expected


def number_as(kind, field):
    """1e-06 and 0.000001 are one number."""
    return float(field) if kind == "real" and field else field


def test_every_column_is_filled_by_some_sample(tmp_path):
    """A column that the records do not know would stay empty for ever."""
    unseen = set()
    for table in TABLES:
        unseen |= {(table, column) for column in types_of(schema(), table)}
    captures = [sample(name) for name in [*SMCR, *CM, "fcoe_vn2vn"]]
    for capture in [*captures, *(ROOT / "samples").glob("fc*/*.pcap")]:
        (tmp_path / "db").unlink(missing_ok=True)
        connection = database(capture, "--cursors", path=tmp_path / "db")
        for table in TABLES:
            for column in [column for where, column in unseen if where == table]:
                if connection.execute(f'SELECT 1 FROM {table} WHERE "{column}" IS NOT NULL').fetchone():
                    unseen.discard((table, column))
    unseen = {(table, column) for table, column in unseen if table != "adapter_counters"}  # has an option of its own
    unseen.discard(("rule_results", "why_undecided"))  # the samples decide what they have occasion for
    # No sample has an alternate path, a rejection with additional information, or a rate that InfiniBand knows.
    rare = {"path_packet_rate", "alternate_path", "lap", "apr", "apr_status", "mra", "frames_lap", "frames_apr", "frames_mra", "reject_ari"}
    unseen = {(table, column) for table, column in unseen
              if table != "cm_connections" or not any(column.startswith(prefix) for prefix in rare)}
    # No sample is of a Virtual Fabric, or has a question that the name server rejects, a PRLO, or a BA_RJT.
    unseen = {(table, column) for table, column in unseen if not table.startswith("fc_") or not any(
        word in column for word in ("fabric", "rejected", "logout", "originator_parameters_r_a_tov"))}
    # No sample ends with a NAK after which a queue pair is in error, or is carried by what is not decoded.
    unseen.discard(("rdma_streams", "fatal_nak_frame"))
    assert {table for table, _ in unseen} <= {"errors", "warnings", "findings", "finding_frames", "observation_frames",
                                              "not_decoded"}, unseen


def test_cursor_samples_only_if_asked_for(tmp_path):
    connection = database(ECHO, path=tmp_path / "db")
    assert rows_of(connection, "cursor_samples") == []
    assert rows_of(database(ECHO, "--cursors", path=tmp_path / "db"), "cursor_samples")


def test_csv_is_rfc_4180(tmp_path):
    """A name with everything in it that needs quotes."""
    capture = tmp_path / 'a "quoted", name.pcap'
    capture.write_bytes(ECHO.read_bytes())
    fabricscope("analyze", capture, "--csv", tmp_path / "csv")
    octets = (tmp_path / "csv/files.csv").read_bytes()
    assert octets == b'position,file\r\n0,"' + str(capture).replace('"', '""').encode() + b'"\r\n'


# ---- questions -----------------------------------------------------------------------------------

@pytest.mark.parametrize("name", SMCR + CM)
def test_every_view_can_be_read(name, tmp_path):
    connection = database(sample(name), path=tmp_path / "db")
    for view in names(connection, "view"):
        connection.execute(f"SELECT * FROM {view}").fetchall()


def answers(name, view, tmp_path):
    return rows_of_view(database(sample(name), path=tmp_path / "db"), view)


def rows_of_view(connection, view):
    return [dict(row) for row in connection.execute(f"SELECT * FROM {view}")]


def test_why_connections_fell_back(tmp_path):
    assert answers("smcr_fallback_eid_mismatch", "fallback_reasons", tmp_path) == [
        {"outcome": "fallback", "decline_by": "server", "decline_code": "0x03030000", "decline_name": "no SMC device found",
         "connections": 1, "example": "smcr-1"}]


def test_who_waited_longest(tmp_path):
    rows = answers("smcr_v2_close", "longest_waits", tmp_path)
    waited = [max(row["blocked_total"], row["stalls_total"]) for row in rows]
    assert waited == sorted(waited, reverse=True) and waited[0] > 3


def test_slowest_setups(tmp_path):
    rows = answers("smcr_v2_20conns", "slowest_setups", tmp_path)
    times = [row["syn_to_confirm"] for row in rows]
    assert len(times) == 20 and times == sorted(times, reverse=True)
    steps = ("syn_to_proposal", "proposal_to_accept", "accept_to_confirm")
    assert all(abs(sum(row[step] for step in steps) - row["syn_to_confirm"]) < 1e-8 for row in rows)


def test_links_with_retransmissions(tmp_path):
    (row,) = answers("smcr_v2_lossy", "links_with_retransmissions", tmp_path)
    assert row["share"] == row["retransmissions"] / row["packets"]
    assert answers("smcr_v2_echo", "links_with_retransmissions", tmp_path) == []


def test_connections_per_link_group(tmp_path):
    rows = answers("smcr_v2_asymmetric", "connections_per_link_group", tmp_path)
    assert [(row["link_group"], row["links"], row["connections"]) for row in rows] == [("lg-1", 2, 3), ("lg-2", 2, 1)]


def test_findings_per_rule(broken, tmp_path):
    connection = database(broken, path=tmp_path / "db")
    rows = {row["rule"]: row for row in rows_of_view(connection, "findings_per_rule")}
    assert rows["SMCR-R02"]["severity"] == "error" and rows["SMCR-R02"]["sentence"].startswith("A CLC message")
    frames = [row["frame"] for row in rows_of_view(connection, "findings_by_frame")]
    assert frames == sorted(frames) and 4 in frames


# ---- files ---------------------------------------------------------------------------------------

def refuses(*arguments):
    done = attempt("analyze", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    return done.stderr.decode()


def test_outputs_of_earlier_runs_are_replaced(tmp_path):
    for name in ("smcr_v2_20conns", "smcr_v2_echo"):
        arguments = [sample(name), "--csv", tmp_path / "csv", "--sqlite", tmp_path / "db"]
        assert fabricscope("analyze", *arguments) == b""
    assert len((tmp_path / "csv/connections.csv").read_text().splitlines()) == 2
    assert len(rows_of(sqlite3_rows(tmp_path / "db"), "connections")) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["csv", "db"]


def sqlite3_rows(path):
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    return connection


def test_an_empty_file_is_filled(tmp_path):
    (tmp_path / "db").touch()
    assert rows_of(database(ECHO, path=tmp_path / "db"), "connections")


def test_files_that_are_not_ours_stay(tmp_path):
    capture, foreign, table = tmp_path / "a.pcap", tmp_path / "foreign.db", tmp_path / "connections.csv"
    capture.write_bytes(ECHO.read_bytes())
    sqlite3.connect(foreign).executescript("CREATE TABLE precious (x); INSERT INTO precious VALUES (1);")
    table.write_text("id,what\n1,mine\n")
    for path, arguments in ((capture, ["--sqlite", capture]), (foreign, ["--sqlite", foreign]), (table, ["--csv", tmp_path])):
        before = path.read_bytes()
        assert str(path) in refuses(ECHO, *arguments)
        assert path.read_bytes() == before
    assert "is an input" in refuses(capture, "--sqlite", capture)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pcap", "connections.csv", "foreign.db"]


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    assert "file" in refuses(ECHO, "--csv", tmp_path / "file")
    assert "missing" in refuses(ECHO, "--sqlite", tmp_path / "missing" / "db")


# ---- documents -----------------------------------------------------------------------------------

def test_the_document_is_up_to_date():
    assert (ROOT / "docs/tables.md").read_bytes() == fabricscope("tables", "--markdown", status=(0,))


def test_the_database_has_the_schema_that_is_printed(tmp_path):
    def statements(connection):
        return {row["name"]: row["sql"] for row in connection.execute("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")}
    assert statements(database(ECHO, path=tmp_path / "db")) == statements(schema())


def test_tables_are_listed():
    text = fabricscope("tables", status=(0,)).decode()
    for name in TABLES + names(schema(), "view"):
        assert f"\n{name}: " in "\n" + text


def test_why_rdma_cm_connections_were_rejected(tmp_path):
    (row,) = answers("rdmacm_reject_private_data", "cm_rejections", tmp_path)
    assert (row["reject_by"], row["reject_reason"], row["reject_name"], row["connections"]) == (
        "server", 28, "consumer reject", 2)
    (row,) = answers("rdmacm_req_timeout", "cm_rejections", tmp_path)
    assert (row["outcome"], row["reject_by"], row["example"]) == ("timeout", None, "cm-1")


def test_what_rdma_cm_connections_carried(tmp_path):
    rows = answers("rdmacm_private_data", "cm_traffic", tmp_path)
    assert [(row["direction"], row["bytes"]) for row in rows] == [("client_to_server", 22), ("server_to_client", 22)]
    (row,) = answers("rdmacm_private_data", "cm_slowest_setups", tmp_path)
    assert 0 < row["rep_to_rtu"] < row["req_to_rep"] < 0.1


SCHEMA = json.loads(fabricscope("tables", "--json-schema"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_json_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("folder, options", [("real", []), ("real", ["--cursors"]), ("fcvi", []), ("fc_ae_rdma", [])])
def test_all_json_is_as_the_json_schema_says(folder, options):
    for path in sorted(ROOT.glob(f"samples/{folder}/*.pcap*")):
        problem = jsonschema.exceptions.best_match(VALIDATOR.iter_errors(analyze(path, *options)))
        assert problem is None, f"{path.name}: {problem.json_path}: {problem.message}"


@pytest.mark.parametrize("change", [
    lambda report: report.pop("findings"),
    lambda report: report["capture"].update(frames="78"),
    lambda report: report["smcr"]["connections"][0].update(no_such_member=1),
])
def test_other_json_is_not(change):
    report = analyze(ECHO)
    change(report)
    assert not VALIDATOR.is_valid(report)
