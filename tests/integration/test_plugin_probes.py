# SPDX-License-Identifier: GPL-2.0-or-later
"""Where Wireshark's own SMC dissector goes wrong, the plugin does not: one test for each such place."""

import struct

import probe
import pytest
from harness import analyze, fields, sample, tshark
from probe import Capture


@pytest.fixture
def path(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path / "probe.pcap"


def decode(capture, frame, *names, options=()):
    """The values of one frame, as a tuple of lists."""
    (row,) = fields(capture, *names, display_filter=f"frame.number == {frame}", options=options)
    return tuple(row[name] for name in names)


def info(capture, frame, options=()):
    ((text,),) = decode(capture, frame, "_ws.col.Info", options=options)
    return text


def numbers(capture, display_filter, options=()):
    return [int(row["frame.number"][0]) for row in fields(capture, "frame.number", display_filter=display_filter, options=options)]


def expert(capture, frame):
    (texts,) = decode(capture, frame, "_ws.expert.message")
    return " ".join(texts)


def assert_clean(capture):
    assert numbers(capture, "_ws.malformed || smcr.malformed || smcr.reserved_set") == []


# ---- CLC ----


def test_proposal_as_the_rfc_has_it(path):
    capture = Capture().handshake()
    frame = capture.tcp(True, probe.proposal())
    capture.save(path)
    assert_clean(path)
    length, subnet, mask, trailer = decode(
        path, frame, "smcr.clc.length", "smcr.clc.proposal.subnet", "smcr.clc.proposal.mask_length", "smcr.clc.trailer")
    assert (length, subnet, mask, trailer) == (["52"], ["192.0.2.0"], ["24"], ["0xe2d4c3d9"])


def test_the_ip_area_is_where_the_offset_says(path):
    capture = Capture().handshake()
    frame = capture.tcp(True, probe.proposal(growth=bytes(24), prefixes=[bytes(15) + b"\x01\x40"]))
    capture.save(path)
    assert_clean(path)
    assert decode(path, frame, "smcr.clc.proposal.subnet", "smcr.clc.proposal.prefix_length") == (["192.0.2.0"], ["64"])


def test_a_bad_trailer_is_told(path):
    capture = Capture().handshake()
    frame = capture.tcp(True, probe.proposal(trailer=b"oops"))
    capture.save(path)
    assert "smcr.clc.trailer at offset 48" in expert(path, frame)


@pytest.mark.parametrize("port", [80, 443, 7000, 18001, 2049])
def test_any_port(path, port):
    Capture(server_port=port).rendezvous().save(path)
    assert_clean(path)
    assert numbers(path, "smcr.clc") == [4, 5, 6]
    assert info(path, 4) == "CLC PROPOSAL (v1)"


@pytest.mark.parametrize("split", [1, 2, 3, 4, 6, 7, 51])
@pytest.mark.parametrize("port", [80, 18001])
def test_split_at_any_octet(path, split, port):
    capture = Capture(server_port=port).handshake()
    message = probe.proposal()
    first, second = capture.tcp(True, message[:split]), capture.tcp(True, message[split:])
    capture.save(path)
    assert_clean(path)
    assert decode(path, second, "smcr.clc.length", "smcr.clc.trailer") == (["52"], ["0xe2d4c3d9"])
    assert info(path, first) == f"[CLC message, {split} bytes of it]"
    assert info(path, first, options=["-2"]) == f"[CLC message, {split} bytes of it completed in frame {second}]"


def test_one_octet_at_a_time(path):
    capture = Capture(server_port=80).handshake()
    frames = [capture.tcp(True, bytes([octet])) for octet in probe.proposal()]
    capture.save(path)
    assert_clean(path)
    assert numbers(path, "smcr.clc") == [frames[-1]]
    assert numbers(path, "http || data") == []


def test_split_independent_of_tcp_preferences(path):
    capture = Capture().handshake()
    capture.tcp(True, probe.proposal()[:20])
    second = capture.tcp(True, probe.proposal()[20:])
    capture.save(path)
    for option in ("tcp.desegment_tcp_streams:FALSE", "tcp.check_checksum:TRUE", "tcp.try_heuristic_first:TRUE"):
        assert numbers(path, "smcr.clc", options=["-o", option]) == [second], option


def test_segments_out_of_order(path):
    capture = Capture().handshake()
    message = probe.proposal()
    capture.tcp(True, message[:20])
    capture.tcp(True, message[20:])
    capture.frames[-2:] = reversed(capture.frames[-2:])
    capture.save(path)
    assert numbers(path, "smcr.clc") == [5]


REQUEST = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"


@pytest.mark.parametrize("port", [80, 18001])
def test_data_behind_a_decline_is_left_to_others(path, port):
    capture = Capture(server_port=port).handshake()
    capture.tcp(True, probe.proposal())
    capture.tcp(False, probe.accept())
    frame = capture.tcp(True, probe.decline() + REQUEST)
    capture.save(path)
    assert_clean(path)
    assert decode(path, frame, "smcr.clc.type", "http.host") == (["4"], ["example.org"])
    assert info(path, frame).rstrip() == "CLC DECLINE (v1), no SMC device found [37 more bytes] GET / HTTP/1.1"


def test_data_behind_a_decline_may_go_on_in_the_next_segment(path):
    capture = Capture(server_port=80).handshake()
    capture.tcp(True, probe.proposal())
    capture.tcp(False, probe.accept())
    declined = capture.tcp(True, probe.decline() + REQUEST[:10])
    request = capture.tcp(True, REQUEST[10:])
    capture.save(path)
    assert decode(path, declined, "smcr.clc.type", "http.host") == (["4"], [])
    assert decode(path, request, "smcr.clc.type", "http.host") == ([], ["example.org"])


def test_unknown_data_behind_a_decline_is_shown(path):
    capture = Capture().handshake()
    capture.tcp(True, probe.proposal())
    frame = capture.tcp(False, probe.decline() + b"\x01\x02\x03")
    capture.save(path)
    assert decode(path, frame, "smcr.clc.type", "data.data") == (["4"], ["010203"])


def test_fallback_data_is_http_again(path):
    capture = Capture(server_port=80).handshake()
    capture.tcp(True, probe.proposal())
    capture.tcp(False, probe.decline())
    frame = capture.tcp(True, REQUEST)
    capture.save(path)
    assert decode(path, frame, "smcr.connection", "http.host", "_ws.col.Protocol") == (["smcr-1"], ["example.org"], ["HTTP"])


def test_decline_codes_have_names(path):
    capture = Capture().handshake()
    capture.tcp(True, probe.proposal())
    known = capture.tcp(False, probe.decline(0x03010000))
    capture.save(path)
    assert info(path, known) == "CLC DECLINE (v1), peer does not do SMC"


def test_application_data_that_begins_with_the_eye_catcher(path):
    capture = Capture()
    capture.handshake(options=b"")
    capture.tcp(True, probe.EYE_CATCHER + b"\x01\x00\x20 is not CLC, whatever it looks like")
    capture.save(path)
    assert numbers(path, "smcr || smc") == []


def test_smcd_has_a_protocol_column_of_its_own(path):
    capture = Capture().handshake()
    capture.tcp(True, probe.proposal())
    body = struct.pack("!QQBBHI", 0x1122, 0x3344, 1, 0x20, 0, 0x55) + bytes(12)
    frame = capture.tcp(False, probe.clc(2, body, eye_catcher=probe.EYE_CATCHER_SMCD))
    capture.save(path)
    assert_clean(path)
    assert decode(path, frame, "_ws.col.Protocol", "smcr.clc.smcd.token") == (["SMC-D"], ["0x0000000000003344"])


# ---- the TCP option ----


def test_the_option_tells_smcr_from_smcd(path):
    capture = Capture().handshake()
    capture.handshake(options=probe.OPTION_SMCD)
    capture.save(path)
    assert decode(path, 1, "smcr.tcp_option.identifier") == (["0xe2d4c3d9"],)
    assert decode(path, 4, "smcr.tcp_option.identifier") == (["0xe2d4c3c4"],)
    assert info(path, 1).endswith("SMC-R") and info(path, 4).endswith("SMC-D")


def test_other_experimental_options_stay_with_tcp(path):
    capture = Capture().handshake(options=b"\x01\x01\xfe\x06\xf9\x89\x12\x34")
    capture.save(path)
    assert numbers(path, "smcr") == []
    assert decode(path, 1, "tcp.options.experimental.exid") == (["0xf989"],)


# ---- LLC and CDC ----


def test_a_write_that_looks_like_cdc_is_a_write(path):
    capture = Capture().rendezvous()
    lookalike = capture.write(True, probe.cdc(probe.SERVER_TOKEN, 7))
    message = capture.send(True, probe.cdc(probe.SERVER_TOKEN, 1, producer=(0, 44)))
    capture.save(path)
    assert_clean(path)
    assert numbers(path, "smcr.cdc") == [message]
    assert numbers(path, "smcr.write.length == 44") == [lookalike]
    assert decode(path, lookalike, "smcr.connection", "smcr.rmbe.offset", "smcr.rmbe.position") == (["smcr-1"], ["0"], ["0"])


def test_somebody_elses_write_that_looks_like_cdc(path):
    capture = Capture()
    capture.write(True, probe.cdc(probe.SERVER_TOKEN, 7), qpn=0x999)
    capture.save(path)
    assert numbers(path, "smcr || smc") == []


def test_a_long_llc_message_in_several_packets(path):
    capture = Capture().rendezvous()
    rkeys = b"".join(struct.pack("!IIQ", n, n + 0x100, n << 12) for n in range(1, 71))
    body = probe.CLIENT_MAC + bytes(2) + probe.gid(probe.CLIENT) + (0x21).to_bytes(3, "big") + b"\x02\x03"
    body += (77).to_bytes(3, "big") + bytes(8)
    message = b"\x22" + struct.pack("<H", 72 + len(rkeys)) + b"\x80" + body
    message += b"\x00\x00" + bytes(16) + bytes(8) + struct.pack("<H", 70) + rkeys
    first = capture.rdma(True, probe.SEND_FIRST, message[:1024])
    last = capture.rdma(True, probe.SEND_LAST, message[1024:])
    capture.save(path)
    assert_clean(path)
    assert numbers(path, "rpcordma") == []
    kind, length, keys = decode(path, last, "smcr.llc.type", "smcr.llc.v2_length", "smcr.llc.rtoken.reference_rkey")
    assert (kind, length, len(keys)) == (["0x22"], ["1192"], 70)
    assert info(path, first) == "Part of a longer message, link 1"


def test_test_link_shows_its_user_data(path):
    capture = Capture().rendezvous()
    frame = capture.send(True, probe.llc(7, 0, bytes(range(16))))
    capture.save(path)
    assert decode(path, frame, "smcr.llc.test_link.user_data") == (["000102030405060708090a0b0c0d0e0f"],)


def add_link(gap, flags=0, byte2=0):
    body = probe.SERVER_MAC + gap + probe.gid(probe.SERVER) + (0x15).to_bytes(3, "big") + b"\x02\x03" + (77).to_bytes(3, "big")
    return probe.llc(2, flags, body, byte2)


def test_add_link_in_both_shapes(path):
    capture = Capture().rendezvous()
    sent, drawn = capture.send(False, add_link(bytes(2))), capture.send(False, add_link(b""))
    capture.save(path)
    names = ("smcr.llc.gid", "smcr.llc.add_link.mtu", "smcr.llc.add_link.initial_psn", "smcr.llc.link")
    expected = (["::ffff:192.0.2.20"], ["3"], ["0x00004d"], ["2"])
    assert decode(path, sent, *names) == expected
    assert decode(path, drawn, *names) == expected
    assert numbers(path, "smcr.llc.add_link.rfc_shape") == [drawn]


def test_add_link_reject_reason_of_version_1(path):
    capture = Capture().rendezvous()
    frame = capture.send(True, add_link(bytes(2), flags=0xC0, byte2=1))
    capture.save(path)
    assert decode(path, frame, "smcr.llc.add_link.reject", "smcr.llc.add_link.reject_reason") in (
        (["1"], ["1"]), (["True"], ["1"]))


def test_delete_rkey_has_eight_slots_whatever_its_count_says(path):
    capture = Capture().rendezvous()
    frame = capture.send(True, probe.llc(9, 0, bytes([200, 0, 0, 0]) + struct.pack("!8I", *range(1, 9))))
    capture.save(path)
    assert numbers(path, "_ws.malformed") == []
    (keys,) = decode(path, frame, "smcr.llc.delete_rkey.rkey")
    assert [int(key, 16) for key in keys] == list(range(1, 9))


def test_delete_rkey_with_more_keys_than_octets_is_malformed(path):
    capture = Capture().rendezvous()
    frame = capture.send(True, b"\x29\x00\x2c\x00" + bytes([200]).ljust(40, b"\0"))
    capture.save(path)
    assert "length 800 expected" in expert(path, frame)
    assert numbers(path, "smcr.malformed") == [frame]


def test_delete_link_reasons_have_names(path):
    capture = Capture().rendezvous()
    capture.send(False, probe.llc(4, 0x60, b"\0" + struct.pack("!I", 0x00030000)))
    capture.save(path)
    assert "program initiated (inactivity)" in tshark("-r", path, "-V", "-Y", "smcr.llc.delete_link.reason")


def test_unused_slots_are_no_keys(path):
    capture = Capture().rendezvous()
    frame = capture.send(True, probe.llc(6, 0, b"\0" + struct.pack("!IQ", 0x77, 0x1000)))
    capture.save(path)
    assert decode(path, frame, "smcr.llc.rtoken.rkey") == (["0x00000077"],)


def test_reserved_bits_are_noted(path):
    capture = Capture().rendezvous()
    frame = capture.send(True, probe.cdc(probe.SERVER_TOKEN, 1, flags=0x01))
    capture.save(path)
    assert numbers(path, "smcr.reserved_set") == [frame]
    assert numbers(path, "smcr.cdc.flags.reserved") == [frame]  # what is zero does not show


def test_flags_have_a_parent_that_names_those_that_are_set(path):
    capture = Capture().rendezvous()
    frame = capture.send(True, probe.cdc(probe.SERVER_TOKEN, 1, flags=0xC0))
    capture.save(path)
    assert numbers(path, "smcr.cdc.flags == 0xc0 && smcr.cdc.state == 0") == [frame]
    text = tshark("-r", path, "-V", "-Y", f"frame.number == {frame}")
    assert "Flags: 0xc0 (Writer blocked (B), Urgent data pending (P))" in text
    assert "State: 0x00\n" in text


def test_codes_that_do_not_apply_are_not_called_unknown():
    assert "Unknown (0" not in tshark("-r", sample("smcr_v1_echo"), "-V", "-O", "smcr", "-Y", "smcr")
    assert "Unknown (0" not in tshark("-r", sample("rdmacm_rping_v4"), "-V", "-O", "rdma_ip_cm", "-Y", "rdma_ip_cm")



def test_requests_and_replies_know_each_other(path):
    Capture().rendezvous().save(path)
    assert decode(path, 7, "smcr.response_in", options=["-2"]) == (["8"],)
    assert decode(path, 8, "smcr.request_in", "smcr.time") == (["7"], ["0.001000000"])
    assert decode(path, 5, "smcr.request_in", "smcr.response_in", options=["-2"]) == (["4"], ["6"])


def test_cursors_flags_and_window(path):
    capture = Capture().rendezvous()
    capture.write(True, bytes(100))
    frame = capture.send(True, probe.cdc(probe.SERVER_TOKEN, 1, producer=(0, 100), flags=0x80))
    reply = capture.send(False, probe.cdc(probe.CLIENT_TOKEN, 1, consumer=(0, 60), state=0x40))
    capture.save(path)
    assert info(path, frame) == "CDC smcr-1 client→server produced 100 (+100) [B]"
    assert info(path, reply) == "CDC smcr-1 server→client produced 0 consumed +60 [C]"
    assert decode(path, frame, "smcr.producer_delta", "smcr.in_flight", "smcr.window", "smcr.from") == (
        ["100"], ["100"], [str(65536 - 100)], ["client"])


def test_a_full_window_and_how_long_it_was_full(path):
    capture = Capture().rendezvous()
    capture.write(True, bytes(1000), offset=65536 - 1000)
    full = capture.send(True, probe.cdc(probe.SERVER_TOKEN, 1, producer=(1, 0)))
    capture.send(True, probe.llc(7, 0, bytes(16)))
    opened = capture.send(False, probe.cdc(probe.CLIENT_TOKEN, 1, consumer=(0, 100)))
    capture.save(path)
    assert numbers(path, "smcr.stall") == [full]
    assert decode(path, full, "smcr.in_flight", "smcr.window") == (["65536"], ["0"])
    assert decode(path, opened, "smcr.stall_time") == (["0.002000000"],)
    (connection,) = analyze(path)["smcr"]["connections"]
    assert connection["client_to_server"]["stalls"]["total"] == 0.002


# ---- findings ----


def test_findings_are_those_of_the_program(path):
    capture = Capture().rendezvous()
    reth = struct.pack("!QII", probe.SERVER_RMB, probe.SERVER_RKEY, 4)
    capture.rdma(True, probe.WRITE_ONLY_IMMEDIATE, bytes(4), reth + b"\0\0\0\x07")
    capture.send(True, probe.llc(7, 0, bytes(16)))
    capture.send(False, probe.llc(7, 0x80, bytes(15) + b"\x01"))
    capture.save(path)
    shown = {(row["smcr.rule"][0], int(row["frame.number"][0])) for row in fields(path, "smcr.rule", "frame.number", display_filter="smcr.rule")}
    found = {(finding["rule"], finding["frames"][-1]) for finding in analyze(path)["findings"]}
    assert shown == found and len(found) >= 2
    rule, frame = min(shown)
    assert f"{rule}: " in expert(path, frame)


# ---- link types ----


@pytest.mark.parametrize("link", probe.LINKS)
def test_link_types(path, link):
    capture = Capture().rendezvous()
    write = capture.write(True, bytes(100))
    message = capture.send(True, probe.cdc(probe.SERVER_TOKEN, 1, producer=(0, 100)))
    capture.save(path, link=link)
    assert_clean(path)
    assert numbers(path, "smcr.clc") == [4, 5, 6]
    assert numbers(path, "smcr.llc") == [7, 8]
    assert (numbers(path, "smcr.write"), numbers(path, "smcr.cdc")) == ([write], [message])


# ---- cut by the snap length ----


@pytest.mark.parametrize("snap_length", [96, 80])
def test_cut_frames_are_used_as_far_as_they_go(path, snap_length):
    capture = Capture().rendezvous()
    capture.write(True, bytes(100))
    frame = capture.send(True, probe.cdc(probe.SERVER_TOKEN, 1, producer=(0, 100)))
    capture.save(path, snap_length)
    sequence, token, connection = decode(path, frame, "smcr.cdc.sequence", "smcr.cdc.alert_token", "smcr.connection")
    assert (sequence, token) == (["1"], ["0x0000000b"])
    assert numbers(path, "smcr.malformed") == []
    assert frame in numbers(path, "smcr.cut") or snap_length == 96
