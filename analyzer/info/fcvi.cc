// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/info/fcvi.h"

namespace fabricscope::info::fcvi {
namespace {

using wire::IuType;

void add_hex(Line& line, std::uint64_t number) { line << "0x", line.hex(number); }

void add_reason(Line& line, wire::Version version, std::uint8_t reason) {
    line << wire::reason_name(version, reason) << " (0x" << (reason < 16 ? "0" : "");
    line.hex(reason) << ")";
}

// ---- connections -----------------------------------------------------------------------------------

/// "2001:db8::1#printer", cut off where it gets long
void add_address(Line& line, const wire::NetAddress& address) {
    constexpr std::size_t most = 64;
    const std::string text = to_string(address);
    line << std::string_view(text).substr(0, most) << (text.size() > most ? "..." : "");
}

const char* mode_of(const wire::DeviceHeader& header) {
    if (const auto* head = std::get_if<wire::ConnectRequestHead>(&header.head))
        return layout::name_of(wire::iso_mode_names, head->mode);
    if (const auto* head = std::get_if<wire::ConnectRequestHeadRev10>(&header.head))
        return layout::name_of(wire::rev_1_0_mode_names, head->mode);
    return nullptr;
}

const char* level_of(const wire::ConnectPayload& payload) {
    const auto level = payload.reliability();
    return level ? wire::iso_reliability_names[static_cast<std::size_t>(*level)].name : "reserved reliability level";
}

void add_payload(Line& line, const wire::ConnectPayload& payload) {
    if (payload.error) return;
    add_address(line << " ", payload.local());
    add_address(line << " → ", payload.remote());
    add_hex(line << ", handle ", payload.handle());
    line << ", " << level_of(payload);
}

void add_connect(Line& line, const IuView& view) {
    if (view.header.retry()) line << " retried";
    if (view.header.tells_status() && view.header.status()->reason != 0)
        return add_reason(line << " rejects: ", view.header.version, view.header.status()->reason);
    const IuType type = view.header.iu()->type;
    if (type == IuType::connect_rqst)
        if (const char* mode = mode_of(view.header)) line << " " << mode;
    if (type == IuType::connect_resp1) line << " accepts";
    if (view.payload != nullptr) add_payload(line, *view.payload);
}

void add_disconnect(Line& line, const IuView& view) {
    if (const auto* head = std::get_if<wire::DisconnectHead>(&view.header.head)) {
        if (head->conn_setup_abort) line << " aborts the setup";
        if (head->vi_app_discon) line << " by the application";
    } else if (const char* mode = mode_of(view.header)) {
        line << " " << mode;
    }
    if (view.header.tells_status()) add_reason(line << ": ", view.header.version, view.header.status()->reason);
}

// ---- Messages --------------------------------------------------------------------------------------

/// "bytes 0-2047 of 8192"
void add_data(Line& line, const IuView& view) {
    const std::uint32_t octets = view.frame.payload_length;
    if (octets == 0) return;
    const std::uint64_t first = view.repeated ? view.frame.header.parameter : view.offset;
    line << ", bytes " << first << "-" << first + octets - 1;
    if (view.message != nullptr && view.message->total_length) line << " of " << *view.message->total_length;
}

void add_target(Line& line, const IuView& view, const char* word) {
    const auto* target = std::get_if<wire::RdmaTarget>(&view.header.target);
    if (target == nullptr) return;
    add_hex(line << " " << word << " ", target->rmt_va);
    add_hex(line << ", handle ", target->rmt_va_handle);
}

void add_request(Line& line, const IuView& view) {
    if (view.header.iu()->type == IuType::read_rqst) {
        if (const auto length = view.header.tot_len()) line << ", " << *length << " bytes";
        add_target(line, view, "from");
    } else {
        add_data(line, view);
        if (view.header.iu()->type == IuType::write_rqst) add_target(line, view, "to");
    }
    if (const auto immediate = view.header.immediate_data()) add_hex(line << ", immediate data ", *immediate);
}

void add_response(Line& line, const IuView& view) {
    const auto& flags = std::get<wire::MessageResponseHead>(view.header.head);
    add_data(line, view);
    if (!flags.resp_err && !flags.trans_err && !flags.prot_err && !flags.desc_err) {
        if (view.frame.payload_length == 0) line << ", good";
        return;
    }
    line << ", failed";
    if (flags.trans_err) line << ", transport error";
    if (flags.prot_err) line << ", RDMA protection error";
    if (flags.desc_err) line << ", descriptor error";
}

}  // namespace

Line name_of_iu(const wire::DeviceHeader& header) {
    constexpr std::string_view prefix = "FCVI_";
    if (const wire::IuInfo* iu = header.iu()) return Line(std::string_view(iu->name).substr(prefix.size()));
    Line line("unknown opcode ");
    add_hex(line, header.opcode());
    return line;
}

Line summary_of(const IuView& view) {
    if (!view.readable)
        return Line(
            view.frame.header.df_ctl.device_header_octets() == 0 ? "no Device_Header" : "Device_Header cut off");
    Line line = name_of_iu(view.header);
    if (view.connection != nullptr) line << " fcvi-" << view.connection->id;
    const wire::IuInfo* iu = view.header.iu();
    if (iu == nullptr) return line;
    switch (iu->category) {
        case wire::Category::message_request: add_request(line << " #" << view.header.msg_id(), view); break;
        case wire::Category::message_response: add_response(line << " #" << view.header.msg_id(), view); break;
        default:
            if (iu->type == IuType::disconnect_rqst || iu->type == IuType::disconnect_resp) add_disconnect(line, view);
            else add_connect(line, view);
    }
    return line;
}

Line rejection_of(const Connection& connection) {
    Line line;
    if (!connection.reject) return line;
    line << "by the " << name_of(connection.reject->by) << ": ";
    add_reason(line, connection.version, connection.reject->reason);
    return line;
}

std::uint64_t length_of(const Message& message) { return message.total_length.value_or(message.bytes); }

}  // namespace fabricscope::info::fcvi
