# SPDX-License-Identifier: GPL-2.0-or-later
"""Field by field what Wireshark's own SMC dissector shows, wherever that one is right."""

import xml.etree.ElementTree as ET
from collections import defaultdict

import pytest
from harness import sample, samples, tshark, without_plugin

ACCEPT_OR_CONFIRM = {
    "smc.accept.eid": "clc.eid",
    "smc.accept.initial.psn": "clc.initial_psn",
    "smc.accept.os.type": "clc.os_type",
    "smc.accept.peer.host.name": "clc.hostname",
    "smc.accept.qp.mtu.value": "clc.mtu",
    "smc.accept.rmb.buffer.size": "clc.buffer_size",
    "smc.accept.server.preferred.gid": "clc.gid",
    "smc.accept.server.preferred.mac": "clc.mac",
    "smc.accept.server.qp.number": "clc.qpn",
    "smc.accept.server.rmb.element.alert.token": "clc.alert_token",
    "smc.accept.server.rmb.rkey": "clc.rkey",
    "smc.accept.server.rmb.virtual.address": "clc.rmb_address",
    "smc.accept.server.tcp.conn.index": "clc.rmb_index",
    "smc.accept.smc.type": "clc.path",
    "smc.accept.smc.version.relnum": "clc.release",
    "smc.accept.v2_lg.type": "clc.fce.direct",
    "smc.client.gid": "clc.gid",
    "smc.client.rmb.element.alert.token": "clc.alert_token",
    "smc.client.rmb.virtual.address": "clc.rmb_address",
    "smc.confirm.client.mac": "clc.mac",
    "smc.confirm.client.qp.number": "clc.qpn",
    "smc.confirm.client.rmb.rkey": "clc.rkey",
    "smc.confirm.client.tcp.conn.index": "clc.rmb_index",
    "smc.confirm.eid": "clc.eid",
    "smc.confirm.first.contact": "clc.first_contact",
    "smc.confirm.gid.list.entry": "gid_list.gid",
    "smc.confirm.gid.list.entry_count": "clc.gid_list.count",
    "smc.confirm.os.type": "clc.os_type",
    "smc.confirm.peer.host.name": "clc.hostname",
    "smc.confirm.qp.mtu.value": "clc.mtu",
    "smc.confirm.rmb.buffer.size": "clc.buffer_size",
    "smc.confirm.smc.type": "clc.path",
    "smc.confirm.smc.version.relnum": "clc.release",
    "smc.initial.psn": "clc.initial_psn",
    "smc.proposal.first.contact": "clc.first_contact",  # the built-in's name for ACCEPT's flag
}
PROPOSAL_OR_DECLINE = {
    "smc.clc_msg": "clc.type",
    "smc.decline.os.type": "clc.os_type",
    "smc.decline.osync": "clc.decline.out_of_sync",
    "smc.decline.smc.version": "clc.version",
    "smc.outgoing.interface.subnet.mask": "clc.proposal.subnet",
    "smc.outgoing.interface.subnet.mask.number.of.significant.bits": "clc.proposal.mask_length",
    "smc.proposal.client.preferred.gid": "clc.gid",
    "smc.proposal.client.preferred.mac": "clc.mac",
    "smc.proposal.eid": "clc.eid",
    "smc.proposal.eid.count": "clc.proposal.eid_count",
    "smc.proposal.ipv6.prefix.count": "clc.proposal.prefix_count",
    "smc.proposal.ipv6.prefix.length": "clc.proposal.prefix_length",
    "smc.proposal.ipv6.prefix.value": "clc.proposal.prefix",
    "smc.proposal.ismv2_gid_count": "clc.proposal.ism_gid_count",
    "smc.proposal.rocev2.gid.ipv6": "clc.proposal.roce_gid",
    "smc.proposal.smc.seid": "clc.proposal.seid_present",
    "smc.proposal.smc.type": "clc.proposal.type_v1",
    "smc.proposal.smc.version": "clc.version",
    "smc.proposal.smc.version.relnum": "clc.release",
    "smc.proposal.smcdv2_ext_offset": "clc.proposal.smcd_extension_offset",
    "smc.proposal.smcv1_subnet_ext_offset": "clc.proposal.ip_area_offset",
    "smc.proposal.smcv2.type": "clc.proposal.type_v2",
    "smc.proposal.smcv2_ext_offset": "clc.proposal.v2_extension_offset",
}
LLC = {
    "smc.add.link.initial.psn": "llc.add_link.initial_psn",
    "smc.add.link.link.number": "llc.link",
    "smc.add.link.qp.mtu.value": "llc.add_link.mtu",
    "smc.add.link.response": "llc.reply",
    "smc.add.link.response.rejected": "llc.add_link.reject",
    "smc.add.link.sender.gid": "llc.gid",
    "smc.add.link.sender.mac": "llc.mac",
    "smc.add.link.sender.qp.number": "llc.qpn",
    "smc.confirm.link.max.links": "llc.confirm_link.max_links",
    "smc.confirm.link.number": "llc.link",
    "smc.confirm.link.response": "llc.reply",
    "smc.confirm.link.sender.link.userid": "llc.confirm_link.link_user_id",
    "smc.confirm.link.sender.mac": "llc.mac",
    "smc.confirm.link.sender.qp.number": "llc.qpn",
    "smc.confirm.rkey.link.number": "llc.link",
    "smc.confirm.rkey.negative.response": "llc.negative",
    "smc.confirm.rkey.new.rkey": "llc.rtoken.rkey",
    "smc.confirm.rkey.new.virt": "llc.rtoken.address",
    "smc.confirm.rkey.number.qp": "llc.confirm_rkey.other_links",
    "smc.confirm.rkey.response": "llc.reply",
    "smc.confirm.rkey.retry.rkey.set": "llc.confirm_rkey.retry",
    "smc.delete.link.all": "llc.delete_link.all",
    "smc.delete.link.number": "llc.link",
    "smc.delete.link.orderly": "llc.delete_link.orderly",
    "smc.delete.link.reason.code": "llc.delete_link.reason",
    "smc.delete.link.response": "llc.reply",
    "smc.delete.rkey.count": "llc.delete_rkey.count",
    "smc.delete.rkey.deleted": "llc.delete_rkey.rkey",
    "smc.delete.rkey.error.mask": "llc.delete_rkey.error_mask",
    "smc.delete.rkey.negative.response": "llc.negative",
    "smc.delete.rkey.response": "llc.reply",
    "smc.sender.gid": "llc.gid",
    "smc.test.link.response": "llc.reply",
}
CDC = {
    "smc.rmbe.ctrl.alert.token": "cdc.alert_token",
    "smc.rmbe.ctrl.cons.update.requested": "cdc.flags.update_requested",
    "smc.rmbe.ctrl.failover.validation": "cdc.flags.failover",
    "smc.rmbe.ctrl.peer.abnormal.close": "cdc.state.abnormal_close",
    "smc.rmbe.ctrl.peer.closed.conn": "cdc.state.closed",
    "smc.rmbe.ctrl.peer.sending.done": "cdc.state.sending_done",
    "smc.rmbe.ctrl.seqno": "cdc.sequence",
    "smc.rmbe.ctrl.urgent.pending": "cdc.flags.urgent_pending",
    "smc.rmbe.ctrl.urgent.present": "cdc.flags.urgent_present",
    "smc.rmbe.ctrl.write.blocked": "cdc.flags.writer_blocked",
}
SAME = {**ACCEPT_OR_CONFIRM, **PROPOSAL_OR_DECLINE, **LLC, **CDC}
# One field of the built-in stands for several of ours.
ONE_OF = {
    "smc.length": ("clc.length", "llc.length", "llc.v2_length", "cdc.length"),
    "smc.llc_msg": ("llc.type", "cdc.type"),
    "smc.peer.diag.info": ("clc.decline.diagnosis", *(f"clc.decline.diagnosis{n}" for n in range(1, 5))),
    "smc.rmbe.ctrl.cons.wrap.seq": ("cdc.consumer.wrap",),
    "smc.rmbe.ctrl.peer.cons.curs": ("cdc.consumer.offset",),
    "smc.rmbe.ctrl.peer.prod.curs": ("cdc.producer.offset", "cdc.consumer.offset"),  # Wireshark 4.0: both
    "smc.rmbe.ctrl.prod.wrap.seq": ("cdc.producer.wrap", "cdc.consumer.wrap"),
}
NOT_COMPARED = {
    "smc.reserved",  # holds fields that the built-in does not know
    # 8 octets in one, two fields here
    "smc.accept.sender.server.peer.id", "smc.confirm.sender.client.peer.id", "smc.proposal.sender.client.peer.id",
    "smc.sender.peer.id",
    # the last 4 octets of the GID
    "smc.proposal.rocev2.gid.ipv4",
    # shown only where ISM is offered; the octets are ism_gid's
    "smc.proposal.ism.gid", "smc.proposal.smc.chid",
}


def is_octet_of_flags(name):
    """Flags once more as a whole; its bits are compared one by one."""
    return "flags" in name.split(".")[-1] or name.split(".")[-2].endswith("flags")


def fields_by_place(pdml, prefix):
    """{frame: {(position, size): {name: value}}}"""
    frames = {}
    for packet in ET.fromstring(pdml).findall("packet"):
        number = packet.find("proto[@name='geninfo']/field[@name='num']").get("show")
        places = frames[number] = defaultdict(dict)
        for field in packet.iter("field"):
            name = field.get("name", "")
            if name.startswith(prefix) and field.get("size") != "0":
                places[field.get("pos"), field.get("size")][name] = normal(field.get("show"))
    return frames


def normal(text):
    """Numbers as numbers, texts without padding."""
    try:
        return int(text, 0)
    except ValueError:
        return {"True": 1, "False": 0}.get(text, text.strip())


@pytest.mark.parametrize("name", samples("smcr_*"))
def test_equal_to_the_builtin_dissector(name):
    theirs = fields_by_place(without_plugin("-r", sample(name), "-Y", "smc", "-T", "pdml"), "smc.")
    ours = fields_by_place(tshark("-r", sample(name), "-Y", "smcr", "-T", "pdml"), "smcr.")
    for frame, places in theirs.items():
        for place, found in places.items():
            for their_name, value in found.items():
                if their_name in NOT_COMPARED or is_octet_of_flags(their_name):
                    continue
                names = ONE_OF.get(their_name) or (SAME[their_name],)
                values = [v for n in names if (v := ours[frame][place].get(f"smcr.{n}")) is not None]
                assert values == [value], f"frame {frame}: {their_name}"
