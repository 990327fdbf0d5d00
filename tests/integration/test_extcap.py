# SPDX-License-Identifier: GPL-2.0-or-later
"""The interfaces that fabricscope adds to Wireshark's list, asked as Wireshark asks, and captured from with tshark."""

import os
import re
import stat
import subprocess

import pytest

from harness import BUILD, analyze, fabricscope, home_environment, run, sample

EXTCAP = BUILD / "wireshark-extcap/fabricscope-extcap"
NAMES = ["fabricscope-scenario", "fabricscope-replay", "fabricscope-remote"]


def entries(*arguments):
    """What it says: kind, and values by name."""
    for line in run([EXTCAP, *arguments]).decode().splitlines():
        kind, _, rest = line.partition(" ")
        assert re.fullmatch(r"(\{[^{}]*\})+", rest), line
        yield kind, dict(part.partition("=")[::2] for part in re.findall(r"\{([^{}]*)\}", rest))


def capture(interface, out, *arguments, status=(0,), env=None):
    run([EXTCAP, "--capture", "--extcap-interface", interface, "--fifo", out, *arguments], status=status, env=env)
    return out


def tshark(*arguments):
    """As an ordinary user, with no other programs that capture."""
    environment = {**home_environment(), "WIRESHARK_EXTCAP_DIR": str(EXTCAP.parent)}
    return run([BUILD / "with-plugins", "tshark", *arguments], env=environment).decode()


def test_interfaces_have_names_and_link_types():
    listed = list(entries("--extcap-interfaces", "--extcap-version=4.0"))
    assert listed[0][0] == "extcap" and listed[0][1]["version"]
    assert [values["value"] for kind, values in listed if kind == "interface"][:3] == NAMES
    for name in NAMES:
        (kind, values), = entries("--extcap-interface", name, "--extcap-dlts")
        assert kind == "dlt" and values["number"] == "147"


@pytest.mark.parametrize("name", NAMES)
def test_dialogs_are_well_formed(name):
    arguments = {}
    for kind, values in entries("--extcap-interface", name, "--extcap-config"):
        if kind == "arg":
            assert values["call"].startswith("--") and values["display"] and values["tooltip"]
            assert values["type"] in ("string", "double", "fileselect", "selector")
            arguments[values["number"]] = values
        else:
            assert kind == "value" and arguments[values["arg"]]["type"] == "selector"
    assert [int(number) for number in arguments] == list(range(len(arguments)))


def test_every_scenario_can_be_chosen():
    offered = [(v["value"], v["display"]) for kind, v in entries("--extcap-interface", NAMES[0], "--extcap-config")
               if kind == "value"]
    known = [line.split(maxsplit=1) for line in fabricscope("synth", "--list").decode().splitlines()]
    assert offered == [(name, f"{name}: {title}") for name, title in known] and len(known) > 100


def test_a_scenario_is_what_synth_makes(tmp_path):
    made = tmp_path / "made.pcapng"
    fabricscope("synth", "rc_rnr", "-o", made)
    assert capture(NAMES[0], tmp_path / "out", "--scenario", "rc_rnr").read_bytes() == made.read_bytes()
    assert capture(NAMES[0], tmp_path / "out2", "--scenario=rc_rnr", "--seed=7").read_bytes() != made.read_bytes()


def test_faults_are_played(tmp_path):
    healthy = analyze(capture(NAMES[0], tmp_path / "healthy", "--scenario", "smcr_v2_echo"))
    lossy = analyze(capture(NAMES[0], tmp_path / "lossy", "--scenario", "smcr_v2_echo", "--loss", "5"))
    resent = [sum(link["retransmissions"] for group in capture["smcr"]["link_groups"] for link in group["links"])
              for capture in (healthy, lossy)]
    assert resent[0] == 0 and resent[1] > 0
    lost = analyze(capture(NAMES[0], tmp_path / "lost", "--scenario", "rdma_cm_connect", "--drop", "REP"))
    assert lost["rdma_cm"]["connections"][0]["req_transmissions"] > 1


def test_what_cannot_be_played_is_a_sentence(tmp_path):
    for arguments in (["--scenario", "no_such_scenario"], ["--scenario", "rc_rnr", "--drop", "NO SUCH MESSAGE"]):
        done = subprocess.run(
            [EXTCAP, "--capture", "--extcap-interface", NAMES[0], "--fifo", tmp_path / "out", *arguments],
            capture_output=True, check=False)
        assert done.returncode != 0 and done.stderr.strip()
    done = subprocess.run(
        [EXTCAP, "--capture", "--extcap-interface", NAMES[2], "--fifo", tmp_path / "out"], capture_output=True, check=False)
    assert done.returncode != 0 and b"Host is missing" in done.stderr
    assert subprocess.run([EXTCAP], capture_output=True, check=False).returncode == 2


def test_a_run_is_what_replay_writes(tmp_path):
    recording = sample("rdmacm_rping_v4")
    out = capture(NAMES[1], tmp_path / "out", "--file", recording, "--session", "cm-1", "--play", "client")
    fabricscope("replay", recording, "--session", "cm-1", "--play", "client", "--write", tmp_path / "run.pcapng", status=(0, 1))
    assert out.read_bytes() == (tmp_path / "run.pcapng").read_bytes()
    assert [c["outcome"] for c in analyze(out)["rdma_cm"]["connections"]] == ["connected"]


def test_a_session_is_replayed_as_each_profile_has_it(tmp_path, monkeypatch):
    """The file's name begins as an option does."""
    (tmp_path / "-echo.pcap").write_bytes(sample("smcr_v2_echo").read_bytes())
    monkeypatch.chdir(tmp_path)
    profiles = [v["value"] for kind, v in entries("--extcap-interface", NAMES[1], "--extcap-config")
                if kind == "value" and v["value"] not in ("client", "server")]
    assert len(profiles) == 3
    for profile in profiles:
        out = capture(NAMES[1], tmp_path / f"out{profile}", "--file=-echo.pcap", "--session", "smcr-1", "--play", "client", f"--profile={profile}")
        assert analyze(out)["capture"]["frames"] > 0


def test_the_other_host_is_asked_by_ssh(tmp_path):
    """An ssh that notes what it is asked for, and runs it here."""
    ssh = tmp_path / "ssh"
    ssh.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{tmp_path}/asked\nfor last; do :; done\nexec sh -c "$last"\n')
    there = tmp_path / "there"
    there.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >{tmp_path}/ran\ncat {sample('smcr_v2_echo')}\n")
    for script in (ssh, there):
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    out = capture(
        NAMES[2], tmp_path / "out", "--host", "far.example", "--port", "2222", "--user", "me", "--remote-interface", "it's",
        "--remote-program", there, "--filter", "udp port 4791", env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert out.read_bytes() == sample("smcr_v2_echo").read_bytes()
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[:6] == ["-o", "BatchMode=yes", "-p", "2222", "-l", "me"] and asked[7] == "far.example"
    assert (tmp_path / "ran").read_text().splitlines() == [
        "capture", "-i", "it's", "-w", "-", "--json", "/dev/null", "--filter", "udp port 4791"]


def test_wireshark_lists_them():
    interfaces = tshark("-D")
    for name in NAMES:
        assert name in interfaces


def test_tshark_captures_from_a_scenario():
    lines = tshark("-i", "fabricscope-scenario", "-o", "extcap.fabricscope_scenario.scenario:rdma_cm_connect", "-Y", "rdma_ip_cm")
    assert "ConnectRequest" in lines or "REQ" in lines
