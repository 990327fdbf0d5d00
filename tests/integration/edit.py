# SPDX-License-Identifier: GPL-2.0-or-later
"""Real captures with some octets changed, frames left out or sent elsewhere: traffic that breaks one rule."""

import struct

from harness import sample

ETHERNET, IPV4, TCP_TIMESTAMPS = 14, 20, 32
CLC = ETHERNET + IPV4 + TCP_TIMESTAMPS  # where the message begins in a frame of the samples
SEND = ETHERNET + IPV4 + 8 + 12  # the same of an LLC or CDC message over RoCEv2


def records_of(name):
    """Header of samples/real/NAME.pcap, and its records: [seconds, fraction, frame as a bytearray]."""
    octets = sample(name).read_bytes()
    position, records = 24, []
    while position < len(octets):
        seconds, fraction, captured = struct.unpack_from("<III", octets, position)
        records.append([seconds, fraction, bytearray(octets[position + 16:position + 16 + captured])])
        position += 16 + captured
    return octets[:24], records


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
    return written(head, records, target)


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


def drop(*numbers):
    """The frames are not in the capture."""
    def edit(frames):
        for number in numbers:
            frames[number - 1].clear()
    return edit
