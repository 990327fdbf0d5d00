# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios of queue pairs: what analyze tells of each is what was done to it, and no rule is broken."""

import pytest

from harness import ROOT, analyze

COUNTS = ("packets", "nak", "timeout", "rnr", "implied")


def nothing_but(**counted):
    return {name: counted.get(name, 0) for name in COUNTS}


# What the client sent again, and why; how its stream ended; what was lost before and behind the point of capture.
EXPECTED = {
    "rc_congestion": (nothing_but(), "disconnected", (0, 0)),
    "rc_pause": (nothing_but(), "disconnected", (0, 0)),
    "rc_never_ready": (nothing_but(packets=3, rnr=3), "disconnected", (0, 0)),
    "rc_invalid_request": (nothing_but(), "nak", (0, 0)),
    "rc_remote_access_error": (nothing_but(), "nak", (0, 0)),
    "rc_remote_operational_error": (nothing_but(), "nak", (0, 0)),
    "rc_sequence_error": (nothing_but(packets=2, nak=2), "disconnected", (0, 1)),
    "rc_read_loss": (nothing_but(packets=1, implied=1), "disconnected", (0, 0)),
    "rc_retry_exceeded": (nothing_but(packets=3, timeout=3), "retries-exhausted", (0, 0)),
    "rc_adaptive": (nothing_but(packets=5, timeout=5), "disconnected", (0, 0)),
    "rc_commands": (nothing_but(), "disconnected", (0, 0)),
    "uc_loss": (nothing_but(), "disconnected", (0, 0)),
}
# The observation that names the trouble.
TOLD = {
    "rc_congestion": ("RDMA-O-congestion", "16 packets marked (20 %), 3 CNPs came back"),
    "rc_never_ready": ("RDMA-O-retries-exhausted", "192.0.2.10 gave up: 192.0.2.20 had no receive buffer"),
    "rc_invalid_request": ("RDMA-O-refused", "NAK: invalid request"),
    "rc_remote_access_error": ("RDMA-O-refused", "NAK: remote access error"),
    "rc_remote_operational_error": ("RDMA-O-refused", "NAK: remote operational error"),
    "rc_sequence_error": ("RDMA-O-retransmissions", "all after NAKs"),
    "rc_read_loss": ("RDMA-O-retransmissions", "because responses were lost"),
    "rc_adaptive": ("RDMA-O-retransmissions", "all after timeouts of up to 25.2 ms"),
    "rc_commands": ("RDMA-O-retransmissions", "192.0.2.20 retransmitted 8.7 % of its packets (4 of 46), all after NAKs"),
    "uc_loss": ("RDMA-O-unreliable-gaps", "2 of 75 packets"),
}


def analysis(name):
    return analyze(ROOT / f"samples/synth/{name}.pcapng")


@pytest.mark.parametrize("name", EXPECTED)
def test_what_was_sent_again_and_why(name):
    again, end, lost = EXPECTED[name]
    told = analysis(name)
    (stream,) = told["rdma"]["streams"]
    client = stream["a_to_b"]
    assert ({cause: client["retransmitted"][cause] for cause in COUNTS}, stream["end"]) == (again, end)
    assert (client["lost_before"], client["lost_behind"]) == lost
    assert told["findings"] == []


@pytest.mark.parametrize("name", TOLD)
def test_the_trouble_is_named(name):
    kind, text = TOLD[name]
    assert text in next(o["text"] for o in analysis(name)["observations"] if o["id"] == kind)


def test_marks_notifications_and_pauses():
    congested = analysis("rc_congestion")["rdma"]
    assert (congested["ce_marked"], congested["cnps"]) == (16, 3)
    assert congested["streams"][0]["a_to_b"]["cnps"] == 3
    assert analysis("rc_pause")["rdma"]["pfc_frames"] == 5


def test_an_unreliable_connection_loses_what_is_lost():
    (stream,) = analysis("uc_loss")["rdma"]["streams"]
    assert (stream["transport"], stream["a_to_b"]["unseen"]) == ("uc", 2)


def test_atomic_operations_are_counted_once_however_often_they_are_asked_for():
    told = analysis("rc_atomics")
    assert told["findings"] == []
    clients = [stream["a_to_b"] for stream in told["rdma"]["streams"]]
    assert [(client["operations"]["atomic"]["count"], client["retransmitted"]["packets"]) for client in clients] == [(40, 2), (20, 1)]
