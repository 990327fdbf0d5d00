# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection of which the capture shows a late message first: its set-up is unknown, and so is what was not counted;
what can be told of it, program and plugin tell alike."""

import csv
import subprocess

import pytest
from cm_probe import CmCapture, drep, dreq, rej, rep, rtu
from harness import BUILD, ROOT, analyze, fabricscope, fields, followed, run, sample

RPING = "rdmacm_rping_v4"  # frames: 3 REQ, 4 REP, 5 RTU, 6 to 65 data, 66 DREQ, 67 DREP
DATA = "6-65"


@pytest.fixture
def path(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path / "probe.pcap"


def cut(path, *frames):
    run(["editcap", "-r", sample(RPING), path, *frames])
    return path


@pytest.mark.parametrize("message, name, client_sent", [(rep(), "rep", False), (rtu(), "rtu", True), (dreq(), "dreq", None), (drep(), "drep", None)])
def test_a_lone_message_is_a_connection(message, name, client_sent, path):
    capture = CmCapture()
    capture.mad(client_sent is not False, message)
    capture.save(path)
    (c,) = analyze(path)["rdma_cm"]["connections"]
    assert c["began_before"] and c["frames"][name] == 1 and c["req"] is None and c["service_id"] is None
    assert c["roles_known"] is (client_sent is not None)
    assert c["client_to_server"] is None and c["server_to_client"] is None, "nothing is known of them"
    (row,) = fields(path, "rdma_ip_cm.connection", "rdma_ip_cm.began_before")
    assert row == {"rdma_ip_cm.connection": [c["id"]], "rdma_ip_cm.began_before": ["1"]}
    assert "1 began before the capture" in fabricscope("analyze", path).decode()


def test_a_lone_rejection(path):
    capture = CmCapture()
    capture.mad(False, rej(8))
    capture.save(path)
    (c,) = analyze(path)["rdma_cm"]["connections"]
    assert c["began_before"] and c["outcome"] == "rejected" and c["reject"]["by"] == "server"
    (row,) = fields(path, "rdma_ip_cm.connection")
    assert row["rdma_ip_cm.connection"] == [c["id"]]


@pytest.mark.parametrize("frames", [[DATA, "66-67"], [DATA, "66"], ["5", DATA, "66-67"], ["4-5", DATA]])
def test_its_queue_pairs_are_the_stream(frames, path):
    """DREQ names one of the two, as REP does."""
    result = analyze(cut(path, *frames))
    (c,) = result["rdma_cm"]["connections"]
    (stream,) = result["rdma"]["streams"]
    assert c["began_before"] and c["server_qpn"] == 19
    assert stream["session"] == c["id"] and {stream["a_qpn"], stream["b_qpn"]} == {17, 19}
    assert stream["end"] == ("disconnected" if c["dreq"] is not None else "open")


def test_traffic_before_the_first_message_is_the_connection_s(path):
    """Known once DREQ has named a queue pair, and acknowledgments have shown its peer."""
    (c,) = analyze(cut(path, DATA, "66-67"))["rdma_cm"]["connections"]
    rows = fields(path, "rdma_ip_cm.connection", "rdma_ip_cm.from", options=["-2"])
    assert len(rows) == 62 and {tuple(row["rdma_ip_cm.connection"]) for row in rows} == {(c["id"],)}
    assert not fields(path, "frame.number", display_filter="rdma_ip_cm && infiniband.bth.opcode != 100", options=["-2"]), "messages only"


def test_what_was_not_counted_is_not_zero(path):
    (c,) = analyze(cut(path, DATA, "66-67"))["rdma_cm"]["connections"]
    assert c["client_to_server"] is None and c["server_to_client"] is None
    summary = fabricscope("analyze", path).decode()
    assert [line.split()[-5:-1] for line in summary.splitlines() if line.startswith("  cm-1")] == [["?"] * 4]


def test_what_was_counted_is_told(path):
    whole = analyze(sample(RPING))["rdma_cm"]["connections"][0]["client_to_server"]
    (c,) = analyze(cut(path, "4-67"))["rdma_cm"]["connections"]
    assert c["client_to_server"]["packets"] == whole["packets"], "REP names the server's queue pair"
    assert c["server_to_client"] is None, "the client's was in the REQ"


def test_a_set_up_that_lacks_its_accept_is_the_data_s(path):
    """Only this connection has no token that the data could name: it is no other one, which began before."""
    (whole,) = analyze(sample("smcr_v2_echo"))["smcr"]["connections"]
    run(["editcap", sample("smcr_v2_echo"), path, "9"])
    result = analyze(path)
    (c,) = result["smcr"]["connections"]
    assert c["setup_frames"]["accept"] is None and c["close"] == whole["close"]
    for direction in ["client_to_server", "server_to_client"]:
        assert c[direction]["bytes_announced"] == whole[direction]["bytes_announced"] == 500
    assert not [o for o in result["observations"] if o["id"] == "SMCR-O-midstream"]
    assert {row["smcr.connection"][0] for row in fields(path, "smcr.connection") if row["smcr.connection"]} == {c["id"]}


@pytest.mark.parametrize("name, confirm", [("real/smcr_v2_echo.pcap", "11"), ("real/smcr_v1_echo.pcap", "12"), ("synth/smcr_v1_subsequent.pcapng", "73")])
def test_a_set_up_that_lacks_its_confirm_is_the_data_s(name, confirm, path):
    """Whose the server's data are only CONFIRM says; but it must have come before them, and no other connection lacks its own."""
    whole = analyze(ROOT / "samples" / name)["smcr"]["connections"]
    run(["editcap", ROOT / "samples" / name, path, confirm])
    result = analyze(path)
    connections = result["smcr"]["connections"]
    assert [c["id"] for c in connections if c["setup_frames"]["confirm"] is None] != [], "else there is nothing to see"
    assert [(c["id"], c["outcome"], c["close"]) for c in connections] == [(c["id"], c["outcome"], c["close"]) for c in whole]
    for c, before in zip(connections, whole):
        for direction in ["client_to_server", "server_to_client"]:
            for value in ["bytes_announced", "bytes_written", "bytes_acknowledged", "cdcs", "writes"]:
                assert c[direction][value] == before[direction][value], (c["id"], direction, value)
    assert not [o for o in result["observations"] if o["id"] == "SMCR-O-midstream"]
    rows = fields(path, "smcr.connection", "smcr.cdc.sequence")
    assert all(row["smcr.connection"] for row in rows if row["smcr.cdc.sequence"]), "each message is somebody's in Wireshark"


def test_a_set_up_that_lacks_its_confirm_leaves_no_request_unanswered(path):
    run(["editcap", sample("smcr_v2_echo"), path, "11"])
    result = analyze(path)
    assert not [o for o in result["observations"] if o["id"] == "SMCR-O-llc-unanswered"]
    (group,) = result["smcr"]["link_groups"]
    (confirm_link,) = [e for e in group["llc_exchanges"] if e["type"] == "CONFIRM LINK"]
    assert confirm_link["reply_frame"] is not None


def test_a_set_up_that_lacks_its_confirm_is_not_that_of_later_data_behind_a_gap(path):
    """The CONFIRM of one connection and three more are missing: the data behind the gap belong to the last of these."""
    run(["editcap", sample("smcr_v2_close"), path, "239-359"])
    connections = analyze(path)["smcr"]["connections"]
    (lacking,) = [c for c in connections if c["setup_frames"]["confirm"] is None and c["setup_frames"]["accept"] is not None]
    assert lacking["alert_tokens"] == {"client": None, "server": 4}


def test_who_was_not_heard_leaves_no_request_unanswered(path):
    """Both directions of the link group have a name of their own, as nothing tells that they belong together."""
    run(["editcap", "-r", sample("smcr_v2_lgr_rdma_link_delete"), path, "41-193"])
    result = analyze(path)
    assert [g["id"] for g in result["smcr"]["link_groups"]] == ["lg-1", "lg-2"], "else there is nothing to see"
    assert not [o for o in result["observations"] if o["id"] == "SMCR-O-llc-unanswered"]


def filtered(path, what):
    run(["tshark", "-r", sample("smcr_v2_echo"), "-Y", what, "-w", path])
    return analyze(path)


KNOWN_OF_CLC = ("rmbe_size", "rmbe_size_inferred", "from_start")
OF_BOTH = ("peak_in_flight", "stalls")


def test_what_went_over_a_link_that_was_not_captured_is_not_zero(path):
    result = filtered(path, "tcp")
    (c,) = result["smcr"]["connections"]
    for direction in ["client_to_server", "server_to_client"]:
        assert {name for name, value in c[direction].items() if value is not None} == set(KNOWN_OF_CLC)
    assert c["tcp_fin"] == {"client": True, "server": True} and c["tcp_reset"] is False
    (group,) = result["smcr"]["link_groups"]
    assert group["llc_exchange_count"] is None and [rmb["deleted"] for rmb in group["rmbs"]] == [None, None]
    (link,) = group["links"]
    assert (link["packets"], link["retransmissions"], link["naks"], link["state"]) == (0, None, None, None)
    summary = fabricscope("analyze", path).decode()
    (line,) = [line for line in summary.splitlines() if line.startswith("  smcr-1")]
    assert line.split()[-4:-2] == ["?", "?"]
    fabricscope("analyze", path, "--csv", path.parent / "csv")
    with (path.parent / "csv/directions.csv").open(newline="") as rows:
        assert {(row["bytes_written"], row["bytes_announced"], row["closed"]) for row in csv.DictReader(rows)} == {("", "", "")}


def test_how_tcp_ended_is_not_known_without_it(path):
    result = filtered(path, "infiniband")
    (c,) = result["smcr"]["connections"]
    assert c["tcp_fin"] is None and c["tcp_reset"] is None and c["client"] is None
    assert c["client_to_server"]["bytes_announced"] == 500 and c["client_to_server"]["closed"] is True


def test_what_the_other_side_sent_is_not_zero(path):
    """All of TCP, and what the client sent over RoCE."""
    (whole,) = analyze(sample("smcr_v2_echo"))["smcr"]["connections"]
    (c,) = filtered(path, "tcp || ip.src == 192.0.2.10")["smcr"]["connections"]
    forth, back = c["client_to_server"], c["server_to_client"]
    assert forth["bytes_written"] == 500 and forth["bytes_acknowledged"] is None and back["bytes_written"] is None
    assert back["bytes_acknowledged"] == whole["server_to_client"]["bytes_acknowledged"] == 500
    assert all(forth[name] is None and back[name] is None for name in OF_BOTH)


def test_a_service_behind_the_snap_length_has_no_name(path):
    whole = ROOT / "samples/fcvi/reliable_reception_iso.fcoe.pcap"
    run(["editcap", "-s", "52", whole, path])  # up to the frame header's last octet
    kinds = {x["kind"] for x in analyze(path)["fc"]["exchanges"]}
    assert kinds == {None, "FC-VI"} and {"FLOGI", "PLOGI"} <= {x["kind"] for x in analyze(whole)["fc"]["exchanges"]}


# Another connection is set up later, which tells who is the client.
LONG = """title    A connection that lasts, and one that comes later
protocol smc-r
listen
connect  messages=40 octets=1000 pause=10ms hold=50ms
connect  source-port=41000 at=200ms messages=3 octets=100
"""


def begun_before(folder):
    """The whole capture of LONG, and what is left of it from the server's first echo after the 60th frame on."""
    folder.chmod(0o755)
    whole, late = folder / "whole.pcap", folder / "late.pcap"
    (folder / "long.scenario").write_text(LONG)
    fabricscope("synth", folder / "long.scenario", "-o", whole)
    first, *_ = fields(whole, "frame.number", display_filter="frame.number > 60 && infiniband.reth && ip.src == 192.0.2.20")
    run(["editcap", "-r", whole, late, f"{first['frame.number'][0]}-999999"])
    return whole, late


def stream(capture, connection, side):
    return fabricscope("stream", capture, "--connection", connection, "--from", side)


def test_the_client_that_becomes_known_later_has_its_own_bytes(tmp_path):
    whole, late = begun_before(tmp_path)
    [connection, _] = analyze(late)["smcr"]["connections"]
    octets = {side: stream(late, "smcr-1", side) for side in ("client", "server")}
    assert connection["server_to_client"]["bytes_announced"] == len(octets["server"])
    assert connection["client_to_server"]["bytes_announced"] == len(octets["client"]) == len(octets["server"]) - 1000
    for side in octets:
        assert stream(whole, "smcr-1", side).endswith(octets[side])


def test_what_can_be_read_once_only_says_that_other_bytes_were_written(tmp_path):
    _, late = begun_before(tmp_path)
    done = subprocess.run([BUILD / "bin/fabricscope", "stream", "-", "--connection", "smcr-1", "--from", "client"],
                          stdin=late.open("rb"), capture_output=True, check=False)
    assert done.returncode == 3
    assert done.stderr.decode().startswith("fabricscope: smcr-1 from the client turned out to be other bytes than were written: ")


def test_both_halves_of_a_connection_have_streams(tmp_path):
    """They are two connections until a message shows that they belong together."""
    path = tmp_path / "late.pcapng"
    run(["editcap", "-r", sample("smcr_v2_two_links"), path, "962-999999"])
    connection = next(each for each in analyze(path)["smcr"]["connections"] if each["id"] == "smcr-4")
    for side, direction in (("client", "client_to_server"), ("server", "server_to_client")):
        assert len(stream(path, "smcr-4", side)) == connection[direction]["bytes_written"] == 5000


def test_wireshark_learns_whose_frames_were(tmp_path):
    _, late = begun_before(tmp_path)
    wanted = {"192.0.2.10": "client", "192.0.2.20": "server"}
    shown = fields(late, "ip.src", "smcr.from", display_filter="smcr.connection", options=("-2",))
    assert len(shown) > 150
    assert all(frame["smcr.from"] == [wanted[frame["ip.src"][0]]] for frame in shown)
    octets, _ = followed(late, 1, "-2")
    assert octets == {side: stream(late, "smcr-1", side) for side in ("client", "server")}
