// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/ib/upper_layers.h"

#include <gtest/gtest.h>

#include <vector>

namespace fabricscope::ib {
namespace {

using Octets = std::vector<std::uint8_t>;

/// Words as XDR has them.
Octets words(std::initializer_list<std::uint32_t> values) {
    Octets octets;
    for (const std::uint32_t value : values)
        for (int shift = 24; shift >= 0; shift -= 8) octets.push_back(static_cast<std::uint8_t>(value >> shift));
    return octets;
}

bool is_rpc(const Octets& octets, bool whole = true) { return may_be_rpc_over_rdma({octets, whole}); }
bool is_smb(const Octets& octets, bool whole = true) { return may_be_smb_direct({octets, whole}); }
bool is_ip(const Octets& octets, bool whole = true) { return may_be_ip_over_infiniband({octets, whole}); }

TEST(UpperLayers, RpcOverRdma) {  // RFC 8166, 4
    EXPECT_TRUE(is_rpc(words({7, 1, 32, 1, 0, 0, 0})));
    EXPECT_TRUE(is_rpc(words({7, 1, 32, 0, 1, 20, 5, 4096, 0, 64, 0, 1, 1, 5, 512, 0, 64, 0, 1, 1, 5, 512, 0, 64})));
    EXPECT_TRUE(is_rpc(words({7, 1, 32, 2, 16, 64, 0, 0, 0}))) << "RDMA_MSGP says how it is padded";
    EXPECT_TRUE(is_rpc(words({7, 1, 32, 3})));
    EXPECT_TRUE(is_rpc(words({7, 1, 32, 4, 2})));
    EXPECT_FALSE(is_rpc(words({7, 2, 32, 0, 0, 0, 0}))) << "version";
    EXPECT_FALSE(is_rpc(words({7, 1, 0, 0, 0, 0, 0}))) << "credits";
    EXPECT_FALSE(is_rpc(words({7, 1, 32, 5, 0, 0, 0}))) << "procedure";
    EXPECT_FALSE(is_rpc(words({7, 1, 32, 4, 3}))) << "error";
    EXPECT_FALSE(is_rpc(words({7, 1, 32, 0, 5, 0, 0}))) << "no XDR boolean";
    EXPECT_FALSE(is_rpc(words({7, 1, 32, 0, 0, 0}))) << "no reply chunk";
    EXPECT_TRUE(is_rpc(words({7, 1, 32, 0, 0, 0}), false)) << "it may follow";
    EXPECT_FALSE(is_rpc(words({7, 1, 32, 0, 0, 1, 0xFFFFFFFF}))) << "a chunk of more segments than there is room for";
    EXPECT_FALSE(is_rpc({}));
    EXPECT_TRUE(is_rpc({}, false));
}

TEST(UpperLayers, SmbDirect) {  // [MS-SMBD], 2.2
    const Octets request{0, 1, 0, 1, 0, 0, 10, 0, 0xAC, 5, 0, 0, 0, 0x20, 0, 0, 0, 0, 2, 0};
    EXPECT_TRUE(is_smb(request));
    Octets data{10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xFE, 'S', 'M', 'B'};
    EXPECT_TRUE(is_smb(data));
    data[12] = 20;
    EXPECT_FALSE(is_smb(data)) << "offset";
    data[12] = 24, data[16] = 5;
    EXPECT_FALSE(is_smb(data)) << "length";
    EXPECT_TRUE(is_smb(data, false)) << "more may follow";
    data[16] = 4, data[6] = 1;
    EXPECT_FALSE(is_smb(data)) << "reserved";
    EXPECT_FALSE(is_smb(Octets(8))) << "too short";
}

TEST(UpperLayers, IpOverInfiniband) {  // RFC 4391, 6
    EXPECT_TRUE(is_ip({8, 0, 0, 0, 0x45}));
    EXPECT_TRUE(is_ip({0x86, 0xDD, 0, 0, 0x60}));
    EXPECT_TRUE(is_ip({8, 6, 0, 0, 0}));
    EXPECT_FALSE(is_ip({8, 0, 0, 0, 0x60})) << "IPv6 as IPv4";
    EXPECT_FALSE(is_ip({8, 0, 0, 1, 0x45})) << "reserved";
    EXPECT_FALSE(is_ip({0x88, 0xCC, 0, 0, 0})) << "LLDP";
    EXPECT_FALSE(is_ip({8, 0, 0, 0})) << "nothing behind it";
}

}  // namespace
}  // namespace fabricscope::ib
