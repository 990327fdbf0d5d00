// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/net/crc32.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

namespace fabricscope::net {
namespace {

TEST(Crc32, HasTheKnownCheckValue) {
    constexpr std::string_view digits = "123456789";
    const std::vector<std::uint8_t> octets(digits.begin(), digits.end());
    EXPECT_EQ(crc32(0, octets), 0xCBF43926U);
}

TEST(Crc32, AgreesWithZlibForAnyLengthAndAlignment) {
    std::mt19937 random(1);
    std::vector<std::uint8_t> octets(2400);
    std::ranges::generate(octets, [&] { return static_cast<std::uint8_t>(random()); });
    for (std::size_t size = 0; size < 2300; ++size) {
        const ByteView part = ByteView(octets).subspan(size % 17, size);
        for (const auto before : {0U, 0xFFFFFFFFU, static_cast<unsigned>(random())})
            ASSERT_EQ(crc32(before, part), crc32_z(before, part.data(), part.size())) << size;
    }
}

TEST(Crc32, GoesOnFromWhatStandsBefore) {
    const std::vector<std::uint8_t> octets(1000, 0xA5);
    const ByteView all(octets);
    for (const std::size_t cut : {0U, 1U, 15U, 63U, 64U, 500U, 999U, 1000U})
        EXPECT_EQ(crc32(crc32(0, all.first(cut)), all.subspan(cut)), crc32(0, all)) << cut;
}

}  // namespace
}  // namespace fabricscope::net
