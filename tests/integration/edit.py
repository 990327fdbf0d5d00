# SPDX-License-Identifier: GPL-2.0-or-later
"""Real captures with some octets changed, frames left out or sent elsewhere: traffic that breaks one rule."""

import struct
import zlib
from pathlib import Path

from harness import sample

ETHERNET, IPV4, TCP_TIMESTAMPS = 14, 20, 32
FRAME_HEADER = 24  # of Fibre Channel
CLC = ETHERNET + IPV4 + TCP_TIMESTAMPS  # where the message begins in a frame of the samples
SEND = ETHERNET + IPV4 + 8 + 12  # the same of an LLC or CDC message over RoCEv2


def records_of(name):
    """Header of samples/real/NAME.pcap, or of the capture of that path, and its records: [seconds, fraction, frame as a
    bytearray]."""
    octets = (name if isinstance(name, Path) else sample(name)).read_bytes()
    position, records = 24, []
    while position < len(octets):
        seconds, fraction, captured = struct.unpack_from("<III", octets, position)
        records.append([seconds, fraction, bytearray(octets[position + 16:position + 16 + captured])])
        position += 16 + captured
    return octets[:24], records


def fcoe_frames(path):
    """The Fibre Channel frames in a capture of FCoE without VLAN tags, numbered."""
    return [(number, frame[ETHERNET + 14:-8]) for number, (_, _, frame) in enumerate(records_of(path)[1], 1)]


def fcvi(opcode):
    """Finds the first IU of FC-VI with this opcode: a function of the capture's path that tells its frame."""
    return lambda path: next(n for n, f in fcoe_frames(path) if f[8] == 0x58 and f[FRAME_HEADER + 4] == opcode)


def fcp(r_ctl, which):
    """The same for the IU of FCP with this R_CTL, counted from 0."""
    return lambda path: [n for n, f in fcoe_frames(path) if f[8] == 0x08 and f[0] == r_ctl][which]


def written(head, records, target):
    target.parent.chmod(0o755)
    with target.open("wb") as out:
        out.write(head)
        for seconds, fraction, frame in records:
            if frame:
                out.write(struct.pack("<IIII", seconds, fraction, len(frame), len(frame)) + frame)
    return target


def edited(name, target, *edits):
    """Writes samples/real/NAME.pcap to `target`, changed by the edits: functions of the list of frames (bytearrays)."""
    head, records = records_of(name)
    for edit in edits:
        edit([frame for _, _, frame in records])
    for _, _, frame in records:
        repair_icrc(frame)
    return written(head, records, target)


def repair_icrc(frame):
    """Of RoCEv2 over IPv4: what may change on the way counts as all ones, and so does the LRH that is not there."""
    is_roce = frame[12:14] == b"\x08\0" and frame[14:15] == b"\x45" and frame[23:24] == b"\x11" and frame[36:38] == b"\x12\xb7"
    end = ETHERNET + int.from_bytes(frame[16:18], "big")
    if not is_roce or end > len(frame):
        return
    covered = bytearray(frame[ETHERNET:end - 4])
    covered[1:2] = covered[8:9] = covered[32:33] = b"\xff"
    covered[10:12] = covered[26:28] = b"\xff\xff"
    frame[end - 4:end] = struct.pack("<I", zlib.crc32(b"\xff" * 8 + covered))


def delayed(name, target, number, seconds):
    """Writes samples/real/NAME.pcap to `target`; frame `number` and all after it come that much later."""
    head, records = records_of(name)
    for record in records[number - 1:]:
        record[0] += seconds
    return written(head, records, target)


def patch(number, offset, octets):
    """Frame `number` gets these octets at `offset`."""
    def edit(frames):
        frames[number - 1][offset:offset + len(octets)] = octets
    return edit


def patch_fcoe(number, offset, octets):
    """The Fibre Channel frame in frame `number`, which has no VLAN tag, gets these octets at `offset`, and a good CRC."""
    def edit(frames):
        frame, begin, end = frames[number - 1], ETHERNET + 14, -8  # FCoE header; CRC and EOF
        frame[begin + offset:begin + offset + len(octets)] = octets
        frame[end:end + 4] = struct.pack("<I", zlib.crc32(frame[begin:end]))
    return edit


def drop(*numbers):
    """The frames are not in the capture."""
    def edit(frames):
        for number in numbers:
            frames[number - 1].clear()
    return edit
