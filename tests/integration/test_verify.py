# SPDX-License-Identifier: GPL-2.0-or-later
"""`fabricscope verify`: the suite of real recordings, what a manifest may say, results for people, programs and CI."""

import json
import subprocess
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from edit import edited, patch
from harness import BUILD, ROOT, analyze, attempt, fabricscope, sample
from namespaces import CLIENT, REASON, SERVER, wired_namespaces

SUITE = ROOT / "samples/suite"
RESPONDER_RESOURCES = 14 + 20 + 8 + 12 + 8 + 48  # of a REP in a RoCEv2 frame; it is frame 4 of rdmacm_rping_v4


def verify(*arguments, status):
    done = attempt("verify", *arguments)
    assert done.returncode == status, done.stderr.decode() + done.stdout.decode()
    return done.stdout.decode(), done.stderr.decode()


def suite(folder, text, files=("rdmacm_rping_v4",)):
    """A suite of one recording, or of more."""
    recordings = "".join(f'[[recording]]\nfile = "{sample(name)}"\n' for name in files)
    (folder / "suite.toml").write_text(recordings + text)
    return folder


def complaint(folder, text):
    (folder / "suite.toml").write_text(text)
    return verify(folder, "--against", "emulated", status=2)[1]


# ---- the suite -----------------------------------------------------------------------------------

def test_real_recordings_against_the_emulated_side(tmp_path):
    verify(SUITE, "--against", "emulated", "--junit", tmp_path / "junit.xml", "--json", tmp_path / "all.json", status=0)
    results = json.loads((tmp_path / "all.json").read_text())
    assert results["schema"] == "fabricscope-verify/1"
    assert len({case["recording"] for case in results["cases"]}) >= 30
    assert results["same"] == len(results["cases"]) >= 80
    assert results["accepted"] == results["differs"] == results["not_run"] == results["left_out"] == 0

    junitparser = pytest.importorskip("junitparser")
    read = junitparser.JUnitXml.fromfile(str(tmp_path / "junit.xml"))
    assert (read.tests, read.failures, read.errors) == (len(results["cases"]), 0, 0)
    names = {(case.classname, case.name) for part in read for case in part}
    assert len(names) == read.tests and ("rdmacm_rping_v4", "cm-1 client against emulated") in names


def test_standard_output_holds_one_form_of_the_results():
    one = (SUITE, "--against", "emulated", "--only", "rdmacm_rping_v4")
    assert json.loads(verify(*one, "--json", "-", status=0)[0])["same"] > 0
    assert ET.fromstring(verify(*one, "--junit", "-", status=0)[0]).tag == "testsuites"
    assert "cannot both" in verify(*one, "--junit", "-", "--json", status=2)[1]


def test_parallel_runs_give_the_same_results_in_the_same_order():
    def cases(jobs):
        results = json.loads(verify(SUITE, "--against", "emulated", "--json", "--jobs", jobs, status=0)[0])
        return [{**case, "seconds": 0} for case in results["cases"]]
    assert cases(1) == cases(4)


# ---- differences ---------------------------------------------------------------------------------

@pytest.fixture
def altered(tmp_path):
    """The server's answer in this recording is not that of the stack's own defaults: --profile tells."""
    capture = edited("rdmacm_rping_v4", tmp_path / "altered.pcap", patch(4, RESPONDER_RESOURCES, b"\x07"))
    (tmp_path / "suite.toml").write_text(f'[[recording]]\nname = "rping"\nfile = "{capture}"\nplay = "client"\n')
    return tmp_path


PROFILE = ("--against", "emulated", "--profile", "linux")
FIELD = "rdma_ip_cm.responder_resources"


def test_an_altered_recording_is_told_by_the_defaults_of_a_profile(altered):
    assert "1 same" in verify(altered, "--against", "emulated", status=0)[0]
    out, _ = verify(altered, *PROFILE, "--junit", altered / "junit.xml", status=1)
    assert FIELD in out and "1 differs" in out
    root = ET.parse(altered / "junit.xml").getroot()
    (failure,) = root.iter("failure")
    assert FIELD in failure.get("message") and root.get("failures") == "1"


def test_an_accepted_difference_wants_its_reason(altered):
    manifest = altered / "suite.toml"
    text = manifest.read_text()
    manifest.write_text(text + f'[[recording.accept]]\nfield = "{FIELD}"\n')
    assert f"{manifest}:5: reason is missing" in verify(altered, *PROFILE, status=2)[1]
    manifest.write_text(text + f'[[recording.accept]]\nfield = "{FIELD}"\nreason = "another adapter"\n')
    out, _ = verify(altered, *PROFILE, status=0)
    assert "1 accepted" in out and "another adapter" in out
    manifest.write_text(text + '[[recording.accept]]\nfield = "rdma_ip_cm.srq"\nreason = "something else"\n')
    verify(altered, *PROFILE, status=1)


def test_the_baseline_follows_what_is_seen(altered):
    baseline = altered / "baseline.toml"
    verify(altered, *PROFILE, "--update", status=0)
    assert FIELD in baseline.read_text() and "''" not in baseline.read_text()
    verify(altered, *PROFILE, status=0)
    # Its reason is the user's, and stays.
    baseline.write_text(baseline.read_text().replace("seen on", "a better adapter, seen on"))
    verify(altered, *PROFILE, "--update", status=0)
    assert "a better adapter" in baseline.read_text()
    # What is known of another target stays as well.
    verify(altered, "--against", "emulated", "--update", status=0)
    assert "a better adapter" in baseline.read_text()
    # A difference that is gone is forgotten.
    (altered / "altered.pcap").write_bytes(sample("rdmacm_rping_v4").read_bytes())
    verify(altered, *PROFILE, "--update", status=0)
    assert FIELD not in baseline.read_text()


def test_update_replaces_no_file_of_others(altered):
    (altered / "baseline.toml").write_text("# by hand\n")
    assert "baseline" in verify(altered, *PROFILE, "--update", status=2)[1]
    assert (altered / "baseline.toml").read_text() == "# by hand\n"


# ---- what could not be run -----------------------------------------------------------------------

def test_a_session_that_is_not_there_is_not_run(tmp_path):
    out, _ = verify(suite(tmp_path, 'session = "cm-9"\n'), "--against", "emulated", status=3)
    assert "not run" in out and "no such session" in out


def test_sessions_that_cannot_be_replayed_are_left_out_unless_they_are_named(tmp_path):
    unreliable = f'[[recording]]\nfile = "{ROOT}/samples/synth/uc_loss.pcapng"\n'
    (tmp_path / "suite.toml").write_text(unreliable)
    out, _ = verify(tmp_path, "--against", "emulated", "--all", status=0)
    assert "left out" in out and "a packet of its data was lost or not captured" in out
    (tmp_path / "suite.toml").write_text(unreliable + 'session = "cm-1"\n')
    out, _ = verify(tmp_path, "--against", "emulated", status=3)
    assert "not run" in out


def test_a_peer_that_is_this_host_is_not_run(tmp_path):
    out, _ = verify(suite(tmp_path, ""), "--against", "rocev2://127.0.0.1", status=3)
    assert "this host itself" in out


def test_one_recording_alone(tmp_path):
    folder = suite(tmp_path, "", ["rdmacm_rping_v4", "rdmacm_rping_v6"])
    results = json.loads(verify(folder, "--against", "emulated", "--only", "rdmacm_rping_v6", "--json", status=0)[0])
    assert {case["recording"] for case in results["cases"]} == {"rdmacm_rping_v6"}
    assert "rping_v5" in verify(folder, "--against", "emulated", "--only", "rping_v5", status=2)[1]


# ---- manifests -----------------------------------------------------------------------------------

RECORDING = f'[[recording]]\nfile = "{sample("rdmacm_rping_v4")}"\n'


@pytest.mark.parametrize(("text", "told"), [
    ("", "it has no [[recording]]"),
    ("title = Linux\n", ":1: "),
    ('[[recording]]\nfile = "nowhere.pcap"\n', ":1: there is no file"),
    ("[[recording]]\nname = 'x'\n", ":1: file is missing"),
    (RECORDING + 'fiel = "x"\n', ':3: "fiel" means nothing here'),
    (RECORDING + 'play = "both"\n', ":3: play is one of client, server; not both"),
    (RECORDING + "timeout = -1\n", ":3: timeout is to be seconds"),
    (RECORDING + RECORDING, ":3: there are two recordings with the name rdmacm_rping_v4"),
    (RECORDING + '[[recording.ignore]]\nfield = "payload[8:4]"\n', "not payload[8:4]"),
    (RECORDING + '[[recording.ignore]]\nfield = "payload[8:12"\n', "not payload[8:12"),
    (RECORDING + '[[recording.ignore]]\nfield = "payload[8:12]x"\n', "not payload[8:12]x"),
    (RECORDING + '[[recording.bind]]\nfield = "payload[8:12]"\n', ":3: is is missing"),
    (RECORDING + '[[recording.bind]]\nfield = "payload[8:20]"\nis = "rkey"\n', "12 octets cannot be a name of kind rkey"),
    (RECORDING + '[[recording.accept]]\nreason = "because"\n', ":3: what is accepted?"),
])
def test_what_is_wrong_with_a_manifest(tmp_path, text, told):
    assert told in complaint(tmp_path, text)


def test_no_manifest(tmp_path):
    assert "suite.toml" in verify(tmp_path, "--against", "emulated", status=2)[1]


# ---- masks ---------------------------------------------------------------------------------------

def test_an_immediate_datum_that_is_the_queue_pair(tmp_path):
    """udaddy's immediate data is its queue pair's number: the emulated client, which has another one, says so by a mask alone."""
    mask = tmp_path / "udaddy.toml"
    mask.write_text('[[bind]]\nfield = "infiniband.immdt"\nmessage = "datagram"\nis = "qpn"\n')
    seen = {}
    for options in ((), ("--mask", mask)):
        actual = tmp_path / f"actual{len(options)}.pcapng"
        fabricscope("replay", sample("rdmacm_udaddy"), "--session", "cm-1", "--play", "server", "--write", actual, *options,
                    status=(0,))
        done = subprocess.run(
            ["tshark", "-r", actual, "-Y", "infiniband.bth.opcode == 101", "-T", "fields", "-E", "occurrence=f",
             "-e", "infiniband.immdt", "-e", "infiniband.deth.srcqp"], capture_output=True, check=True, text=True)
        seen[len(options)] = [tuple(int(value, 16) for value in line.split()) for line in done.stdout.splitlines()]
    assert seen[0] and seen[2]
    assert any(immediate != queue_pair for immediate, queue_pair in seen[0])
    assert all(immediate == queue_pair for immediate, queue_pair in seen[2])


def test_a_mask_that_is_about_nothing_is_told(tmp_path):
    mask = tmp_path / "mask.toml"
    mask.write_text('[[ignore]]\nfield = "payload[0:8]"\nmessage = "SENT"\n')
    out = fabricscope("replay", sample("rdmacm_rping_v4"), "--session", "cm-1", "--play", "client", "--mask", mask, status=(0,))
    assert b"the mask of payload[0:8] is about nothing" in out
    text, _ = verify(suite(tmp_path, f"\n{mask.read_text()}"), "--against", "emulated", status=0)
    assert text.splitlines()[0] == \
        "note: rdmacm_rping_v4 cm-1 client: the mask of payload[0:8] is about nothing in this recording (and in 1 more)"
    mask.write_text('[[ignore]]\nfield = 7\n')
    done = subprocess.run([BUILD / "bin/fabricscope", "replay", sample("rdmacm_rping_v4"), "--session", "cm-1", "--play",
                           "client", "--mask", mask], capture_output=True, text=True, check=False)
    assert done.returncode == 3 and f"{mask}:2: field is to be a text in quotes" in done.stderr


# ---- live ----------------------------------------------------------------------------------------

@pytest.fixture
def wire():
    if REASON is not None:
        pytest.skip(str(REASON))
    with wired_namespaces() as ends:
        yield [namespace for namespace, _ in ends]


def live(wire, folder, status, play="client", **keys):
    """A suite of one recording, one side of which is played to a host of another namespace, where its commands run."""
    folder.chmod(0o755)
    lines = [f'shell = "ip netns exec {wire[1]} sh -c"', "[[recording]]", f'file = "{sample("rdmacm_rping_v4")}"',
             'session = "cm-1"', f'play = "{play}"', "timeout = 3", *(f"{key} = {value!r}" for key, value in keys.items())]
    (folder / "suite.toml").write_text("\n".join(lines))
    done = subprocess.run(
        ["ip", "netns", "exec", wire[0], BUILD / "bin/fabricscope", "verify", folder, "--against", f"rocev2://{SERVER}"],
        capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_commands_bring_the_peer_up_and_down(wire, tmp_path):
    peer = f"{BUILD}/bin/fabricscope replay {sample('rdmacm_rping_v4')} --session cm-1 --play server --against rocev2://{CLIENT}"
    told = live(wire, tmp_path, 0, setup=f"ip link > {tmp_path}/setup", server=f"test -e {tmp_path}/setup && exec {peer}",
                cleanup=f"echo $FABRICSCOPE_HOST $FABRICSCOPE_TARGET $FABRICSCOPE_SESSION $FABRICSCOPE_PLAY > {tmp_path}/cleanup")
    assert "1 same" in told
    assert "wire1" in (tmp_path / "setup").read_text(), "commands run where the shell says"
    assert (tmp_path / "cleanup").read_text().split() == [SERVER, f"rocev2://{SERVER}", "cm-1", "client"]


def test_a_server_that_is_slow_to_listen_is_waited_for(wire, tmp_path):
    peer = f"{BUILD}/bin/fabricscope replay {sample('rdmacm_rping_v4')} --session cm-1 --play server --against rocev2://{CLIENT}"
    slow = f"sleep 3; exec {peer}"
    assert "connection refused" in live(wire, tmp_path, 3, server=slow)
    assert "1 same" in live(wire, tmp_path, 0, server=slow, start=6)


def test_a_client_is_started_once_the_played_server_listens(wire, tmp_path):
    """Its first REQ is answered: it has no reason to send it again."""
    command = f"{BUILD}/bin/fabricscope replay {sample('rdmacm_rping_v4')} --session cm-1"
    told = live(wire, tmp_path, 0, play="server",
                client=f"{command} --play client --against rocev2://{CLIENT} --write {tmp_path}/client.pcapng")
    assert "1 same" in told
    captured = analyze(tmp_path / "client.pcapng")
    assert [connection["req_transmissions"] for connection in captured["rdma_cm"]["connections"]] == [1]


def test_the_peers_program_is_ended_and_cleaned_up_after_when_the_run_fails(wire, tmp_path):
    told = live(wire, tmp_path, 3, server=f"sleep 1000 & echo $! > {tmp_path}/pid; wait", cleanup=f"touch {tmp_path}/cleanup")
    assert "not run" in told and (tmp_path / "cleanup").exists()
    program = Path("/proc", (tmp_path / "pid").read_text().strip())
    end = time.monotonic() + 10
    while program.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not program.exists()


def test_a_command_that_fails_is_told(wire, tmp_path):
    assert "setup ends with status 7: exit 7" in live(wire, tmp_path, 3, setup="exit 7")


def test_the_profile_answers_version_1(tmp_path):
    """A server of profile linux does both versions of SMC-R: the recorded client offers version 1 only."""
    report = json.loads(fabricscope("replay", sample("smcr_v1_echo"), "--session", "smcr-1", "--play", "client", "--profile",
                                    "linux", "--json"))
    names = [message["name"] for message in report["messages"] if message["actual"] is not None]
    assert "CLC ACCEPT" in names and "LLC CONFIRM LINK" in names
    assert report["waiting_for"] is None
