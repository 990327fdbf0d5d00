# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin fcaerdma: RDMA messages over every carrier, beside Wireshark's own FCP and SCSI; other FCP untouched."""

import random
import re
import xml.etree.ElementTree as ET

import fc_probe
import pytest
from fc_probe import CARRIERS, FcAeRdma, pattern
from harness import ROOT, fields, run, sharkd, tshark, two_passes, without_plugin


@pytest.fixture
def path(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path / "probe.pcap"


def rows(capture, *names, display_filter="fcaerdma", options=()):
    return fields(capture, "frame.number", *names, display_filter=display_filter, options=options)


def one(capture, frame, *names, options=()):
    (row,) = fields(capture, *names, display_filter=f"frame.number == {frame}", options=options)
    return tuple(",".join(row[name]) for name in names)


def octets(text):
    return bytes.fromhex(text.replace(":", ""))


STORY = [
    "FCP_CMND fc-ae-rdma-1 write LUN 4, 5000 bytes, 0x1000-0x2387",
    "FCP_DATA fc-ae-rdma-1 write LUN 4, bytes 0-2047 of 5000, 0x1000-0x17ff",
    "FCP_DATA fc-ae-rdma-1 write LUN 4, bytes 2048-4095 of 5000, 0x1800-0x1fff",
    "FCP_DATA fc-ae-rdma-1 write LUN 4, bytes 4096-4999 of 5000, 0x2000-0x2387",
    "FCP_RSP fc-ae-rdma-1 write LUN 4: GOOD",
    "FCP_CMND fc-ae-rdma-2 read LUN 4, 3000 bytes, 0x1800-0x23b7, without notification",
    "FCP_DATA fc-ae-rdma-2 read LUN 4, bytes 0-2047 of 3000, 0x1800-0x1fff",
    "FCP_DATA fc-ae-rdma-2 read LUN 4, bytes 2048-2999 of 3000, 0x2000-0x23b7",
    "FCP_RSP fc-ae-rdma-2 read LUN 4: GOOD",
    "FCP_CMND fc-ae-rdma-3 write LUN 4, 0 bytes", "FCP_RSP fc-ae-rdma-3 write LUN 4: GOOD",
    "FCP_CMND fc-ae-rdma-4 read LUN 5, 100 bytes, 0x1000-0x1063",
    "FCP_RSP fc-ae-rdma-4 read LUN 5: READ PROTECT ERROR (0x5c), 100 bytes not transferred"]


@pytest.mark.parametrize("carrier", CARRIERS)
def test_the_story_at_a_glance(carrier, path):
    found = rows(
        fc_probe.messages().save(path, carrier), "_ws.col.Protocol", "_ws.col.Info", "fcaerdma.data", "fcaerdma.message_data",
        "fcaerdma.segment", "fcaerdma.message_length", "fcaerdma.malformed", "fcaerdma.cut", "fcaerdma.reserved_set",
        "fcaerdma.rule", "fcaerdma.message", "fcaerdma.exchange", options=["-2"])
    assert [row["_ws.col.Info"] for row in found] == [[info] for info in STORY]
    for row in found:
        assert row["_ws.col.Protocol"] == ["FC-AE-RDMA"]
        assert row["fcaerdma.malformed"] + row["fcaerdma.cut"] + row["fcaerdma.reserved_set"] + row["fcaerdma.rule"] == []
        number = re.search("fc-ae-rdma-([0-9]+)", row["_ws.col.Info"][0])[1]
        assert row["fcaerdma.message"] == [f"fc-ae-rdma-{number}"] and row["fcaerdma.exchange"] == [f"xchg-{number}"]
    by_frame = {row["frame.number"][0]: row for row in found}
    whole = [row for row in found if row["fcaerdma.message_data"]]
    assert [octets(row["fcaerdma.message_data"][0]) for row in whole] == [pattern(5000), pattern(3000)]
    for row in whole:
        parts = [octets(by_frame[frame]["fcaerdma.data"][0]) for frame in row["fcaerdma.segment"]]
        assert b"".join(parts) == octets(row["fcaerdma.message_data"][0])


@pytest.mark.parametrize("carrier", ["fc2-vft", "fcoe-vlan", "fcip"])
def test_fields(carrier, path):
    capture = fc_probe.messages().save(path, carrier)
    where = " in fabric 5" if carrier == "fc2-vft" else ""
    client, server = f"01.02.03{where}", f"04.05.06{where}"
    command, first, *_, second = rows(
        capture, "fcaerdma.code", "fcaerdma.no_notification", "fcaerdma.base_address", "fcaerdma.lun", "fcaerdma.data_length",
        "fcaerdma.cntl.write_data", "fcaerdma.cntl.read_data", "fcaerdma.operation", "fcaerdma.initiator", "fcaerdma.target",
        "fcaerdma.source", "fcaerdma.destination", "fcaerdma.endpoint", "fcaerdma.region", "fcaerdma.message_range",
        "fcaerdma.iu", "fcaerdma.address", "fcaerdma.range", display_filter='fcaerdma.message == "fc-ae-rdma-1"')
    assert {name.removeprefix("fcaerdma."): ",".join(values) for name, values in command.items() if name != "frame.number"} == {
        "code": "0xa6", "no_notification": "0", "base_address": "0x001000", "lun": "4", "data_length": "5000",
        "cntl.write_data": "1", "cntl.read_data": "0", "operation": "write", "initiator": client, "target": server,
        "source": client, "destination": server, "endpoint": f"{client},{server}", "region": f"{server} LUN 4",
        "message_range": "0x1000-0x2387", "iu": "FCP_CMND", "address": "", "range": ""}
    assert first["fcaerdma.address"] == ["0x0000000000001000"] and first["fcaerdma.range"] == ["0x1000-0x17ff"]
    assert second["fcaerdma.source"] == [server] and second["fcaerdma.iu"] == ["FCP_RSP"]


STATUS = {0x00: "GOOD", 0x08: "BUSY", 0x28: "TASK SET FULL/QUEUE FULL", 0x5A: "LOGICAL UNIT NOT AVAILABLE",
          0x5B: "WRITE PROTECT ERROR", 0x5C: "READ PROTECT ERROR", 0x5D: "BUFFER OVERRUN", 0x77: "reserved status"}


def test_every_status_in_words(path):
    """Table 2 of ISO/IEC TR 14165-314."""
    c = FcAeRdma()
    for status in STATUS:
        c.response(c.command(0), status=status)
    found = rows(c.save(path), "_ws.col.Info", "fcaerdma.state", "fcaerdma.failed", display_filter="fcaerdma.status")
    for row, (status, name) in zip(found, STATUS.items(), strict=True):
        code = f" (0x{status:x})" if status else ""
        assert row["_ws.col.Info"][0].endswith(f"write LUN 4: {name}{code}")
        assert row["fcaerdma.state"] == ["complete" if status == 0 else "failed"]
        assert bool(row["fcaerdma.failed"]) == (status != 0)


@pytest.mark.parametrize("carrier", ["fc2", "fcip"])
def test_requests_and_responses(carrier, path):
    capture = fc_probe.messages().save(path, carrier)
    found = rows(capture, "fcaerdma.iu", "fcaerdma.request_in", "fcaerdma.response_in", "fcaerdma.time", "frame.time_relative",
                 "fcaerdma.message", options=["-2"])
    by_frame = {row["frame.number"][0]: row for row in found}
    for row in found:
        assert bool(row["fcaerdma.request_in"]) == (row["fcaerdma.iu"] == ["FCP_RSP"])
        assert bool(row["fcaerdma.response_in"]) == (row["fcaerdma.iu"] == ["FCP_CMND"])
        for request in row["fcaerdma.request_in"]:
            asked = by_frame[request]
            assert asked["fcaerdma.message"] == row["fcaerdma.message"] and asked["fcaerdma.response_in"] == row["frame.number"]
            elapsed = float(row["frame.time_relative"][0]) - float(asked["frame.time_relative"][0])
            assert abs(float(row["fcaerdma.time"][0]) - elapsed) < 1e-6


def test_an_abort_belongs_to_its_message(path):
    c = FcAeRdma()
    ox_id = c.command(100, read=True)
    frame = c.abts(True, True, ox_id)
    capture = c.save(path)
    assert one(capture, frame, "fcaerdma.message", "_ws.col.Info") == ("fc-ae-rdma-1", "ABTS")
    assert one(capture, 1, "fcaerdma.state", options=["-2"]) == ("aborted",)


def test_findings_are_expert_infos(path):
    c = FcAeRdma()
    ox_id = c.command(0, control=3)  # reads and writes at once
    c.response(ox_id)
    capture = c.save(path)
    found = rows(capture, "fcaerdma.rule", display_filter="fcaerdma.rule")
    rules = {rule for row in found for rule in row["fcaerdma.rule"]}
    assert rules and all(rule.startswith("AERDMA-") for rule in rules)
    text = tshark("-r", capture, "-q", "-z", "expert,note")
    assert all(f"FC-AE-RDMA  {rule}: " in text for rule in rules)


@pytest.mark.parametrize("frames,complete", [((0, 2, 1), True), ((0, 2), False)])
def test_frames_out_of_order_and_lost(frames, complete, path):
    c = FcAeRdma()
    ox_id = c.command(5000)
    for frame in frames:
        c.data(ox_id, pattern(5000), frames=(frame,))
    c.response(ox_id)
    capture = c.save(path)
    whole = rows(capture, "fcaerdma.message_data", display_filter="fcaerdma.message_data")
    assert [octets(row["fcaerdma.message_data"][0]) for row in whole] == ([pattern(5000)] if complete else [])


# ---- Wireshark's own decode ----

def theirs(pdml):
    """What Wireshark says of a frame in protocols of its own, by frame."""
    frames = {}
    for packet in ET.fromstring(pdml).findall("packet"):
        number = int(packet.find("proto[@name='geninfo']/field[@name='num']").get("show"))
        frames[number] = {
            (field.get("name"), field.get("show"), field.get("pos")) for protocol in packet.findall("proto")
            if protocol.get("name") in ("fc", "fcp", "scsi", "fcoe") for field in protocol.iter("field")}
    return frames


#: of the Exchange as a whole, and of the Sequences that Wireshark would put together wrongly
GUESSES = {"fc.reassembled", "fc.exchange_first_frame", "fc.exchange_last_frame", "fc.time", "data", "data.data"}


@pytest.mark.parametrize("carrier", ["fc2", "fcoe", "mds"])
def test_fcp_and_scsi_stay(carrier, path):
    capture = fc_probe.messages().save(path, carrier)
    ours, without = (theirs(program("-r", capture, "-T", "pdml")) for program in (tshark, without_plugin))
    for number, found in without.items():
        assert {name for name, *_ in found - ours[number]} <= GUESSES
    commands_and_responses, first_data = (1, 5, 6, 9, 10, 11, 12, 13, 14, 15), (2, 7)
    for number in commands_and_responses + first_data:
        assert any(name.startswith("fcp.") or name.startswith("scsi.") for name, *_ in ours[number])


@pytest.mark.parametrize("carrier", ["fc2", "fcoe", "fcip"])
def test_plain_fcp_is_untouched(carrier, path):
    c = FcAeRdma()
    for octets_read in (3000, 5000):
        ox_id = c.command(octets_read, read=True, code=0)
        c.data(ox_id, pattern(octets_read), read=True)
        c.response(ox_id)
    capture = c.save(path, carrier)
    assert tshark("-r", capture, "-V") == without_plugin("-r", capture, "-V")
    assert tshark("-r", capture) == without_plugin("-r", capture)


@pytest.mark.parametrize("carrier", ["fc2-delimited", "fcoe-vlan", "fcip"])
def test_switched_off_it_leaves_everything_as_it_was(carrier, path):
    capture = fc_probe.messages().save(path, carrier)
    assert tshark("-r", capture, "-V", "--disable-protocol", "fcaerdma") == without_plugin("-r", capture, "-V")
    assert "FC-AE-RDMA" not in tshark("-r", capture, "-o", "fcaerdma.columns:FALSE")


# ---- the same, however Wireshark is driven ----

@pytest.mark.parametrize("carrier", ["fc2", "fcoe", "fcip"])
def test_passes_filters_and_order_agree(carrier, path):
    capture = fc_probe.messages().save(path, carrier)
    one_pass = tshark("-r", capture).splitlines()
    assert two_passes("-r", capture) == one_pass
    frames = [int(row["frame.number"][0]) for row in rows(capture)]
    assert tshark("-r", capture, "-Y", "fcaerdma").splitlines() == [line for line in one_pass if int(line.split()[0]) in frames]

    def shown(numbers):
        answers = sharkd(capture, *(("frame", {"frame": n, "proto": True, "columns": True}) for n in numbers))
        return dict(zip(numbers, answers, strict=True))

    assert shown(random.Random(carrier).sample(frames, len(frames))) == shown(frames)


@pytest.mark.parametrize("length", [24, 28, 40, 50, 60, 200])
def test_cut_frames(length, path):
    output = tshark("-r", fc_probe.messages().save(path, snap_length=length), "-V")
    assert "dissector bug" not in output.lower()
    assert output.count("FC-AE-RDMA, FCP_") == len(STORY)


def test_a_command_that_was_cut_has_what_was_captured(path):
    """Octets of the IU, behind 24 of the frame's header: Logical Unit 1, READ DATA 11, FCP_DL 28."""
    names = ["fcaerdma.base_address", "fcaerdma.region", "fcaerdma.operation", "fcaerdma.message_range", "fcaerdma.cut"]
    for length, known in ((24, 1), (30, 2), (36, 3), (56, 4)):
        capture = fc_probe.messages().save(path, snap_length=length)
        found = one(capture, 1, *names)
        assert [bool(value) for value in found[:4]] == [place < known for place in range(4)], length
        assert bool(found[4]) == (length < 56)
        info = one(capture, 1, "_ws.col.Info")[0]
        assert info.startswith("FCP_CMND fc-ae-rdma-1") and ("LUN" in info) == (known > 1) and ("bytes" in info) == (known > 3)


def test_an_iu_that_is_short_was_captured_whole(path):
    c = FcAeRdma()
    ox_id = c.command(0)
    c.frame(False, 7, fc_probe.FCP, fc_probe.RESPONDER | fc_probe.LAST | fc_probe.END, bytes(8), ox_id=ox_id, seq_id=9)
    cut, malformed, rule, state = one(c.save(path), 2, "fcaerdma.cut", "fcaerdma.malformed", "fcaerdma.rule", "fcaerdma.state")
    assert (bool(cut), bool(malformed), rule, state) == (False, True, "AERDMA-11", "open")


PRLI_FIELDS = ["fcaerdma.prli.type", "fcaerdma.prli.initiator", "fcaerdma.prli.target", "fcaerdma.prli.accept_response",
               "fcaerdma.prli.read_xfer_rdy_disabled", "fcaerdma.prli.write_xfer_rdy_disabled"]


@pytest.mark.parametrize("name", ["login_read_write.pcap", "login_read_write.fcoe.pcap"])
def test_prli_has_its_fields(name):
    found = fields(ROOT / "samples/fc_ae_rdma" / name, "frame.number", *PRLI_FIELDS, display_filter="fcaerdma.prli.type",
                   options=["-2"])
    assert [row["fcaerdma.prli.accept_response"] for row in found] == [["0"], ["1"]]
    for row in found:
        assert row["fcaerdma.prli.type"] == ["0x08"] and row["fcaerdma.prli.read_xfer_rdy_disabled"] == ["1"]


def test_prli_of_plain_fcp_has_none():
    capture = ROOT / "samples/fc_ae_rdma/process_login_refused.pcap"
    assert fields(capture, "frame.number", display_filter="fcaerdma", options=["-2"]) == []


@pytest.mark.parametrize("seed", range(3))
def test_random_errors_do_no_harm(seed, path, tmp_path):
    damaged = tmp_path / "damaged.pcap"
    run(["editcap", "-E", "0.01", "--seed", str(seed + 1), fc_probe.messages().save(path, "fcoe"), damaged])
    assert "dissector bug" not in tshark("-r", damaged, "-V", "-2").lower()


# ---- windows ----

@pytest.mark.parametrize("carrier", ["fc2", "fcip"])
def test_export_writes_messages_and_regions(carrier, path, tmp_path):
    objects = tmp_path / "objects"
    objects.mkdir()
    objects.chmod(0o777)
    tshark("-q", "-r", fc_probe.messages().save(path, carrier), "--export-objects", f"fcaerdma,{objects}")
    region = bytearray(0x1000) + pattern(5000)
    region[0x1800:0x1800 + 3000] = pattern(3000)  # as it was read later
    assert {file.name: file.read_bytes() for file in objects.iterdir()} == {
        "fc-ae-rdma-1-write.bin": pattern(5000), "fc-ae-rdma-2-read.bin": pattern(3000),
        "region 04.05.06 LUN 4.bin": bytes(region)}


def test_a_memory_region_has_what_the_target_took(path, tmp_path):
    """4.2.4.7: what is refused, and what is beyond FCP_DL, does not get in."""
    c = FcAeRdma()
    for octets, length, status in ((pattern(64), 64, 0x5B), (pattern(96), 32, 0)):
        ox_id = c.command(length)
        c.data(ox_id, octets)
        c.response(ox_id, status=status, over=len(octets) - length or None)
    objects = tmp_path / "objects"
    objects.mkdir()
    objects.chmod(0o777)
    tshark("-q", "-r", c.save(path), "--export-objects", f"fcaerdma,{objects}")
    assert (objects / "region 04.05.06 LUN 4.bin").read_bytes() == bytes(0x1000) + pattern(96)[:32]


def test_response_times(path):
    (result,) = sharkd(fc_probe.messages().save(path), ("tap", {"tap0": "srt:fcaerdma"}))
    (table,) = result["taps"][0]["tables"]
    assert {row["n"]: (row["num"], round(row["min"], 6), round(row["max"], 6)) for row in table["r"]} == {
        "write": (2, 0.001, 0.004), "read": (2, 0.001, 0.003)}


def test_conversations_endpoints_counts_and_flow(path):
    capture = fc_probe.messages().save(path, "fcoe")
    text = tshark("-q", "-r", capture, "-z", "conv,fcaerdma", "-z", "endpoints,fcaerdma", "-z", "fcaerdma,tree",
                  "-z", "flow,fcaerdma,standard")
    assert re.search(r"^01\.02\.03 +<-> 04\.05\.06 +6 \d+ bytes +7 \d+ bytes +13 ", text, re.MULTILINE)
    counts = {match[1].strip(): int(match[2]) for match in re.finditer(r"^ *(\S.*?)  +(\d+)\s", text, re.MULTILINE)}
    assert counts["FC-AE-RDMA frames"] == 13 and counts["Messages begun"] == 4 and counts["GOOD"] == 3
    assert counts["READ PROTECT ERROR"] == 1 and counts["04.05.06 LUN 4, write"] == 2
    assert len(re.findall(r"^\d+ +\|[0-9.]+\| +FCP_(?:CMND|DATA|RSP) ", text, re.MULTILINE)) == 10
