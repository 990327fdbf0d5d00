# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings of Fibre Channel in which a field of the other side's answers has been altered: replay tells just that field.

The emulated port is made from the recording, too; these are fields that it fills in by its own protocol machine."""

import json

import pytest

from edit import FRAME_HEADER, edited, fcp, fcvi, patch_fcoe
from harness import ROOT, fabricscope

PAYLOAD = FRAME_HEADER + 32  # of FC-VI's IUs with a long Device_Header
FCVI = ("fcvi/client_server_iso", "fcvi-1")
RELIABLE = ("fcvi/reliable_reception_iso", "fcvi-1")
WRITE = ("fc_ae_rdma/login_read_write", "fc-ae-rdma-1")
READ = ("fc_ae_rdma/login_read_write", "fc-ae-rdma-2")


# recording, played side, the altered frame, where, octets, field
ALTERED = [
    (FCVI, "client", fcvi(0x18), FRAME_HEADER + 28, b"\0\0\0\x09", "fcvi.connection_id"),
    (FCVI, "client", fcvi(0x18), PAYLOAD + 7, b"\x02", "fcvi.connect.revision"),
    (FCVI, "client", fcvi(0x1A), FRAME_HEADER, b"\0\0\0\x09", "fcvi.handle"),
    (FCVI, "client", fcvi(0x1B), FRAME_HEADER + 5, b"\0", "fcvi.flags.vi_app_discon"),
    (FCVI, "server", fcvi(0x19), FRAME_HEADER, b"\0\0\0\x09", "fcvi.handle"),
    (FCVI, "server", fcvi(0x12), FRAME_HEADER + 11, b"\x07", "fcvi.msg_id"),
    (RELIABLE, "client", fcvi(0x08), FRAME_HEADER + 11, b"\x07", "fcvi.msg_id"),
    (RELIABLE, "client", fcvi(0x09), FRAME_HEADER, b"\0\0\0\x09", "fcvi.handle"),
    (READ, "client", fcp(0x07, 1), FRAME_HEADER + 15, b"\x05", "fcaerdma.resid"),
    (READ, "client", fcp(0x07, 1), FRAME_HEADER + 19, b"\x08", "fcaerdma.sns_len"),
    (READ, "server", fcp(0x06, 1), FRAME_HEADER + 20, b"\x12", "fcaerdma.cdb"),
    (WRITE, "client", fcp(0x07, 0), FRAME_HEADER + 23, b"\x01", "fcaerdma.rsp_len"),
]


def recording_of(name):
    return ROOT / f"samples/{name}.fcoe.pcap"


@pytest.mark.parametrize(("recording", "play", "choose", "at", "octets", "field"), ALTERED)
def test_the_altered_field_is_told(recording, play, choose, at, octets, field, tmp_path):
    (name, session), original = recording, recording_of(recording[0])
    number = choose(original)
    altered = edited(original, tmp_path / "altered.pcap", patch_fcoe(number, at, octets))
    arguments = ("--session", session, "--play", play, "--json")
    assert json.loads(fabricscope("replay", original, *arguments, status=(0,)))["result"] == "same"
    report = json.loads(fabricscope("replay", altered, *arguments, status=(1,)))
    (difference,) = [d for d in report["differences"] if d["level"] == "exact"]
    assert (difference["field"], difference["recorded_frame"]) == (field, number), name
    assert difference["actual_frame"] != 0
    assert all(d["level"] == "policy" for d in report["differences"] if d is not difference), report
