# SPDX-License-Identifier: GPL-2.0-or-later
"""Replay of every scenario of the emulated endpoints: every session in both roles, as a user would ask for it."""

import json

import pytest

from harness import ROOT, fabricscope

SCENARIOS = sorted(path.stem for path in (ROOT / "samples/scenarios").glob("*.scenario"))

LOST = "frames were lost on the way: what the endpoints did about it does not happen again without the loss"
LINK_CONTROL = "P_BSY and P_RJT are no Information Units: they are not played, nor what follows from them"
OVERRUN = "nobody looks at a completion queue: that is not seen in what the Provider says"
SECOND_VI = "the other peer has a second VI, which is not in this session"
OVERTAKEN = "frames come in the order in which they belong together"
CORRUPT = "a frame that arrives with a wrong CRC is captured as it was sent"
UNANSWERED = "a request that was never answered is taken for one that was lost"
OTHER_REASON = "the emulated port has another reason to refuse the Process Login"
ANOTHER_WAITS = "a server that waits at the other peer is not in this session"
NOT_REFUSED = "the emulated responder has no reason to refuse the request"
NO_LINK_LEFT = "the last link fails, and TCP connections are reset without a word"
WORKING_LINK = "a link that works is deleted: to the emulated host it is a link that is lost"
LATER_DEVICE = "when a server got another device does not show in a recording"
COINCIDENCE = "what collided then need not collide again"

# What cannot be the same, and why. The table of SMC-R samples in tests/unit/replay_engine has the link groups that moved.
UNLIKE = {
    "fc_ae_rdma_login_refused": OTHER_REASON,
    "fcvi_abort_asked": LOST,
    "fcvi_busy_in_order": LINK_CONTROL,
    "fcvi_calls_partial_send": LINK_CONTROL,
    "fcvi_calls_read_transport": CORRUPT,
    "fcvi_calls_two_for_one_peer": SECOND_VI,
    "fcvi_calls_write_abort": LOST,
    "fcvi_calls_write_data": CORRUPT,
    "fcvi_frame_busy": LINK_CONTROL,
    "fcvi_frame_busy_rd": LINK_CONTROL,
    "fcvi_frame_rejected": LINK_CONTROL,
    "fcvi_frame_rejected_rd": LINK_CONTROL,
    "fcvi_late_frames": OVERTAKEN,
    "fcvi_late_messages": OVERTAKEN,
    "fcvi_loss_class_2": LOST,
    "fcvi_loss_rd": LOST,
    "fcvi_lost_ack": LOST,
    "fcvi_lost_resp2_server": LOST,
    "fcvi_lost_resp3": LOST,
    "fcvi_lost_rqst_client": LOST,
    "fcvi_missing_frames_ud": LOST,
    "fcvi_missing_messages_ud": LOST,
    "fcvi_no_answer": UNANSWERED,
    "fcvi_queue_overrun": OVERRUN,
    "fcvi_rejected": LINK_CONTROL,
    "fcvi_reorder_ud": LOST,
    "fcvi_response_timeout": LOST,
    "fcvi_peer_case_2": ANOTHER_WAITS,
    "fcvi_peer_case_7": SECOND_VI,
    "fcvi_peer_same_name": SECOND_VI,
    "rc_invalid_request": NOT_REFUSED,
    "rc_remote_operational_error": NOT_REFUSED,
    "smcr_rfc7609_collisions": COINCIDENCE,
    "smcr_rfc7609_delete_link": WORKING_LINK,
    "smcr_rfc7609_last_link": NO_LINK_LEFT,
    "smcr_rfc7609_uneven_devices": LATER_DEVICE,
    "smcr_v2_delete_link": WORKING_LINK,
    "smcr_v2_last_link": NO_LINK_LEFT,
}
# Of each of them the runs that differ, and the first thing that does.
DIFFERENCES = json.loads((ROOT / "tests/integration/replay_differences.json").read_text())
# Scenarios without a session that can be replayed: the capture begins after the setup; nobody offers SMC; a loss on UC;
# a frame or a Message is missing that its receiver went on without.
NOTHING = {"fc_ae_rdma_unseen_frame", "fcvi_midway", "fcvi_midway_rev_1_0", "fcvi_missing_messages_rd",
           "smcr_fallback_plain_client", "uc_loss"}


def first_difference(run):
    """Where, what, and from what to what."""
    first = run["differences"][0]
    what = " ".join(word for word in (first["message"], first["field"]) if word)
    return f"{first['where']}: {what}: {first['recorded']} -> {first['actual']}"


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_session_is_the_same_in_both_roles(name, tmp_path):
    capture = tmp_path / "made.pcapng"
    fabricscope("synth", name, "-o", capture, status=(0,))
    runs = json.loads(fabricscope("replay", capture, "--all", "--json"))["runs"]
    if name in NOTHING:
        assert runs == []
        return
    assert {run["play"] for run in runs} == {"client", "server"}
    different = {f"{run['session']} {run['play']}": first_difference(run) for run in runs if run["result"] != "same"}
    assert bool(different) == (name in UNLIKE), different
    assert different == DIFFERENCES.get(name, {})


def test_differences_are_listed_of_those_that_have_some():
    assert sorted(DIFFERENCES) == sorted(UNLIKE)
