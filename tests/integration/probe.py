# SPDX-License-Identifier: GPL-2.0-or-later
"""Small captures of SMC-R made octet by octet from the RFC's figures, for what no real capture shows.

An independent witness: it shares no code with the layouts, the emulated endpoints or the scenarios, so that what they read wrongly in
the RFC is seen here."""

import ipaddress
import struct

CLIENT, SERVER = "192.0.2.10", "192.0.2.20"
CLIENT_MAC, SERVER_MAC = bytes.fromhex("00005e00530a"), bytes.fromhex("00005e005314")
CLIENT_QPN, SERVER_QPN = 0x11, 0x14
CLIENT_RKEY, SERVER_RKEY = 0x1111, 0x2222
CLIENT_RMB, SERVER_RMB = 0x10000000, 0x20000000
CLIENT_TOKEN, SERVER_TOKEN = 0x0A, 0x0B

EYE_CATCHER = bytes.fromhex("e2d4c3d9")
EYE_CATCHER_SMCD = bytes.fromhex("e2d4c3c4")
OPTION = b"\x01\x01\xfe\x06" + EYE_CATCHER
OPTION_SMCD = b"\x01\x01\xfe\x06" + EYE_CATCHER_SMCD

SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY, WRITE_ONLY, WRITE_ONLY_IMMEDIATE = 0x00, 0x01, 0x02, 0x04, 0x0A, 0x0B


def gid(address):
    """An IPv4 address as a RoCEv2 GID."""
    return bytes(10) + b"\xff\xff" + ipaddress.ip_address(address).packed


# ---- messages ----


def clc(kind, body, version=1, eye_catcher=EYE_CATCHER, trailer=None):
    length = 8 + len(body) + 4
    return eye_catcher + struct.pack("!BHB", kind, length, version << 4) + body + (trailer or eye_catcher)


def proposal(growth=b"", prefixes=(), **options):
    """As RFC 7609 has it; Linux puts 40 octets into the growth area."""
    head = struct.pack("!H", 1) + CLIENT_MAC + gid(CLIENT) + CLIENT_MAC + struct.pack("!H", len(growth))
    subnet = ipaddress.ip_address("192.0.2.0").packed + struct.pack("!B2xB", 24, len(prefixes))
    return clc(1, head + growth + subnet + b"".join(prefixes), **options)


def accept_or_confirm(kind, mac, address, qpn, rkey, token, rmb, **options):
    body = struct.pack("!H", 1) + mac + gid(address) + mac + qpn.to_bytes(3, "big")
    body += struct.pack("!IBIBxQx", rkey, 1, token, 0x23, rmb) + (1000).to_bytes(3, "big")
    message = bytearray(clc(kind, body, **options))
    message[7] |= 0x08  # first contact
    return bytes(message)


def accept():
    return accept_or_confirm(2, SERVER_MAC, SERVER, SERVER_QPN, SERVER_RKEY, SERVER_TOKEN, SERVER_RMB)


def confirm():
    return accept_or_confirm(3, CLIENT_MAC, CLIENT, CLIENT_QPN, CLIENT_RKEY, CLIENT_TOKEN, CLIENT_RMB)


def decline(diagnosis=0x03030000):
    return clc(4, struct.pack("!H", 1) + SERVER_MAC + struct.pack("!I4x", diagnosis))


def llc(kind, flags, body, byte2=0):
    return (struct.pack("!BBBB", kind, 44, byte2, flags) + body).ljust(44, b"\0")


def confirm_link(reply=False):
    mac, address, qpn = (CLIENT_MAC, CLIENT, CLIENT_QPN) if reply else (SERVER_MAC, SERVER, SERVER_QPN)
    return llc(1, 0x83 if reply else 0x03, mac + gid(address) + qpn.to_bytes(3, "big") + struct.pack("!BIB", 1, 1, 2))


def cdc(token, sequence, producer=(0, 0), consumer=(0, 0), flags=0, state=0):
    return struct.pack("!BBHI2xHI2xHIBB18x", 0xFE, 44, sequence, token, *producer, *consumer, flags, state)


# ---- captures ----


def erf(frame):
    """An ERF record of type Ethernet: header, two octets of padding, frame, FCS."""
    length = len(frame) + 4
    return struct.pack("<Q", 1_700_000_000 << 32) + struct.pack("!BBHHH2x", 2, 4, 18 + length, 0, length) + frame + bytes(4)


# pcap link type, and how to make such a frame from an Ethernet frame
LINKS = {
    "ethernet": (1, lambda frame: frame),
    "vlan": (1, lambda frame: frame[:12] + bytes.fromhex("81000064") + frame[12:]),
    "qinq": (1, lambda frame: frame[:12] + bytes.fromhex("88a8000a81000064") + frame[12:]),
    "erf": (197, erf),
    "raw": (101, lambda frame: frame[14:]),
    "sll": (113, lambda frame: struct.pack("!HHH", 0, 1, 6) + frame[6:12] + bytes(2) + frame[12:]),
    "sll2": (276, lambda frame: frame[12:14] + struct.pack("!HIHBB", 0, 1, 1, 0, 6) + frame[6:12] + bytes(2) + frame[14:]),
}


class Capture:
    """Frames of one TCP connection and one RoCEv2 link; `client` says who sends."""

    def __init__(self, server_port=18001):
        self.frames = []
        self.ports = (40000, server_port)
        self.next_sequence = {True: 1000, False: 5000}
        self.next_psn = {True: 1000, False: 1000}

    def _ip(self, client, protocol, payload):
        source, destination = (CLIENT, SERVER) if client else (SERVER, CLIENT)
        header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), len(self.frames), 0x4000, 64, protocol, 0)
        header += ipaddress.ip_address(source).packed + ipaddress.ip_address(destination).packed
        macs = SERVER_MAC + CLIENT_MAC if client else CLIENT_MAC + SERVER_MAC
        self.frames.append(macs + b"\x08\x00" + header + payload)
        return len(self.frames)

    def tcp(self, client, payload=b"", flags=0x18, options=b""):
        ports = self.ports if client else self.ports[::-1]
        sequence, acknowledged = self.next_sequence[client], self.next_sequence[not client]
        self.next_sequence[client] += len(payload) + (1 if flags & 0x03 else 0)
        header = struct.pack("!HHIIBBHHH", *ports, sequence, acknowledged, (20 + len(options)) * 4, flags, 64240, 0, 0)
        return self._ip(client, 6, header + options + payload)

    def handshake(self, options=OPTION):
        self.tcp(True, flags=0x02, options=options)
        self.tcp(False, flags=0x12, options=options)
        self.tcp(True, flags=0x10)
        return self

    def rendezvous(self):
        """Up to the point where CDC messages may flow."""
        self.handshake()
        self.tcp(True, proposal())
        self.tcp(False, accept())
        self.tcp(True, confirm())
        self.send(False, confirm_link())
        self.send(True, confirm_link(reply=True))
        return self

    def rdma(self, client, opcode, payload, extended=b"", qpn=None):
        if qpn is None:
            qpn = SERVER_QPN if client else CLIENT_QPN
        psn = self.next_psn[client]
        self.next_psn[client] += 1
        padding = -len(payload) % 4
        bth = struct.pack("!BBHII", opcode, padding << 4, 0xFFFF, qpn, 0x80000000 | psn)
        packet = bth + extended + payload + bytes(padding) + bytes(4)  # the ICRC is not looked at
        return self._ip(client, 17, struct.pack("!HHHH", 50000, 4791, 8 + len(packet), 0) + packet)

    def send(self, client, message, **options):
        return self.rdma(client, SEND_ONLY, message, **options)

    def write(self, client, payload, offset=0, **options):
        rkey, rmb = (SERVER_RKEY, SERVER_RMB) if client else (CLIENT_RKEY, CLIENT_RMB)
        return self.rdma(client, WRITE_ONLY, payload, struct.pack("!QII", rmb + offset, rkey, len(payload)), **options)

    def save(self, path, snap_length=65535, link="ethernet"):
        link_type, wrap = LINKS[link]
        octets = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snap_length, link_type)
        for number, frame in enumerate(map(wrap, self.frames)):
            cut = frame[:snap_length]
            octets += struct.pack("<IIII", 1_700_000_000 + number // 1000, number % 1000 * 1000, len(cut), len(frame)) + cut
        path.write_bytes(octets)
        return path
