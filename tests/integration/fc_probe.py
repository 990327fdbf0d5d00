# SPDX-License-Identifier: GPL-2.0-or-later
"""Small captures of FC-VI and FC-AE-RDMA made octet by octet from the documents' tables, over any carrier.

An independent witness: it shares no code with the layouts, the emulated endpoints or the scenarios, which all other traffic comes
from, so that what they read wrongly in a document is seen here."""

import ipaddress
import struct

from harness import BUILD, run

CLIENT, SERVER = 0x010203, 0x040506
CLIENT_HANDLE, SERVER_HANDLE = 0x0A01, 0x0B02
UNASSIGNED = 0xFFFFFFFF
CARRIERS = ["fc2", "fc2-vft", "fc2-delimited", "fcoe", "fcoe-vlan", "mds", "boardwalk", "fcip"]

RESPONDER, FIRST, LAST, END, INITIATIVE, OFFSET = 0x800000, 0x200000, 0x100000, 0x080000, 0x010000, 0x000008
FCVI, FCP, BLS = 0x58, 0x08, 0x00
HEADERS = 24 + 32  #: octets of a frame header and the largest Device_Header
DEVICE_HEADER = {0: 0, 16: 1, 32: 2}

SEND_RQST, WRITE_RQST, READ_RQST, SEND_RESP, WRITE_RESP, READ_RESP = 0, 1, 2, 8, 9, 10
CONNECT_RQST, DISCONNECT_RQST, CONNECT_RESP1, CONNECT_RESP2 = 0x10, 0x12, 0x18, 0x19
R_CTL = {SEND_RQST: 1, WRITE_RQST: 1, READ_RQST: 6, SEND_RESP: 7, WRITE_RESP: 7, READ_RESP: 1}

RELIABLE_RECEPTION = {"iso": 3, "rev-1.0": 4}


def pattern(octets):
    return bytes((i * 7 + (i >> 8)) & 0xFF for i in range(octets))


class FcCapture:
    """Frames between two N_Ports, one millisecond apart; `client` says who sends."""

    def __init__(self):
        self.frames = []

    def frame(self, client, r_ctl, fc_type, f_ctl, payload, *, ox_id, seq_id=0, seq_cnt=0, parameter=0, device_header=b"",
              rx_id=None):
        source, destination = (CLIENT, SERVER) if client else (SERVER, CLIENT)
        fill = -len(payload) % 4
        if rx_id is None:
            rx_id = 0x77 if f_ctl & RESPONDER else 0xFFFF
        header = struct.pack(
            "!IIIBBHHHI", r_ctl << 24 | destination, source, fc_type << 24 | f_ctl | fill, seq_id,
            DEVICE_HEADER[len(device_header)], seq_cnt, ox_id, rx_id, parameter)
        self.frames.append(header + device_header + payload + bytes(fill))
        return len(self.frames)

    def abts(self, client, originator, ox_id):
        return self.frame(client, 0x81, BLS, 0 if client == originator else RESPONDER, b"", ox_id=ox_id)

    def save(self, path, carrier="fc2", snap_length=65535):
        octets = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snap_length, 224)
        for number, frame in enumerate(self.frames):
            cut = frame[:snap_length]
            octets += struct.pack("<IIII", 1_700_000_000 + number // 1000, number % 1000 * 1000, len(cut), len(frame)) + cut
        if carrier == "fc2":
            path.write_bytes(octets)
        else:
            plain = path.with_suffix(".fc2")
            plain.write_bytes(octets)
            run([BUILD / "bin/carry_fc", plain, path, carrier])
        return path


class Fcvi(FcCapture):
    """IUs as the documents have them, of one connection on Reliable Reception."""

    def __init__(self, version="iso"):
        super().__init__()
        self.version = version
        self.iso = version == "iso"
        self.last_message = {True: 0 if self.iso else -1, False: 0 if self.iso else -1}
        self.next_seq_cnt = {}
        self.next_seq_id = {}

    def iu(
        self, client, opcode, payload=b"", *, originator=None, ox_id, r_ctl, flags=0, handle=UNASSIGNED, msg_id=0, parameter=0,
        tail=None, f_ctl=END, offset=None, frame_size=2048, frames=None,
    ):
        """The frames of one IU; those in `frames` alone if that is given. Returns the number of the first."""
        originator = client if originator is None else originator
        header = struct.pack("!IBBHII", handle, opcode, flags, 0, msg_id, parameter)
        if tail is not None:
            header += tail
        way = (ox_id, originator, client)
        seq_id = self.next_seq_id.get(way, 0)
        self.next_seq_id[way] = seq_id + 1
        parts = [payload[at:at + frame_size] for at in range(0, len(payload), frame_size)] or [b""]
        first = len(self.frames) + 1
        for number, part in enumerate(parts):
            control = f_ctl & ~END & ~LAST & ~INITIATIVE if number + 1 < len(parts) else f_ctl
            control |= 0 if client == originator else RESPONDER
            if offset is not None:
                control |= OFFSET
            seq_cnt = self.next_seq_cnt.get(way, 0)
            self.next_seq_cnt[way] = seq_cnt + 1
            if frames is not None and number not in frames:
                continue
            self.frame(
                client, r_ctl, FCVI, control, part, ox_id=ox_id, seq_id=seq_id, seq_cnt=seq_cnt,
                parameter=0 if offset is None else offset + number * frame_size, device_header=header)
        return first

    def tail(self, va=0, handle=0, last=0):
        return struct.pack("!QII", va, handle, last)

    # ---- setup ----

    def address(self, text, discriminator):
        host = ipaddress.ip_address(text).packed
        head = struct.pack("!xxBB", 16, 16) if self.iso else struct.pack("!HH", 16, 16)
        return head + host + discriminator.ljust(128, b"\0")

    def connect_payload(self, client, level=None, max_trans=65536, depth=3):
        level = RELIABLE_RECEPTION[self.version] if level is None else level
        ends = self.address("2001:db8::10", b"client"), self.address("2001:db8::20", b"printer")
        handle = CLIENT_HANDLE if client else SERVER_HANDLE
        local, remote = ends if client else ends[::-1]
        if self.iso:
            head = struct.pack("!IHHI", 0, 0, 1, handle)
            attributes = struct.pack("!HBBI", 0, level, 3, max_trans) + struct.pack("!IIIIII", 0, 0, 0, 0, depth, 0)
        else:
            head = struct.pack("!II", 1, handle)
            attributes = struct.pack("!B3xI", level, max_trans) + struct.pack("!IIIIB3x", 0, 0, 0, 0, 3)
        return head + local + remote + attributes

    def setup_iu(self, client, opcode, payload, f_ctl, *, ox_id=0x1000, connection_id=0x55, **options):
        tail = self.tail(last=connection_id) if self.iso else None
        return self.iu(
            client, opcode, payload, originator=True, ox_id=ox_id, r_ctl=2 if opcode in (CONNECT_RQST,) else 3, f_ctl=f_ctl,
            tail=tail, **options)

    def rqst(self, **options):
        return self.setup_iu(True, CONNECT_RQST, self.connect_payload(True), FIRST | END | INITIATIVE, flags=1, **options)

    def resp1(self, reason=None, **options):
        status = {} if reason is None else {"flags": 1, "parameter": reason << 16}
        return self.setup_iu(False, CONNECT_RESP1, self.connect_payload(False), END | INITIATIVE, **status, **options)

    def resp2(self, handle=SERVER_HANDLE, **options):
        end = INITIATIVE if self.iso else LAST
        return self.setup_iu(True, CONNECT_RESP2, b"", END | end, handle=handle, **options)

    def resp3(self, handle=CLIENT_HANDLE, **options):
        return self.setup_iu(False, 0x1A, b"", END | LAST, handle=handle, **options)

    def connect(self):
        self.rqst()
        self.resp1()
        self.resp2()
        if self.iso:
            self.resp3()

    # ---- Messages ----

    def ox_id(self, client, msg_id):
        return (0x2000 if client else 0x6000) + msg_id

    def request(self, client, opcode, data=b"", *, length=None, va=0, va_handle=0, ius=1, immediate=None, answered=True, **options):
        """A whole Message request, its data in so many IUs."""
        self.last_message[client] += 1
        msg_id = self.last_message[client]
        length = len(data) if length is None else length
        flag = (1 if self.iso else 0x80) if immediate is not None else 0
        has_tail = self.iso or opcode != SEND_RQST
        size = -(-len(data) // ius) or 1
        first = None
        for number in range(ius):
            part = data[number * size:(number + 1) * size]
            f_ctl = END | (FIRST if number == 0 else 0)
            if number + 1 == ius:
                f_ctl |= INITIATIVE if answered else LAST
            place = self.iu(
                client, opcode, part, ox_id=self.ox_id(client, msg_id), r_ctl=R_CTL[opcode], flags=flag,
                handle=SERVER_HANDLE if client else CLIENT_HANDLE, msg_id=msg_id, parameter=immediate or 0,
                tail=self.tail(va, va_handle, length if self.iso or opcode == READ_RQST else 0) if has_tail else None,
                f_ctl=f_ctl, offset=number * size if data else None, **options)
            first = first or place
        return first

    def response(self, client, opcode, flags=0, data=b"", va=0, va_handle=0, msg_id=None, **options):
        """To the other side's latest Message."""
        msg_id = self.last_message[not client] if msg_id is None else msg_id
        tail = self.tail(va, va_handle, len(data)) if self.iso and opcode == READ_RESP else None
        return self.iu(
            client, opcode, data, originator=not client, ox_id=self.ox_id(not client, msg_id), r_ctl=R_CTL[opcode], flags=flags,
            handle=SERVER_HANDLE if client else CLIENT_HANDLE, msg_id=msg_id, f_ctl=END | LAST, tail=tail,
            offset=0 if data else None, **options)

    # ---- Disconnect ----

    def disconnect(self, client=True, reason=None):
        handle = SERVER_HANDLE if client else CLIENT_HANDLE
        back = CLIENT_HANDLE if client else SERVER_HANDLE
        msg_id = 0 if self.iso else self.last_message[client] + 1
        flags = 2 if self.iso else 5
        tail = self.tail() if self.iso else None
        self.iu(
            client, DISCONNECT_RQST, ox_id=0x3000, r_ctl=2, flags=flags, handle=handle, msg_id=msg_id,
            f_ctl=FIRST | END | INITIATIVE, tail=tail)
        status = {} if reason is None else {"parameter": reason << 16}
        return self.iu(
            not client, 0x1B if self.iso else 0x1A, originator=client, ox_id=0x3000, r_ctl=3,
            flags=(2 if self.iso else 0) | (0 if reason is None else 1), handle=back, msg_id=msg_id, f_ctl=END | LAST,
            tail=tail, **status)


def conversation(version="iso"):
    """A connection that sends, writes, reads, and ends."""
    c = Fcvi(version)
    c.connect()
    c.request(True, SEND_RQST, pattern(5000))
    c.response(False, SEND_RESP)
    c.request(True, WRITE_RQST, pattern(9000), va=0x7F0000001000, va_handle=9, ius=2, immediate=0xCAFE)
    c.response(False, WRITE_RESP)
    c.request(True, READ_RQST, length=6000, va=0x7F0000002000, va_handle=9)
    c.response(False, READ_RESP, data=pattern(6000), va=0x7F0000002000, va_handle=9)
    c.request(False, SEND_RQST, b"short")
    c.response(True, SEND_RESP)
    c.disconnect()
    return c


class FcAeRdma(FcCapture):
    """RDMA messages of FC-AE-RDMA from the client, the Initiator, to a Logical Unit of the server."""

    def __init__(self):
        super().__init__()
        self.next_ox_id = 0x100

    def command(self, octets, *, read=False, lun=4, base=0x1000, notify=True, code=None, control=None):
        """FCP_CMND; returns its OX_ID."""
        ox_id = self.next_ox_id
        self.next_ox_id += 1
        code = (0xA6 if notify else 0xA7) if code is None else code
        flags = (2 if read else 1) if control is None else control
        payload = struct.pack("!BB6x", 0, lun) + struct.pack("!BBBB", 0, 0, 0, flags) + bytes(16) + struct.pack("!I", octets)
        initiative = INITIATIVE if read or octets == 0 else 0
        self.frame(True, 6, FCP, FIRST | END | initiative, payload, ox_id=ox_id, parameter=code << 24 | base)
        return ox_id

    def data(self, ox_id, octets, *, read=False, frame_size=2048, frames=None, seq_id=1):
        """FCP_DATA in one Sequence."""
        parts = [octets[at:at + frame_size] for at in range(0, len(octets), frame_size)]
        for number, part in enumerate(parts):
            if frames is not None and number not in frames:
                continue
            last = number + 1 == len(parts)
            f_ctl = OFFSET | (RESPONDER if read else 0) | (END | (0 if read else INITIATIVE) if last else 0)
            seq_cnt = number if read else number + 1
            self.frame(
                not read, 1, FCP, f_ctl, part, ox_id=ox_id, seq_id=0 if read else seq_id, seq_cnt=seq_cnt,
                parameter=number * frame_size, rx_id=0)

    def response(self, ox_id, status=0, under=None, over=None, seq_cnt=0):
        flags = (8 if under is not None else 0) | (4 if over is not None else 0)
        payload = bytes(10) + struct.pack("!BBIII", flags, status, under or over or 0, 0, 0)
        return self.frame(False, 7, FCP, RESPONDER | LAST | END, payload, ox_id=ox_id, seq_id=9, seq_cnt=seq_cnt)

    def write(self, octets, **options):
        ox_id = self.command(len(octets), **options)
        self.data(ox_id, octets)
        self.response(ox_id)

    def read(self, octets, **options):
        ox_id = self.command(len(octets), read=True, **options)
        self.data(ox_id, octets, read=True)
        self.response(ox_id, seq_cnt=-(-len(octets) // 2048))


def messages():
    """A write, a read without notification, a command without data, a failure, and plain FCP."""
    c = FcAeRdma()
    c.write(pattern(5000))
    c.read(pattern(3000), base=0x1800, notify=False)
    c.response(c.command(0, base=0))
    c.response(c.command(100, read=True, lun=5), status=0x5C, under=100)
    c.response(c.command(512, read=True, code=0), seq_cnt=0)  # plain FCP
    return c
