# SPDX-License-Identifier: GPL-2.0-or-later
"""Observations: what went wrong is said with its cause, consequences are folded, healthy captures have none."""

import re

import pytest

from harness import ROOT, analyze, fabricscope, run, sample, samples

# What is said of captures whose truth tells of trouble: id and session, each more than a note.
TROUBLE = {
    "fcoe_vn2vn": {("FC-O-rejected", "xchg-116"), ("FC-O-rejected", "xchg-118")},  # refused when the target went away
    "rdmacm_reject_no_listener": {("CM-O-rejected", "cm-1"), ("CM-O-rejected", "cm-2")},
    "rdmacm_reject_private_data": {("CM-O-rejected", "cm-1"), ("CM-O-rejected", "cm-2")},
    "rdmacm_req_timeout": {("CM-O-timeout", "cm-1")},
    "rdmacm_lossy_rping": {("RDMA-O-retransmissions", "cm-1")},
    "rdmacm_lossy_rsocket": {("RDMA-O-retransmissions", "cm-1")},
    **{name: {("RDMA-O-retransmissions", "rdma-1")} for name in samples("roce_*") if name != "roce_uc_loss"},
    "roce_send_rnr": {("RDMA-O-receiver-not-ready", "rdma-1")},
    # Too few of the first one are retransmitted.
    "roce_three_queue_pairs": {("RDMA-O-retransmissions", "rdma-2"), ("RDMA-O-retransmissions", "rdma-3")},
    "smcr_fallback_client_no_rdma": {("SMCR-O-declined", "smcr-1")},
    "smcr_fallback_eid_mismatch": {("SMCR-O-declined", "smcr-1")},
    "smcr_fallback_ipv6_v2only": {("SMCR-O-declined", "smcr-1")},
    "smcr_fallback_pnetid_mismatch": {("SMCR-O-declined", "smcr-1")},
    "smcr_fallback_roce_blocked": {("SMCR-O-no-roce", "smcr-1")},
    "smcr_fallback_server_no_rdma": {("SMCR-O-declined", "smcr-1")},
    "smcr_v2_close": {  # two applications that do not read, three aborts
        ("SMCR-O-stall", "smcr-7"), ("SMCR-O-abnormal-close", "smcr-7"), ("SMCR-O-stall", "smcr-8"),
        ("SMCR-O-abnormal-close", "smcr-8"), ("SMCR-O-abnormal-close", "smcr-9")},
    "smcr_v2_lgr_netdev_down": {("SMCR-O-link-failed", "lg-1")},
    "smcr_v2_lgr_rdma_link_delete": {("SMCR-O-link-failed", "lg-1")},
    "smcr_v2_lossy": {("RDMA-O-retransmissions", "lg-1")},
    "smcr_v2_peer_frozen": {("SMCR-O-link-failed", "lg-1")},
    # Its file says that the interface dropped 4 frames.
    "smcr_v2_two_links": {("CAPTURE-O-dropped", None), ("SMCR-O-link-failed", "lg-1"), ("SMCR-O-failover", "smcr-2"),
                          ("SMCR-O-failover", "smcr-4")},
    "smcr_v2_two_links_b": {("SMCR-O-link-failed", "lg-1"), ("SMCR-O-failover", "smcr-2")},
    "smcr_v2_urgent_stall": {("SMCR-O-urgent-stall", "smcr-1")},
}
# Of the examples that everybody begins with: what the cause says, and where to look.
EXPLAINED = {
    "real/smcr_fallback_roce_blocked.pcap": ("SMCR-O-no-roce", "lost between where this was captured and the server",
                                             "UDP port 4791"),
    "real/rdmacm_reject_no_listener.pcap": ("CM-O-rejected", "Nobody listens on 192.0.2.20:7999", "port 7999"),
    "real/rdmacm_req_timeout.pcap": ("CM-O-timeout", "Nothing came back from 192.0.2.20:8007", "UDP port 4791"),
    "real/roce_write_behind_tap.pcap": ("RDMA-O-retransmissions",
                                        "lost or overtaken between the point of capture and 192.0.2.20", "PFC"),
    "real/roce_write_loss.pcap": ("RDMA-O-retransmissions", "lost between 192.0.2.10 and the point of capture", "PFC"),
    "real/roce_read_loss.pcap": ("RDMA-O-retransmissions", "Responses from 192.0.2.20 are lost on the way to", "PFC"),
    "real/smcr_v2_peer_frozen.pcap": ("SMCR-O-link-failed", "was silent on the link", "host and port"),
    "real/smcr_v2_lossy.pcap": ("RDMA-O-retransmissions", "92 NAKs", "rdma statistic"),
    "fcvi/read_protection_error.pcap": ("FCVI-O-message-failed", "memory handle 00000077h", "registration"),
}


def observations(path):
    return analyze(path)["observations"]


@pytest.mark.parametrize("name", samples())
def test_trouble_is_told_and_nothing_else(name):
    grave = {(o["id"], o["session"]) for o in observations(sample(name)) if o["severity"] != "note"}
    assert grave == TROUBLE.get(name, set())


@pytest.mark.parametrize("path", EXPLAINED)
def test_cause_and_where_to_look(path):
    kind, cause, look = EXPLAINED[path]
    first = observations(ROOT / "samples" / path)[0]
    assert first["id"] == kind
    assert cause in first["cause"] and look in first["look"]
    assert first["frames"] == sorted(first["frames"]) != []


@pytest.mark.parametrize("name, told", [
    ("synth/fcvi_write_protection_rd.pcapng", ["FCVI-O-broken the server broke the connection: Remote RDMA Write Protection Error"]),
    ("synth/fcvi_calls_error_callback.pcapng", ["FCVI-O-broken"]),
    ("synth/fcvi_client_server.pcapng", []),
    ("fcvi/retried_setup.pcap", ["FCVI-O-retried"]),
    ("fcvi/retried_setup_fails.pcap", ["FCVI-O-set-up-aborted"]),
])
def test_how_connections_of_fcvi_came_up_and_broke(name, told):
    """On Reliable Delivery the reason of the Disconnect is all that tells of an error."""
    said = [f"{o['id']} {o['text']}" for o in observations(ROOT / "samples" / name)
            if o["id"].startswith(("FCVI-O-broken", "FCVI-O-retried", "FCVI-O-set-up", "FCVI-O-error-state"))]
    assert len(said) == len(told) and all(line.startswith(start) for line, start in zip(said, told)), said


def test_consequences_are_counted_with_their_cause():
    (blocked,) = observations(sample("smcr_fallback_roce_blocked"))
    assert blocked["count"] == 788


def test_a_broken_rule_is_an_observation_and_a_finding():
    result = analyze(ROOT / "samples/real/smcr_v1_echo.pcap", "--profile", "rfc7609")
    broken = [(f["rule"], f["severity"], f["session"], f["frames"], f["text"]) for f in result["findings"]]
    told = [(o["id"], o["severity"], o["session"], o["frames"], o["text"]) for o in result["observations"]
            if "-O-" not in o["id"]]
    assert sorted(map(str, broken)) == sorted(map(str, told)) != []


def test_a_capture_that_ends_while_packets_are_sent_again_tells_of_no_failed_link(tmp_path):
    for last in (268, 270, 272):
        run(["editcap", "-r", sample("smcr_v2_lossy"), tmp_path / "part.pcap", f"1-{last}"])
        told = {o["id"] for o in analyze(tmp_path / "part.pcap")["observations"]}
        assert "RDMA-O-retransmissions" in told and "SMCR-O-link-failed" not in told, last


@pytest.mark.parametrize("what, status", [
    ("error", 0), ("warning", 1), ("note", 1), ("RDMA-O-retransmissions", 1), ("SMCR-O-declined", 0),
    ("SMCR-R34,RDMA-O-retransmissions", 1),
])
def test_fail_on(what, status):
    fabricscope("analyze", "--fail-on", what, sample("smcr_v2_lossy"), status=(status,))


def test_fail_on_takes_known_words_only():
    fabricscope("analyze", "--fail-on", "SMCR-O-none", sample("smcr_v2_echo"), status=(2,))


def test_comments_stand_at_the_frames(tmp_path):
    out = tmp_path / "annotated.pcapng"
    fabricscope("analyze", sample("smcr_fallback_roce_blocked"), "--annotate", out, status=(0,))
    octets = out.read_bytes()
    assert b"SMCR-O-no-roce error, smcr-1: RoCE does not get through" in octets
    assert octets.count(b"; see frame 187") == 3


def test_every_kind_is_explained_and_documented():
    listed = fabricscope("explain", status=(0,)).decode().splitlines()[1:]
    ids = [line.split()[0] for line in listed]
    assert len(ids) == len(set(ids)) and all(re.fullmatch(r"[A-Z]+-O-[a-z-]+", kind) for kind in ids)
    for kind in ids:
        text = fabricscope("explain", kind, status=(0,)).decode()
        assert all(part in text for part in (kind, "What it means", "Where to look", "Example"))
    assert (ROOT / "docs/observations.md").read_bytes() == fabricscope("explain", "--markdown", status=(0,))


def test_rules_are_explained_too():
    text = fabricscope("explain", "SMCR-R34", status=(0,)).decode()
    assert "Clause: RFC 7609" in text and 'smcr.rule == "SMCR-R34"' in text
    fabricscope("explain", "SMCR-R99", status=(2,))


def test_the_summary_says_each_once():
    text = fabricscope("analyze", sample("rdmacm_reject_no_listener"), status=(0,)).decode()
    assert text.count("[CM-O-rejected]") == 2 and text.count("reason 8") == 2
