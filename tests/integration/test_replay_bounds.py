# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording claims costs no more than what it holds: one bit of a sequence number, a cursor, an address or a length is turned over
(checksums are right), and replay stays within its memory and its time."""

import random
import resource
import subprocess

import pytest

from edit import ETHERNET, IPV4, SEND, edited, patch, patch_fcoe, records_of
from harness import BUILD

MEMORY = 512 << 20  # octets of address space; replay of these recordings as they are takes less than 100 MB
SECONDS = 30

# Of samples/real: what is replayed.
RECORDINGS = {
    "smcr_v2_echo": "smcr-1",
    "smcr_fallback_client_no_rdma": "smcr-1",
    "smcr_v2_urgent": "smcr-1",
    "rdmacm_rping_v4": "cm-1",
    "fcoe_vn2vn": "fc-pair-1",
}

TCP_SEQUENCE = range(ETHERNET + IPV4 + 4, ETHERNET + IPV4 + 8)
RETH = range(SEND, SEND + 16)  # behind BTH: address, key, length
CDC_CURSORS = range(SEND + 8, SEND + 24)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def expect_bounded(capture, session, what):
    for play in ("client", "server"):
        done = subprocess.run(
            [BUILD / "bin/fabricscope", "replay", capture, "--session", session, "--play", play, "--against", "emulated"],
            preexec_fn=limited, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
        complaint = done.stderr.decode()
        # The same, another answer, or nothing that can be played; an allocation that fails is none of these.
        assert done.returncode in (0, 1, 2) and "bad_alloc" not in complaint, f"{what}, {play}: {done.returncode} {complaint}"


def flipped(name, frame, octet, bit, target):
    """The recording with one bit turned over in a frame, which is counted from 1."""
    old = records_of(name)[1][frame - 1][2]
    edit = patch(frame, octet, bytes([old[octet] ^ 1 << bit]))
    if name.startswith("fcoe"):
        edit = patch_fcoe(frame, octet - ETHERNET - 14, bytes([old[octet] ^ 1 << bit]))
    return edited(name, target, edit)


def frames_with(name, wanted):
    return [number for number, (_, _, frame) in enumerate(records_of(name)[1], 1) if wanted(frame)]


def is_tcp_data(frame):
    return frame[12:14] == b"\x08\0" and frame[23] == 6 and len(frame) > 90


def has_reth(frame):
    return frame[12:14] == b"\x08\0" and frame[36:38] == b"\x12\xb7" and frame[42] in (0x06, 0x0A, 0x0B, 0x0C)


def is_cdc(frame):
    return frame[12:14] == b"\x08\0" and frame[36:38] == b"\x12\xb7" and len(frame) > SEND + 44 and frame[SEND] == 0xFE


NUMBERS = [
    ("smcr_fallback_client_no_rdma", is_tcp_data, TCP_SEQUENCE),
    ("smcr_v2_echo", is_cdc, CDC_CURSORS),
    ("smcr_v2_urgent", is_cdc, CDC_CURSORS),
    ("smcr_v2_echo", has_reth, RETH),
    ("rdmacm_rping_v4", has_reth, RETH),
]


@pytest.mark.parametrize("name,wanted,octets", NUMBERS, ids=lambda value: getattr(value, "__name__", None))
def test_a_flipped_bit_of_a_number_costs_little(name, wanted, octets, tmp_path):
    chance = random.Random(name)
    frames = frames_with(name, wanted)
    assert frames
    for octet in octets:
        frame, bit = chance.choice(frames), chance.randrange(4, 8)
        capture = flipped(name, frame, octet, bit, tmp_path / "flipped.pcap")
        expect_bounded(capture, RECORDINGS[name], f"{name}, bit {bit} of octet {octet} in frame {frame}")


@pytest.mark.parametrize("name", RECORDINGS)
def test_any_flipped_bit_costs_little(name, tmp_path):
    chance = random.Random(name)
    records = records_of(name)[1]
    for _ in range(12):
        frame = chance.randrange(len(records)) + 1
        length = len(records[frame - 1][2])
        first, last = (ETHERNET + 14, length - 9) if name.startswith("fcoe") else (ETHERNET + IPV4, length - 1)
        octet, bit = chance.randint(first, last), chance.randrange(8)
        capture = flipped(name, frame, octet, bit, tmp_path / "flipped.pcap")
        expect_bounded(capture, RECORDINGS[name], f"{name}, bit {bit} of octet {octet} in frame {frame}")


def test_memory_out_of_all_proportion_is_refused(tmp_path):
    """One RDMA operation lies a gigabyte away from the others under its key."""
    name = "rdmacm_rping_v4"
    last = frames_with(name, has_reth)[-1]
    capture = flipped(name, last, SEND + 4, 6, tmp_path / "far.pcap")
    complaints = [
        subprocess.run(
            [BUILD / "bin/fabricscope", "replay", capture, "--session", "cm-1", "--play", play, "--against", "emulated"],
            preexec_fn=limited, capture_output=True, timeout=SECONDS, check=False).stderr
        for play in ("client", "server")]
    assert all(b"more memory than" in complaint for complaint in complaints), complaints
