# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording becomes a script, the script a capture: analyze finds the recording's session again."""

import json
import os
import re

import pytest

from edit import ETHERNET, edited
from harness import ROOT, analyze, fabricscope, fields, run, sample, samples

# What numbers a record among others of its capture.
NUMBERING = {"id", "link_group", "connections", "session", "stream", "connection", "rmb", "region", "places"}
LISTS = [("smcr", "connections"), ("smcr", "link_groups"), ("rdma_cm", "connections"), ("rdma", "streams"),
         ("fcvi", "connections"), ("fc_ae_rdma", "messages")]
FIBRE_CHANNEL = [*sorted(ROOT.glob("samples/fcvi/*.fcoe.pcap"))[::4], *sorted(ROOT.glob("samples/fc_ae_rdma/*.fcoe.pcap"))[::4]]
# What of a session depends on others that its script does not have.
WITHOUT_OTHERS = {
    ("smcr_v2_close", "smcr-7"): "the window's end is known by the earlier connections' use of the RMB element",
    ("smcr_v2_close", "smcr-8"): "the window's end is known by the earlier connections' use of the RMB element",
    ("smcr_v2_lgr_rdma_link_delete", "smcr-1"): "how it ended is known only with all packets of the link group",
    ("smcr_v2_lgr_rdma_link_delete", "smcr-2"): "how it ended is known only with all packets of the link group",
    ("smcr_v2_midstream", "smcr-1"): "its link group's numbers come from the group's other connection",
}


def sessions(result):
    for protocol, kind in LISTS:
        for session in (result.get(protocol) or {}).get(kind, []):
            if kind != "streams" or not session["session"]:
                yield (protocol, kind), session


def values(record, start=0.0):
    """Without numbers of frames and among other sessions; times from the session's beginning."""
    if isinstance(record, dict):
        return {key: values(value, start) for key, value in record.items()
                if key not in NUMBERING and "frame" not in key and key != "interface"}
    if isinstance(record, list):
        return [values(value, start) for value in record]
    return None if isinstance(record, float) else record


def findings(result, session=None):
    return {finding["rule"] for finding in result["findings"] if session in (None, finding["session"])}


def again(capture, session, folder):
    script, made = folder / "it.scenario", folder / "it.pcapng"
    fabricscope("script", capture, "--session", session, "-o", script, status=(0,))
    fabricscope("synth", script, "-o", made, status=(0,))
    return script, made


@pytest.mark.parametrize("capture", [*(sample(name) for name in samples()), *FIBRE_CHANNEL], ids=lambda path: path.stem)
def test_each_session_comes_again(capture, tmp_path):
    recorded = analyze(capture)
    for kind, session in sessions(recorded):
        if (capture.stem, session["id"]) in WITHOUT_OTHERS:
            continue
        _, made = again(capture, session["id"], tmp_path)
        result = analyze(made)
        found = [values(other) for other_kind, other in sessions(result) if other_kind == kind]
        assert values(session) in found, session["id"]
        assert findings(result) <= findings(recorded, session["id"]) | {
            rule for rule in findings(recorded) if not session["id"].startswith("smcr")}, session["id"]


@pytest.mark.parametrize("name, session, side", [
    ("rdmacm_rping_v4", "cm-1", "client"), ("rdmacm_rping_v4", "cm-1", "server"),
    ("smcr_v2_echo", "smcr-1", "client"), ("smcr_v1_echo", "smcr-1", "client")])
def test_a_script_is_played_as_its_recording(name, session, side, tmp_path):
    script, _ = again(sample(name), session, tmp_path)
    of_script = json.loads(fabricscope("replay", script, "--session", session, "--play", side, "--json"))
    of_capture = json.loads(fabricscope("replay", sample(name), "--session", session, "--play", side, "--json"))
    assert of_script["result"] == of_capture["result"] == "same"
    assert [m["name"] for m in of_script["messages"]] == [m["name"] for m in of_capture["messages"]]


def test_what_came_before_the_client_was_known_is_of_its_side(tmp_path):
    """The first frame of the rest is the server's: it is taken for the client's until a connection is set up."""
    def senders(capture):
        script = re.sub(r" \\\n *", " ", fabricscope("script", capture, "--session", "lg-1").decode())
        return re.findall(r'^message  (client|server) (".*?"|\S+) .*# frame \d+$', script, re.M)
    whole = ROOT / "samples/synth/smcr_v1_subsequent.pcapng"
    run(["editcap", "-r", whole, tmp_path / "rest.pcapng", "46-200"])
    rest = senders(tmp_path / "rest.pcapng")
    assert rest[0] == ("server", '"LLC DELETE RKEY"')
    of_rdma = [one for one in senders(whole)[45:] if one[1] not in ("FIN", "ACK")]
    assert [one for one in rest if one[1] not in ("FIN", "ACK")] == of_rdma[:len(rest)]


def test_identifications_of_ip_are_kept(tmp_path):
    """They tell what has overtaken what; most of them follow of themselves."""
    script, made = again(sample("rdmacm_lossy_rping"), "cm-1", tmp_path)
    numbers = [row["ip.id"] for row in fields(sample("rdmacm_lossy_rping"), "ip.id", display_filter="infiniband")]
    assert [row["ip.id"] for row in fields(made, "ip.id")] == numbers
    assert 0 < script.read_text().count(" ip-id=") < len(numbers) / 2


def test_traffic_classes_are_kept(tmp_path):
    classes = [0, 1, 0x68, 0xFF]

    def mark(frames):
        for number, frame in enumerate(frames):
            if frame[12:14] == b"\x08\0":
                frame[ETHERNET + 1] = classes[number % len(classes)]

    marked = edited("rdmacm_rping_v4", tmp_path / "marked.pcap", mark)
    _, made = again(marked, "cm-1", tmp_path)

    def told(capture):
        return [row["ip.dsfield"] for row in fields(capture, "ip.dsfield", display_filter="infiniband")]

    assert told(made) == told(marked)


def test_what_is_overridden_is_sent(tmp_path):
    script, _ = again(sample("smcr_v2_echo"), "smcr-1", tmp_path)
    text = script.read_text()
    assert text.count("smcr.clc.eid=") >= 1
    changed = re.sub(r'smcr\.clc\.mtu=1024', "smcr.clc.mtu=9", text, count=1)
    assert changed != text
    script.write_text(changed)
    made = tmp_path / "changed.pcapng"
    fabricscope("synth", script, "-o", made, status=(0,))
    assert findings(analyze(made)) - findings(analyze(sample("smcr_v2_echo")))


def test_tolerances(tmp_path):
    """The server's answer differs from what the script says: told, unless the script tolerates it."""
    script, _ = again(sample("rdmacm_rping_v4"), "cm-1", tmp_path)
    text = script.read_text()
    rep = next(line for line in re.split(r"\n(?=message)", text) if line.startswith("message  server REP"))

    def result(line):
        script.write_text(text.replace(rep, line))
        return json.loads(fabricscope("replay", script, "--session", "cm-1", "--play", "client", "--json"))
    assert result(rep)["result"] == "same"
    late = result(rep.replace(" over=", " within=1ns over="))
    assert late["result"] == "differs"
    assert [d["field"] for d in late["differences"] if d["level"] == "exact"] == ["time"]
    assert result(rep.replace(" over=", " within=1s over="))["result"] == "same"


def test_what_cannot_be_written(tmp_path):
    fabricscope("script", sample("smcr_v2_echo"), "--session", "smcr-9", status=(2,))
    fabricscope("script", "-", "--session", "smcr-1", status=(2,))
    os.mkfifo(tmp_path / "pipe")
    fabricscope("script", tmp_path / "pipe", "--session", "smcr-1", status=(2,))
    fabricscope("script", tmp_path / "nothing.pcap", "--session", "smcr-1", status=(3,))
    broken = tmp_path / "broken.scenario"
    broken.write_text("protocol messages\nmessage client\n")
    fabricscope("replay", broken, "--list", status=(3,))


@pytest.mark.parametrize(("session", "messages"), [("fc-pair-1", 3), ("fc-ae-rdma-2", 1), ("xchg-5", 1), ("xchg-4", 0)])
def test_a_part_of_fibre_channel(session, messages, tmp_path):
    """A pair of ports, a Message, an Exchange that is one, and a login."""
    _, made = again(ROOT / "samples/fc_ae_rdma/class_2.fcoe.pcap", session, tmp_path)
    assert len((analyze(made).get("fc_ae_rdma") or {}).get("messages", [])) == messages
