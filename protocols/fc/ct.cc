// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fc/ct.h"

namespace fabricscope::fc {

namespace {

using layout::PartReader;

constexpr const char* ct_content = "fabricscope.fc.ct.content";

/// The entries up to the one that says it is the last, as far as they were captured.
GidIppAccept read_ports(PartReader& reader, ByteView octets) {
    const layout::List<PortIdEntry> all{octets.subspan(std::min(octets.size(), reader.offset()))};
    std::size_t count = 0;
    while (count < all.size() && !all[count++].last) {
    }
    GidIppAccept body;
    reader.read(body.ports, count);
    return body;
}

}  // namespace

CtMessage parse_ct(ByteView octets, std::size_t length, std::optional<std::uint16_t> request) {
    octets = octets.first(std::min(octets.size(), length));
    CtMessage message;
    PartReader reader(octets, length);
    reader.read(message.header);
    if (reader.error()) {
        message.error = reader.error();
        return message;
    }
    const bool named = message.is_name_server();
    if (named && message.header.command == ct_gid_ipp) reader.read(message.body.emplace<GidIppRequest>());
    else if (named && message.header.command == ct_accept && request == ct_gid_ipp)
        message.body = read_ports(reader, octets);
    else message.body = UnknownCt{reader.take(reader.remaining(), ct_content)};
    message.padding = reader.take(reader.remaining(), ct_content);
    message.error = reader.error();
    return message;
}

std::vector<std::uint8_t> build(const CtMessage& message) {
    layout::Builder builder;
    walk(message, builder);
    return std::move(builder.message);
}

}  // namespace fabricscope::fc
