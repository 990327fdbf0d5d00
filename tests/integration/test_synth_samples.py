# SPDX-License-Identifier: GPL-2.0-or-later
"""The scenarios that a sample of Fibre Channel belongs to: emulated endpoints say what the sample has frame by frame."""

import difflib
import re
from collections import Counter

import pytest

from fc_samples import samples
from fc_story import story
from harness import ROOT, fabricscope

SAMPLES = {f"{row['group']}/{row['name']}": row for row in samples()}
PAIRS = sorted(
    (path.stem, sample)
    for path in (ROOT / "samples/scenarios").glob("*.scenario")
    for line in re.findall(r"^sample +(.*)$", path.read_text(), re.MULTILINE)
    for sample in line.split())

# Samples that no scenario shows, and why.
ALONE = {
    "fcvi/disconnect_of_nothing": "no Provider disconnects what it never had a handle of",
    "fcvi/disconnect_of_unknown_setup": "breaks a rule on purpose (VI-R20): no Provider aborts a setup that it did not begin",
    "fc_ae_rdma/beside_plain_fcp": "the emulated ports have no SCSI",
}

NO_WAIT_FOR_BA_ACC = "what follows an ABTS does not wait for its BA_ACC, which is of another Exchange"
OWN_ANSWER_FIRST = "who has an answer sends RESP2 before its own RESP1, which is of another Exchange"
# Exchanges of these are compared one by one.
RACES = {
    "fcvi_lost_disconnect_resp": NO_WAIT_FOR_BA_ACC,
    "fcvi_lost_rqst": NO_WAIT_FOR_BA_ACC,
    "fcvi_peer_case_2": OWN_ANSWER_FIRST,
    "fcvi_peer_case_3": OWN_ANSWER_FIRST,
    "fcvi_peer_case_4": OWN_ANSWER_FIRST,
    "fcvi_peer_case_5": OWN_ANSWER_FIRST,
    "fcvi_peer_case_6": OWN_ANSWER_FIRST,
    "fcvi_peer_concurrent": OWN_ANSWER_FIRST,
    "fcvi_response_timeout": NO_WAIT_FOR_BA_ACC,
    "fcvi_unreachable": NO_WAIT_FOR_BA_ACC,
}

ONE_RESOLVER = "who has been told by FARP does not ask the Name Server"
LENGTH_OF_READS = (
    "revision 1.0 contradicts itself: the length of a Read is in VI_RMT_TOT_LEN (5.7.9), or 0 is (6.5); the responder needs it")
ONE_IU_SIZE = "a Provider, or a port, cuts all its data alike"
ACKS_OF_BASIC = "in class 2 ABTS and BA_ACC have their ACK_1 like any Data frame"
TELLS_WHY = "CONN_STS is free (D.1 rule 1): the Provider tells what it knows"
SAYS_NOTHING = "CONN_STS is free (D.1 rule 1): the Provider has nothing to say"
ENDS_ERROR = "the sample ends before the application ends the Error state by a Disconnect (5.9.7.2.2, C.5.7.2)"
RETRIES = "who waits that long retries (8.5.4)"
ACKS = ["+ server FC Link Ctl, ACK1", "+ client FC Link Ctl, ACK1"]
SERVER_TELLS_TRANSPORT_ERROR = [
    "- server FC-VI DISCONNECT_RQST 1 by the application",
    "+ server FC-VI DISCONNECT_RQST 1 by the application: Transport Error (0x40)"]


def length_of_read(side, other, msg_id, octets):
    return [
        f"- {side} FC-VI READ_RQST 1 #{msg_id}, 0 bytes", f"+ {side} FC-VI READ_RQST 1 #{msg_id}, {octets} bytes",
        f"- {other} FC-VI READ_RESP 1 #{msg_id}, bytes 0-{octets - 1}",
        f"+ {other} FC-VI READ_RESP 1 #{msg_id}, bytes 0-{octets - 1} of {octets}"]


def aborts_setup(side, other, reason):
    return [
        f"+ {side} FC-VI DISCONNECT_RQST 1 aborts the setup by the application: {reason}",
        f"+ {other} FC-VI DISCONNECT_RESP 1 aborts the setup by the application: Disconnect Accept (0x4b)"]


# What a scenario has less (-) and more (+) than its sample, and why.
UNLIKE = {
    "fc_ae_rdma_class_2_in_turn": [(ONE_IU_SIZE, [
        "- client FC-AE-RDMA FCP_DATA 3 write LUN 3, bytes 0-299 of 300, 0x1000-0x112b",
        "+ client FC-AE-RDMA FCP_DATA 3 write LUN 3, bytes 0-255 of 300, 0x1000-0x10ff",
        "+ client FC-AE-RDMA FCP_DATA 3 write LUN 3, bytes 256-299 of 300, 0x1100-0x112b",
        "+ server FC Link Ctl, ACK1"])],
    "fc_ae_rdma_several_exchanges": [
        (ONE_IU_SIZE, [
            "- server FC-AE-RDMA FCP_DATA 2 read LUN 3, bytes 0-99 of 300, 0x1000-0x1063",
            "- server FC-AE-RDMA FCP_DATA 2 read LUN 3, bytes 100-299 of 300, 0x1064-0x112b",
            "+ server FC-AE-RDMA FCP_DATA 2 read LUN 3, bytes 0-199 of 300, 0x1000-0x10c7",
            "+ server FC-AE-RDMA FCP_DATA 2 read LUN 3, bytes 200-299 of 300, 0x10c8-0x112b",
            "- client FC-AE-RDMA FCP_DATA 3 write LUN 3, bytes 0-99 of 200, 0x1000-0x1063",
            "- client FC-AE-RDMA FCP_DATA 3 write LUN 3, bytes 100-199 of 200, 0x1064-0x10c7",
            "+ client FC-AE-RDMA FCP_DATA 3 write LUN 3, bytes 0-199 of 200, 0x1000-0x10c7"])],
    "fcvi_abort_asked": [
        ("a frame is lost: what else would make a port ask for ABTS?", ["- server FC Link Ctl, ACK1"]), (ACKS_OF_BASIC, ACKS)],
    "fcvi_both_ways_rd_rev_1_0": [
        (LENGTH_OF_READS, length_of_read("client", "server", 2, 300) + length_of_read("server", "client", 2, 300))],
    "fcvi_both_ways_rr_rev_1_0": [
        (LENGTH_OF_READS, length_of_read("client", "server", 2, 300) + length_of_read("server", "client", 2, 300))],
    "fcvi_client_server": [(ONE_RESOLVER, ["- client dNS GID_IPP", "- fabric dNS ACC (GID_IPP)"])],
    "fcvi_client_server_rev_1_0": [(ONE_RESOLVER, ["- client dNS GID_IPP", "- fabric dNS ACC (GID_IPP)"])],
    "fcvi_client_timeout": [("RESP3 may repeat what RESP2 told (6.11.2)", [
        "- server FC-VI CONNECT_RESP3 1 rejects: Connect Timeout (0x02)", "+ server FC-VI CONNECT_RESP3 1"])],
    "fcvi_crossing": [(ONE_IU_SIZE, [
        "- server FC-VI WRITE_RQST 1 #1, bytes 0-199 of 400", "- server FC-VI WRITE_RQST 1 #1, bytes 200-399 of 400",
        "+ server FC-VI WRITE_RQST 1 #1, bytes 0-299 of 400", "+ server FC-VI WRITE_RQST 1 #1, bytes 300-399 of 400"])],
    "fcvi_frame_busy": [(ACKS_OF_BASIC, ACKS)],
    "fcvi_frame_busy_again": [("the setup is of class 2, too", ACKS + ACKS)],
    "fcvi_frame_busy_rd": [(ACKS_OF_BASIC, ACKS), (TELLS_WHY, SERVER_TELLS_TRANSPORT_ERROR)],
    "fcvi_frame_rejected": [(ACKS_OF_BASIC, ACKS)],
    "fcvi_frame_rejected_rd": [(ACKS_OF_BASIC, ACKS), (TELLS_WHY, SERVER_TELLS_TRANSPORT_ERROR)],
    "fcvi_lost_ack": [(ACKS_OF_BASIC, ACKS)],
    "fcvi_lost_resp1_twice": [
        (RETRIES, [
            "+ client FC-VI CONNECT_RQST 1 retried Client-Server Reliable Reception",
            "+ server FC-VI CONNECT_RESP1 1 retried accepts Reliable Reception",
            "+ client BLS ABTS", "+ server BLS BA_ACC"]),
        (ENDS_ERROR, ["+ server FC-VI DISCONNECT_RQST 1 by the application", "+ client FC-VI DISCONNECT_RESP 1 by the application"])],
    "fcvi_lost_resp2_server": [(TELLS_WHY, SERVER_TELLS_TRANSPORT_ERROR)],
    "fcvi_lost_send_of_server": [
        ("something has to go wrong before: the server's Send gets no response", ["+ server BLS ABTS", "+ client BLS BA_ACC"]),
        (SAYS_NOTHING, [
            "- server FC-VI DISCONNECT_RESP 1 by the application: Disconnect Accept (0x4b)",
            "+ server FC-VI DISCONNECT_RESP 1 by the application"])],
    "fcvi_midway_rev_1_0": [(LENGTH_OF_READS, length_of_read("client", "server", 8, 300))],
    "fcvi_no_answer": [(RETRIES, [
        "+ client BLS ABTS", "+ server BLS BA_ACC", "+ client FC-VI CONNECT_RQST 1 retried Client-Server Reliable Reception",
        "+ client BLS ABTS", "+ server BLS BA_ACC", "+ finds: FCVI-32"])],
    "fcvi_peer_case_4": [(ENDS_ERROR, aborts_setup("client", "server", "Protocol Error (0x48)"))],
    "fcvi_peer_case_5": [
        ("a Transport Error is answered by a retry (8.2 b)", [
            "+ server FC-VI CONNECT_RQST 1 retried Peer-to-Peer Reliable Reception",
            "+ client FC-VI CONNECT_RESP1 1 retried rejects: Connect Reject - Transport Error (0x22)",
            "+ server FC-VI CONNECT_RESP2 1 retried", "+ client FC-VI CONNECT_RESP3 1 retried",
            "- tells: rejected (Connect Reject)", "+ tells: rejected (Connect Reject - Transport Error)"]),
        (ENDS_ERROR, aborts_setup("server", "client", "Transport Error (0x40)"))],
    "fcvi_peer_case_6": [(ENDS_ERROR, aborts_setup("server", "client", "Protocol Error (0x48)"))],
    "fcvi_read_refused": [(TELLS_WHY, [
        "- client FC-VI DISCONNECT_RQST 1 by the application",
        "+ client FC-VI DISCONNECT_RQST 1 by the application: RDMA Protection Error (0x41)"])],
    "fcvi_service_parameters": [(ENDS_ERROR, aborts_setup("client", "server", "Protocol Error (0x48)"))],
    "fcvi_several_sequences": [(ONE_IU_SIZE, [
        "- server FC-VI READ_RESP 1 #3, bytes 0-399 of 700", "- server FC-VI READ_RESP 1 #3, bytes 400-699 of 700",
        "+ server FC-VI READ_RESP 1 #3, bytes 0-255 of 700", "+ server FC-VI READ_RESP 1 #3, bytes 256-511 of 700",
        "+ server FC-VI READ_RESP 1 #3, bytes 512-699 of 700"])],
    "fcvi_several_sequences_rev_1_0": [
        (LENGTH_OF_READS, ["- client FC-VI READ_RQST 1 #2, 0 bytes", "+ client FC-VI READ_RQST 1 #2, 700 bytes"]),
        (ONE_IU_SIZE, [
            "- server FC-VI READ_RESP 1 #2, bytes 0-399", "- server FC-VI READ_RESP 1 #2, bytes 400-699",
            "+ server FC-VI READ_RESP 1 #2, bytes 0-255 of 700", "+ server FC-VI READ_RESP 1 #2, bytes 256-511 of 700",
            "+ server FC-VI READ_RESP 1 #2, bytes 512-699 of 700"])],
    "fcvi_streaming_fails": [
        ("an endpoint in Error throws all frames away (B.2.5, Herr), the third Send, too", [
            "- server FC-VI SEND_RESP 1 #3, failed, descriptor error",
            "- tells: connected, closed: client send 100; client send 100 failed; client send 100 failed",
            "+ tells: connected, closed: client send 100; client send 100 failed; client send 100 open"]),
        (TELLS_WHY, [
            "- server FC-VI DISCONNECT_RQST 1 by the application",
            "+ server FC-VI DISCONNECT_RQST 1 by the application: Remote Descriptor Error (0x42)"])],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synth")
    for scenario in {scenario for scenario, _ in PAIRS}:
        fabricscope("synth", scenario, "-o", folder / scenario, status=(0,))
    return folder


def differences(scenario, sample, capture, by_exchange):
    options = SAMPLES[sample]["options"].split()
    wanted = story(ROOT / f"samples/{sample}.pcap", *options, by_exchange=by_exchange)
    told = story(capture, *options, by_exchange=by_exchange)
    # How ports find each other is left out where the sample does.
    if not any("FARP" in line for line in wanted):
        told = [line for line in told if "FARP" not in line]
    return Counter(line for line in difflib.ndiff(wanted, told) if line[0] in "+-")


@pytest.mark.parametrize("scenario, sample", PAIRS)
def test_endpoints_say_what_the_sample_has(scenario, sample, made):
    known = Counter(line for _, lines in UNLIKE.get(scenario, []) for line in lines)
    assert differences(scenario, sample, made / scenario, scenario in RACES) == known
    if scenario in RACES:  # not named in vain
        assert differences(scenario, sample, made / scenario, False) != known


def test_exceptions_are_of_scenarios_that_there_are():
    assert (UNLIKE.keys() | RACES.keys()) <= {scenario for scenario, _ in PAIRS}


def test_every_sample_has_a_scenario():
    shown = {sample for _, sample in PAIRS}
    assert shown <= SAMPLES.keys()
    assert SAMPLES.keys() - shown == ALONE.keys()


def test_readme_names_the_scenarios():
    for name, row in SAMPLES.items():
        assert row["scenarios"] == [scenario for scenario, sample in PAIRS if sample == name], name
