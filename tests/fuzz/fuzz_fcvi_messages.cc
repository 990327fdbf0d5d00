// SPDX-License-Identifier: GPL-2.0-or-later
// Any octets as Device_Header, as connect payload and as FC-AE-RDMA's parts: parsing reads nothing it was not
// given, and what parses without error builds to the same octets.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fc_ae_rdma/process_login.h"
#include "protocols/fc_ae_rdma/response.h"
#include "protocols/fcvi/connect.h"
#include "protocols/fcvi/device_header.h"

namespace fcvi = fabricscope::fcvi;
namespace rdma = fabricscope::fc_ae_rdma;
using fabricscope::ByteView;

namespace {

template <class Message> void must_build_back(const Message& message, ByteView octets) {
    if (!message.error && !std::ranges::equal(fcvi::build(message), octets)) std::abort();
}

template <class Part> void part_must_build_back(ByteView octets) {
    constexpr std::size_t size = fabricscope::layout::size_of<Part>;
    Part part;
    if (fabricscope::layout::parse_into(part, octets)) return;
    std::array<std::uint8_t, size> built{};
    fabricscope::layout::build_into(part, built);
    if (!std::ranges::equal(built, octets.first(size))) std::abort();
}

void try_fcvi(ByteView octets, fcvi::Version version) {
    for (const std::size_t header : {0U, 16U, 32U, 64U}) {
        fcvi::parse_device_header(octets, header, version);
        if (octets.size() >= header)
            must_build_back(fcvi::parse_device_header(octets.first(header), header, version), octets.first(header));
    }
    const fcvi::ConnectPayload payload = fcvi::parse_connect(octets, octets.size(), version);
    must_build_back(payload, octets);
    to_string(payload.local());
    fcvi::parse_connect(octets, 2 * octets.size(), version);  // half of it was captured
    fcvi::version_of_connect(octets.size() % 65, octets.size(), octets);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView octets(data, size);
    for (const fcvi::Version version : fcvi::versions) try_fcvi(octets, version);
    part_must_build_back<rdma::CommandParameter>(octets);
    part_must_build_back<rdma::Command>(octets);
    part_must_build_back<rdma::Response>(octets);
    part_must_build_back<rdma::ServicePage>(octets);
    return 0;
}
