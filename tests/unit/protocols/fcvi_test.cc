// SPDX-License-Identifier: GPL-2.0-or-later
// Each table of the two FC-VI documents, by its number, against what the parsers and builders do.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "protocols/fcvi/connect.h"
#include "protocols/fcvi/device_header.h"
#include "protocols/fcvi/registry.h"

namespace fabricscope::fcvi {
namespace {

using Octets = std::vector<std::uint8_t>;

/// Octets 0, 1, 2 ..., so that each field has another value.
Octets counted(std::size_t size) {
    Octets octets(size);
    std::iota(octets.begin(), octets.end(), std::uint8_t{0});
    return octets;
}

/// A counted header of the opcode with these flags; what parses must build back.
DeviceHeader header_with(Version version, std::uint8_t opcode, std::uint8_t flags, std::size_t size) {
    Octets octets = counted(size);
    octets[4] = opcode;
    octets[5] = flags;
    DeviceHeader header = parse_device_header(octets, size, version);
    EXPECT_FALSE(header.error) << to_string(header.error);
    EXPECT_EQ(build(header), octets);
    return header;
}

/// Whether a header with these flags has no reserved field in use.
bool flags_are_defined(Version version, std::uint8_t opcode, std::uint8_t flags) {
    Octets octets(32);
    octets[4] = opcode;
    octets[5] = flags;
    layout::ReservedCheck check;
    walk(parse_device_header(octets, 32, version), check);
    return !check.found;
}

/// All flags that an IU may have, one bit each.
std::uint8_t defined_flags(Version version, std::uint8_t opcode) {
    std::uint8_t mask = 0;
    for (unsigned bit = 1; bit < 0x100; bit <<= 1)
        if (flags_are_defined(version, opcode, static_cast<std::uint8_t>(bit)))
            mask = static_cast<std::uint8_t>(mask | bit);
    return mask;
}

struct Row {
    const char* name;
    std::uint8_t r_ctl, device_header, opcode;
    Content payload;
    bool mandatory;
};

void expect_table_1(Version version, std::span<const Row> rows) {
    ASSERT_EQ(ius(version).size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const IuInfo& iu = ius(version)[i];
        EXPECT_STREQ(iu.name, rows[i].name);
        EXPECT_EQ(iu.r_ctl, rows[i].r_ctl) << iu.name;
        EXPECT_EQ(iu.device_header, rows[i].device_header) << iu.name;
        EXPECT_EQ(iu.opcode, rows[i].opcode) << iu.name;
        EXPECT_EQ(iu.payload, rows[i].payload) << iu.name;
        EXPECT_EQ(iu.mandatory, rows[i].mandatory) << iu.name;
        EXPECT_EQ(find_iu(version, iu.opcode), &iu);
        EXPECT_EQ(find_iu(version, iu.type), &iu);
    }
}

TEST(FcviRev10, Table1InformationUnits) {
    constexpr Content data = Content::message_data;
    constexpr Content none = Content::none;
    constexpr Content info = Content::connect_info;
    constexpr Row rows[] = {
        {"FCVI_SEND_RQST", 0x01, 16, 0x00, data, true},      {"FCVI_WRITE_RQST", 0x01, 32, 0x01, data, true},
        {"FCVI_READ_RQST", 0x06, 32, 0x02, none, false},     {"FCVI_SEND_RESP", 0x07, 16, 0x08, none, false},
        {"FCVI_WRITE_RESP", 0x07, 16, 0x09, none, false},    {"FCVI_READ_RESP", 0x01, 16, 0x0A, data, false},
        {"FCVI_CONNECT_RQST", 0x02, 16, 0x10, info, true},   {"FCVI_DISCONNECT_RQST", 0x02, 16, 0x12, none, true},
        {"FCVI_CONNECT_RESP1", 0x03, 16, 0x18, info, true},  {"FCVI_CONNECT_RESP2", 0x03, 16, 0x19, none, true},
        {"FCVI_DISCONNECT_RESP", 0x03, 16, 0x1A, none, true}};
    expect_table_1(Version::rev_1_0, rows);
    EXPECT_EQ(find_iu(Version::rev_1_0, IuType::connect_resp3), nullptr);
}

TEST(FcviIso, Table1InformationUnits) {
    constexpr Content data = Content::message_data;
    constexpr Content none = Content::none;
    constexpr Content info = Content::connect_info;
    constexpr Row rows[] = {
        {"FCVI_SEND_RQST", 0x01, 32, 0x00, data, true},     {"FCVI_WRITE_RQST", 0x01, 32, 0x01, data, true},
        {"FCVI_READ_RQST", 0x06, 32, 0x02, none, false},    {"FCVI_SEND_RESP", 0x07, 16, 0x08, none, false},
        {"FCVI_WRITE_RESP", 0x07, 16, 0x09, none, false},   {"FCVI_READ_RESP", 0x01, 32, 0x0A, data, false},
        {"FCVI_CONNECT_RQST", 0x02, 32, 0x10, info, true},  {"FCVI_DISCONNECT_RQST", 0x02, 32, 0x12, none, true},
        {"FCVI_CONNECT_RESP1", 0x03, 32, 0x18, info, true}, {"FCVI_CONNECT_RESP2", 0x03, 32, 0x19, none, true},
        {"FCVI_CONNECT_RESP3", 0x03, 32, 0x1A, none, true}, {"FCVI_DISCONNECT_RESP", 0x03, 32, 0x1B, none, true}};
    expect_table_1(Version::iso, rows);
}

TEST(Fcvi, TheSameOpcodeIsAnotherIuInTheOtherVersion) {
    EXPECT_EQ(find_iu(Version::rev_1_0, std::uint8_t{0x1A})->type, IuType::disconnect_resp);
    EXPECT_EQ(find_iu(Version::iso, std::uint8_t{0x1A})->type, IuType::connect_resp3);
    EXPECT_EQ(find_iu(Version::rev_1_0, std::uint8_t{0x1B}), nullptr);
}

TEST(Fcvi, VersionOfAMessageWithoutItsSetup) {
    EXPECT_EQ(version_of(0x00, 16), Version::rev_1_0);
    EXPECT_EQ(version_of(0x00, 32), Version::iso);
    EXPECT_EQ(version_of(0x0A, 16), Version::rev_1_0);
    EXPECT_EQ(version_of(0x0A, 32), Version::iso);
    EXPECT_EQ(version_of(0x1A, 16), Version::rev_1_0);
    EXPECT_EQ(version_of(0x1A, 32), Version::iso);
    EXPECT_EQ(version_of(0x1B, 32), Version::iso);
    EXPECT_EQ(version_of(0x01, 32), std::nullopt) << "WRITE_RQST is alike in both";
    EXPECT_EQ(version_of(0x08, 16), std::nullopt);
    EXPECT_EQ(version_of(0x03, 32), std::nullopt);
}

// ---- the Device_Header ---------------------------------------------------------------------------

TEST(FcviRev10, Table3LongDeviceHeader) {
    const DeviceHeader header = header_with(Version::rev_1_0, 0x01, 0x00, 32);
    EXPECT_EQ(header.handle(), 0x00010203U);
    EXPECT_EQ(header.common().reserved, 0x0607);
    EXPECT_EQ(header.msg_id(), 0x08090A0BU);
    EXPECT_EQ(std::get<Parameter>(header.parameter).value, 0x0C0D0E0FU);
    const auto& target = std::get<RdmaTarget>(header.target);
    EXPECT_EQ(target.rmt_va, 0x1011121314151617U);
    EXPECT_EQ(target.rmt_va_handle, 0x18191A1BU);
    EXPECT_EQ(target.tot_len, 0x1C1D1E1FU);
}

TEST(FcviRev10, Table4ShortDeviceHeader) {
    const DeviceHeader header = header_with(Version::rev_1_0, 0x00, 0x80, 16);
    EXPECT_EQ(header.handle(), 0x00010203U);
    EXPECT_EQ(header.msg_id(), 0x08090A0BU);
    EXPECT_EQ(header.immediate_data(), 0x0C0D0E0FU);
    EXPECT_EQ(header.tot_len(), std::nullopt);
}

TEST(FcviIso, Table3ShortDeviceHeader) {
    const DeviceHeader header = header_with(Version::iso, 0x08, 0x00, 16);
    EXPECT_EQ(header.handle(), 0x00010203U);
    EXPECT_EQ(header.msg_id(), 0x08090A0BU);
    EXPECT_EQ(std::get<Parameter>(header.parameter).value, 0x0C0D0E0FU);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(header.target));
}

TEST(FcviIso, Table4LongDeviceHeader) {
    const DeviceHeader read = header_with(Version::iso, 0x0A, 0x00, 32);
    EXPECT_EQ(std::get<RdmaTarget>(read.target).rmt_va, 0x1011121314151617U);
    EXPECT_EQ(std::get<RdmaTarget>(read.target).rmt_va_handle, 0x18191A1BU);
    EXPECT_EQ(read.tot_len(), 0x1C1D1E1FU);
    EXPECT_EQ(header_with(Version::iso, 0x00, 0x00, 32).tot_len(), 0x1C1D1E1FU);
    const DeviceHeader setup = header_with(Version::iso, 0x19, 0x00, 32);
    EXPECT_EQ(setup.connection_id(), 0x1C1D1E1FU);
    EXPECT_EQ(setup.tot_len(), std::nullopt);
}

TEST(FcviIso, RemoteAddressIsReservedOutsideRdma) {  // 5.9.8
    for (const std::uint8_t opcode : Octets{0x00, 0x10, 0x12, 0x18, 0x19, 0x1A, 0x1B}) {
        Octets octets(32);
        octets[4] = opcode;
        octets[23] = 1;
        layout::ReservedCheck check;
        walk(parse_device_header(octets, 32, Version::iso), check);
        ASSERT_TRUE(check.found) << int{opcode};
        EXPECT_STREQ(check.found->field, "fcvi.rmt_va.reserved");
    }
}

TEST(Fcvi, AnUnknownOpcodeKeepsItsOctets) {
    const DeviceHeader header = header_with(Version::iso, 0x77, 0xA5, 32);
    EXPECT_EQ(header.iu(), nullptr);
    EXPECT_EQ(std::get<UnknownHead>(header.head).flags, 0xA5);
}

TEST(Fcvi, ADeviceHeaderCutAnywhereKeepsWhatIsThere) {
    for (const Version version : versions)
        for (const IuInfo& iu : ius(version)) {
            Octets octets = counted(iu.device_header);
            octets[4] = iu.opcode;
            for (std::size_t size = 0; size < octets.size(); ++size) {
                const DeviceHeader header = parse_device_header(
                    ByteView(octets).first(size), iu.device_header, version);
                EXPECT_EQ(header.error.fault, layout::Fault::truncated) << iu.name << ' ' << size;
                EXPECT_LE(header.error.offset, size);
                if (size >= 12) {
                    EXPECT_EQ(header.msg_id(), 0x08090A0BU) << iu.name;
                }
            }
        }
}

TEST(Fcvi, ADeviceHeaderOfAnotherSizeIsKeptOrSaid) {
    const Octets octets = counted(64);
    EXPECT_EQ(parse_device_header({}, 0, Version::iso).error.fault, layout::Fault::wrong_length);
    const DeviceHeader header = parse_device_header(octets, 64, Version::iso);
    EXPECT_EQ(header.rest.size(), 32U);
    EXPECT_EQ(build(header), octets);
}

TEST(Fcvi, AMadeHeaderIsThatOfTheIu) {
    for (const Version version : versions)
        for (const IuInfo& iu : ius(version)) {
            const Octets octets = build(make_device_header(version, iu.type));
            EXPECT_EQ(octets.size(), iu.device_header) << iu.name;
            const DeviceHeader parsed = parse_device_header(octets, octets.size(), version);
            ASSERT_EQ(parsed.iu(), &iu);
            EXPECT_EQ(parsed.handle(), unassigned_handle);
        }
}

TEST(FcviRev10, AnIuThatOnlyIsoHasCannotBeMade) {
    const DeviceHeader header = make_device_header(Version::rev_1_0, IuType::connect_resp3);
    EXPECT_EQ(header.version, Version::rev_1_0);
    EXPECT_TRUE(std::holds_alternative<UnknownHead>(header.head));
    EXPECT_TRUE(std::holds_alternative<std::monostate>(header.target));
}

// ---- flags ---------------------------------------------------------------------------------------

TEST(FcviRev10, Table5MessageRequestFlags) {
    for (const std::uint8_t opcode : Octets{0x00, 0x01, 0x02}) EXPECT_EQ(defined_flags(Version::rev_1_0, opcode), 0x80);
    EXPECT_TRUE(header_with(Version::rev_1_0, 0x00, 0x80, 16).immediate_data());
    EXPECT_FALSE(header_with(Version::rev_1_0, 0x00, 0x01, 16).immediate_data()) << "that bit is ISO's";
}

TEST(FcviIso, Table5MessageRequestFlags) {
    for (const std::uint8_t opcode : Octets{0x00, 0x01, 0x02}) EXPECT_EQ(defined_flags(Version::iso, opcode), 0x01);
    EXPECT_TRUE(header_with(Version::iso, 0x01, 0x01, 32).immediate_data());
    EXPECT_FALSE(header_with(Version::iso, 0x01, 0x80, 32).immediate_data()) << "that bit is revision 1.0's";
}

void expect_table_6(Version version) {
    for (const std::uint8_t opcode : Octets{0x08, 0x09, 0x0A}) EXPECT_EQ(defined_flags(version, opcode), 0x0F);
    const auto flags = [&](std::uint8_t value) {
        return std::get<MessageResponseHead>(header_with(version, 0x08, value, 16).head);
    };
    EXPECT_TRUE(flags(0x08).trans_err);
    EXPECT_TRUE(flags(0x04).prot_err);
    EXPECT_TRUE(flags(0x02).desc_err);
    EXPECT_TRUE(flags(0x01).resp_err);
    EXPECT_FALSE(flags(0x0E).resp_err);
}

TEST(FcviRev10, Table6MessageResponseFlags) { expect_table_6(Version::rev_1_0); }
TEST(FcviIso, Table6MessageResponseFlags) { expect_table_6(Version::iso); }

TEST(FcviRev10, Table7ConnectionRequestFlags) {
    for (const std::uint8_t opcode : Octets{0x10, 0x12}) EXPECT_EQ(defined_flags(Version::rev_1_0, opcode), 0x07);
    const auto mode = [](std::uint8_t opcode, std::uint8_t flags) {
        const DeviceHeader header = header_with(Version::rev_1_0, opcode, flags, 16);
        return layout::name_of(rev_1_0_mode_names, std::get<ConnectRequestHeadRev10>(header.head).mode);
    };
    EXPECT_STREQ(mode(0x10, 1), "Client-Server");
    EXPECT_STREQ(mode(0x10, 2), "Peer-to-Peer");
    EXPECT_STREQ(mode(0x12, 4), "Disconnect initiated by the kernel");
    EXPECT_STREQ(mode(0x12, 5), "Disconnect initiated by the application");
    EXPECT_EQ(mode(0x10, 3), nullptr);
}

TEST(FcviIso, Table7ConnectRequestFlags) {
    EXPECT_EQ(defined_flags(Version::iso, 0x10), 0x1F);
    const auto head = std::get<ConnectRequestHead>(header_with(Version::iso, 0x10, 0x11, 32).head);
    EXPECT_TRUE(head.retry);
    EXPECT_FALSE(head.conn_info);
    EXPECT_TRUE(std::get<ConnectRequestHead>(header_with(Version::iso, 0x10, 0x09, 32).head).conn_info);
}

TEST(FcviIso, Table8ConnectionModes) {
    const auto mode = [](std::uint8_t flags) {
        return std::get<ConnectRequestHead>(header_with(Version::iso, 0x10, flags, 32).head).mode;
    };
    EXPECT_STREQ(layout::name_of(iso_mode_names, mode(0x01)), "Client-Server");
    EXPECT_STREQ(layout::name_of(iso_mode_names, mode(0x1A)), "Peer-to-Peer");
    for (const unsigned reserved : {0U, 3U, 4U, 5U, 6U, 7U})
        EXPECT_EQ(layout::name_of(iso_mode_names, reserved), nullptr);
}

TEST(FcviRev10, Table8ConnectionResponseFlags) {
    for (const std::uint8_t opcode : Octets{0x18, 0x19, 0x1A}) EXPECT_EQ(defined_flags(Version::rev_1_0, opcode), 0x01);
    EXPECT_TRUE(header_with(Version::rev_1_0, 0x18, 0x01, 16).tells_status());
    EXPECT_FALSE(header_with(Version::rev_1_0, 0x18, 0x00, 16).tells_status());
}

TEST(FcviIso, Table9ConnectResponseFlags) {
    for (const std::uint8_t opcode : Octets{0x18, 0x19, 0x1A}) EXPECT_EQ(defined_flags(Version::iso, opcode), 0x07);
    const auto head = [](std::uint8_t flags) {
        return std::get<ConnectResponseHead>(header_with(Version::iso, 0x18, flags, 32).head);
    };
    EXPECT_TRUE(head(0x04).retry);
    EXPECT_TRUE(head(0x02).conn_info);
    EXPECT_TRUE(head(0x01).conn_sts);
    EXPECT_TRUE(header_with(Version::iso, 0x1A, 0x04, 32).retry());
}

TEST(FcviIso, Table10DisconnectFlags) {
    for (const std::uint8_t opcode : Octets{0x12, 0x1B}) {
        EXPECT_EQ(defined_flags(Version::iso, opcode), 0x07);
        const auto head = [&](std::uint8_t flags) {
            return std::get<DisconnectHead>(header_with(Version::iso, opcode, flags, 32).head);
        };
        EXPECT_TRUE(head(0x04).conn_setup_abort);
        EXPECT_TRUE(head(0x02).vi_app_discon);
        EXPECT_TRUE(head(0x01).conn_sts);
    }
}

// ---- the parameter -------------------------------------------------------------------------------

void expect_status(Version version, std::uint8_t opcode, std::size_t size) {
    const DeviceHeader header = header_with(version, opcode, 0x01, size);
    ASSERT_TRUE(header.tells_status());
    EXPECT_EQ(header.status()->reserved, 0x0C);
    EXPECT_EQ(header.status()->reason, 0x0D);
    EXPECT_EQ(header.status()->explanation, 0x0E);
    EXPECT_EQ(header.status()->vendor_unique, 0x0F);
}

TEST(FcviRev10, Table9Parameter) {
    for (const std::uint8_t opcode : Octets{0x18, 0x19, 0x1A}) expect_status(Version::rev_1_0, opcode, 16);
}

TEST(FcviIso, Table11Parameter) {
    for (const std::uint8_t opcode : Octets{0x12, 0x18, 0x19, 0x1A, 0x1B}) expect_status(Version::iso, opcode, 32);
}

TEST(FcviRev10, Table10ReasonCodes) {
    const std::pair<std::uint8_t, const char*> rows[] = {
        {0x01, "Connect Reject"},
        {0x02, "No Discriminator Match"},
        {0x03, "Connect Timeout"},
        {0x04, "No Waiting Remote Endpoint"},
        {0x05, "Connect Reject - Concurrent Peer Requests"},
        {0x07, "Connect Reject - Duplicate Addresses"}};
    for (const auto& [code, name] : rows) EXPECT_STREQ(reason_name(Version::rev_1_0, code), name);
    for (unsigned code = 0x08; code <= 0xFF; ++code)
        EXPECT_EQ(class_of(Version::rev_1_0, static_cast<std::uint8_t>(code)), ReasonClass::reserved) << code;
    EXPECT_EQ(reason_code(Version::rev_1_0, Reason::connect_reject), 0x01);
    EXPECT_EQ(reason_code(Version::rev_1_0, Reason::duplicate_addresses), 0x07);
    EXPECT_EQ(reason_code(Version::rev_1_0, Reason::setup_timeout), 0x00);
}

TEST(FcviIso, Table12ReasonCodes) {
    const std::pair<std::uint8_t, const char*> rows[] = {
        {0x00, "Reserved"},
        {0x01, "No Discriminator Match"},
        {0x02, "Connect Timeout"},
        {0x03, "No Waiting Remote Connectionpoint"},
        {0x04, "Connect Reject"},
        {0x05, "Connect Reject - Concurrent Matching Peer Requests"},
        {0x20, "Connect Reject - Invalid Service Parm"},
        {0x21, "Connect Reject - Protocol Error"},
        {0x22, "Connect Reject - Transport Error"},
        {0x40, "Transport Error"},
        {0x41, "RDMA Protection Error"},
        {0x42, "Remote Descriptor Error"},
        {0x43, "Remote RDMA Write Protection Error"},
        {0x44, "Remote RDMA Write Data Error"},
        {0x45, "Remote RDMA Write Packet Abort"},
        {0x46, "Remote RDMA Transport Error"},
        {0x47, "Remote RDMA Read Protection Error"},
        {0x48, "Protocol Error"},
        {0x49, "Connection Setup Timeout"},
        {0x4A, "Connection Does Not Exist"},
        {0x4B, "Disconnect Accept"},
        {0xF0, "Vendor Unique Error"},
        {0xFF, "Vendor Unique Error"}};
    for (const auto& [code, name] : rows) EXPECT_STREQ(reason_name(Version::iso, code), name);
    const auto expect_class = [](unsigned first, unsigned last, ReasonClass wanted) {
        for (unsigned code = first; code <= last; ++code)
            EXPECT_EQ(class_of(Version::iso, static_cast<std::uint8_t>(code)), wanted) << code;
    };
    expect_class(0x00, 0x00, ReasonClass::reserved);
    expect_class(0x01, 0x05, ReasonClass::connect_non_error);
    expect_class(0x06, 0x1F, ReasonClass::reserved);
    expect_class(0x20, 0x22, ReasonClass::connect_error);
    expect_class(0x23, 0x3F, ReasonClass::reserved);
    expect_class(0x40, 0x4B, ReasonClass::disconnect);
    expect_class(0x4C, 0xEF, ReasonClass::reserved);
    expect_class(0xF0, 0xFF, ReasonClass::vendor_unique);
}

// ---- the connect payload -------------------------------------------------------------------------

/// Like counted(), but longer than 256 octets: octet n is n modulo 251.
Octets long_counted(std::size_t size) {
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<std::uint8_t>(i % 251);
    return octets;
}

ConnectPayload payload_of(const Octets& octets, Version version) {
    ConnectPayload payload = parse_connect(octets, octets.size(), version);
    EXPECT_FALSE(payload.error) << to_string(payload.error);
    EXPECT_EQ(build(payload), octets);
    return payload;
}

TEST(FcviRev10, Table11And12ConnectPayload) {
    const Octets octets = long_counted(rev_1_0_connect_size);
    const ConnectPayload payload = payload_of(octets, Version::rev_1_0);
    EXPECT_EQ(payload.version(), Version::rev_1_0);
    EXPECT_EQ(payload.revision(), 0x00010203U);
    EXPECT_EQ(payload.handle(), 0x04050607U);
    EXPECT_EQ(payload.local().host_length, 0x0809);
    EXPECT_EQ(payload.remote().host_length, 156U << 8 | 157U);
    EXPECT_EQ(payload.attributes().reliability_level, octets[304]);
    EXPECT_EQ(payload.info(), nullptr);
    EXPECT_TRUE(payload.rest.empty());
}

TEST(FcviRev10, Table13NetAddress) {
    const Octets octets = long_counted(rev_1_0_connect_size);
    const ConnectPayload payload = payload_of(octets, Version::rev_1_0);
    EXPECT_EQ(payload.local().host_length, 0x0809);
    EXPECT_EQ(payload.local().discriminator_length, 0x0A0B);
    EXPECT_TRUE(std::equal(octets.begin() + 12, octets.begin() + 28, payload.local().host.octets.begin()));
    EXPECT_TRUE(std::equal(octets.begin() + 28, octets.begin() + 156, payload.local().discriminator.octets.begin()));
    EXPECT_EQ(payload.local().used_discriminator().size(), 128U) << "never more than there is";
}

TEST(FcviRev10, Table14AttributesAndAnnexBQos) {
    Octets octets(rev_1_0_connect_size);
    std::iota(octets.begin() + 304, octets.end(), std::uint8_t{0});
    const ConnectPayload payload = payload_of(octets, Version::rev_1_0);
    const auto& attributes = std::get<ConnectRev10>(payload.body).attributes;
    EXPECT_EQ(attributes.reliability_level, 0x00);
    EXPECT_EQ(attributes.reserved1, 0x010203U);
    EXPECT_EQ(attributes.max_trans_size, 0x04050607U);
    EXPECT_EQ(attributes.qos.preference, 0x00) << "bits 0 to 2 of octet 8";
    EXPECT_EQ(attributes.qos.reserved_bits, 0x01);
    EXPECT_EQ(attributes.qos.reserved, 0x090A0BU);
    EXPECT_EQ(attributes.qos.max_bandwidth, 0x0C0D0E0FU);
    EXPECT_EQ(attributes.qos.min_bandwidth, 0x10111213U);
    EXPECT_EQ(attributes.qos.max_delay, 0x14151617U);
    EXPECT_EQ(attributes.reserved_flags, 0x18 >> 2);
    EXPECT_EQ(attributes.reserved2, 0x191A1BU);
}

TEST(FcviRev10, Table15AttributeFlags) {
    Octets octets(rev_1_0_connect_size);
    octets[304 + 24] = 0x02;
    EXPECT_TRUE(payload_of(octets, Version::rev_1_0).attributes().en_rdma_wr);
    EXPECT_FALSE(payload_of(octets, Version::rev_1_0).attributes().en_rdma_rd);
    octets[304 + 24] = 0x01;
    EXPECT_TRUE(payload_of(octets, Version::rev_1_0).attributes().en_rdma_rd);
}

TEST(FcviRev10, AnnexBTable1Precedence) {
    EXPECT_EQ(wants_preference(Version::rev_1_0, {.preference = 0}), false);
    EXPECT_EQ(wants_preference(Version::rev_1_0, {.preference = 1}), true);
    for (std::uint8_t code = 2; code < 8; ++code)
        EXPECT_EQ(wants_preference(Version::rev_1_0, {.preference = code}), std::nullopt);
}

TEST(FcviIso, Table13And14ConnectPayload) {
    const Octets octets = long_counted(iso_connect_size);
    const ConnectPayload payload = payload_of(octets, Version::iso);
    EXPECT_EQ(payload.version(), Version::iso);
    EXPECT_EQ(std::get<ConnectIso>(payload.body).head.reserved1, 0x00010203U);
    EXPECT_EQ(payload.revision(), 0x0607U);
    EXPECT_EQ(payload.handle(), 0x08090A0BU);
    EXPECT_EQ(payload.local().reserved, 0x0C0D) << "words 3 to 39";
    EXPECT_EQ(payload.remote().reserved, 160U << 8 | 161U) << "words 40 to 76";
    EXPECT_EQ(std::get<ConnectIso>(payload.body).attributes.reserved, octets[308] << 8 | octets[309])
        << "words 77 to 84";
    EXPECT_EQ(payload.info(), nullptr);
    const Octets longer = long_counted(iso_connect_size_with_info);
    const ConnectPayload with_info = payload_of(longer, Version::iso);
    ASSERT_NE(with_info.info(), nullptr);
    EXPECT_TRUE(std::equal(longer.begin() + 340, longer.end(), with_info.info()->octets.octets.begin()));
}

TEST(FcviIso, Table15NetAddress) {
    const Octets octets = long_counted(iso_connect_size);
    const ConnectPayload payload = payload_of(octets, Version::iso);
    EXPECT_EQ(payload.local().host_length, 0x0E);
    EXPECT_EQ(payload.local().discriminator_length, 0x0F);
    EXPECT_TRUE(std::equal(octets.begin() + 16, octets.begin() + 32, payload.local().host.octets.begin()));
    EXPECT_TRUE(std::equal(octets.begin() + 32, octets.begin() + 160, payload.local().discriminator.octets.begin()));
    EXPECT_EQ(payload.local().used_discriminator().size(), 15U);
}

ConnectPayload with_attributes(std::span<const std::uint8_t> attributes) {
    Octets octets(iso_connect_size);
    std::ranges::copy(attributes, octets.begin() + 308);
    return payload_of(octets, Version::iso);
}

TEST(FcviIso, Table16Attributes) {
    const ConnectPayload payload = with_attributes(counted(32));
    const auto& attributes = std::get<ConnectIso>(payload.body).attributes;
    EXPECT_EQ(attributes.reserved, 0x0001);
    EXPECT_EQ(attributes.reliability_level, 0x02);
    EXPECT_EQ(attributes.max_trans_size, 0x04050607U);
    EXPECT_EQ(attributes.undefined, 0x1C1D1E1FU);
    EXPECT_EQ(payload.reliability(), Reliability::reliable_delivery);
    const auto level = [](std::uint8_t code) { return with_attributes(Octets{0, 0, code}).reliability(); };
    EXPECT_EQ(level(1), Reliability::unreliable_delivery);
    EXPECT_EQ(level(3), Reliability::reliable_reception);
    EXPECT_EQ(level(0), std::nullopt);
    EXPECT_EQ(level(4), std::nullopt);
    EXPECT_EQ(reliability_code(Version::iso, Reliability::reliable_reception), 3);
    EXPECT_EQ(reliability_code(Version::rev_1_0, Reliability::reliable_reception), 4);
}

TEST(FcviIso, Table17AttributeFlags) {
    EXPECT_TRUE(with_attributes(Octets{0, 0, 1, 0x02}).attributes().en_rdma_wr);
    EXPECT_TRUE(with_attributes(Octets{0, 0, 1, 0x01}).attributes().en_rdma_rd);
    EXPECT_EQ(with_attributes(Octets{0, 0, 1, 0xFC}).attributes().reserved_flags, 0x3F);
}

TEST(FcviIso, Table18Qos) {
    const Qos qos = with_attributes(counted(32)).attributes().qos;
    EXPECT_EQ(qos.preference, 0x08);
    EXPECT_EQ(qos.reserved, 0x090A0BU);
    EXPECT_EQ(qos.max_bandwidth, 0x0C0D0E0FU);
    EXPECT_EQ(qos.min_bandwidth, 0x10111213U);
    EXPECT_EQ(qos.max_delay, 0x14151617U);
    EXPECT_EQ(qos.pipeline_depth, 0x18191A1BU);
    EXPECT_EQ(wants_preference(Version::iso, qos), std::nullopt);
    EXPECT_EQ(wants_preference(Version::iso, {.preference = 0x80}), true);
    EXPECT_EQ(wants_preference(Version::iso, {.preference = 0x00}), false);
}

TEST(Fcvi, AConnectPayloadCutAnywhereKeepsWhatIsThere) {
    for (const auto& [version, size] :
         {std::pair{Version::rev_1_0, rev_1_0_connect_size}, std::pair{Version::iso, iso_connect_size_with_info}}) {
        const Octets octets = long_counted(size);
        for (std::size_t captured = 0; captured < size; ++captured) {
            const ConnectPayload payload = parse_connect(ByteView(octets).first(captured), size, version);
            EXPECT_EQ(payload.error.fault, layout::Fault::truncated) << captured;
            EXPECT_LE(payload.error.offset, captured);
        }
        EXPECT_EQ(parse_connect(octets, 100, version).error.fault, layout::Fault::wrong_length);
    }
}

TEST(Fcvi, VersionOfASetup) {
    const Octets iso = build(ConnectPayload{.body = ConnectIso{}, .rest = {}, .error = {}});
    const Octets draft = build(ConnectPayload{.body = ConnectRev10{}, .rest = {}, .error = {}});
    EXPECT_EQ(iso.size(), iso_connect_size);
    EXPECT_EQ(draft.size(), rev_1_0_connect_size);
    EXPECT_EQ(version_of_connect(32, iso.size(), iso).version, Version::iso);
    EXPECT_EQ(version_of_connect(16, draft.size(), draft).version, Version::rev_1_0);
    EXPECT_EQ(version_of_connect(16, iso.size(), iso).version, Version::iso) << "the header is wrong, not the payload";
    EXPECT_EQ(version_of_connect(32, draft.size(), draft).version, Version::rev_1_0);
    EXPECT_EQ(version_of_connect(32, iso.size(), {}).version, Version::iso) << "cut by the snap length";
    EXPECT_EQ(version_of_connect(32, 400, iso).version, Version::iso);
    EXPECT_EQ(version_of_connect(32, 0, {}).version, Version::iso) << "no payload says rev 1.0 (table 1)";
    EXPECT_FALSE(version_of_connect(32, 0, {}).certain);
    EXPECT_TRUE(version_of_connect(16, iso.size(), iso).certain);
}

TEST(Fcvi, AddressesInWordsAndCompared) {
    NetAddress address;
    address.host.octets = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    address.discriminator_length = 16;
    std::ranges::copy(std::string_view("printer"), address.discriminator.octets.begin());
    EXPECT_EQ(to_string(address), "2001:db8::1#printer");
    NetAddress other = address;
    EXPECT_TRUE(same_discriminator(address, other));
    other.discriminator.octets[100] = 1;
    EXPECT_TRUE(same_discriminator(address, other)) << "behind the length nothing counts";
    other.discriminator_length = 17;
    EXPECT_FALSE(same_discriminator(address, other));
    address.discriminator_length = 2;
    address.discriminator.octets[0] = 7;
    EXPECT_EQ(to_string(address), "2001:db8::1#0772");
}

TEST(Fcvi, FilterNamesBeginWithTheProtocol) {
    for (const layout::LayoutInfo& layout : layouts())
        for (const layout::FieldInfo& field : layout.fields)
            EXPECT_EQ(std::string_view(field.filter).substr(0, 5), "fcvi.") << layout.name;
}

}  // namespace
}  // namespace fabricscope::fcvi
