# SPDX-License-Identifier: GPL-2.0-or-later
"""`fabricscope capture` on one end of a wire between two network namespaces, while a recording is sent from the other end.
Needs root."""

import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from edit import records_of
from harness import BUILD, ROOT, fabricscope, open_to_all, run
from namespaces import REASON, begin_listening, ip, namespaces, send_frames, status_of, wait_until

pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))
PROGRAM = BUILD / "bin/fabricscope"


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
    send_frames(wire[0], interface, name, 0.0005)


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
    assert all(re.match(r" *\d+\.\d{3}  ", line) for line in news.splitlines())
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
    tcpdump = begin_listening(wire[1], ["tcpdump", "-Z", "root", "-U", "-B", "32768", "-i", "in0", "-w", theirs], stderr=subprocess.DEVNULL)
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


def test_snapshot_length(wire, tmp_path):
    tmp_path.chmod(0o755)
    written = tmp_path / "cut.pcapng"
    process = begin(wire, "-i", "in0", "-s", "128", "-w", written, "--json")
    send(wire, "smcr_v2_echo")
    status, out, err = end(process)
    assert status == 0, err
    lengths = [[len(frame) for _, _, frame in records_of("smcr_v2_echo")[1]]]
    lengths.append([min(length, 128) for length in lengths[0]])
    told = run(["tshark", "-r", written, "-T", "fields", "-e", "frame.len", "-e", "frame.cap_len"]).decode().split()
    assert [[int(text) for text in told[column::2]] for column in (0, 1)] == lengths
    live, recorded = json.loads(out), analysed(written)
    assert live["capture"]["truncated_frames"] == recorded["capture"]["truncated_frames"] > 0
    assert without_times(live) == without_times(recorded) == without_times(analysed(ROOT / "samples/real/smcr_v2_echo.pcap"))
    assert run(["capinfos", "-l", written]).decode().endswith("128 bytes\n")


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
    (["-i", "in0", "-s", "300000"], 2, "300000 is not between 0 and 262144"),
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


# ---- files around troubles -------------------------------------------------------------------------------


def send_burst(wire, frames):
    subprocess.run(["ip", "netns", "exec", wire[0], sys.executable, "-c", BURST, "out0", str(frames)], check=True)


def frames_of(path):
    """Ethertype and comment of each frame."""
    lines = run(["tshark", "-r", path, "-T", "fields", "-e", "eth.type", "-e", "frame.comment"]).decode().splitlines()
    return [(line.split("\t") + [""])[:2] for line in lines]


def test_frames_around_a_trouble_have_a_file(wire, tmp_path):
    """What was on the wire a second before and after it is too far away."""
    tmp_path.chmod(0o777)
    folder = tmp_path / "incidents"
    process = begin(wire, "-i", "in0", "--incidents", folder, "--around", "0.3")
    send_burst(wire, 10)
    time.sleep(1)
    send(wire, "rdmacm_reject_no_listener")
    time.sleep(1.5)
    send_burst(wire, 10)
    _, out, err = end(process)
    (path,) = folder.iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}\.\d{3}Z-CM-O-rejected-cm-1\.pcapng", path.name)
    assert f"the frames around it: {path}" in out and err == ""
    frames = frames_of(path)
    assert len(frames) == len(records_of("rdmacm_reject_no_listener")[1])
    assert [comment.split(":")[0] for _, comment in frames if comment] == ["CM-O-rejected"] * 2


def test_frames_before_it_are_there_from_the_beginning(wire, tmp_path):
    tmp_path.chmod(0o777)
    folder, whole = tmp_path / "incidents", tmp_path / "all.pcapng"
    process = begin(wire, "-i", "in0", "--incidents", folder, "-w", whole, "--json")
    send_burst(wire, 10)
    time.sleep(1)
    send(wire, "rdmacm_reject_no_listener")
    end(process)
    (path,) = folder.iterdir()
    assert [ethertype for ethertype, _ in frames_of(path)] == [ethertype for ethertype, _ in frames_of(whole)]


def test_healthy_traffic_leaves_no_file(wire, tmp_path):
    tmp_path.chmod(0o777)
    process = begin(wire, "-i", "in0", "--incidents", tmp_path / "incidents")
    send(wire, "smcr_v2_echo")
    status, _, err = end(process)
    assert (status, err, list((tmp_path / "incidents").iterdir())) == (0, "", [])


def test_no_more_files_than_asked_for(wire, tmp_path):
    tmp_path.chmod(0o777)
    folder = tmp_path / "incidents"
    process = begin(wire, "-i", "in0", "--incidents", folder, "--around", "0.05", "--incident-files", "1", "--json")
    send(wire, "rdmacm_reject_no_listener")
    time.sleep(1)
    send(wire, "smcr_fallback_roce_blocked")
    _, _, err = end(process)
    assert len(list(folder.iterdir())) == 1 and "1 files of incidents are there; no more are begun" in err


# ---- counts ----------------------------------------------------------------------------------------------


def metrics_in(path):
    """Value by name and labels."""
    return {(sample.name, *sorted(sample.labels.values())): sample.value
            for family in text_string_to_metric_families(path.read_text()) for sample in family.samples}


def test_counts_for_prometheus(wire, tmp_path):
    tmp_path.chmod(0o777)
    counts = tmp_path / "in0.prom"
    process = begin(wire, "-i", "in0", "--prometheus", counts, "--json")
    send(wire, "rdmacm_reject_no_listener")
    # While it goes on, every five seconds.
    wait_until(lambda: counts.exists() and counts.stat().st_size > 0)
    assert metrics_in(counts)["fabricscope_frames_total",] == len(records_of("rdmacm_reject_no_listener")[1])
    _, out, _ = end(process)
    report, metrics = json.loads(out), metrics_in(counts)
    assert metrics["fabricscope_interface_received_frames_total", "in0"] == report["capture"]["frames"]
    assert metrics["fabricscope_interface_dropped_frames_total", "in0"] == 0
    assert metrics["fabricscope_sessions_total", "connection", "rdma-cm"] == len(report["rdma_cm"]["connections"]) == 2
    assert metrics["fabricscope_sessions_total", "connection", "smcr"] == 0
    assert metrics["fabricscope_observations", "CM-O-rejected", "warning"] == 2
    broken = [finding["rule"] for finding in report["findings"]]
    told = {key[1] if key[1] not in ("error", "warning", "note") else key[2]: int(value)
            for key, value in metrics.items() if key[0] == "fabricscope_findings_total"}
    rules = {rule["id"] for rule in json.loads(fabricscope("rules", "--json"))}
    assert {rule: count for rule, count in told.items() if count} == {rule: broken.count(rule) for rule in broken}
    assert set(told) <= rules and len(told) > 100
    assert list(tmp_path.iterdir()) == [counts], "a file that is not whole stays behind"


def test_counts_replace_nothing_else(wire, tmp_path):
    other = tmp_path / "other.prom"
    other.write_text("node_load1 0.5\n")
    process = begin(wire, "-i", "in0", "--prometheus", other)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2 and other.read_text() == "node_load1 0.5\n", err


# ---- as a service ----------------------------------------------------------------------------------------

UNIT = ROOT / "packaging/fabricscope-capture@.service"


def test_systemd_takes_the_unit(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    unit = tmp_path / "fabricscope-capture@lo.service"
    unit.write_text(UNIT.read_text().replace("/usr/bin/fabricscope", str(PROGRAM)))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "fabricscope" not in done.stderr, done.stderr


def test_the_unit_does_what_it_says(wire, tmp_path):
    tmp_path.chmod(0o777)
    (tmp_path / "fabricscope").mkdir()  # StateDirectory=
    (command,) = re.findall(r"^ExecStart=/usr/bin/fabricscope capture (.*)$", UNIT.read_text(), re.MULTILINE)
    process = begin(wire, *shlex.split(command.replace("%i", "in0").replace("%S", str(tmp_path))))
    send(wire, "rdmacm_reject_no_listener")
    status, out, err = end(process, signal.SIGTERM)
    assert status in (0, 1) and "RDMA CM: 2 connections (2 rejected)" in out, err
    assert len(list((tmp_path / "fabricscope/in0").iterdir())) == 1
    assert metrics_in(tmp_path / "fabricscope/in0.prom")["fabricscope_incident_files_total",] == 1


# ---- why nothing is seen ---------------------------------------------------------------------------------


def texts_of(out, kind):
    return [o["text"] for o in json.loads(out)["observations"] if o["id"] == kind]


def wait_for_link(wire, *states):
    """The kernel takes up to a second to say so."""
    words = ["ip", "netns", "exec", wire[1], "cat", "/sys/class/net/in0/operstate"]
    wait_until(lambda: subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip() in states)


@pytest.mark.parametrize("options, reason", [
    ([], ""),
    (["--filter", "udp port 4791"], ': none passed the filter "udp port 4791"'),
])
def test_silence_is_told(wire, options, reason):
    wait_for_link(wire, "up")
    process = begin(wire, "-i", "in0", *options, "--duration", "0.5", "--json")
    out, _ = process.communicate(timeout=30)
    (text,) = texts_of(out, "CAPTURE-O-silent")
    assert re.fullmatch(r"in0: no frame in 0\.\d s" + re.escape(reason), text)


def test_a_link_that_is_down_is_told(wire):
    wait_for_link(wire, "up")
    ip("-n", wire[0], "link", "set", "out0", "down")
    wait_for_link(wire, "down", "lowerlayerdown")
    process = begin(wire, "-i", "in0", "--duration", "0.5", "--json")
    out, _ = process.communicate(timeout=30)
    assert texts_of(out, "CAPTURE-O-silent")[0].endswith(": its link is down")


@pytest.fixture
def adapter(tmp_path):
    """What to run before a program, so that it finds an RDMA adapter behind in0."""
    gids = tmp_path / "class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs"
    gids.mkdir(parents=True)
    (gids / "0").write_text("in0\n")
    return ["sh", "-c", f'mount --bind {tmp_path}/class /sys/class && exec "$@"', "sh"]


def test_roce_that_passes_the_interface_by_is_told(wire, adapter):
    for sample, told in (("smcr_v2_echo", 0), (None, 1)):
        process = begin_listening(wire[1], [*adapter, PROGRAM, "capture", "-i", "in0", "--json"])
        if sample:
            send(wire, sample)
        else:
            send_burst(wire, 3)
        _, out, _ = end(process)
        texts = texts_of(out, "CAPTURE-O-offload")
        assert texts == ["in0: no RoCE seen; what RDMA device mlx5_0 sends and receives does not pass the interface"] * told


def test_rdma_devices_are_listed(wire, adapter):
    listed = run(["ip", "netns", "exec", wire[1], *adapter, PROGRAM, "capture", "-D"]).decode()
    assert re.search(r"^ *in0 +does not see the RoCE of RDMA device mlx5_0$", listed, re.MULTILINE)
    assert re.search(r"^ *mlx5_0 +RDMA device of in0", listed, re.MULTILINE)


# ---- privileges ------------------------------------------------------------------------------------------

OF_FILES = 1 << 1 | 1 << 2 | 1 << 3  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER


def rights_of(process):
    """User and permitted capabilities."""
    status = status_of(process)
    return set(status["Uid"].split()), set(status["Gid"].split()), int(status["CapPrm"], 16)


@pytest.mark.parametrize("options, environment, user, capabilities", [
    ([], {}, {"0"}, OF_FILES),
    ([], {"SUDO_UID": "65534", "SUDO_GID": "65534"}, {"65534"}, 0),
    (["-Z", "nobody"], {}, {"65534"}, 0),
    (["-Z", "root"], {"SUDO_UID": "65534", "SUDO_GID": "65534"}, {"0"}, OF_FILES)])
def test_what_is_left_once_interfaces_are_open(wire, tmp_path, options, environment, user, capabilities):
    open_to_all(tmp_path)
    whole = tmp_path / "all.pcapng"
    process = begin(wire, "-i", "in0", "-w", whole, *options, env={**os.environ, **environment})
    wait_until(whole.exists)
    assert rights_of(process) == (user, user, capabilities)
    send(wire, "rdmacm_reject_no_listener")
    _, out, err = end(process)
    assert "RDMA CM: 2 connections (2 rejected)" in out, err
    assert str(whole.stat().st_uid) in user
    assert len(frames_of(whole)) == len(records_of("rdmacm_reject_no_listener")[1])


def test_files_that_the_user_may_not_write(wire, tmp_path):
    tmp_path.chmod(0o755)
    process = begin(wire, "-i", "in0", "-w", tmp_path / "all.pcapng", "-Z", "nobody")
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert err.decode() == (f"fabricscope: cannot write {tmp_path / 'all.pcapng'}: Permission denied"
                            " (as nobody; -Z root writes as root)\n")


def test_a_user_who_is_not_there(wire):
    _, err = (process := begin(wire, "-i", "in0", "-Z", "nemo")).communicate(timeout=30)
    assert process.returncode == 2 and b"there is no user nemo" in err
