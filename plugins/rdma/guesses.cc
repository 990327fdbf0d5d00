// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma/guesses.h"

#include "protocols/ib/upper_layers.h"

namespace fabricscope::plugin::rdma {

void Content::note(const capture::IbPacket& packet) {
    const ib::OpcodeInfo& info = packet.opcode();
    const bool only = info.position == ib::Position::only;
    if (info.operation != ib::Operation::send || !(only || info.position == ib::Position::first)) return;
    const ib::MessageBegin begin{packet.payload, only && packet.payload.size() == packet.payload_length};
    seen_ = true;
    rpc_over_rdma_ = rpc_over_rdma_ && may_be_rpc_over_rdma(begin);
    smb_direct_ = smb_direct_ && may_be_smb_direct(begin);
    ip_over_infiniband_ = ip_over_infiniband_ && may_be_ip_over_infiniband(begin);
}

void Content::join(const Content& half) {
    seen_ = seen_ || half.seen_;
    rpc_over_rdma_ = rpc_over_rdma_ && half.rpc_over_rdma_;
    smb_direct_ = smb_direct_ && half.smb_direct_;
    ip_over_infiniband_ = ip_over_infiniband_ && half.ip_over_infiniband_;
}

bool Content::may_be_guessed(std::string_view protocol, capture::IbCarrier carrier) const {
    const bool on_ethernet = carrier != capture::IbCarrier::native;  // which IP and Ethernet do without InfiniBand
    if (protocol == "ethertype") return seen_ && ip_over_infiniband_ && !on_ethernet;
    if (protocol == "infiniband.eoib" || protocol == "fcoib") return !on_ethernet;
    if (protocol == "rpcordma") return seen_ && rpc_over_rdma_;
    if (protocol == "smb_direct") return seen_ && smb_direct_;
    return true;
}

}  // namespace fabricscope::plugin::rdma
