# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin on real captures: nothing malformed, nothing missed, the same however Wireshark is driven,
and the same as `fabricscope analyze`."""

import functools
import random
from collections import Counter

import pytest
from harness import analyze, fields, fields_of_all, frame_lists, frames_of_all, run, sample, samples, sharkd, tshark, without_plugin

SMC = samples("smcr_*")
PLAIN = [name for name in samples() if name not in SMC] + ["smcr_fallback_plain_client"]
OTHER_PLUGINS_OFF = ["--disable-protocol", "rdma_ip_cm", "--disable-protocol", "rdma"]


@pytest.fixture
def ordered(tmp_path):
    """A capture in order of time: the program puts frames in order, Wireshark takes them as they stand."""

    def order(name):
        tmp_path.chmod(0o755)
        run(["reordercap", sample(name), tmp_path / name])
        return tmp_path / name

    return order


def test_nothing_is_malformed_cut_or_left_to_others():
    """An observation may be an error: of the network, none of the dissector."""
    suspicious = "_ws.malformed || (_ws.expert.severity == error && !fabricscope) || smcr.malformed || smcr.cut || smc || rpcordma" \
        ' || (smcr && frame.protocols contains "infiniband:data")'
    for name, frames in zip(SMC, frame_lists([sample(name) for name in SMC], suspicious, {}, ()), strict=True):
        assert not frames, name


@pytest.mark.parametrize("name", SMC)
def test_every_message_that_the_engine_counts_is_shown(name, ordered):
    shown = Counter()
    for row in fields(
        ordered(name), "smcr.connection", "smcr.from", "smcr.cdc.type", "smcr.write.length",
        # Data may be seen in a retransmission only: of a WRITE whose first packet was lost, for one.
        display_filter="smcr.connection && (smcr.write || (smcr.cdc && !smcr.retransmission)) && !smcr.copy_of",
    ):
        direction = (*row["smcr.connection"], *row["smcr.from"])
        if row["smcr.cdc.type"]:
            shown[*direction, "cdcs"] += 1
        else:
            shown[*direction, "bytes"] += int(row["smcr.write.length"][0])

    for connection in analyze(sample(name))["smcr"]["connections"]:
        both = {"client": connection["client_to_server"], "server": connection["server_to_client"]}
        if (connection["id"], "cdcs") in shown:
            # Captured midway: who is the client is not known, and whose a WRITE was only after the next CDC message.
            assert shown[connection["id"], "cdcs"] == sum(direction["cdcs"] for direction in both.values())
            continue
        for side, direction in both.items():
            assert shown[connection["id"], side, "cdcs"] == direction["cdcs"]
            assert shown[connection["id"], side, "bytes"] >= direction["bytes_written"]


@pytest.mark.parametrize("name", SMC)
def test_ids_are_those_of_the_program(name):
    rows = fields(
        sample(name), "smcr.connection", "smcr.link_group", "tcp.srcport", "tcp.dstport", "smcr.from",
        display_filter="smcr.clc && !smcr.copy_of")
    known = {connection["id"]: connection for connection in analyze(sample(name))["smcr"]["connections"]}
    for row in rows:
        connection = known[row["smcr.connection"][0]]
        ports = [row["tcp.srcport"][0], row["tcp.dstport"][0]]
        client, server = ports if row["smcr.from"] == ["client"] else ports[::-1]
        assert connection["client"].endswith(f":{client}") and connection["server"].endswith(f":{server}")
        if row["smcr.link_group"]:
            assert row["smcr.link_group"] == [connection["link_group"]]


@pytest.mark.parametrize("profile", ["linux", "rfc7609"])
def test_findings_are_the_programs(profile, ordered):
    """Those among them that only the end of the capture decides."""
    captures = [ordered(name) for name in SMC]
    of_all = fields_of_all(
        captures, "smcr.rule", display_filter="smcr.rule && !smcr.copy_of", preferences=[("smcr.profile", profile)])
    for capture, rows in zip(captures, of_all, strict=True):
        shown = Counter((rule, row["frame"]) for row in rows for rule in row["smcr.rule"])
        assert_findings_are(shown, capture, profile)


def assert_findings_are(shown, capture, profile):
    result = analyze(capture, "--profile", profile)
    found = Counter((finding["rule"], finding["frames"][-1]) for finding in result["findings"])
    listed = Counter(finding["rule"] for finding in result["findings"])
    # Of one kind the program lists the first ten; Wireshark shows each on its frame.
    shortened = {rule["rule"] for rule in result["rules"] if rule["broken"] > listed[rule["rule"]]}
    assert {rule for rule, _ in shown - found} <= shortened
    assert all(Counter(rule for rule, _ in shown.elements())[rule["rule"]] <= rule["broken"] for rule in result["rules"])
    assert not found - shown


@pytest.mark.parametrize("name", SMC)
def test_one_pass_two_passes_and_filters_agree(name):
    one_pass = tshark("-r", sample(name)).splitlines()
    assert tshark("-2", "-r", sample(name)).splitlines() == one_pass
    filtered = tshark("-r", sample(name), "-Y", "smcr.cdc").splitlines()
    assert filtered == [line for line in one_pass if int(line.split()[0]) in frames_with_cdc()[name]]


@functools.cache
def frames_with_cdc():
    return dict(zip(SMC, map(set, frames_of_all([sample(name) for name in SMC], "smcr.cdc")), strict=True))


@pytest.mark.parametrize("name", ["smcr_v1_echo", "smcr_v2_two_links", "smcr_v2_lossy"])
def test_a_read_filter_that_all_pass_changes_nothing(name):
    assert tshark("-2", "-R", "frame", "-r", sample(name)) == tshark("-2", "-r", sample(name))


def shown(capture, frames):
    """Columns and tree of these frames, asked for in this order."""
    answers = sharkd(capture, *(("frame", {"frame": frame, "proto": True, "columns": True}) for frame in frames))
    return dict(zip(frames, answers, strict=True))


@pytest.mark.parametrize("name", ["smcr_v1_echo", "smcr_v2_echo", "smcr_v2_two_links", "smcr_v2_lgr_rdma_link_delete", "smcr_v2_urgent"])
def test_random_access_shows_the_same(name):
    frames = [int(row["frame.number"][0]) for row in fields(sample(name), "frame.number", display_filter="smcr")][:400]
    shuffled = random.Random(name).sample(frames, len(frames))
    assert shown(sample(name), shuffled) == shown(sample(name), frames)


@pytest.mark.parametrize("name", PLAIN)
def test_captures_without_smc_are_left_alone(name):
    assert tshark("-r", sample(name), "-Y", "smcr || smc") == ""
    assert tshark("-r", sample(name), "-V", *OTHER_PLUGINS_OFF) == without_plugin("-r", sample(name), "-V")


@pytest.mark.parametrize("name", ["smcr_v1_echo", "smcr_v2_echo"])
def test_switched_off_it_leaves_everything_as_it_was(name):
    assert tshark("-r", sample(name), "--disable-protocol", "smcr", *OTHER_PLUGINS_OFF) == without_plugin("-r", sample(name))


def test_beside_the_builtin_dissector_it_writes_no_columns():
    capture = sample("smcr_v1_echo")
    beside = ["-o", "smcr.replace_builtin:FALSE"]
    assert tshark("-r", capture, *beside, *OTHER_PLUGINS_OFF) == without_plugin("-r", capture)
    assert fields(capture, "frame.number", display_filter="smc && smcr.cdc", options=beside)


@pytest.mark.parametrize("name", ["smcr_v1_echo", "smcr_v2_two_links"])
def test_writes_and_the_messages_that_tell_of_them_know_each_other(name):
    names = ["frame.number", "smcr.connection", "smcr.from", "smcr.announced_in", "smcr.announces"]
    capture = sample(name)
    rows = {int(row["frame.number"][0]): row for row in fields(capture, *names, display_filter="smcr", options=["-2"])}
    writes = {int(row["frame.number"][0]) for row in fields(capture, "frame.number", display_filter="smcr.write && !smcr.copy_of")}
    announced = {frame: int(rows[frame]["smcr.announced_in"][0]) for frame in writes if rows[frame]["smcr.announced_in"]}
    assert announced
    for write, message in announced.items():
        assert message > write
        assert all(rows[message][name] == rows[write][name] for name in ("smcr.connection", "smcr.from"))
    told = [(int(write), frame) for frame, row in rows.items() for write in row["smcr.announces"]]
    assert told
    assert all(write in writes and announced[write] <= message for write, message in told)


def test_the_cursor_base_can_be_forced():
    capture = sample("smcr_v1_echo")

    def produced(base):
        rows = fields(capture, "smcr.producer_delta", display_filter="smcr.cdc", options=["-o", f"smcr.cursor_base:{base}"])
        return [row["smcr.producer_delta"] for row in rows][:2]

    assert produced("auto") == produced("0") != produced("4")
