// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fcvi/device_header.h"

namespace fabricscope::fcvi {

namespace {

using layout::PartReader;

/// The head that the IU's flags have in the version. Chosen by type, not read.
void choose_head(DeviceHeader& header, const IuInfo* iu) {
    const bool iso = header.version == Version::iso;
    if (iu == nullptr) {
        header.head = UnknownHead{};
    } else if (iso && (iu->type == IuType::disconnect_rqst || iu->type == IuType::disconnect_resp)) {
        header.head = DisconnectHead{};
    } else {
        switch (iu->category) {
            case Category::message_request:
                if (iso) header.head = MessageRequestHead{};
                else header.head = MessageRequestHeadRev10{};
                break;
            case Category::message_response: header.head = MessageResponseHead{}; break;
            case Category::connect_request:
                if (iso) header.head = ConnectRequestHead{};
                else header.head = ConnectRequestHeadRev10{};
                break;
            case Category::connect_response:
                if (iso) header.head = ConnectResponseHead{};
                else header.head = ConnectResponseHeadRev10{};
                break;
        }
    }
}

/// Word 3 means what the flags say.
void choose_parameter(DeviceHeader& header) {
    std::visit(
        [&](const auto& head) {
            if constexpr (requires { head.imm_data; }) {
                if (head.imm_data) header.parameter = ImmediateData{};
            } else if constexpr (requires { head.conn_sts; }) {
                if (head.conn_sts) header.parameter = ConnectionStatus{};
            } else if constexpr (requires { head.conn_err; }) {
                if (head.conn_err) header.parameter = ConnectionStatusRev10{};
            }
        },
        header.head);
}

/// Words 4 to 7. An IU with a longer header than the version gives it is shown as the other version has it.
void choose_target(DeviceHeader& header, const IuInfo* iu) {
    if (iu == nullptr || iu->type == IuType::write_rqst || iu->type == IuType::read_rqst ||
        iu->type == IuType::read_resp)
        header.target = RdmaTarget{};
    else if (iu->category == Category::message_request || iu->category == Category::message_response)
        header.target = SendTarget{};
    else header.target = ConnectionTarget{};
}

std::uint8_t opcode_in(ByteView octets) { return octets.size() > 4 ? octets[4] : std::uint8_t{0}; }

}  // namespace

const Head& DeviceHeader::common() const {
    return std::visit([](const Head& any) -> const Head& { return any; }, head);
}

Head& DeviceHeader::common() {
    return std::visit([](Head& any) -> Head& { return any; }, head);
}

const Status* DeviceHeader::status() const {
    if (const auto* iso = std::get_if<ConnectionStatus>(&parameter)) return iso;
    return std::get_if<ConnectionStatusRev10>(&parameter);
}

std::optional<std::uint32_t> DeviceHeader::immediate_data() const {
    if (const auto* data = std::get_if<ImmediateData>(&parameter)) return data->value;
    return std::nullopt;
}

std::optional<std::uint32_t> DeviceHeader::connection_id() const {
    if (const auto* connection = std::get_if<ConnectionTarget>(&target)) return connection->connection_id;
    return std::nullopt;
}

std::optional<std::uint32_t> DeviceHeader::tot_len() const {
    if (const auto* rdma = std::get_if<RdmaTarget>(&target)) return rdma->tot_len;
    if (const auto* send = std::get_if<SendTarget>(&target)) return send->tot_len;
    return std::nullopt;
}

bool DeviceHeader::retry() const {
    return std::visit(
        [](const auto& any) {
            if constexpr (requires { any.retry; }) return any.retry;
            else return false;
        },
        head);
}

DeviceHeader parse_device_header(ByteView octets, std::size_t size, Version version) {
    DeviceHeader header;
    header.version = version;
    const IuInfo* iu = find_iu(version, opcode_in(octets));
    PartReader reader(octets, size);
    const auto read = [&](auto& part) {
        if constexpr (!std::is_same_v<decltype(part), std::monostate&>) reader.read(part);
    };
    choose_head(header, iu);
    std::visit(read, header.head);
    choose_parameter(header);
    std::visit(read, header.parameter);
    if (size >= long_device_header) {
        choose_target(header, iu);
        std::visit(read, header.target);
        if (reader.error()) header.target = std::monostate();
        header.rest = reader.take(reader.remaining(), "fcvi.handle");
    }
    header.error = reader.error();
    return header;
}

DeviceHeader make_device_header(Version version, IuType type) {
    DeviceHeader header;
    header.version = version;
    const IuInfo* iu = find_iu(version, type);
    if (iu == nullptr) return header;
    choose_head(header, iu);
    header.common().opcode = iu->opcode;
    if (iu->device_header == long_device_header) choose_target(header, iu);
    return header;
}

std::vector<std::uint8_t> build(const DeviceHeader& header) {
    layout::Builder builder;
    walk(header, builder);
    return std::move(builder.message);
}

std::optional<Version> version_of(std::uint8_t opcode, std::size_t device_header_size) {
    std::optional<Version> only;
    for (const Version version : versions) {
        const IuInfo* iu = find_iu(version, opcode);
        if (iu == nullptr || iu->device_header != device_header_size) continue;
        if (only) return std::nullopt;
        only = version;
    }
    return only;
}

}  // namespace fabricscope::fcvi
