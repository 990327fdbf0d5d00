// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/net/crc32.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <array>
#endif

namespace fabricscope::net {
namespace {

std::uint32_t by_zlib(std::uint32_t before, ByteView octets) {
    return static_cast<std::uint32_t>(crc32_z(before, octets.data(), octets.size()));
}

#if defined(__x86_64__)

// Checking each frame's CRC with zlib costs as much as all else that is done with it. Processors that multiply
// polynomials do it many times faster: 16 octets are replaced by others further on that leave the same remainder (V.
// Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009).

#define FABRICSCOPE_WITH_PCLMUL __attribute__((target("pclmul")))
#define FABRICSCOPE_WITH_VPCLMUL __attribute__((target("pclmul,avx512f,vpclmulqdq")))

constexpr std::size_t lane = 16;

FABRICSCOPE_WITH_PCLMUL inline __m128i load(const std::uint8_t* octets) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(octets));
}

/// `distance` holds x^n mod P for the number of bits between both.
FABRICSCOPE_WITH_PCLMUL inline __m128i fold(__m128i octets, __m128i onto, __m128i distance) {
    const __m128i low = _mm_clmulepi64_si128(octets, distance, 0x00);
    const __m128i high = _mm_clmulepi64_si128(octets, distance, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

/// What 16 octets leave, by two more folds and Barrett's reduction: the table that zlib looks remainders up in is
/// seldom in the processor's caches when a frame comes.
FABRICSCOPE_WITH_PCLMUL std::uint32_t remainder_of(__m128i octets) {
    const __m128i over_one = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i over_half = _mm_cvtsi64_si128(0x163cd6124);
    const __m128i quotient_and_polynomial = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i low_word = _mm_cvtsi32_si128(-1);
    const __m128i eight = _mm_xor_si128(_mm_srli_si128(octets, 8), _mm_clmulepi64_si128(octets, over_one, 0x10));
    const __m128i left = _mm_xor_si128(
        _mm_srli_si128(eight, 4), _mm_clmulepi64_si128(_mm_and_si128(eight, low_word), over_half, 0x00));
    const __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(left, low_word), quotient_and_polynomial, 0x10);
    const __m128i taken = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_word), quotient_and_polynomial, 0x00);
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_srli_si128(_mm_xor_si128(left, taken), 4)));
}

/// Octets that are no whole number of lanes are given zeros in front, which leave nothing.
struct Head {
    alignas(lane) std::array<std::uint8_t, 2 * lane> octets{};
    std::size_t taken;  ///< of the message: a lane of it, and what exceeds whole lanes

    Head(std::uint32_t before, ByteView message) : taken(lane + message.size() % lane) {
        const auto begin = octets.end() - static_cast<std::ptrdiff_t>(taken);
        std::copy_n(message.begin(), taken, begin);
        for (std::ptrdiff_t i = 0; i < 4; ++i) begin[i] ^= static_cast<std::uint8_t>(~before >> 8 * i);
    }
};

/// The head and as many lanes of `octets` as are whole fours, four side by side, since each multiplication waits for
/// the one before. `octets` are at least two lanes, and lose those that were taken.
[[gnu::always_inline]] FABRICSCOPE_WITH_PCLMUL inline __m128i fold_fours(
    const Head& head, ByteView& octets, __m128i over_one) {
    const __m128i over_four = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    __m128i a = load(head.octets.data());
    __m128i b = load(head.octets.data() + lane);
    __m128i c = load(octets.data());
    __m128i d = load(octets.data() + lane);
    for (octets = octets.subspan(2 * lane); octets.size() >= 4 * lane; octets = octets.subspan(4 * lane)) {
        a = fold(a, load(octets.data()), over_four);
        b = fold(b, load(octets.data() + lane), over_four);
        c = fold(c, load(octets.data() + 2 * lane), over_four);
        d = fold(d, load(octets.data() + 3 * lane), over_four);
    }
    return fold(fold(fold(a, b, over_one), c, over_one), d, over_one);
}

FABRICSCOPE_WITH_VPCLMUL inline __m512i load_four(const std::uint8_t* octets) { return _mm512_loadu_si512(octets); }

FABRICSCOPE_WITH_VPCLMUL inline __m512i fold(__m512i octets, __m512i onto, __m512i distance) {
    constexpr int exclusive_or = 0x96;  // of all three
    const __m512i low = _mm512_clmulepi64_epi128(octets, distance, 0x00);
    const __m512i high = _mm512_clmulepi64_epi128(octets, distance, 0x11);
    return _mm512_ternarylogic_epi64(low, high, onto, exclusive_or);
}

/// The same by instructions that fold four lanes at once, two of them side by side. `octets` are at least six lanes.
FABRICSCOPE_WITH_VPCLMUL __m128i fold_eights(const Head& head, ByteView& octets, __m128i over_one) {
    const __m512i over_four = _mm512_set4_epi64(0x1c6e41596, 0x154442bd4, 0x1c6e41596, 0x154442bd4);
    const __m512i over_eight = _mm512_set4_epi64(0x14a7fe880, 0x1e88ef372, 0x14a7fe880, 0x1e88ef372);
    alignas(4 * lane) std::array<std::uint8_t, 4 * lane> four;
    std::ranges::copy(octets.first(2 * lane), std::ranges::copy(head.octets, four.begin()).out);
    __m512i a = load_four(four.data());
    __m512i b = load_four(octets.data() + 2 * lane);
    for (octets = octets.subspan(6 * lane); octets.size() >= 8 * lane; octets = octets.subspan(8 * lane)) {
        a = fold(a, load_four(octets.data()), over_eight);
        b = fold(b, load_four(octets.data() + 4 * lane), over_eight);
    }
    a = fold(a, b, over_four);
    if (octets.size() >= 4 * lane) {
        a = fold(a, load_four(octets.data()), over_four);
        octets = octets.subspan(4 * lane);
    }
    _mm512_store_si512(four.data(), a);
    __m128i rest = load(four.data());
    for (std::size_t i = 1; i < 4; ++i) rest = fold(rest, load(four.data() + i * lane), over_one);
    return rest;
}

bool can_fold_eights() {
    static const bool can = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("vpclmulqdq") != 0;
    return can;
}

/// At least one lane of octets.
FABRICSCOPE_WITH_PCLMUL std::uint32_t by_folding(std::uint32_t before, ByteView octets) {
    const __m128i over_one = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const Head head(before, octets);
    octets = octets.subspan(head.taken);
    __m128i rest = octets.size() < 6 * lane ? fold(load(head.octets.data()), load(head.octets.data() + lane), over_one)
                   : can_fold_eights()      ? fold_eights(head, octets, over_one)
                                            : fold_fours(head, octets, over_one);
    for (; !octets.empty(); octets = octets.subspan(lane)) rest = fold(rest, load(octets.data()), over_one);
    return ~remainder_of(rest);
}

bool can_fold() {
    static const bool can = __builtin_cpu_supports("pclmul") != 0;
    return can;
}

#endif

}  // namespace

std::uint32_t crc32(std::uint32_t before, ByteView octets) {
#if defined(__x86_64__)
    if (octets.size() >= lane && can_fold()) return by_folding(before, octets);
#endif
    return by_zlib(before, octets);
}

}  // namespace fabricscope::net
