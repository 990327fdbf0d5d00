// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/rdma_cm/message.h"

namespace fabricscope::rdma_cm {

namespace {

using layout::PartReader;

std::optional<IpHeader> read_ip(PartReader& reader, std::uint64_t service_id) {
    if (!has_ip_header(service_id) || reader.error()) return std::nullopt;
    IpHeader header;
    reader.read(header.versions);
    if (header.versions.major_version != 0) return header;
    if (header.versions.ip_version == 4) reader.read(header.addresses.emplace<Ipv4Addresses>());
    if (header.versions.ip_version == 6) reader.read(header.addresses.emplace<Ipv6Addresses>());
    return header;
}

Req read_req(PartReader& reader) {
    Req message;
    reader.read(message.body);
    reader.read(message.primary);
    reader.read(message.alternate);
    message.ip = read_ip(reader, message.body.service_id);
    return message;
}

SidrReq read_sidr_req(PartReader& reader) {
    SidrReq message;
    reader.read(message.body);
    message.ip = read_ip(reader, message.body.service_id);
    return message;
}

Rej read_rej(PartReader& reader, bool of_ip_service) {
    Rej message;
    reader.read(message.body);
    const bool by_server = message.body.message == ib::rejects_req;
    const bool has_layer = of_ip_service && by_server && message.body.reason == ib::consumer_reject &&
                           message.body.ari_length != 0;
    std::size_t read = 0;
    if (has_layer) {
        PartReader ahead = reader;
        RejectLayer layer;
        ahead.read(layer);
        if (layer.layer == service_layer) reader.read(message.information);
        else reader.read(message.layer);
        read = message.information ? layout::size_of<RejectInformation> : layout::size_of<RejectLayer>;
    }
    message.additional = reader.take(ib::ari_size - read, additional_octets.filter);
    return message;
}

template <class Message> Message read_informing(PartReader& reader) {
    Message message;
    reader.read(message.body);
    message.additional = reader.take(ib::ari_size, additional_octets.filter);
    return message;
}

template <class Body> Body read_plain(PartReader& reader) {
    Body body;
    reader.read(body);
    return body;
}

void read_body(PartReader& reader, Message& message, bool of_ip_service) {
    using ib::CmAttribute;
    switch (message.attribute()) {
        case CmAttribute::class_port_info: message.body = read_plain<ib::ClassPortInfo>(reader); return;
        case CmAttribute::req: message.body = read_req(reader); return;
        case CmAttribute::mra: message.body = read_plain<ib::CmMra>(reader); return;
        case CmAttribute::rej: message.body = read_rej(reader, of_ip_service); return;
        case CmAttribute::rep: message.body = read_plain<ib::CmRep>(reader); return;
        case CmAttribute::rtu: message.body = read_plain<ib::CmRtu>(reader); return;
        case CmAttribute::dreq: message.body = read_plain<ib::CmDreq>(reader); return;
        case CmAttribute::drep: message.body = read_plain<ib::CmDrep>(reader); return;
        case CmAttribute::sidr_req: message.body = read_sidr_req(reader); return;
        case CmAttribute::sidr_rep: message.body = read_informing<SidrRep>(reader); return;
        case CmAttribute::lap: message.body = read_plain<ib::CmLap>(reader); return;
        case CmAttribute::apr: message.body = read_informing<Apr>(reader); return;
    }
}

}  // namespace

bool claims_cm(ByteView octets) { return octets.size() > 2 && octets[0] == 1 && octets[1] == ib::cm_class; }

bool is_cm(ByteView octets, std::size_t length) { return length == ib::mad_size && claims_cm(octets); }

std::vector<std::uint8_t> additional_information(const Rej& rej) {
    std::vector<std::uint8_t> octets;
    if (rej.information) octets = layout::octets_of(*rej.information);
    if (rej.layer) octets = layout::octets_of(*rej.layer);
    octets.insert(octets.end(), rej.additional.begin(), rej.additional.end());
    return octets;
}

Message parse(ByteView octets, bool of_ip_service) {
    Message message;
    PartReader reader(octets, ib::mad_size);
    reader.read(message.mad);
    if (!reader.error() && message.mad.management_class == ib::cm_class) read_body(reader, message, of_ip_service);
    message.private_data = reader.take(reader.remaining(), private_data_octets.filter);
    message.error = reader.error();
    return message;
}

std::vector<std::uint8_t> build(const Message& message) {
    layout::Builder builder;
    walk(message, builder);
    builder.message.resize(ib::mad_size);
    return std::move(builder.message);
}

}  // namespace fabricscope::rdma_cm
