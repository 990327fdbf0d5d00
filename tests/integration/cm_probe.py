# SPDX-License-Identifier: GPL-2.0-or-later
"""Small captures of RDMA CM made octet by octet from the IBA's tables, for what no real capture shows.

An independent witness: it shares no code with the layouts, the emulated endpoints or the scenarios."""

import ipaddress
import struct

from probe import CLIENT, CLIENT_MAC, SERVER, SERVER_MAC, gid

CLIENT_ID, SERVER_ID = 0x0A0A0A0A, 0x0B0B0B0B
CLIENT_QPN, SERVER_QPN = 0x11, 0x14
CLIENT_LID, SERVER_LID = 7, 9
CLASS_PORT_INFO, REQ, MRA, REJ, REP, RTU, DREQ, DREP, SIDR_REQ, SIDR_REP, LAP, APR = 1, *range(0x10, 0x1B)
TCP, UDP = 6, 17

UD_SEND_ONLY, RC_SEND_ONLY = 0x64, 0x04


# ---- messages: octets from the start of the MAD ----


def mad(attribute, *places, transaction=0x1234, method=3):
    """`places` are pairs of offset and octets."""
    message = bytearray(256)
    message[:24] = struct.pack("!BBBBHHQHHI", 1, 7, 2, method, 0, 0, transaction, attribute, 0, 0)
    for offset, octets in places:
        message[offset:offset + len(octets)] = octets
    return bytes(message)


def service_id(port, protocol=TCP):
    return 1 << 24 | protocol << 16 | port


def address(text, ip_version):
    packed = ipaddress.ip_address(text).packed
    return packed.rjust(16, b"\0") if ip_version != 6 else packed


def ip_header(source=CLIENT, destination=SERVER, port=40000, versions=0, ip_version=4, reserved=0):
    head = struct.pack("!BBH", versions, ip_version << 4 | reserved, port)
    return head + address(source, ip_version) + address(destination, ip_version)


def req(service=service_id(7471), head=None, consumer=b"", flow_label=0xABCDE, rate=3, **options):
    path = struct.pack("!HH", 0xFFFF, 0xFFFF) + gid(CLIENT) + gid(SERVER)
    path += struct.pack("!IBBBB", flow_label << 12 | rate, 0x20, 64, 0x30, 18 << 3)
    private = (ip_header() if head is None else head) + consumer
    return mad(
        REQ, (24, struct.pack("!IIQQII", CLIENT_ID, 0, service, 0x02005EFFFE00530A, 0, 0)),
        (56, (CLIENT_QPN << 8 | 4).to_bytes(4, "big")), (63, bytes([3])), (67, bytes([20 << 3])),
        (68, (0x123456 << 8 | 20 << 3 | 7).to_bytes(4, "big")), (72, struct.pack("!HBB", 0xFFFF, 3 << 4 | 6, 15 << 4)),
        (76, path), (164, private), **options)


def rep(private=b"", **options):
    return mad(
        REP, (24, struct.pack("!III", SERVER_ID, CLIENT_ID, 0)), (36, (SERVER_QPN << 8).to_bytes(4, "big")),
        (44, (0x654321 << 8).to_bytes(4, "big")), (48, bytes([4, 3, 15 << 3, 7 << 5])), (60, private), **options)


def rtu():
    return mad(RTU, (24, struct.pack("!II", CLIENT_ID, SERVER_ID)))


def mra(message=0, timeout=20):
    return mad(MRA, (24, struct.pack("!IIBB", SERVER_ID, CLIENT_ID, message << 6, timeout << 3)), (34, b"working"))


def rej(reason, information=b"", private=b"", message=0):
    head = struct.pack("!IIBBH", 0, CLIENT_ID, message << 6, len(information) << 1, reason)
    return mad(REJ, (24, head), (36, information), (108, private))


def ari(code, suggested=b"", layer=0):
    return bytes([layer, code, len(suggested), 0]) + suggested


def dreq():
    return mad(DREQ, (24, struct.pack("!III", CLIENT_ID, SERVER_ID, SERVER_QPN << 8)))


def drep():
    return mad(DREP, (24, struct.pack("!II", SERVER_ID, CLIENT_ID)))


def sidr_req(service=service_id(7174, UDP), head=None, consumer=b""):
    private = (ip_header() if head is None else head) + consumer
    return mad(SIDR_REQ, (24, struct.pack("!IHHQ", CLIENT_ID, 0xFFFF, 0, service)), (40, private))


def sidr_rep(status=0, private=b""):
    head = struct.pack("!IBBHIQI", CLIENT_ID, status, 0, 0, SERVER_QPN << 8, service_id(7174, UDP), 0x11111111)
    return mad(SIDR_REP, (24, head), (120, private))


def lap():
    head = struct.pack("!III", CLIENT_ID, SERVER_ID, 0) + (SERVER_QPN << 8 | 20 << 3).to_bytes(4, "big") + bytes(4)
    path = struct.pack("!HH", 1, 2) + gid(CLIENT) + gid(SERVER) + struct.pack("!IBBBB", 0xABCDE << 12 | 0x20, 64, 3, 0x30, 18 << 3)
    return mad(LAP, (24, head), (44, path))


def apr(status):
    return mad(APR, (24, struct.pack("!IIBBH", SERVER_ID, CLIENT_ID, 4, status, 0)), (36, b"\1\2\3\4"))


def class_port_info():
    return mad(CLASS_PORT_INFO, (24, struct.pack("!BBHI", 1, 2, 0x0600, 18)), (32, gid(SERVER)), method=0x81)


# ---- captures ----


class CmCapture:
    """Frames between one client and one server; `client` says who sends."""

    def __init__(self):
        self.packets = []  # (client, octets from BTH to ICRC)

    def packet(self, client, opcode, qpn, extended, payload):
        bth = struct.pack("!BBHII", opcode, 0, 0xFFFF, qpn, len(self.packets))
        self.packets.append((client, bth + extended + payload + bytes(4)))
        return len(self.packets)

    def mad(self, client, message):
        return self.packet(client, UD_SEND_ONLY, 1, struct.pack("!II", 0x80010000, 1), message)

    def send(self, client, payload):
        return self.packet(client, RC_SEND_ONLY, SERVER_QPN if client else CLIENT_QPN, b"", payload)

    def rocev2(self, client, packet):
        source, destination = (CLIENT, SERVER) if client else (SERVER, CLIENT)
        udp = struct.pack("!HHHH", 50000, 4791, 8 + len(packet), 0) + packet
        header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0)
        header += ipaddress.ip_address(source).packed + ipaddress.ip_address(destination).packed
        return self.ethernet(client, 0x0800, header + udp)

    def rocev1(self, client, packet):
        return self.ethernet(client, 0x8915, self.grh(client, packet))

    def native(self, client, packet, next_header=2):
        lids = (SERVER_LID, CLIENT_LID) if client else (CLIENT_LID, SERVER_LID)
        words = (8 + len(packet)) // 4
        return struct.pack("!BBHHH", 0, next_header, lids[0], words, lids[1]) + packet + bytes(2)

    def native_grh(self, client, packet):
        return self.native(client, self.grh(client, packet), next_header=3)

    @staticmethod
    def ethernet(client, kind, payload):
        macs = SERVER_MAC + CLIENT_MAC if client else CLIENT_MAC + SERVER_MAC
        return macs + struct.pack("!H", kind) + payload

    @staticmethod
    def grh(client, packet):
        gids = gid(CLIENT) + gid(SERVER) if client else gid(SERVER) + gid(CLIENT)
        return struct.pack("!IHBB", 6 << 28, len(packet), 0x1B, 64) + gids + packet

    def save(self, path, link="rocev2"):
        link_type = 197 if link.startswith("native") else 1
        octets = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)
        for number, (client, packet) in enumerate(self.packets):
            frame = getattr(self, link)(client, packet)
            if link_type == 197:  # an ERF record of type InfiniBand; Wireshark 4.0 knows no other file with such frames
                frame = struct.pack("<Q", 1_700_000_000 << 32 | number << 22) + struct.pack(
                    "!BBHHH", 21, 4, 16 + len(frame), 0, len(frame)) + frame
            octets += struct.pack("<IIII", 1_700_000_000, number * 1000, len(frame), len(frame)) + frame
        path.write_bytes(octets)
        return path


def handshake():
    """Everything that may happen to a connection that comes up, each message once."""
    capture = CmCapture()
    capture.mad(True, req(consumer=b"hello"))
    capture.mad(False, mra())
    capture.mad(False, rep(private=b"welcome"))
    capture.mad(True, rtu())
    capture.send(True, bytes(16))
    capture.mad(True, lap())
    capture.mad(False, apr(3))
    capture.mad(True, dreq())
    capture.mad(False, drep())
    capture.mad(True, sidr_req(consumer=b"who"))
    capture.mad(False, sidr_rep(private=b"me"))
    capture.mad(False, class_port_info())
    return capture
