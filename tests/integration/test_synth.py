# SPDX-License-Identifier: GPL-2.0-or-later
"""What fabricscope synth makes holds against everything else: analyze, Wireshark, and itself."""

import json
import re
import subprocess

import pytest

from edit import edited, patch
from harness import BUILD, ROOT, analyze, fabricscope, fields, frames_of_all, run, sample, tshark

SCENARIOS = sorted(path.stem for path in (ROOT / "samples/scenarios").glob("*.scenario"))
RULES = {rule["id"] for rule in json.loads(fabricscope("rules", "--json", status=(0,)))}


def words(name, keyword):
    text = (ROOT / f"samples/scenarios/{name}.scenario").read_text()
    return " ".join(re.findall(rf"^{keyword} +(.*)$", text, re.MULTILINE)).split()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The capture of each scenario, and what its endpoints said."""
    folder = tmp_path_factory.mktemp("synth")
    result = {}
    for name in SCENARIOS:
        capture = folder / f"{name}.pcapng"
        result[name] = capture, fabricscope("synth", name, "-o", capture, status=(0,)).decode()
    return result


def test_list_names_all():
    listed = fabricscope("synth", "--list", status=(0,)).decode().splitlines()
    assert [line.split()[0] for line in listed] == SCENARIOS
    assert all(len(line.split()) > 3 for line in listed), "each has a title"


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_same_octets_every_time(name, made):
    """By name into a file, and by path to standard output."""
    capture, _ = made[name]
    assert fabricscope("synth", ROOT / f"samples/scenarios/{name}.scenario") == capture.read_bytes()


@pytest.mark.parametrize("name", SCENARIOS)
def test_analyze_finds_what_is_meant_and_nothing_else(name, made):
    capture, _ = made[name]
    result = json.loads(fabricscope("analyze", "--json", capture, status=(0, 1)))
    assert {finding["rule"] for finding in result["findings"]} == set(words(name, "finds")) & RULES
    assert result["capture"]["undecoded_frames"] == result["capture"]["truncated_frames"] == 0
    assert result["capture"]["frames"] > 0


def test_wireshark_finds_nothing_malformed(made, tmp_path):
    malformed = "_ws.malformed or tcp.checksum.status == 0 or ip.checksum.status == 0 or udp.checksum.status == 0"
    checked = [("tcp.check_checksum", "TRUE"), ("ip.check_checksum", "TRUE")]
    wrong = edited("smcr_v2_echo", tmp_path / "wrong.pcap", patch(4, 24, b"\x12\x34"))  # the checksum of its IP header
    *shown, noticed = frames_of_all([*(made[name][0] for name in SCENARIOS), wrong], malformed, checked)
    assert [name for name, frames in zip(SCENARIOS, shown) if frames and "corrupt" not in name] == []
    assert noticed == [4]


def test_the_kept_captures_are_what_the_scenarios_make(made):
    """Those of at most 100 KiB; ./dev samples makes them anew."""
    kept = {path.stem: path.read_bytes() for path in (ROOT / "samples/synth").iterdir()}
    small = {name: capture.read_bytes() for name, (capture, _) in made.items() if capture.stat().st_size <= 100 * 1024}
    assert sorted(kept) == sorted(small)
    assert [name for name in kept if kept[name] != small[name]] == []


def accounts(text):
    """sent and received octets of each side, all connections together."""
    total = {"client": [0, 0], "server": [0, 0]}
    for side, sent, received in re.findall(r"^(\w+): .*sent \d+ messages, (\d+) bytes; received \d+ messages, (\d+)", text, re.M):
        total[side][0] += int(sent)
        total[side][1] += int(received)
    return total


CONNECTIONS = [name for name in SCENARIOS if name.startswith(("rdma_cm_", "rc_"))]
IN_VAIN = {"rc_remote_access_error", "rc_remote_operational_error", "rc_invalid_request", "rc_never_ready", "rc_retry_exceeded"}


@pytest.mark.parametrize("name", CONNECTIONS)
def test_account_of_rdma_cm(name, made):
    """analyze and the endpoints agree about outcome and octets."""
    capture, text = made[name]
    connections = json.loads(fabricscope("analyze", "--json", capture, status=(0, 1)))["rdma_cm"]["connections"]
    said = re.findall(r"^client: ([\w ]+?)(?: \(reason (\d+)\))?;", text, re.MULTILINE)
    assert len(said) == len(connections)
    for (outcome, reason), connection in zip(said, connections):
        expected = outcome if outcome in ("rejected", "timeout") else "rejected" if outcome == "refused" else "connected"
        assert connection["outcome"] == expected
        if reason:
            assert connection["reject"]["reason"] == int(reason)
    assert "not what was sent" not in text
    if name in IN_VAIN:
        return  # what was sent in vain is seen all the same
    total = accounts(text)
    for side, direction in (("client", "client_to_server"), ("server", "server_to_client")):
        other = "server" if side == "client" else "client"
        # Nobody knows of a connection without any packets whether they were captured.
        seen = sum(connection[direction]["bytes"] for connection in connections if connection[direction])
        assert seen == max(total[side][0], total[other][1])


def test_scenarios_of_ones_own_and_their_errors(tmp_path):
    scenario = tmp_path / "mine.scenario"
    scenario.write_text("protocol rdma-cm\nlisten porto=1\n")
    done = subprocess.run([BUILD / "bin/fabricscope", "synth", scenario], capture_output=True)
    assert done.returncode == 3 and b"line 2: listen: porto" in done.stderr and done.stdout == b""
    done = subprocess.run([BUILD / "bin/fabricscope", "synth", tmp_path / "none"], capture_output=True)
    assert done.returncode == 2 and b"--list" in done.stderr


def test_another_seed_is_another_run():
    assert fabricscope("synth", "rdma_cm_connect", "--seed", "92") == fabricscope("synth", "rdma_cm_connect", "--seed", "92")
    assert fabricscope("synth", "rdma_cm_connect", "--seed", "92") != fabricscope("synth", "rdma_cm_connect", "--seed", "93")
    assert fabricscope("synth", "rdma_cm_connect", "--seed", words("rdma_cm_connect", "seed")[0]) == fabricscope("synth", "rdma_cm_connect")
    fabricscope("synth", "rdma_cm_connect", "--seed", "0", status=(2,))


@pytest.mark.parametrize("old, name", [("rdmacm_connect", "rdma_cm_connect"), ("fcaerdma_status", "fc_ae_rdma_status")])
def test_names_that_scenarios_had_before(old, name):
    assert fabricscope("synth", old) == fabricscope("synth", name)


def test_only_its_own_captures_are_replaced(tmp_path):
    mine, other = tmp_path / "mine.pcapng", tmp_path / "other"
    for _ in range(2):
        fabricscope("synth", "rdma_cm_connect", "-o", mine, status=(0,))
    other.write_text("precious")
    fabricscope("synth", "rdma_cm_connect", "-o", other, status=(2,))
    assert other.read_text() == "precious"


def test_interface_and_comments(made):
    capture, _ = made["rdma_cm_connect"]
    info = run(["capinfos", "-F", "-I", "-S", capture]).decode()
    assert "client, 192.0.2.10" in info and "eth0" in info
    comments = run(["tshark", "-r", capture, "-T", "fields", "-e", "frame.comment"]).decode().splitlines()
    assert comments[0] == "asks for a connection" and "accepts the connection" in comments


# ---- SMC-R ---------------------------------------------------------------------------------------

SMCR = [name for name in SCENARIOS if name.startswith("smcr_")]


def expert_errors(capture):
    return tshark("-r", capture, "-Y", "_ws.expert.severity == error and smcr")


@pytest.mark.parametrize("name", SMCR)
def test_the_plugin_has_no_complaint(name, made):
    capture, _ = made[name]
    if not words(name, "finds"):
        assert expert_errors(capture) == ""


@pytest.mark.parametrize("name", SMCR)
def test_account_of_smcr(name, made):
    """analyze and the endpoints agree about outcome, octets, wraps and declines."""
    capture, text = made[name]
    connections = json.loads(fabricscope("analyze", "--json", capture, status=(0, 1)))["smcr"]["connections"]
    said = {(side, int(port)): rest for side, port, rest in re.findall(r"^(client|server) (\d+): (.*)$", text, re.M)}
    assert connections and 2 * len(connections) == len(said) or name == "smcr_fallback_plain_client"
    for connection in connections:
        port = int(connection["client"].rpartition(":")[2])
        client, server = said["client", port], said["server", port]
        assert connection["outcome"] == re.match(r"[\w-]+", client)[0] == re.match(r"[\w-]+", server)[0]
        if match := re.search(r"declined by me with (0x\w+)", client + server):
            assert int(connection["decline"]["code"], 16) == int(match[1], 16)
            assert connection["decline"]["by"] == ("client" if "declined by me" in client else "server")
        for direction, sender, receiver in (("client_to_server", client, server), ("server_to_client", server, client)):
            sent, received = (int(re.search(rf"{what} (\d+)", of)[1]) for what, of in (("sent", sender), ("received", receiver)))
            if "last_link" in name:  # what the last link did not carry is lost
                assert connection["close"] == "abnormal" and connection[direction]["bytes_announced"] <= sent
                continue
            if "abort" not in name:
                assert sent == received
            if connection["outcome"] == "smc-r":
                assert connection[direction]["bytes_announced"] == connection[direction]["bytes_written"] == sent
                assert connection[direction]["wraps"] == int(re.search(r"(\d+) wraps", sender)[1])


@pytest.mark.parametrize("name", SMCR)
def test_rfc7609_scenarios_hold_against_the_rfc(name, made):
    """Endpoints of the profile rfc7609 need no excuse."""
    capture, _ = made[name]
    if "rfc7609" in name and not words(name, "finds"):
        assert json.loads(fabricscope("analyze", "--json", "--profile", "rfc7609", capture, status=(0,)))["findings"] == []


MESSAGES = "smcr.clc or (smcr and infiniband and infiniband.bth.opcode != 17)"  # not TCP's own, and no acknowledgments


def story(capture, what=MESSAGES):
    """Who (the client is who sent the first SYN) says what, message by message, as the plugin's column has it."""
    rows = fields(capture, "eth.src", "_ws.col.Info", display_filter=f"tcp.flags.syn == 1 or {what}")
    messages = [[*row["eth.src"], *row["_ws.col.Info"]] for row in rows]
    client = messages[0][0]
    return [(source == client, info) for source, info in messages if "[SYN" not in info]


@pytest.mark.parametrize("name", ["smcr_v2_echo", "smcr_v1_echo"])
def test_an_echo_goes_as_between_two_linux(name, made):
    """Message by message, with cursors and flags; after both have closed the order of DELETE RKEY is a race."""
    real, ours = story(sample(name)), story(made[name][0])
    closed = max(i for i, (_, info) in enumerate(real) if info.endswith("[C]")) + 1
    assert ours[:closed] == real[:closed]
    assert sorted(ours[closed:]) == sorted(real[closed:])


def test_joining_a_link_group_goes_as_between_two_linux(made):
    """Four connections at once: CLC and LLC messages up to the last CONFIRM, in order."""
    control = "smcr.clc or smcr.llc"
    real, ours = story(sample("smcr_v20_k61_echo"), control), story(made["smcr_v2_subsequent"][0], control)
    confirmed = [i for i, (_, info) in enumerate(real) if "CLC CONFIRM" in info][3] + 1
    assert ours[:confirmed] == real[:confirmed]


def told(tmp_path, *statements):
    """The CDC messages of a connection of a scenario; the client's, and the server's."""
    scenario = tmp_path / "told.scenario"
    scenario.write_text("\n".join(["protocol smc-r", *statements]))
    fabricscope("synth", scenario, "-o", tmp_path / "told.pcapng")
    return story(tmp_path / "told.pcapng", "smcr.cdc")


# How the connections of smcr_v2_close end, and statements that let ours end so.
ENDS = {
    "close": ("smcr-1", ["listen", "connect messages=1 octets=500"]),
    "the server has sent all and closes": ("smcr-3", ["listen echo=no messages=1 octets=5000 end=close", "connect end=wait"]),
    "the client is killed while there is more to read": (
        "smcr-7", ["hosts rmbe=16K send-buffer=16K", "listen echo=no messages=1 octets=40000 end=wait",
                   "connect read-from=10ms read-size=2000 read-interval=1s hold=12ms end=abort"]),
    "the server is killed while there is more to read": (
        "smcr-8", ["hosts rmbe=16K send-buffer=16K", "connect messages=1 octets=40000 ping-pong=no end=wait",
                   "listen echo=no read-from=10ms read-size=2000 read-interval=1s hold=12ms end=abort"]),
    "both close with something unread": (
        "smcr-9", ["listen echo=no messages=1 octets=800 read-from=1s hold=20ms end=abort",
                   "connect messages=1 octets=800 ping-pong=no read-from=1s hold=1ms end=abort"]),
}


@pytest.mark.parametrize("how", ENDS)
def test_connections_end_as_between_two_linux(how, tmp_path):
    """Message by message, with cursors and flags."""
    connection, statements = ENDS[how]
    real = [(client, info) for client, info in story(sample("smcr_v2_close"), "smcr.cdc") if f"CDC {connection} " in info]
    assert len(real) > 2
    assert told(tmp_path, *statements) == [(client, info.replace(connection, "smcr-1")) for client, info in real]


def test_urgent_octets_go_as_between_two_linux(tmp_path):
    """The octets before the urgent one, the urgent one, and that it was consumed."""
    ours = told(tmp_path, "listen echo=no", "connect messages=2 octets=15 ping-pong=no pause=400ms urgent-every=1")
    assert ours[:3] == story(sample("smcr_v2_urgent"), "smcr.cdc")[:3]


def test_an_urgent_octet_is_told_once_as_by_linux(tmp_path):
    """Linux ends a connection without P and U, though the peer has not consumed the urgent octet."""
    ours = told(tmp_path, "listen echo=no read-from=1s", "connect messages=1 octets=15 urgent-every=1 ping-pong=no")
    real = [info for client, info in story(sample("smcr_v2_urgent_stall"), "smcr.cdc") if client]
    assert [info for client, info in ours if client][:2] == real[:2]
    assert real[2].endswith("[A]") and ours[2][1].endswith("produced 15 [C]")


def test_a_client_ends_a_link_group_as_linux_does(made):
    """But not what is sent in vain, since nobody is there any more."""
    def deletions(capture):
        return [said for said in story(capture, "smcr.llc.delete_link.reason") if "[Retransmission]" not in said[1]]
    assert deletions(made["smcr_v2_client_deletes_group"][0]) == deletions(sample("smcr_v2_module_unload"))


# Of a real capture and a scenario: the CM messages of the first connection.
CM_STORIES = {
    "rdmacm_reject_no_listener": "rdma_cm_no_listener",
    "rdmacm_reject_private_data": "rdma_cm_consumer_reject",
    "rdmacm_private_data": "rdma_cm_connect",
    "rdmacm_rping_v4": "rdma_cm_connect",
    "rdmacm_rping_v6": "rdma_cm_private_data_ipv6",
    "rdmacm_rocev1_rping": "rdma_cm_roce_v1",
    "rdmacm_udaddy": "rdma_cm_datagrams",
}


def cm_story(capture):
    """Who says what on the first connection; ports (and so the ULP), queue pairs and what applications say are not compared."""
    rows = fields(capture, "eth.src", "_ws.col.Info", display_filter='rdma_ip_cm.connection == "cm-1" and infiniband.mad')
    messages = [[*row["eth.src"], *row["_ws.col.Info"]] for row in rows]
    free = r"\S+ → [^ ,]+|(?<=tcp|udp), (?!QP)[^,]+|, QP \w+|, private data .*"
    return [(source == messages[0][0], re.sub(free, "", info)) for source, info in messages]


@pytest.mark.parametrize("name", CM_STORIES)
def test_communication_management_goes_as_between_two_linux(name, made):
    real, ours = cm_story(sample(name)), cm_story(made[CM_STORIES[name]][0])
    assert real and ours == real


def test_failover_is_told(made):
    """Which connections moved, what was written again, which links there are in the end."""
    group, = (json.loads(fabricscope("analyze", "--json", made["smcr_v2_failover"][0]))["smcr"]["link_groups"])
    assert [(link["number"], link["state"]) for link in group["links"]] == [(1, "active"), (2, "deleted"), (3, "active")]
    infos = [info for _, info in story(made["smcr_v2_failover"][0], "smcr.cdc.flags.failover == 1")]
    assert len(infos) == 4  # two connections, both directions


@pytest.mark.parametrize("name", ["smcr_fallback_eid_mismatch", "smcr_fallback_client_no_rdma", "smcr_fallback_server_no_rdma",
                                  "smcr_fallback_plain_client", "smcr_fallback_plain_server"])
def test_fallback_goes_as_between_two_linux(name, made):
    assert story(made[name][0]) == story(sample(name))


# ---- FC-VI ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in SCENARIOS if re.match(r"fcvi_(send|write|read|connect|pipeline|class_2|rev_1_0)", name)
                                  and "protection" not in name])
def test_account_of_fcvi(name, made):
    """analyze and the applications agree about messages and octets."""
    capture, text = made[name]
    (connection,) = json.loads(fabricscope("analyze", "--json", capture, status=(0,)))["fcvi"]["connections"]
    assert (connection["outcome"], connection["close"]) == ("connected", "closed")
    for side, direction in (("client", "client_to_server"), ("server", "server_to_client")):
        messages, octets = re.search(rf"^{side}: VIP_SUCCESS; sent (\d+) messages, (\d+) bytes", text, re.MULTILINE).groups()
        assert (connection[direction]["messages"], connection[direction]["bytes"]) == (int(messages), int(octets))


@pytest.mark.parametrize("name", ["fcvi_notify", "fcvi_notify_queue"])
def test_how_an_application_hears_is_not_seen(name, made, tmp_path):
    """Handlers are called for every Message, sent and received, and for each receive that comes back; all else is as if it asked."""
    capture, text = made[name]
    asking = tmp_path / "asking.scenario"
    asking.write_text(re.sub(r" notify=\S+", "", (ROOT / f"samples/scenarios/{name}.scenario").read_text()))
    told = fabricscope("synth", asking, "-o", tmp_path / "asking.pcapng", status=(0,)).decode()
    assert (tmp_path / "asking.pcapng").read_bytes() == capture.read_bytes()
    assert re.findall(r", (\d+) notifications", text) == [str(20 + 20 + 64)] * 2
    assert re.sub(r", \d+ notifications", "", text) == told


def test_the_name_service_is_asked(made):
    """By name for the server's address, whatever the case; by address for the client's name."""
    _, text = made["fcvi_name_service"]
    assert re.search(r"^client: VIP_SUCCESS; sent 3 messages", text, re.MULTILINE)
    assert text.rstrip().endswith("asked by alpha.example")
    _, text = made["fcvi_name_unknown"]
    assert [line.split("; ")[0] for line in text.splitlines()] == [
        "client: VIP_ERROR_NAMESERVICE", "client: VIP_SUCCESS", "server: VIP_SUCCESS"]


def test_every_frame_is_in_the_vlan(made):
    capture, _ = made["fcvi_vlan"]
    frames = fields(capture, "vlan.id", "fc.s_id")
    assert frames and all(frame["vlan.id"] == ["1002"] and frame["fc.s_id"] for frame in frames)
    assert any(frame["fc.s_id"] == ["ff.ff.fe"] for frame in frames)


@pytest.mark.parametrize("line,complaint", [
    ("drop message=REQ skip=3", "it never happened: 1 REQ came, and at least one more than are skipped is wanted"),
    ("drop message=REQUEST", "no message has the name REQUEST; there are SYN,"),
    ("finds IPCM-99", "there is no rule IPCM-99; fabricscope rules lists them"),
    ('connect port=2 private="a', "a quotation mark is not closed"),
    ("seed 2", "it is said twice, first in line 2"),
])
def test_mistakes_name_file_and_line(line, complaint, tmp_path):
    scenario, capture = tmp_path / "mistaken.scenario", tmp_path / "none.pcapng"
    scenario.write_text(f"protocol rdma-cm\nseed 1\nlisten port=1\nconnect port=1\n{line}\n")
    said = subprocess.run([BUILD / "bin/fabricscope", "synth", scenario, "-o", capture], capture_output=True, check=False)
    assert said.returncode == 3
    assert f"{scenario}: line 5: {line.split()[0]}: {complaint}" in said.stderr.decode()
    assert not capture.exists()


def test_more_exchanges_than_a_port_has_identifiers(tmp_path):
    scenario, capture = tmp_path / "many.scenario", tmp_path / "many.pcapng"
    scenario.write_text(
        "protocol fc-ae-rdma\nseed 1\nunit lun=0\nread octets=8 count=66000\nend\nlimit time=60s\n")
    fabricscope("synth", scenario, "-o", capture, status=(0,))
    result = analyze(capture)
    assert len(result["fc_ae_rdma"]["messages"]) == 66000
    assert not result["findings"]
