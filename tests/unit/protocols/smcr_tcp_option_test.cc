// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/smcr/tcp_option.h"

#include <gtest/gtest.h>

namespace fabricscope::smcr {
namespace {

using Octets = std::vector<std::uint8_t>;

TEST(TcpOption, FoundBehindOtherOptions) {
    const Octets options{2, 4, 5, 0xB4, 4, 2, 1, 1, 254, 6, 0xE2, 0xD4, 0xC3, 0xD9};
    ASSERT_TRUE(find_tcp_option(options));
    EXPECT_EQ(find_tcp_option(options)->identifier, eye_catcher_smc_r);
}

TEST(TcpOption, TellsSmcDApart) {
    const Octets options{254, 6, 0xE2, 0xD4, 0xC3, 0xC4};
    ASSERT_TRUE(find_tcp_option(options));
    EXPECT_EQ(find_tcp_option(options)->identifier, eye_catcher_smc_d);
}

TEST(TcpOption, OthersAndDamageAreNot) {
    for (const Octets& options :
         {Octets{}, Octets{254, 6, 0xE2, 0xD4, 0xC3, 0xD8}, Octets{254, 4, 0xE2, 0xD4},
          Octets{254, 6, 0xE2, 0xD4, 0xC3}, Octets{254, 0, 0xE2, 0xD4, 0xC3, 0xD9},
          Octets{0, 254, 6, 0xE2, 0xD4, 0xC3, 0xD9}, Octets{253, 6, 0xE2, 0xD4, 0xC3, 0xD9}})
        EXPECT_FALSE(find_tcp_option(options));
}

}  // namespace
}  // namespace fabricscope::smcr
