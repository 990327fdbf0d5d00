# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin fcvi: every IU of both versions over every carrier, Messages put together, and Wireshark's own fields as
they were."""

import random
import re

import fc_probe
import pytest
from fc_probe import CARRIERS, SEND_RESP, SEND_RQST, WRITE_RQST, Fcvi, pattern
from harness import fields, run, sample, sharkd, tshark, two_passes, without_plugin

VERSIONS = ["iso", "rev-1.0"]
PACKETS = [carrier for carrier in CARRIERS if carrier != "fcip"]


@pytest.fixture
def path(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path / "probe.pcap"


def rows(capture, *names, display_filter="fcvi", options=()):
    return fields(capture, "frame.number", *names, display_filter=display_filter, options=options)


def column(capture, name, **options):
    """The values of a field, frame by frame, one text each."""
    return [",".join(row[name]) for row in rows(capture, name, **options)]


def infos(capture, **options):
    return column(capture, "_ws.col.Info", **options)


def one(capture, frame, *names, options=()):
    (row,) = fields(capture, *names, display_filter=f"frame.number == {frame}", options=options)
    return tuple(",".join(row[name]) for name in names)


def octets(text):
    return bytes.fromhex(text.replace(":", ""))


# ---- the story at a glance, over every carrier ----

STORY = {
    "iso": [
        "CONNECT_RQST fcvi-1 Client-Server 2001:db8::10#client → 2001:db8::20#printer, handle 0xa01, Reliable Reception",
        "CONNECT_RESP1 fcvi-1 accepts 2001:db8::20#printer → 2001:db8::10#client, handle 0xb02, Reliable Reception",
        "CONNECT_RESP2 fcvi-1", "CONNECT_RESP3 fcvi-1",
        "SEND_RQST fcvi-1 #1, bytes 0-2047 of 5000", "SEND_RQST fcvi-1 #1, bytes 2048-4095 of 5000",
        "SEND_RQST fcvi-1 #1, bytes 4096-4999 of 5000", "SEND_RESP fcvi-1 #1, good",
        *(f"WRITE_RQST fcvi-1 #2, bytes {part} of 9000 to 0x7f0000001000, handle 0x9, immediate data 0xcafe"
          for part in ("0-2047", "2048-4095", "4096-4499", "4500-6547", "6548-8595", "8596-8999")),
        "WRITE_RESP fcvi-1 #2, good", "READ_RQST fcvi-1 #3, 6000 bytes from 0x7f0000002000, handle 0x9",
        "READ_RESP fcvi-1 #3, bytes 0-2047 of 6000", "READ_RESP fcvi-1 #3, bytes 2048-4095 of 6000",
        "READ_RESP fcvi-1 #3, bytes 4096-5999 of 6000", "SEND_RQST fcvi-1 #1, bytes 0-4 of 5",
        "SEND_RESP fcvi-1 #1, good", "DISCONNECT_RQST fcvi-1 by the application",
        "DISCONNECT_RESP fcvi-1 by the application"],
    "rev-1.0": [
        "CONNECT_RQST fcvi-1 Client-Server 2001:db8::10#client → 2001:db8::20#printer, handle 0xa01, Reliable Reception",
        "CONNECT_RESP1 fcvi-1 accepts 2001:db8::20#printer → 2001:db8::10#client, handle 0xb02, Reliable Reception",
        "CONNECT_RESP2 fcvi-1",
        "SEND_RQST fcvi-1 #0, bytes 0-2047", "SEND_RQST fcvi-1 #0, bytes 2048-4095",
        "SEND_RQST fcvi-1 #0, bytes 4096-4999", "SEND_RESP fcvi-1 #0, good",
        *(f"WRITE_RQST fcvi-1 #1, bytes {part} to 0x7f0000001000, handle 0x9, immediate data 0xcafe"
          for part in ("0-2047", "2048-4095", "4096-4499", "4500-6547", "6548-8595", "8596-8999")),
        "WRITE_RESP fcvi-1 #1, good", "READ_RQST fcvi-1 #2, 6000 bytes from 0x7f0000002000, handle 0x9",
        "READ_RESP fcvi-1 #2, bytes 0-2047 of 6000", "READ_RESP fcvi-1 #2, bytes 2048-4095 of 6000",
        "READ_RESP fcvi-1 #2, bytes 4096-5999 of 6000", "SEND_RQST fcvi-1 #0, bytes 0-4",
        "SEND_RESP fcvi-1 #0, good", "DISCONNECT_RQST fcvi-1 Disconnect initiated by the application",
        "DISCONNECT_RESP fcvi-1"],
}


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_story_at_a_glance(version, carrier, path):
    found = rows(
        fc_probe.conversation(version).save(path, carrier), "_ws.col.Protocol", "_ws.col.Info", "fcvi.version",
        "fcvi.connection", "fcvi.data", "fcvi.message_data", "fcvi.segment", "fcvi.message_length", "fcvi.reassembled_in",
        "fcvi.malformed", "fcvi.cut", "fcvi.reserved_set", "fcvi.rule", options=["-2"])
    assert [row["_ws.col.Info"] for row in found] == [[info] for info in STORY[version]]
    for row in found:
        assert (row["_ws.col.Protocol"], row["fcvi.version"], row["fcvi.connection"]) == (["FC-VI"], [version], ["fcvi-1"])
        assert row["fcvi.malformed"] + row["fcvi.cut"] + row["fcvi.reserved_set"] + row["fcvi.rule"] == []
    messages_are_put_together({row["frame.number"][0]: row for row in found})


def messages_are_put_together(found):
    *whole, alone = [row for row in found.values() if row["fcvi.message_data"]]
    assert (octets(alone["fcvi.message_data"][0]), alone["fcvi.segment"]) == (b"short", []), "a Message of one frame"
    assert [octets(row["fcvi.message_data"][0]) for row in whole] == [pattern(5000), pattern(9000), pattern(6000)]
    assert [row["fcvi.message_length"] for row in whole] == [["5000"], ["9000"], ["6000"]]
    assert [len(row["fcvi.segment"]) for row in whole] == [3, 6, 3]
    for row in whole:
        assert row["fcvi.segment"][-1] == row["frame.number"][0]
        parts = [found[frame]["fcvi.data"][0] for frame in row["fcvi.segment"]]
        assert b"".join(map(octets, parts)) == octets(row["fcvi.message_data"][0])
        assert {found[frame]["fcvi.reassembled_in"][0] for frame in row["fcvi.segment"][:-1]} == {row["frame.number"][0]}


# ---- fields ----

HEADER = {  # of the RDMA Write's first frame
    "fcvi.handle": "0x00000b02", "fcvi.opcode": "0x01", "fcvi.flags.imm_data": "1", "fcvi.immediate_data": "0x0000cafe",
    "fcvi.rmt_va": "0x00007f0000001000", "fcvi.rmt_va_handle": "0x00000009", "fcvi.iu": "FCVI_WRITE_RQST",
    "fcvi.operation": "rdma write", "fcvi.from": "client", "fcvi.offset": "0", "fcvi.range": "0x7f0000001000-0x7f00000017ff",
    "fcvi.address": "0x00007f0000001000", "fcvi.last_address": "0x00007f00000017ff", "fcvi.parameter": "0x0000cafe",
    "fcvi.client_address": "2001:db8::10#client",
    "fcvi.server_address": "2001:db8::20#printer"}


@pytest.mark.parametrize("carrier", ["fc2-vft", "fcoe-vlan", "fcip"])
@pytest.mark.parametrize("version", VERSIONS)
def test_header_fields(version, carrier, path):
    capture = fc_probe.conversation(version).save(path, carrier)
    frame = [row["frame.number"][0] for row in rows(capture, display_filter="fcvi.immediate_data")][0]
    where = " in fabric 5" if carrier == "fc2-vft" else ""
    client, server = f"01.02.03{where}", f"04.05.06{where}"
    names = {**HEADER, "fcvi.source": client, "fcvi.destination": server, "fcvi.endpoint": f"{client},{server}", "fcvi.msg_id": "2" if version == "iso" else "1", "fcvi.tot_len": "9000" if version == "iso" else "0",
             "fcvi.flags": "0x01" if version == "iso" else "0x80"}
    assert dict(zip(names, one(capture, frame, *names), strict=True)) == names


CONNECT = {
    "fcvi.connect.revision": "1", "fcvi.connect.handle": "0x00000a01", "fcvi.connect.local.host": "2001:db8::10",
    "fcvi.connect.remote.host": "2001:db8::20", "fcvi.connect.local.host_len": "16",
    "fcvi.connect.remote.discriminator_len": "16", "fcvi.attributes.max_trans_size": "65536",
    "fcvi.attributes.en_rdma_wr": "1", "fcvi.attributes.en_rdma_rd": "1", "fcvi.attributes.qos.max_bandwidth": "0",
    "fcvi.flags.mode": "1"}


@pytest.mark.parametrize("frame_size", [2048, 128])
@pytest.mark.parametrize("version", VERSIONS)
def test_connect_payload(version, frame_size, path):
    c = Fcvi(version)
    c.rqst(frame_size=frame_size)
    capture = c.save(path, "fcoe")
    extra = {"fcvi.connection_id": "0x00000055", "fcvi.attributes.qos.pipeline_depth": "3", "fcvi.attributes.reliability": "3"} \
        if version == "iso" else {"fcvi.attributes.reliability": "4"}
    names = {**CONNECT, **extra}
    last = len(c.frames)
    assert dict(zip(names, one(capture, last, *names), strict=True)) == names
    discriminator, = one(capture, last, "fcvi.connect.remote.discriminator")
    assert octets(discriminator) == b"printer".ljust(16, b"\0"), "DISCRIM_LEN octets, without the padding"
    # The frames before the one that completes the IU have no payload that could be read.
    assert len(rows(capture, display_filter="fcvi.connect.handle")) == 1


REASONS = {
    "iso": {
        0x01: "No Discriminator Match", 0x02: "Connect Timeout", 0x03: "No Waiting Remote Connectionpoint",
        0x04: "Connect Reject", 0x05: "Connect Reject - Concurrent Matching Peer Requests",
        0x20: "Connect Reject - Invalid Service Parm", 0x21: "Connect Reject - Protocol Error",
        0x22: "Connect Reject - Transport Error", 0xF3: "Vendor Unique Error", 0x0F: "Reserved"},
    "rev-1.0": {
        0x01: "Connect Reject", 0x02: "No Discriminator Match", 0x03: "Connect Timeout", 0x04: "No Waiting Remote Endpoint",
        0x05: "Connect Reject - Concurrent Peer Requests", 0x06: "Connect Reject - Duplicate Addresses"},
}


@pytest.mark.parametrize("version", VERSIONS)
def test_reasons_in_words(version, path):
    """Table 12 of ISO/IEC 14165-331 and table 10 of revision 1.0, as far as they concern setups."""
    c = Fcvi(version)
    for number, reason in enumerate(REASONS[version]):
        c.rqst(ox_id=0x1000 + number, connection_id=0x55 + number)
        c.resp1(reason=reason, ox_id=0x1000 + number, connection_id=0x55 + number)
    capture = c.save(path)
    found = rows(capture, "_ws.col.Info", "fcvi.outcome", "fcvi.rejection", "fcvi.rejected_in", "fcvi.reason", "fcvi.reason_text",
                 options=["-2"])
    for number, (reason, name) in enumerate(REASONS[version].items()):
        request, response = found[2 * number:2 * number + 2]
        assert response["_ws.col.Info"] == [f"CONNECT_RESP1 fcvi-{number + 1} rejects: {name} (0x{reason:02x})"]
        assert response["fcvi.reason"] == [f"0x{reason:02x}"] and response["fcvi.reason_text"] == [name]
        assert request["fcvi.outcome"] == ["rejected"] and request["fcvi.rejected_in"] == response["frame.number"]
        assert request["fcvi.rejection"] == [f"by the server: {name} (0x{reason:02x})"]
    assert f"Rejected by the server: {name} (0x{reason:02x})" in tshark("-r", capture, "-q", "-z", "expert,note,fcvi")


FAILURES = {0x01: "", 0x09: ", transport error", 0x05: ", RDMA protection error", 0x03: ", descriptor error"}


@pytest.mark.parametrize("version", VERSIONS)
def test_failed_messages(version, path):
    c = Fcvi(version)
    c.connect()
    for flags in FAILURES:
        c.request(True, WRITE_RQST, b"data", va=0x1000, va_handle=9)
        c.response(False, 0x09, flags=flags)
    found = rows(c.save(path), "_ws.col.Info", "fcvi.state", "fcvi.msg_id", display_filter="fcvi.failed")
    for row, words in zip(found, FAILURES.values(), strict=True):
        assert row["_ws.col.Info"] == [f"WRITE_RESP fcvi-1 #{row['fcvi.msg_id'][0]}, failed{words}"]
        assert row["fcvi.state"] == ["failed"]


# ---- which version ----

def midway(version):
    """A connection whose setup was not captured."""
    c = Fcvi(version)
    c.request(True, SEND_RQST, pattern(300))
    c.response(False, SEND_RESP)
    return c


@pytest.mark.parametrize("version", VERSIONS)
def test_midway_the_sizes_tell_the_version(version, path):
    capture = midway(version).save(path)
    assert set(column(capture, "fcvi.version")) == {version}
    assert one(capture, 1, "fcvi.data")[0] == pattern(300).hex()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_preference_forces_a_version(version, path):
    other = VERSIONS[1 - VERSIONS.index(version)]
    capture = fc_probe.conversation(other).save(path)
    forced = ["-o", f"fcvi.version:{version}"]
    assert set(column(capture, "fcvi.version", options=forced)) == {version}
    assert set(column(capture, "fcvi.version")) == {other}


# ---- links and findings ----

@pytest.mark.parametrize("carrier", ["fc2", "fcoe", "fcip"])
@pytest.mark.parametrize("version", VERSIONS)
def test_requests_and_responses(version, carrier, path):
    capture = fc_probe.conversation(version).save(path, carrier)
    found = rows(capture, "fcvi.iu", "fcvi.request_in", "fcvi.response_in", "fcvi.time", "fcvi.exchange", "frame.time_relative",
                 "fcvi.message", options=["-2"])
    by_frame = {row["frame.number"][0]: row for row in found}
    for row in found:
        for request in row["fcvi.request_in"]:
            asked = by_frame[request]
            assert asked["fcvi.exchange"] == row["fcvi.exchange"] and asked["fcvi.message"] == row["fcvi.message"]
            elapsed = float(row["frame.time_relative"][0]) - float(asked["frame.time_relative"][0])
            assert abs(float(row["fcvi.time"][0]) - elapsed) < 1e-6
            assert by_frame[asked["fcvi.response_in"][0]]["fcvi.exchange"] == row["fcvi.exchange"]
    answered = [row["fcvi.iu"][0] for row in found if row["fcvi.request_in"]]
    setup = ["FCVI_CONNECT_RESP1", "FCVI_CONNECT_RESP2"] + (["FCVI_CONNECT_RESP3"] if version == "iso" else [])
    assert answered == [*setup, "FCVI_SEND_RESP", "FCVI_WRITE_RESP", *3 * ["FCVI_READ_RESP"], "FCVI_SEND_RESP",
                        "FCVI_DISCONNECT_RESP"]
    exchanges = [row["fcvi.exchange"][0] for row in found]
    assert sorted(set(exchanges), key=exchanges.index) == [f"xchg-{n}" for n in range(1, 7)]
    messages = [row["fcvi.message"][0] for row in found if row["fcvi.message"]]
    assert sorted(set(messages), key=messages.index) == [f"fcvi-message-{n}" for n in range(1, 5)]


def test_an_abort_belongs_to_its_message(path):
    c = Fcvi()
    c.connect()
    c.request(True, SEND_RQST, pattern(100))
    frame = c.abts(True, True, c.ox_id(True, 1))
    capture = c.save(path)
    assert one(capture, frame, "fcvi.connection", "fcvi.message", "fcvi.from", "_ws.col.Info") == \
        ("fcvi-1", "fcvi-message-1", "client", "ABTS")
    assert one(capture, 5, "fcvi.state", options=["-2"]) == ("aborted",)


def test_findings_are_expert_infos(path):
    c = Fcvi()
    c.rqst()
    c.resp1()
    frame = c.resp2(msg_id=5)
    capture = c.save(path)
    found = rows(capture, "fcvi.rule", display_filter='fcvi.rule == "FCVI-09"')
    assert [row["frame.number"] for row in found] == [[str(frame)]]
    assert re.search(r"FC-VI +FCVI-09: .* \(ISO/IEC 14165-331, 5.9.6", tshark("-r", capture, "-q", "-z", "expert,error"))


# ---- frames in any order, lost, repeated, cut ----

@pytest.mark.parametrize("carrier", ["fc2", "fcoe", "mds"])
def test_frames_out_of_order(carrier, path):
    c = Fcvi()
    c.connect()
    first = c.request(True, WRITE_RQST, pattern(8000), va=0x1000, va_handle=9) - 1
    c.frames[first:first + 4] = [c.frames[first + n] for n in (0, 3, 1, 2)]
    c.response(False, 0x09)
    capture = c.save(path, carrier)
    (whole,) = rows(capture, "fcvi.message_data", "fcvi.segment", display_filter="fcvi.message_data")
    assert octets(whole["fcvi.message_data"][0]) == pattern(8000)
    assert whole["fcvi.segment"] == [str(first + n) for n in (1, 2, 3, 4)] and whole["frame.number"] == [str(first + 4)]
    assert [row["fcvi.offset"] for row in rows(capture, "fcvi.offset", display_filter="fcvi.offset")] == \
        [["0"], ["6144"], ["2048"], ["4096"]]


def test_a_message_of_one_frame_has_its_data(path):
    c = Fcvi()
    c.connect()
    frame = c.request(True, WRITE_RQST, pattern(100), va=0x1000, va_handle=9)
    c.response(False, 0x09)
    capture = c.save(path)
    (whole,) = rows(capture, "fcvi.message_data", display_filter="fcvi.message_data")
    assert (whole["frame.number"], octets(whole["fcvi.message_data"][0])) == ([str(frame)], pattern(100))
    touched = [rows(capture, display_filter=f"fcvi.address <= {a} && fcvi.last_address >= {a}") for a in (0x1063, 0x1064)]
    assert [len(found) for found in touched] == [1, 0]


def test_a_lost_frame_leaves_the_message_incomplete(path):
    c = Fcvi()
    c.connect()
    c.request(True, SEND_RQST, pattern(6000), frames=(0, 2))
    c.response(False, SEND_RESP)
    capture = c.save(path)
    assert rows(capture, display_filter="fcvi.message_data || fcvi.reassembled_in", options=["-2"]) == []
    assert one(capture, 5, "fcvi.state", options=["-2"]) == ("incomplete",)


def test_a_repeated_frame_is_marked(path):
    c = Fcvi()
    c.connect()
    frame = c.request(True, SEND_RQST, pattern(5000))
    c.frames.insert(frame + 1, c.frames[frame])
    capture = c.save(path)
    assert infos(capture)[frame + 1] == "[Repeated] SEND_RQST fcvi-1 #1, bytes 2048-4095 of 5000"
    assert [row["frame.number"] for row in rows(capture, display_filter="fcvi.repeated")] == [[str(frame + 2)]]
    (whole,) = rows(capture, "fcvi.message_data", display_filter="fcvi.message_data")
    assert octets(whole["fcvi.message_data"][0]) == pattern(5000)


@pytest.mark.parametrize("length", [24, 30, 40, 60, 200])
@pytest.mark.parametrize("version", VERSIONS)
def test_cut_frames(version, length, path):
    capture = fc_probe.conversation(version).save(path, snap_length=length)
    output = tshark("-r", capture, "-V")
    assert "ispl" not in output.lower().replace("display", "") and "dissector bug" not in output.lower()
    if length >= fc_probe.HEADERS:
        assert [info.split()[0] for info in infos(capture)] == [info.split()[0] for info in STORY[version]]
    assert (length >= 200) or rows(capture, display_filter="fcvi.cut")


def test_a_frame_without_device_header(path):
    c = Fcvi()
    c.connect()
    frame = c.frame(True, 1, fc_probe.FCVI, fc_probe.FIRST | fc_probe.END, b"data", ox_id=0x77)
    capture = c.save(path)
    assert one(capture, frame, "_ws.col.Protocol", "_ws.col.Info") == ("FC-VI", "no Device_Header")
    assert one(capture, frame, "fcvi.rule")[0].startswith("FCVI-")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("carrier", ["fc2", "fcoe"])
def test_random_errors_do_no_harm(carrier, seed, path, tmp_path):
    capture = fc_probe.conversation("iso" if seed % 2 else "rev-1.0").save(path, carrier)
    damaged = tmp_path / "damaged.pcap"
    run(["editcap", "-E", "0.01", "--seed", str(seed + 1), capture, damaged])
    assert "dissector bug" not in tshark("-r", damaged, "-V", "-2").lower()


# ---- the same, however Wireshark is driven ----

@pytest.mark.parametrize("carrier", CARRIERS)
def test_one_pass_two_passes_and_filters_agree(carrier, path):
    capture = fc_probe.conversation().save(path, carrier)
    one_pass = tshark("-r", capture).splitlines()
    assert two_passes("-r", capture) == one_pass
    assert two_passes("-r", capture, "-R", "frame") == one_pass
    numbers = {row["frame.number"][0] for row in rows(capture)}
    assert tshark("-r", capture, "-Y", "fcvi").splitlines() == [line for line in one_pass if line.split()[0] in numbers]


@pytest.mark.parametrize("carrier", ["fc2", "fcoe", "fcip"])
def test_random_access_shows_the_same(carrier, path):
    capture = fc_probe.conversation().save(path, carrier)

    def shown(frames):
        answers = sharkd(capture, *(("frame", {"frame": n, "proto": True, "columns": True}) for n in frames))
        return dict(zip(frames, answers, strict=True))

    frames = [int(row["frame.number"][0]) for row in rows(capture)]
    shuffled = random.Random(carrier).sample(frames, len(frames))
    assert shown(shuffled) == shown(frames)


@pytest.mark.parametrize("carrier", ["fc2-delimited", "fcoe"])
def test_copies_of_another_interface(carrier, path, tmp_path):
    capture = fc_probe.conversation().save(path, carrier)
    both = tmp_path / "both.pcapng"
    run(["mergecap", "-I", "none", "-w", both, capture, capture])
    found = rows(both, "fcvi.copy_of", "fcvi.message", "_ws.col.Info")
    for original, copy in zip(found[::2], found[1::2], strict=True):
        assert original["fcvi.copy_of"] == [] and copy["fcvi.copy_of"] == original["frame.number"]
        assert copy["fcvi.message"] == original["fcvi.message"]
        assert copy["_ws.col.Info"] == [f"[Copy of frame {original['frame.number'][0]}] {original['_ws.col.Info'][0]}"]
    assert [octets for _, octets in followed(both)[0]] == [pattern(5000), pattern(9000), pattern(6000), b"short"]


# ---- Wireshark's own fields ----

HEADER_FIELDS = ["fc.r_ctl", "fc.d_id", "fc.cs_ctl", "fc.s_id", "fc.type", "fc.f_ctl", "fc.seq_id", "fc.df_ctl", "fc.seq_cnt",
                 "fc.ox_id", "fc.rx_id", "fc.parameter", "fcoe.sof", "fcoe.eof", "fcoe.crc.status", "fc.sof", "fc.eof",
                 "fc.vft.vf_id", "mdshdr.vsan", "brdwlk.vsan", "vlan.id"]


@pytest.mark.parametrize("carrier", CARRIERS)
def test_the_frame_header_stays_wiresharks(carrier, path):
    capture = fc_probe.conversation().save(path, carrier)
    arguments = ["-r", capture, "-T", "fields"] + [word for name in HEADER_FIELDS for word in ("-e", name)]
    assert tshark(*arguments) == without_plugin(*arguments)


@pytest.mark.parametrize("carrier", PACKETS)
def test_the_frame_header_is_that_of_the_frame(carrier, path):
    """In our tree, too: what FC-VI takes from the frame header is what Wireshark shows of it."""
    capture = fc_probe.conversation().save(path, carrier)
    for row in rows(capture, "fc.s_id", "fc.d_id", "fcvi.source", "fcvi.destination", "fc.parameter", "fc.fctl.rel_offset",
                    "fcvi.offset"):
        for theirs, ours in (("fc.s_id", "fcvi.source"), ("fc.d_id", "fcvi.destination")):
            assert row[theirs] == [row[ours][0].split(" in fabric")[0]]
        if row["fcvi.offset"]:
            assert int(row["fc.parameter"][0], 0) % 4500 % 2048 == 0 or int(row["fc.parameter"][0], 0) == int(row["fcvi.offset"][0])


@pytest.mark.parametrize("carrier", PACKETS)
def test_wireshark_makes_no_garbage_of_sequences(carrier, path):
    """It would put frames together by a guess at their size, with the Device_Headers in between."""
    capture = fc_probe.conversation().save(path, carrier)
    text = tshark("-r", capture, "-V", "-x")
    assert "Reassembled FC " not in text and "(Bogus Fragment)" not in tshark("-r", capture)
    assert not re.search(r"^Data \(", text, re.MULTILINE)
    if carrier == "fc2":
        assert "Reassembled FC " in without_plugin("-r", capture, "-V", "-x")


@pytest.mark.parametrize("carrier", ["fc2", "fcoe"])
def test_other_sequences_are_put_together_as_before(carrier, path):
    """Between FC-VI's frames, too."""
    c = fc_probe.conversation()
    plain = fc_probe.messages().frames
    for number, frame in enumerate(plain):
        c.frames.insert(3 * number, frame)
    capture = c.save(path, carrier)
    arguments = ["-r", capture, "-V", "-Y", "fc.type == 0x08", "--disable-protocol", "fcaerdma"]
    assert tshark(*arguments) == without_plugin(*arguments[:5])


def test_real_fcoe_is_left_alone():
    """What is observed of it, logins that were refused, shows in two passes, and can be switched off."""
    """What is observed of it, two logins that were refused, shows in two passes, and can be switched off."""
    for options in (["-V"], ["-V", "-2"], ["-T", "pdml"], []):
        ours = tshark("-r", sample("fcoe_vn2vn"), *options, "--disable-protocol", "fabricscope")
        theirs = without_plugin("-r", sample("fcoe_vn2vn"), *options)
        drop = re.compile(r"<!--.*?-->|<pdml [^>]*>")
        assert drop.sub("", ours) == drop.sub("", theirs)
        if "-2" not in options:
            assert drop.sub("", ours) == drop.sub("", tshark("-r", sample("fcoe_vn2vn"), *options))


@pytest.mark.parametrize("carrier", CARRIERS)
def test_switched_off_it_leaves_everything_as_it_was(carrier, path):
    capture = fc_probe.conversation().save(path, carrier)
    assert tshark("-r", capture, "-V", "--disable-protocol", "fcvi") == without_plugin("-r", capture, "-V")


# ---- windows ----

def followed(capture, number=1, *options):
    """Both directions as tshark's raw format has them: hexadecimal, the server's indented; a line for each Message."""
    text = tshark(*options, "-q", "-r", capture, "-z", f"follow,fcvi,raw,{number}")
    lines = re.findall(r"^\t?[0-9a-f]+$", text, re.MULTILINE)
    return [("server" if line.startswith("\t") else "client", bytes.fromhex(line.strip())) for line in lines], text


@pytest.mark.parametrize("carrier", ["fc2", "fcoe", "fcip"])
@pytest.mark.parametrize("options", [(), ("-2",)], ids=["one-pass", "two-passes"])
def test_follow_shows_the_messages(carrier, options, path):
    messages, text = followed(fc_probe.conversation().save(path, carrier), 1, *options)
    assert messages == [("client", pattern(5000)), ("client", pattern(9000)), ("server", pattern(6000)), ("server", b"short")]
    assert "Node 0: 01.02.03:0\nNode 1: 04.05.06:0\n" in text


def test_an_incomplete_message_comes_when_all_has_been_seen(path):
    c = Fcvi()
    c.connect()
    c.request(True, SEND_RQST, pattern(6000), frames=(0, 2))
    c.request(True, SEND_RQST, b"whole")
    capture = c.save(path)
    hole = pattern(2048) + bytes(2048) + pattern(6000)[4096:]
    assert followed(capture)[0] == [("client", b"whole")]
    assert followed(capture, 1, "-2")[0] == [("client", hole), ("client", b"whole")]


@pytest.mark.parametrize("carrier", ["fc2", "fcip"])
def test_export_writes_the_messages(carrier, path, tmp_path):
    objects = tmp_path / "objects"
    objects.mkdir()
    objects.chmod(0o777)
    tshark("-q", "-r", fc_probe.conversation().save(path, carrier), "--export-objects", f"fcvi,{objects}")
    assert {file.name: file.read_bytes() for file in objects.iterdir()} == {
        "fcvi-1-message-1-send.bin": pattern(5000), "fcvi-1-message-2-write.bin": pattern(9000),
        "fcvi-1-message-3-read.bin": pattern(6000), "fcvi-1-message-4-send.bin": b"short"}


@pytest.mark.parametrize("version", VERSIONS)
def test_response_times(version, path):
    capture = fc_probe.conversation(version).save(path)
    expected = {}
    for row in rows(capture, "fcvi.iu", "fcvi.time", "fcvi.request_in", display_filter="fcvi.time"):
        expected.setdefault((row["fcvi.iu"][0], row["fcvi.request_in"][0]), float(row["fcvi.time"][0]))
    (result,) = sharkd(capture, ("tap", {"tap0": "srt:fcvi"}))
    tables = result["taps"][0]["tables"]
    shown = {row["n"]: row for table in tables for row in table["r"] if row["num"]}
    assert shown.keys() == {iu for iu, _ in expected}
    for iu, row in shown.items():
        times = [time for (name, _), time in expected.items() if name == iu]
        assert row["num"] == len(times) and abs(row["tot"] - sum(times)) < 1e-6


def test_conversations_endpoints_counts_and_flow(path):
    capture = fc_probe.conversation().save(path, "fcoe")
    text = tshark("-q", "-r", capture, "-z", "conv,fcvi", "-z", "endpoints,fcvi", "-z", "fcvi,tree", "-z", "flow,fcvi,standard")
    assert re.search(r"^01\.02\.03 +<-> 04\.05\.06 +9 \S+ \S+ +14 \S+ \S+ +23 ", text, re.MULTILINE)
    assert re.search(r"^04\.05\.06 +23 +\d+(?: \w+)? +9 ", text, re.MULTILINE)
    counts = {match[1].strip(): int(match[2]) for match in re.finditer(r"^ *(\S.*?)  +(\d+)\s", text, re.MULTILINE)}
    assert counts["FC-VI frames"] == 23 and counts["WRITE_RQST"] == 6 and counts["Messages begun"] == 4
    assert counts["send"] == 2 and counts["rdma write"] == counts["rdma read"] == 1 and counts["Findings"] == 0
    arrows = re.findall(r"^\|[0-9.]+\| +(\w+)\b.*\|\1 fcvi-1", text, re.MULTILINE)
    assert arrows == [story.split()[0] for number, story in enumerate(STORY["iso"])
                      if number not in (4, 5, 8, 9, 11, 12, 16, 17)]  # frames that do not end their IU
