# SPDX-License-Identifier: GPL-2.0-or-later
"""`fabricscope capture` on one end of a wire between two network namespaces, while a recording is sent from the other end.
Needs root."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

from edit import records_of
from harness import BUILD, ROOT, run
from namespaces import REASON, begin_listening, ip, namespaces, wait_until

pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
PROGRAM = BUILD / "bin/fabricscope"
SEND = """
import socket, sys, time
from edit import records_of
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind((sys.argv[1], 0))
for _, _, frame in records_of(sys.argv[2])[1]:
    out.send(frame)
    time.sleep(0.0005)
"""


@pytest.fixture
def wire():
    """Two namespaces and two wires between them: the names of the sender's and the listener's namespace."""
    with namespaces() as (sender, listener):
        for number in range(2):
            ip("link", "add", f"out{number}", "netns", sender, "type", "veth", "peer", "name", f"in{number}", "netns", listener)
            # What the kernel says of itself (IPv6 router solicitations) is not of interest.
            for space, end in ((sender, f"out{number}"), (listener, f"in{number}")):
                subprocess.run(["ip", "netns", "exec", space, "sysctl", "-qw", f"net.ipv6.conf.{end}.disable_ipv6=1"], check=False)
                ip("-n", space, "link", "set", end, "mtu", "9000", "up")
        yield sender, listener


def begin(wire, *options, **files):
    """A capture that sees every frame from now on, or one that has ended of itself."""
    return begin_listening(wire[1], [PROGRAM, "capture", *options], sockets=options.count("-i"), **files)


def send(wire, name, interface="out0"):
    subprocess.run(["ip", "netns", "exec", wire[0], sys.executable, "-c", SEND, interface, name], check=True,
                   env={**os.environ, "PYTHONPATH": str(ROOT / "tests/integration")})


def end(process, signal_number=signal.SIGINT):
    process.send_signal(signal_number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), (err or b"").decode()


def without_times(report):
    """What does not depend on when and where it was captured."""
    (connection,) = report["smcr"]["connections"]
    directions = [{key: connection[way][key] for key in ("bytes_announced", "bytes_written", "bytes_acknowledged", "writes", "cdcs")}
                  for way in ("client_to_server", "server_to_client")]
    return connection["client"], connection["server"], connection["outcome"], connection["close"], directions


def analysed(path):
    return json.loads(run([PROGRAM, "analyze", "--json", "--", path], status=(0, 1)))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_like_the_same_from_a_file(wire, tmp_path, number):
    tmp_path.chmod(0o755)
    written = tmp_path / "live.pcapng"
    process = begin(wire, "-i", "in0", "-w", written, "--json")
    send(wire, "smcr_v2_echo")
    status, out, err = end(process, number)
    assert status == 0, err
    recorded = analysed(ROOT / "samples/real/smcr_v2_echo.pcap")
    live = json.loads(out)
    assert live["capture"]["files"] == ["in0"]
    assert live["capture"]["frames"] == recorded["capture"]["frames"]
    assert without_times(live) == without_times(recorded)
    assert without_times(analysed(written)) == without_times(recorded)
    frames = run(["tshark", "-r", written, "-T", "fields", "-e", "frame.interface_name"]).decode().split()
    assert frames == ["in0"] * recorded["capture"]["frames"]


def test_lines_and_summary(wire):
    process = begin(wire, "-i", "in0")
    send(wire, "smcr_v2_echo")
    status, out, err = end(process)
    assert (status, err) == (0, "")
    news, summary = out.split("\n\n", 1)
    assert "smcr-1 SMC-R: 192.0.2.10:" in news
    assert "192.0.2.20:" in summary and "smc-r" in summary.lower()


def test_finding_as_it_happens(wire, tmp_path):
    """The profile without Linux's habits finds something in any traffic of Linux."""
    process = begin(wire, "-i", "in0", "--profile", "rfc7609", "--rule", "SMCR-R01,SMCR-R02,SMCR-R03,SMCR-R04,SMCR-R05")
    send(wire, "smcr_v1_echo")
    _, out, _ = end(process)
    news = out.split("\n\n", 1)[0]
    recorded = json.loads(run([PROGRAM, "analyze", "--json", "--profile", "rfc7609", "--rule",
                               "SMCR-R01,SMCR-R02,SMCR-R03,SMCR-R04,SMCR-R05", "--",
                               ROOT / "samples/real/smcr_v1_echo.pcap"], status=(0, 1)))
    for finding in recorded["findings"]:
        assert f"{finding['rule']} in frame {finding['frames'][-1]}" in news
    assert recorded["findings"], "the test shows nothing"


def test_two_interfaces(wire, tmp_path):
    """A host that speaks TCP on one wire and RoCE on the other."""
    tmp_path.chmod(0o755)
    written = tmp_path / "live.pcapng"
    process = begin(wire, "-i", "in0", "-i", "in1", "-w", written, "--json")
    send(wire, "rdmacm_rping_v4", "out0")
    send(wire, "smcr_v2_echo", "out1")
    status, out, err = end(process)
    assert status == 0, err
    live = json.loads(out)
    assert live["capture"]["files"] == ["in0", "in1"]
    assert [c["outcome"] for c in live["rdma_cm"]["connections"]] == ["connected"]
    assert [c["outcome"] for c in live["smcr"]["connections"]] == ["smc-r"]
    names = run(["tshark", "-r", written, "-T", "fields", "-e", "frame.interface_name"]).decode().split()
    assert names.count("in0") == len(records_of("rdmacm_rping_v4")[1])
    assert names.count("in1") == len(records_of("smcr_v2_echo")[1])


BURST = """
import socket, sys
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind((sys.argv[1], 0))
for number in range(int(sys.argv[2])):
    out.send(bytes(12) + b"\\x08\\x00" + number.to_bytes(1000, "big"))
"""


def test_a_burst_is_kept_as_tcpdump_keeps_it(wire, tmp_path):
    """At top speed, beside tcpdump: several times what a ring with a slot of the snap length for each frame holds."""
    tmp_path.chmod(0o777)
    frames = 5000
    ours, theirs = tmp_path / "ours.pcapng", tmp_path / "theirs.pcap"
    tcpdump = begin_listening(wire[1], ["tcpdump", "-Z", "root", "-U", "-i", "in0", "-w", theirs], stderr=subprocess.DEVNULL)
    process = begin(wire, "-i", "in0", "-w", ours, "--json")
    subprocess.run(["ip", "netns", "exec", wire[0], sys.executable, "-c", BURST, "out0", str(frames)], check=True)
    status, out, err = end(process)
    wait_until(lambda: theirs.stat().st_size >= frames * (16 + 14 + 1000))
    tcpdump.send_signal(signal.SIGINT)
    tcpdump.wait(timeout=30)
    assert status == 0 and "lost" not in err, err
    assert len(records_of(theirs)[1]) == frames
    assert json.loads(out)["capture"]["frames"] == frames
    assert run(["capinfos", "-c", "-M", "-T", "-r", ours]).decode().split()[-1] == str(frames)


def test_what_a_full_buffer_loses_is_told(wire, tmp_path):
    """A capture that stands still loses what its buffer cannot hold; the file says so, and so does whoever reads it."""
    tmp_path.chmod(0o777)
    written = tmp_path / "live.pcapng"
    process = begin(wire, "-i", "in0", "-w", written, "-B", "1", "--json")
    process.send_signal(signal.SIGSTOP)
    subprocess.run(["ip", "netns", "exec", wire[0], sys.executable, "-c", BURST, "out0", "5000"], check=True)
    process.send_signal(signal.SIGCONT)
    _, out, _ = end(process)
    live = json.loads(out)
    kept = live["capture"]["frames"]
    told = [o["text"] for o in live["observations"] if o["id"] == "CAPTURE-O-dropped"]
    assert kept < 5000 and [text.split(" lost")[0] for text in told] == [f"in0: {5000 - kept:,} frames"]
    read = [o["text"] for o in analysed(written)["observations"] if o["id"] == "CAPTURE-O-dropped"]
    assert read == [told[0].replace("in0", f"{written}, interface 0")]


def test_filter_and_count(wire):
    process = begin(wire, "-i", "in0", "--filter", "udp port 4791", "-c", "7", "--json")
    send(wire, "smcr_v2_echo")
    out, err = process.communicate(timeout=30)  # ends of itself
    assert process.returncode in (0, 1), err
    assert json.loads(out)["capture"]["frames"] == 7


def test_duration(wire):
    process = begin(wire, "-i", "in0", "--duration", "0.2", "--json")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert json.loads(out)["capture"]["frames"] == 0


def test_counts_on_a_terminal(wire):
    terminal, slave = pty.openpty()
    process = begin(wire, "-i", "in0", stderr=slave)
    send(wire, "smcr_v2_echo")
    shown = ""
    while "SMC-R 1, RDMA CM 0" not in shown:
        assert select.select([terminal], [], [], 30)[0], shown
        shown += os.read(terminal, 100_000).decode()
    status, out, _ = end(process)
    assert status == 0 and "\x1b" not in out
    assert os.read(terminal, 100_000).decode().endswith("\r\x1b[K")
    os.close(slave)


@pytest.mark.parametrize("options, status, words", [
    (["-i", "nosuch0"], 3, "nosuch0: there is no such interface"),
    (["-i", "in0", "--filter", "no such filter"], 2, "filter"),
    ([], 2, "-D"),
])
def test_what_cannot_be_done(wire, options, status, words):
    process = begin(wire, *options)
    _, err = process.communicate(timeout=30)
    assert process.returncode == status and words in err.decode()


def test_a_capture_of_others_is_not_overwritten(wire, tmp_path):
    other = tmp_path / "other.pcap"
    content = (ROOT / "samples/real/smcr_v2_echo.pcap").read_bytes()
    other.write_bytes(content)
    process = begin(wire, "-i", "in0", "-w", other)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2 and other.read_bytes() == content, err


def test_interface_that_goes_away(wire):
    process = begin(wire, "-i", "in0", "--json")
    send(wire, "smcr_v2_echo")
    ip("-n", wire[1], "link", "del", "in0")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3 and b"in0" in err
    assert json.loads(out)["smcr"]["connections"], "what was captured before is reported"


def test_list():
    assert b"lo" in run([PROGRAM, "capture", "-D"])
