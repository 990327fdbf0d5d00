# SPDX-License-Identifier: GPL-2.0-or-later
"""What fabricscope synth makes holds against everything else: analyze, Wireshark, and itself."""

import json
import re
import subprocess

import pytest

from harness import BUILD, ROOT, fabricscope, run

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
def test_the_same_octets_every_time(name, made, tmp_path):
    again = tmp_path / "again.pcapng"
    fabricscope("synth", ROOT / f"samples/scenarios/{name}.scenario", "-o", again)
    capture, _ = made[name]
    assert again.read_bytes() == capture.read_bytes()
    assert fabricscope("synth", name) == capture.read_bytes()


@pytest.mark.parametrize("name", SCENARIOS)
def test_analyze_finds_what_is_meant_and_nothing_else(name, made):
    capture, _ = made[name]
    result = json.loads(fabricscope("analyze", "--json", capture, status=(0, 1)))
    assert {finding["rule"] for finding in result["findings"]} == set(words(name, "finds")) & RULES
    assert result["capture"]["undecoded_frames"] == result["capture"]["truncated_frames"] == 0
    assert result["capture"]["frames"] > 0


@pytest.mark.parametrize("name", SCENARIOS)
def test_wireshark_finds_nothing_malformed(name, made):
    capture, _ = made[name]
    shown = run(
        [BUILD / "with-plugins", "tshark", "-r", capture, "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE",
         "-Y", "_ws.malformed or tcp.checksum.status == 0 or ip.checksum.status == 0 or udp.checksum.status == 0"])
    if "corrupt" not in name:
        assert shown == b""


def accounts(text):
    """sent and received octets of each side, all connections together."""
    total = {"client": [0, 0], "server": [0, 0]}
    for side, sent, received in re.findall(r"^(\w+): .*sent \d+ messages, (\d+) octets; received \d+ messages, (\d+)", text, re.M):
        total[side][0] += int(sent)
        total[side][1] += int(received)
    return total


CONNECTIONS = [name for name in SCENARIOS if name.startswith(("rdmacm_", "rc_"))]


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
    if name in ("rc_remote_access_error", "rc_retry_exceeded"):
        return  # what was sent in vain is seen all the same
    total = accounts(text)
    for side, direction in (("client", "client_to_server"), ("server", "server_to_client")):
        other = "server" if side == "client" else "client"
        seen = sum(connection[direction]["bytes"] for connection in connections)
        assert seen == max(total[side][0], total[other][1])


def test_scenarios_of_ones_own_and_their_errors(tmp_path):
    scenario = tmp_path / "mine.scenario"
    scenario.write_text("protocol rdma-cm\nlisten porto=1\n")
    done = subprocess.run([BUILD / "bin/fabricscope", "synth", scenario], capture_output=True)
    assert done.returncode == 3 and b"line 2: listen: porto" in done.stderr and done.stdout == b""
    done = subprocess.run([BUILD / "bin/fabricscope", "synth", tmp_path / "none"], capture_output=True)
    assert done.returncode == 2 and b"--list" in done.stderr


def test_only_its_own_captures_are_replaced(tmp_path):
    mine, other = tmp_path / "mine.pcapng", tmp_path / "other"
    for _ in range(2):
        fabricscope("synth", "rdmacm_connect", "-o", mine, status=(0,))
    other.write_text("precious")
    fabricscope("synth", "rdmacm_connect", "-o", other, status=(2,))
    assert other.read_text() == "precious"


def test_interface_and_comments(made):
    capture, _ = made["rdmacm_connect"]
    info = run(["capinfos", "-F", "-I", "-S", capture]).decode()
    assert "client, 192.0.2.10" in info and "eth0" in info
    comments = run(["tshark", "-r", capture, "-T", "fields", "-e", "frame.comment"]).decode().splitlines()
    assert comments[0] == "asks for a connection" and "accepts the connection" in comments
