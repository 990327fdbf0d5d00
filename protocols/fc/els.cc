// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fc/els.h"

namespace fabricscope::fc {

namespace {

using layout::PartReader;

constexpr const char* els_content = "fabricscope.fc.els.content";
constexpr const char* extension_field = "fabricscope.fc.login.extension";
constexpr const char* page_length_field = "fabricscope.fc.process.page_length";
constexpr const char* payload_length_field = "fabricscope.fc.process.payload_length";

template <class Body> Body read_plain(PartReader& reader) {
    Body body;
    reader.read(body);
    return body;
}

OtherEls read_other(PartReader& reader) {
    OtherEls body;
    reader.read(body.header);
    body.content = reader.take(reader.remaining(), els_content);
    return body;
}

template <class Common> Login read_login(PartReader& reader) {
    Login body;
    reader.read(body.header);
    reader.read(body.common.emplace<Common>());
    reader.read(body.names);
    for (ClassServiceParameters& parameters : body.classes) reader.read(parameters);
    reader.read(body.vendor_version);
    body.extension = reader.take(reader.remaining(), extension_field);
    return body;
}

/// How many pages follow; an error if the lengths contradict themselves or the payload.
std::size_t page_count(PartReader& reader, const ProcessHeader& header) {
    if (reader.error()) return 0;
    const std::size_t there = reader.offset() + reader.remaining();
    const std::size_t head = layout::size_of<ProcessHeader>;
    if (header.page_length != process_page_size)
        reader.fail({layout::Fault::wrong_length, page_length_field, 1, process_page_size, header.page_length});
    else if (
        header.payload_length < head || header.payload_length > there ||
        (header.payload_length - head) % process_page_size != 0)
        reader.fail({layout::Fault::wrong_length, payload_length_field, 2, there, header.payload_length});
    return reader.error() ? 0 : (header.payload_length - head) / process_page_size;
}

template <class Process> Process read_process(PartReader& reader) {
    Process body;
    reader.read(body.header);
    reader.read(body.pages, page_count(reader, body.header));
    return body;
}

using Body = decltype(ElsMessage::body);

Body read_accept(PartReader& reader, std::optional<std::uint8_t> request) {
    if (!request) return read_other(reader);
    switch (*request) {
        case els_plogi:
        case els_pdisc: return read_login<PortServiceParameters>(reader);
        case els_flogi:
        case els_fdisc: return read_login<FabricServiceAccept>(reader);
        case els_prli: return read_process<PrliAccept>(reader);
        case els_prlo: return read_process<Prlo>(reader);
        case els_adisc: return read_plain<Adisc>(reader);
        case els_rls: return read_plain<RlsAccept>(reader);
        case els_rtv: return read_plain<RtvAccept>(reader);
        default: return read_other(reader);
    }
}

Body read_body(PartReader& reader, std::uint8_t command, std::optional<std::uint8_t> request) {
    switch (command) {
        case els_ls_acc: return read_accept(reader, request);
        case els_ls_rjt: return read_plain<LsRjt>(reader);
        case els_plogi:
        case els_pdisc: return read_login<PortServiceParameters>(reader);
        case els_flogi:
        case els_fdisc: return read_login<FabricServiceRequest>(reader);
        case els_prli: return read_process<Prli>(reader);
        case els_prlo: return read_process<Prlo>(reader);
        case els_logo: return read_plain<Logo>(reader);
        case els_adisc: return read_plain<Adisc>(reader);
        case els_fan: return read_plain<Fan>(reader);
        case els_farp_request:
        case els_farp_reply: return read_plain<Farp>(reader);
        case els_rls: return read_plain<RlsRequest>(reader);
        case els_rrq: return read_plain<Rrq>(reader);
        case els_csu: return read_plain<Csu>(reader);
        default: return read_other(reader);
    }
}

}  // namespace

ElsMessage parse_els(ByteView octets, std::size_t length, std::optional<std::uint8_t> request) {
    ElsMessage message;
    PartReader reader(octets, length);
    if (!octets.empty()) message.command = octets[0];
    message.body = read_body(reader, message.command, request);
    message.padding = reader.take(reader.remaining(), els_content);
    message.error = reader.error();
    return message;
}

std::vector<std::uint8_t> build(const ElsMessage& message) {
    layout::Builder builder;
    walk(message, builder);
    return std::move(builder.message);
}

}  // namespace fabricscope::fc
