# SPDX-License-Identifier: GPL-2.0-or-later
"""Mirrors send what they see through tunnels: streams within one, or several, are those of the same packets without."""

import struct

import pytest
from harness import analyze, fabricscope, sample

NAME = "roce_three_queue_pairs"
MAC = bytes.fromhex("02005e005301 02005e005302".replace(" ", ""))
IP_IN_IP, GRE, UDP = 4, 47, 17


def ethernet(ether_type, payload):
    return MAC + struct.pack("!H", ether_type) + payload


def ip(protocol, payload):
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0, bytes([198, 51, 100, 1]),
                         bytes([198, 51, 100, 2]))
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return header[:10] + struct.pack("!H", ~total & 0xFFFF) + header[12:] + payload


def udp(port, payload):
    return ethernet(0x0800, ip(UDP, struct.pack("!HHHH", 50000, port, 8 + len(payload), 0) + payload))


def gre(flags, protocol, optional, payload):
    return ethernet(0x0800, ip(GRE, struct.pack("!HH", flags, protocol) + optional + payload))


def packet_of(frame):
    return frame[14:]


WRAPS = {
    "vlan": lambda f: f[:12] + struct.pack("!HH", 0x8100, 7) + f[12:],
    "qinq": lambda f: f[:12] + struct.pack("!HHHH", 0x88A8, 100, 0x8100, 7) + f[12:],
    "vn_tag": lambda f: f[:12] + struct.pack("!HI", 0x8926, 0x40010000) + f[12:],
    "vxlan": lambda f: udp(4789, struct.pack("!II", 0x08000000, 42 << 8) + f),
    "geneve": lambda f: udp(6081, struct.pack("!BBHI", 1, 0, 0x6558, 42 << 8) + bytes(4) + f),
    "gre_teb": lambda f: gre(0, 0x6558, b"", f),
    "nvgre": lambda f: gre(0x2000, 0x6558, struct.pack("!I", 42 << 8), f),
    "erspan_1": lambda f: gre(0, 0x88BE, b"", f),
    "erspan_2": lambda f: gre(0x1000, 0x88BE, struct.pack("!IHHI", 5, 0x1000 | 7, 1, 3), f),
    "erspan_3": lambda f: gre(0x1000, 0x22EB, struct.pack("!IHHIHH", 5, 0x2000 | 7, 1, 99, 0, 0), f),
    "mpls": lambda f: ethernet(0x8847, struct.pack("!I", 1000 << 12 | 1 << 8 | 64) + packet_of(f)),
    "ip_in_ip": lambda f: ethernet(0x0800, ip(IP_IN_IP, packet_of(f))),
}
NESTED = {
    "vxlan_in_erspan_2": ("vxlan", "erspan_2"),
    "qinq_in_geneve_in_gre": ("qinq", "geneve", "gre_teb"),
    "mpls_in_vxlan_in_vlan": ("mpls", "vxlan", "vlan"),
}


def wrapped(wraps, path):
    """The sample with each frame in these tunnels, the innermost first."""
    octets = sample(NAME).read_bytes()
    order = "<" if octets[:4] in (bytes.fromhex("d4c3b2a1"), bytes.fromhex("4d3cb2a1")) else ">"
    out, at = [octets[:16] + struct.pack(order + "I", 262144) + octets[20:24]], 24
    while at < len(octets):
        seconds, fraction, kept, whole = struct.unpack_from(order + "IIII", octets, at)
        assert kept == whole
        frame = octets[at + 16:at + 16 + kept]
        for wrap in wraps:
            frame = wrap(frame)
        out += [struct.pack(order + "IIII", seconds, fraction, len(frame), len(frame)), frame]
        at += 16 + kept
    path.write_bytes(b"".join(out))
    return path


def wraps_of(name):
    return [WRAPS[each] for each in NESTED.get(name, (name,))]


@pytest.mark.parametrize("name", [*WRAPS, *NESTED])
def test_analyze_finds_the_streams_within(name, tmp_path):
    told, plain = analyze(wrapped(wraps_of(name), tmp_path / "wrapped.pcap")), analyze(sample(NAME))
    assert told["rdma"] == plain["rdma"]
    assert told["capture"]["undecoded_frames"] == 0


def test_what_is_not_decoded_is_counted_and_named(tmp_path):
    capture = wrapped([lambda f: udp(2152, struct.pack("!BBHI", 0x30, 0xFF, len(f), 1) + packet_of(f))], tmp_path / "gtp.pcap")
    assert analyze(capture)["rdma"]["streams"] == []
    text = fabricscope("analyze", capture).decode()
    assert "424 frames in GTP-U" in text and "not decoded" in text
