// SPDX-License-Identifier: GPL-2.0-or-later
// Figure 1 and each line of table 2 of ISO/IEC TR 14165-314 against what the parsers and builders do.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fc_ae_rdma/process_login.h"
#include "protocols/fc_ae_rdma/registry.h"
#include "protocols/fc_ae_rdma/response.h"

namespace fabricscope::fc_ae_rdma {
namespace {

using Octets = std::vector<std::uint8_t>;

Octets counted(std::size_t size) {
    Octets octets(size);
    std::iota(octets.begin(), octets.end(), std::uint8_t{0});
    return octets;
}

template <class T> T parsed(const Octets& octets) {
    T part;
    EXPECT_FALSE(layout::parse_into(part, octets));
    Octets built(octets.size());
    layout::build_into(part, built);
    EXPECT_EQ(built, octets);
    return part;
}

TEST(FcAeRdma, Figure1ParameterOfTheCommand) {
    const CommandParameter notify = parse_parameter(0xA6123456);
    EXPECT_EQ(notify.code, code_with_notification);
    EXPECT_TRUE(notify.notifies());
    EXPECT_EQ(notify.base_address, 0x123456U);
    EXPECT_EQ(parse_parameter(0xA7000000).code, code_without_notification);
    EXPECT_FALSE(parse_parameter(0xA7000000).notifies());
    EXPECT_EQ(build_parameter(notify), 0xA6123456U);
    EXPECT_TRUE(is_rdma(0xA6FFFFFF));
    EXPECT_TRUE(is_rdma(0xA7000000));
    for (const std::uint32_t other : {0x00000000U, 0xA5000000U, 0xA8000000U, 0x26000000U, 0xFFFFFFFFU})
        EXPECT_FALSE(is_rdma(other)) << other;
}

TEST(FcAeRdma, Table2Command) {
    const auto command = parsed<Command>(counted(command_size));
    EXPECT_EQ(command.lun.address_method, 0);
    EXPECT_EQ(command.lun.number, 1);
    EXPECT_EQ(command.lun.lower_levels.octets[0], 2);
    EXPECT_EQ(command.lun.lower_levels.octets[5], 7);
    EXPECT_FALSE(command.lun.is_well_formed());
    EXPECT_EQ(command.control.task_attribute, 9 & 7);
    EXPECT_TRUE(command.control.read_data);
    EXPECT_TRUE(command.control.write_data);
    EXPECT_EQ(command.cdb.octets[0], 12);
    EXPECT_EQ(command.data_length, 0x1C1D1E1FU);
}

TEST(FcAeRdma, Table2Lun) {
    Octets octets(command_size);
    EXPECT_TRUE(parsed<Command>(octets).lun.is_well_formed()) << "FCP_LUN = 0";
    octets[1] = 255;
    EXPECT_TRUE(parsed<Command>(octets).lun.is_well_formed()) << "FCP_LUN > 0";
    for (const std::size_t octet : {0U, 2U, 7U}) {
        Octets bad = octets;
        bad[octet] = 1;
        EXPECT_FALSE(parsed<Command>(bad).lun.is_well_formed()) << octet;
    }
}

TEST(FcAeRdma, Table2Control) {
    const auto control = [](std::size_t octet, std::uint8_t value) {
        Octets octets(command_size);
        octets[8 + octet] = value;
        return parsed<Command>(octets).control;
    };
    EXPECT_STREQ(layout::name_of(task_attribute_names, control(1, 0).task_attribute), "SIMPLE_Q");
    EXPECT_FALSE(control(2, 0).manages_tasks());
    EXPECT_TRUE(control(2, 0x80).terminate_task);
    EXPECT_TRUE(control(2, 0x40).clear_aca);
    EXPECT_TRUE(control(2, 0x20).target_reset);
    EXPECT_TRUE(control(2, 0x04).clear_task_set);
    EXPECT_TRUE(control(2, 0x02).abort_task_set);
    for (const std::uint8_t flag : Octets{0x80, 0x40, 0x20, 0x04, 0x02}) EXPECT_TRUE(control(2, flag).manages_tasks());
    EXPECT_TRUE(control(3, 0x02).read_data);
    EXPECT_TRUE(control(3, 0x01).write_data);
}

TEST(FcAeRdma, Table2Response) {
    const auto response = parsed<Response>(counted(response_size));
    EXPECT_EQ(response.status, 0x0B);
    EXPECT_EQ(response.resid, 0x0C0D0E0FU);
    EXPECT_EQ(response.sns_len, 0x10111213U);
    EXPECT_EQ(response.rsp_len, 0x14151617U);
    const auto flags = [](std::uint8_t value) {
        Octets octets(response_size);
        octets[10] = value;
        return parsed<Response>(octets);
    };
    EXPECT_TRUE(flags(0x08).resid_under);
    EXPECT_TRUE(flags(0x04).resid_over);
    EXPECT_TRUE(flags(0x02).sns_len_valid);
    EXPECT_TRUE(flags(0x01).rsp_len_valid);
}

TEST(FcAeRdma, Table2StatusCodes) {
    const std::pair<StatusCode, const char*> rows[] = {
        {StatusCode::good, "GOOD"},
        {StatusCode::busy, "BUSY"},
        {StatusCode::queue_full, "TASK SET FULL/QUEUE FULL"},
        {StatusCode::logical_unit_not_available, "LOGICAL UNIT NOT AVAILABLE"},
        {StatusCode::write_protect_error, "WRITE PROTECT ERROR"},
        {StatusCode::read_protect_error, "READ PROTECT ERROR"},
        {StatusCode::buffer_overrun, "BUFFER OVERRUN"}};
    for (const auto& [code, name] : rows)
        EXPECT_STREQ(layout::name_of(status_names, static_cast<std::uint64_t>(code)), name);
    EXPECT_EQ(layout::name_of(status_names, 0x02), nullptr) << "CHECK CONDITION is not used";
}

TEST(FcAeRdma, Table2ServicePage) {
    const auto page = parsed<ServicePage>(counted(service_page_size));
    EXPECT_EQ(page.type, 0x00);
    EXPECT_EQ(page.accept_response, 0x02);
    EXPECT_EQ(page.originator_process_associator, 0x04050607U);
    EXPECT_EQ(page.responder_process_associator, 0x08090A0BU);
    EXPECT_FALSE(page.data_overlay_allowed);
    EXPECT_TRUE(page.command_data_mixed);
    EXPECT_TRUE(page.data_response_mixed);
    EXPECT_TRUE(page.read_xfer_rdy_disabled);
    EXPECT_TRUE(page.write_xfer_rdy_disabled);
}

/// The faults of a page whose octet `octet` has other bits than a good one.
std::vector<PageFault> faults_of(bool is_accept, std::size_t octet, std::uint8_t flipped) {
    Octets octets{0x08, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x32};
    if (is_accept) octets[2] = 0x21;
    octets[octet] = static_cast<std::uint8_t>(octets[octet] ^ flipped);
    const PageFaults faults = check_page(parsed<ServicePage>(octets), is_accept);
    return {faults.list().begin(), faults.list().end()};
}

TEST(FcAeRdma, Table2EachLineOfThePageIsChecked) {
    using Faults = std::vector<PageFault>;
    for (const bool is_accept : {false, true}) {
        EXPECT_EQ(faults_of(is_accept, 0, 0x00), Faults{});
        EXPECT_EQ(faults_of(is_accept, 0, 0x01), Faults{PageFault::type_code});
        EXPECT_EQ(faults_of(is_accept, 2, 0x80), Faults{PageFault::process_associator_valid});
        EXPECT_EQ(faults_of(is_accept, 2, 0x40), Faults{PageFault::process_associator_valid});
        EXPECT_EQ(faults_of(is_accept, 2, 0x20), Faults{PageFault::image_pair});
        EXPECT_EQ(faults_of(is_accept, 15, 0x40), Faults{PageFault::data_overlay});
        EXPECT_EQ(faults_of(is_accept, 15, 0x20), Faults{PageFault::initiator_function});
        EXPECT_EQ(faults_of(is_accept, 15, 0x10), Faults{PageFault::target_function});
        EXPECT_EQ(faults_of(is_accept, 15, 0x08), Faults{PageFault::command_data_mixed});
        EXPECT_EQ(faults_of(is_accept, 15, 0x04), Faults{PageFault::data_response_mixed});
        EXPECT_EQ(faults_of(is_accept, 15, 0x02), Faults{PageFault::read_xfer_rdy});
        EXPECT_EQ(faults_of(is_accept, 15, 0x01), Faults{}) << "Write XFER_RDY Disabled is ignored";
    }
    EXPECT_EQ(faults_of(true, 2, 0x03), Faults{PageFault::response_code});
}

TEST(FcAeRdma, PartsCutAnywhereKeepWhatIsThere) {
    const Octets octets = counted(command_size);
    for (std::size_t size = 0; size < command_size; ++size) {
        Command command;
        const layout::ParseError error = layout::parse_into(command, ByteView(octets).first(size));
        EXPECT_EQ(error.fault, layout::Fault::truncated);
        EXPECT_LE(error.offset, size);
        if (size > 1) {
            EXPECT_EQ(command.lun.number, 1);
        }
    }
}

TEST(FcAeRdma, FilterNamesBeginWithTheProtocol) {
    for (const layout::LayoutInfo& layout : layouts())
        for (const layout::FieldInfo& field : layout.fields)
            EXPECT_EQ(std::string_view(field.filter).substr(0, 9), "fcaerdma.") << layout.name;
}

}  // namespace
}  // namespace fabricscope::fc_ae_rdma
