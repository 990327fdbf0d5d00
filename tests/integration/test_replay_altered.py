# SPDX-License-Identifier: GPL-2.0-or-later
"""Replay of recordings of SMC-R in which one bit of an answer of the side that is not played was turned over: just that field differs."""

import json
import re
import subprocess

import pytest

from edit import CLC, SEND, edited, patch, records_of
from harness import BUILD, analyze, fabricscope, run, sample

NAME = "smcr_v2_echo"

# Frame of the recording, octet of the message, side that is played, message, field.
ALTERED = [
    (7, CLC + 81, "server", "CLC PROPOSAL", "smcr.clc.proposal.ism_gid_count"),
    (9, CLC + 7, "client", "CLC ACCEPT", "smcr.clc.path"),
    (11, CLC + 7, "server", "CLC CONFIRM", "smcr.clc.path"),
    (11, CLC + 160, "server", "CLC CONFIRM", "smcr.gid_list.gid[0]"),
    (13, SEND + 3, "client", "LLC CONFIRM LINK", "smcr.llc.confirm_link.no_eye_catcher"),
    (13, SEND + 9, "client", "LLC CONFIRM LINK", "smcr.llc.mac"),
    (13, SEND + 28, "client", "LLC CONFIRM LINK", "smcr.llc.qpn"),
    (15, SEND + 3, "server", "LLC CONFIRM LINK reply", "smcr.llc.confirm_link.no_eye_catcher"),
    (15, SEND + 25, "server", "LLC CONFIRM LINK reply", "smcr.llc.gid"),
    (17, SEND + 3, "client", "LLC ADD LINK", "smcr.llc.add_link.reject_reason_v2"),
    (17, SEND + 31, "client", "LLC ADD LINK", "smcr.llc.link"),
    (19, SEND + 3, "server", "LLC ADD LINK reply", "smcr.llc.add_link.reject_reason_v2"),
    (61, SEND + 1, "server", "CDC closed", "smcr.cdc.length"),
    (63, SEND + 1, "client", "CDC closed", "smcr.cdc.length"),
    (69, SEND + 5, "server", "LLC DELETE RKEY", "smcr.llc.delete_rkey.error_mask"),
    (73, SEND + 5, "client", "LLC DELETE RKEY reply", "smcr.llc.delete_rkey.error_mask"),
]


@pytest.mark.parametrize("frame,octet,play,message,field", ALTERED)
def test_just_the_altered_field_differs(frame, octet, play, message, field, tmp_path):
    value = records_of(NAME)[1][frame - 1][2][octet]
    capture = edited(NAME, tmp_path / "altered.pcap", patch(frame, octet, bytes([value ^ 1])))
    report = json.loads(fabricscope(
        "replay", capture, "--session", "smcr-1", "--play", play, "--against", "emulated", "--json", status=(1,)))
    (difference,) = [d for d in report["differences"] if d["level"] != "policy"]
    assert (difference["message"], difference["field"], difference["recorded_frame"]) == (message, field, frame)
    # The same message of the run: the one beside it in the ladder.
    (pair,) = [m for m in report["messages"] if m["recorded"] and m["recorded"]["frame"] == frame]
    assert difference["actual_frame"] == pair["actual"]["frame"]


def test_a_connection_of_a_shared_link_group(tmp_path):
    """Its link group is set up first, as recorded, and is not compared."""
    capture = tmp_path / "made.pcapng"
    fabricscope("synth", "smcr_v2_subsequent", "-o", capture, status=(0,))
    for play in ("client", "server"):
        report = json.loads(fabricscope(
            "replay", capture, "--session", "smcr-2", "--play", play, "--against", "emulated", "--json", status=(0,)))
        assert report["notes"][0] == "connection 1 sets up the link group first, as smcr-1 did; it is not compared"
        assert {m["lane"] for m in report["messages"]} == {"connection 2", "link 1"}
        assert "CLC ACCEPT" in [m["name"] for m in report["messages"]]
        assert "LLC CONFIRM LINK" not in [m["name"] for m in report["messages"]]


@pytest.mark.parametrize("play", ["client", "server"])
@pytest.mark.parametrize("name,session,lane", [("smcr_v2_two_links", "smcr-3", "connection 3"), ("smcr_v2_two_links_b", "smcr-1", "connection 1")])
def test_a_connection_of_a_link_group_with_several_links(name, session, lane, play, tmp_path):
    """All the others are played, too, as the links are shared out among them; they are not compared."""
    actual = tmp_path / "actual.pcapng"
    report = json.loads(fabricscope(
        "replay", sample(name), "--session", session, "--play", play, "--against", "emulated", "--json", "--write", actual, status=(0,)))
    assert report["notes"][0] == f"all 5 connections of the link group are played, as they share its links; only {lane} is compared"
    assert [m["lane"] for m in report["messages"] if m["lane"].startswith("connection")].count(lane) > 5
    assert {m["lane"] for m in report["messages"] if m["lane"].startswith("connection")} == {lane}
    assert len(analyze(actual)["smcr"]["connections"]) == 5


REPEATED = [
    ("rdmacm_rping_v4", "cm-1", 'drop message="RC RDMA READ Response Only"'),
    ("rdmacm_rping_v4", "cm-1", "drop message=\"RC RDMA READ Response Only\" count=3"),
    ("rdmacm_rping_v4", "cm-1", "fault loss=10%"),
    ("smcr_v2_echo", "smcr-1", "corrupt message=SYN"),
    ("smcr_v2_echo", "smcr-1", 'corrupt message="CLC CONFIRM"'),
]


@pytest.mark.parametrize("name,session,faults", REPEATED)
@pytest.mark.parametrize("play", ["client", "server"])
def test_what_is_lost_or_damaged_is_sent_again_and_is_the_same(name, session, faults, play, tmp_path):
    """A READ that is repeated finds what it found before; a damaged segment is dropped."""
    (tmp_path / "faults").write_text(f"{faults}\n")
    fabricscope("replay", sample(name), "--session", session, "--play", play, "--against", "emulated", "--faults", tmp_path / "faults",
                status=(0,))


def test_a_wrong_icrc_on_purpose_is_told_not_to_be_played(tmp_path):
    script = tmp_path / "wrong.scenario"
    fabricscope("script", sample("rdmacm_rping_v4"), "--session", "cm-1", "-o", script, status=(0,))
    script.write_text(script.read_text().replace("client REQ ", "client REQ icrc=wrong ", 1))
    done = subprocess.run(
        [BUILD / "bin/fabricscope", "replay", script, "--session", "cm-1", "--play", "client", "--against", "emulated"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0 and re.search(r"line \d+: icrc=wrong is not played: what is sent is right", done.stderr), done.stderr


def test_that_a_request_was_cut_is_told(tmp_path):
    run(["editcap", "-s", "300", sample("rdmacm_rping_v4"), tmp_path / "cut.pcap"])
    listed = fabricscope("replay", "--list", tmp_path / "cut.pcap", status=(0,))
    assert b"cannot be replayed: a packet of it was cut by the snap length" in listed


# Frames of which recordings make a capture; why it is not played.
BEGIN = "its begin was not captured, which tells where its data go and with which keys"
LINKS = "the link group has several links and was set up before the capture began, so that not all its links and keys are known"
REFUSED = [
    ("smcr_v2_midstream", ["1-9999"], "smcr-1", BEGIN),
    ("smcr_v2_midstream", ["1-9999"], "lg-1", f"smcr-1: {BEGIN}"),
    ("smcr_v2_tiny_writes", ["1-9", "11-9999"], "smcr-1", "its ACCEPT was not captured"),
    ("smcr_v2_two_links", ["1160-9999"], "smcr-1", LINKS),
    ("smcr_v2_two_links", ["1237-9999"], "smcr-1", LINKS),  # only keys tell of the other link
]


@pytest.mark.parametrize("name,frames,session,reason", REFUSED)
@pytest.mark.parametrize("play", ["client", "server"])
def test_what_was_not_captured_is_not_guessed(name, frames, session, reason, play, tmp_path):
    capture = tmp_path / "begun_before.pcapng"
    run(["editcap", "-r", sample(name), capture, *frames])
    done = subprocess.run(
        [BUILD / "bin/fabricscope", "replay", capture, "--session", session, "--play", play, "--against", "emulated"],
        capture_output=True, timeout=5)
    assert (done.returncode, done.stdout) == (2, b"") and done.stderr.decode().endswith(f"{reason}\n")
