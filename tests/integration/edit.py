# SPDX-License-Identifier: GPL-2.0-or-later
"""Real captures with some octets changed, frames left out or sent elsewhere: traffic that breaks one rule."""

import struct

from harness import sample

ETHERNET, IPV4, TCP_TIMESTAMPS = 14, 20, 32
CLC = ETHERNET + IPV4 + TCP_TIMESTAMPS  # where the message begins in a frame of the samples
SEND = ETHERNET + IPV4 + 8 + 12  # the same of an LLC or CDC message over RoCEv2


def edited(name, target, *edits):
    """Writes samples/real/NAME.pcap to `target`, changed by the edits: functions of the list of frames (bytearrays)."""
    octets = sample(name).read_bytes()
    head, position, records = octets[:24], 24, []
    while position < len(octets):
        stamp, captured = octets[position:position + 8], struct.unpack_from("<I", octets, position + 8)[0]
        records.append((stamp, bytearray(octets[position + 16:position + 16 + captured])))
        position += 16 + captured
    for edit in edits:
        edit([frame for _, frame in records])
    target.parent.chmod(0o755)
    with target.open("wb") as out:
        out.write(head)
        for stamp, frame in records:
            if frame:
                out.write(stamp + struct.pack("<II", len(frame), len(frame)) + frame)
    return target


def patch(number, offset, octets):
    """Frame `number` gets these octets at `offset`."""
    def edit(frames):
        frames[number - 1][offset:offset + len(octets)] = octets
    return edit


def drop(*numbers):
    """The frames are not in the capture."""
    def edit(frames):
        for number in numbers:
            frames[number - 1].clear()
    return edit
