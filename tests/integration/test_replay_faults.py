# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults on the way to a live peer, and peers that do not stand wrong values: two network namespaces joined by a veth pair.
Needs root."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest

from harness import BUILD, ROOT, sample
from namespaces import (
    CLIENT, REASON, SERVER, begin_listening, packet_sockets, send_frames, wait_until, wired_namespaces)

pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

RPING = sample("rdmacm_rping_v4")


@pytest.fixture
def wire():
    with wired_namespaces() as ends:
        yield ends


def begin(namespace, *words):
    command = ["ip", "netns", "exec", namespace, *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def replay(namespace, play, target, *options, capture=RPING, session="cm-1"):
    return begin(namespace, BUILD / "bin/fabricscope", "replay", capture, "--session", session, "--play", play, "--against",
                 target, "--json", *(() if "--timeout" in options else ("--timeout", 5)), *options)


def listens(namespace):
    """Whether UDP port 4791 is bound."""
    return b":4791" in subprocess.run(["ip", "netns", "exec", namespace, "ss", "-Huln"], capture_output=True, check=True).stdout


def end(process, status=(0, 1)):
    out, err = process.communicate(timeout=100)
    assert process.returncode in status, err.decode()
    return json.loads(out) if out and process.returncode != 3 else err.decode()


def through(wire, lines, folder, status=(0, 1), timeout=5):
    """The reports of client and server where the client's frames, or those to it, meet these faults."""
    (client_space, _), (server_space, _) = wire
    faults = folder / "faults"
    faults.write_text(lines)
    server = replay(server_space, "server", f"rocev2://{CLIENT}")
    wait_until(lambda: listens(server_space))
    client = replay(client_space, "client", f"rocev2://{SERVER}", "--faults", faults, "--timeout", timeout)
    return end(client, status), end(server)


def sent(report, name, side):
    return [m for m in report["messages"] if m["name"] == name and m["from"] == side]


def caught_on(wire_file, display_filter, *fields):
    """Rows of fields of the frames that were captured."""
    wanted = [word for field in fields for word in ("-e", field)]
    text = subprocess.run(["tshark", "-r", wire_file, "-Y", display_filter, "-T", "fields", *wanted], capture_output=True, text=True,
                          check=True).stdout
    return [tuple(line.split("\t")) for line in text.splitlines()]


@pytest.mark.parametrize("lines", [
    "duplicate message=REQ", "duplicate message=REP", 'drop message="RC SEND Only" from=client',
    'drop message="RC Acknowledge" from=server', 'delay message="RC SEND Only" from=client by=30ms',
    "fault duplicate=100% what=roce"])
def test_a_sound_peer_stands_it(wire, tmp_path, lines):
    client, server = through(wire, lines + "\n", tmp_path)
    assert (client["result"], server["result"]) == ("same", "same"), (client["differences"], server["differences"])


def test_damaged_frames_are_sent_again(wire, tmp_path):
    """Raw frames, of which the receiver sees the ICRC: the damaged one is dropped."""
    (client_space, client_interface), (server_space, server_interface) = wire
    faults = tmp_path / "faults"
    faults.write_text('corrupt message="RC SEND Only" from=client\n')
    ping = sample("rdmacm_rocev1_rping")
    server = replay(server_space, "server", f"if://{server_interface}", capture=ping)
    wait_until(lambda: packet_sockets(server_space) == 1)
    client = replay(client_space, "client", f"if://{client_interface}", "--faults", faults, capture=ping)
    assert [end(process)["result"] for process in (client, server)] == ["same", "same"]


def test_a_named_host_stands_for_the_recorded_one(wire, tmp_path):
    """if:// with the address of the other end of the wire, which has another one in the recording."""
    (client_space, client_interface), (server_space, server_interface) = wire
    ping = sample("rdmacm_rocev1_rping")
    other = "02:00:00:00:00:07"  # nobody's: the frames go there all the same
    caught = tmp_path / "wire.pcapng"
    sniffer = begin_listening(server_space, [BUILD / "bin/fabricscope", "capture", "-i", server_interface, "-w", caught])
    client = replay(client_space, "client", f"if://{client_interface}/{other}", "--timeout", 1, capture=ping)
    end(client, (1, 4))  # nobody answers
    sniffer.send_signal(signal.SIGTERM)
    sniffer.communicate(timeout=30)
    assert set(caught_on(caught, "eth.type == 0x8915", "eth.dst")) == {(other,)}


def test_nobody_but_the_named_host_is_heard(wire):
    """A frame for the client, of the address that the server has in the recording."""
    (client_space, client_interface), (server_space, server_interface) = wire
    for named, status in (("00:00:5e:00:53:14", 1), ("02:00:00:00:00:07", 4)):
        client = replay(client_space, "client", f"if://{client_interface}/{named}", "--timeout", 1, capture=sample("rdmacm_rocev1_rping"))
        wait_until(lambda: packet_sockets(client_space) == 1)
        send_frames(server_space, server_interface, "rdmacm_rocev1_rping", 0, only=(4,))
        _, err = client.communicate(timeout=30)
        assert (client.returncode, "the peer is silent" in err.decode()) == (status, status == 4)


CLIENT_NAME = "20:00:00:00:5e:00:53:14"
TARGET = {"capture": ROOT / "samples/fc_ae_rdma/class_2.fcoe.pcap", "session": "fc-pair-1"}


def test_a_port_is_known_by_its_login(wire):
    """if:// with a Port_Name: the server learns from the client's PLOGI, which counts, where the client is."""
    (client_space, client_interface), (server_space, server_interface) = wire
    server = replay(server_space, "server", f"if://{server_interface}/{CLIENT_NAME}", **TARGET)
    wait_until(lambda: packet_sockets(server_space) == 1)
    client = replay(client_space, "client", f"if://{client_interface}", **TARGET)
    assert [end(process)["result"] for process in (client, server)] == ["same", "same"]


def test_a_virtual_port_is_known_by_its_beacon(wire, tmp_path):
    """A beacon that Linux sent: after it, and not before, frames go to the port it tells of, and to nobody else."""
    (client_space, client_interface), (server_space, server_interface) = wire
    caught = tmp_path / "wire.pcapng"
    sniffer = begin_listening(server_space, [BUILD / "bin/fabricscope", "capture", "-i", server_interface, "-w", caught])
    client = replay(client_space, "client", f"if://{client_interface}/0x200000005e005314", **TARGET)
    wait_until(lambda: packet_sockets(client_space) == 1)
    time.sleep(1)
    send_frames(server_space, server_interface, "fcoe_vn2vn", 0, only=(6,))
    end(client, (1, 4))  # nobody answers
    sniffer.send_signal(signal.SIGTERM)
    sniffer.communicate(timeout=30)
    rows = caught_on(caught, "fip or fcoe", "eth.type", "eth.dst")
    assert rows[0] == ("0x8914", "01:10:18:01:00:04")
    assert len(rows) > 1 and set(rows[1:]) == {("0x8906", "0e:fd:00:00:53:14")}


def test_nobody_has_the_name(wire, tmp_path):
    """Neither the recorded peer nor anybody else is sent to."""
    (client_space, client_interface), (server_space, server_interface) = wire
    caught = tmp_path / "wire.pcapng"
    sniffer = begin_listening(server_space, [BUILD / "bin/fabricscope", "capture", "-i", server_interface, "-w", caught])
    client = replay(client_space, "client", f"if://{client_interface}/21:00:00:e0:8b:05:05:04", "--timeout", 0.5, **TARGET)
    out, err = client.communicate(timeout=30)
    assert client.returncode == 4 and not out
    assert f"nobody on {client_interface} has said within 0.5 s that it has the Port_Name 21:00:00:e0:8b:05:05:04" in err.decode()
    sniffer.send_signal(signal.SIGTERM)
    sniffer.communicate(timeout=30)
    assert caught_on(caught, "fip or fcoe", "eth.dst") == []


def test_a_cut_wire(wire, tmp_path):
    """The DREQ and all that follows is lost: the client waits for a DREP in vain. What leaves the peer clean goes through."""
    client, server = through(wire, "cut message=DREQ\n", tmp_path, timeout=2)
    assert client["result"] == "differs"
    assert "DREP" in {difference["message"] for difference in client["differences"]}
    assert server["result"] == "same"


def test_a_fault_that_never_was(wire, tmp_path):
    message, _ = through(wire, "drop message=LAP\n", tmp_path, status=(3,))
    assert "it never happened: 0 LAP came" in json.dumps(message)


def test_faults_of_tcp(wire, tmp_path):
    """The first SYN is lost on the way to an SMC-R server."""
    (client_space, client_interface), (server_space, server_interface) = wire
    faults = tmp_path / "faults"
    faults.write_text('drop message=SYN\ndrop message="CLC PROPOSAL"\nduplicate message="LLC CONFIRM LINK"\n')
    own, peer = "192.0.2.110", "192.0.2.120"
    echo = {"capture": sample("smcr_v2_echo"), "session": "smcr-1"}
    server = replay(server_space, "server", f"smc://{own}", "--address", peer, "--interface", server_interface, **echo)
    wait_until(lambda: packet_sockets(server_space))
    client = replay(client_space, "client", f"smc://{peer}", "--address", own, "--interface", client_interface, "--faults",
                    faults, **echo)
    assert [end(process)["result"] for process in (client, server)] == ["same", "same"]


# A device that does not stand a Communication Management message of another length.
FRAGILE = """
import pathlib, socket, sys
dead = pathlib.Path(sys.argv[1])
device = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
device.bind(("", 4791))
while True:
    if len(device.recv(65536)) != 12 + 8 + 256 + 4:
        dead.touch()
"""


def test_mutations_of_a_fragile_peer(wire, tmp_path):
    (client_space, _), (server_space, _) = wire
    dead = tmp_path / "dead"
    device = begin(server_space, sys.executable, "-c", FRAGILE, dead)
    try:
        wait_until(lambda: listens(server_space))
        words = [BUILD / "bin/fabricscope", "mutate", sample("rdmacm_reject_no_listener"), "--session", "cm-1", "--play",
                 "client", "--against", f"rocev2://{SERVER}", "--timeout", "0.1", "--health", f"test ! -e {dead}", "--json"]
        assert "--yes" in end(begin(client_space, *words), (2,)), "nobody was asked"
        found = end(begin(client_space, *words, "--yes", "--runs", 60, "--restart", f"rm {dead}"), (1,))
        assert found["runs"] == 60 and found["ended"] is None
        for death in found["deaths"]:
            (mutation,) = death["mutations"]
            assert re.fullmatch(r"\d+:length=\d+", mutation) and death["minimal"] and death["reproduced"]
        assert not dead.exists()
        # Without a way to bring it up again, the first one ends it; the command that is told does it again.
        first = end(begin(client_space, *words, "--yes", "--runs", 60), (1,))
        assert first["ended"] and len(first["deaths"]) == 1
        dead.unlink()
        command = shlex.split(found["deaths"][0]["command"])
        again = end(begin(client_space, BUILD / "bin/fabricscope", *command[1:], "--json"), (1,))
        assert again["deaths"][0]["mutations"] == found["deaths"][0]["mutations"] and dead.exists()
    finally:
        device.kill()
        device.communicate()


def test_the_command_that_mutate_tells_does_it_again(tmp_path):
    """Of a peer that is well once."""
    shutil.copy(sample("rdmacm_rping_v4"), tmp_path / "a capture.pcap")
    (tmp_path / "well").write_text("#!/bin/sh\n[ \"$1\" = \"it's\" ] && [ ! -e \"$2\" ] && : >\"$2\"\n")
    (tmp_path / "well").chmod(0o755)

    def told(words, run):
        done = subprocess.run([str(BUILD / "bin/fabricscope"), *words, "--json"], cwd=tmp_path, capture_output=True, timeout=200, check=False)
        assert done.returncode == 1, done.stderr.decode()
        (death,) = json.loads(done.stdout)["deaths"]
        assert death["run"] == run
        return death
    options = ["--cursor-base", "4", "--session", "cm-1", "--play", "client", "--against", "emulated", "--profile", "linux", "--timeout", "2",
               "--health", f"./well \"it's\" {tmp_path}/dead", "--yes"]
    first = told(["mutate", "a capture.pcap", *options], 1)
    words = shlex.split(first["command"])
    assert words[:-2 * len(first["mutations"])] == ["fabricscope", "mutate", "a capture.pcap", *options]
    (tmp_path / "dead").unlink()
    assert told(words[1:], 1)["command"] == first["command"]


def test_mutations_of_the_emulated_peer():
    """The emulated stack stays well, whatever it is told."""
    for play in ("client", "server"):
        for name, session in (("rdmacm_rping_v4", "cm-1"), ("smcr_v2_echo", "smcr-1")):
            command = [BUILD / "bin/fabricscope", "mutate", sample(name), "--session", session, "--play", play, "--against",
                       "emulated", "--runs", "15", "--json"]
            done = subprocess.run(list(map(str, command)), capture_output=True, timeout=200, check=False)
            assert done.returncode == 0, done.stderr.decode()
            assert json.loads(done.stdout)["deaths"] == []
