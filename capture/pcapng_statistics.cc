// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/pcapng_statistics.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "capture/pcapng.h"
#include "capture/peek.h"

namespace fabricscope::capture {
namespace {

/// A file in the byte order of its first section.
class BackwardReader {
public:
    explicit BackwardReader(const std::string& path) : file_(path), end_(file_.size()) {
        std::array<std::uint32_t, 3> start{};
        if (!file_.read(0, start) || start[0] != pcapng::section_header) end_ = 0;
        swapped_ = start[2] != pcapng::byte_order_magic;
    }

    /// The block before the one that was read last; empty at the beginning, and where there is no block of a size that
    /// statistics have.
    std::vector<std::uint32_t> previous() {
        constexpr std::uint32_t largest = 4'096;
        std::uint32_t length = 0;
        if (end_ < pcapng::smallest_block || !file_.read(end_ - sizeof length, {&length, 1})) return {};
        length = host(length);
        if (length < pcapng::smallest_block || length > std::min<std::uint64_t>(end_, largest) || length % 4 != 0)
            return {};
        std::vector<std::uint32_t> words(length / 4);
        if (!file_.read(end_ - length, words) || host(words[1]) != length) return {};
        end_ -= length;
        return words;
    }

    std::uint32_t host(std::uint32_t word) const { return swapped_ ? __builtin_bswap32(word) : word; }
    std::uint64_t host(std::uint64_t number) const { return swapped_ ? __builtin_bswap64(number) : number; }
    std::uint16_t host(std::uint16_t half) const { return swapped_ ? __builtin_bswap16(half) : half; }

private:
    Peek file_;
    std::uint64_t end_;
    bool swapped_ = false;
};

InterfaceLoss loss_of(const std::vector<std::uint32_t>& block, const BackwardReader& order) {
    constexpr std::size_t interface_at = 8, options_at = 20;
    InterfaceLoss loss{.interface = order.host(block[interface_at / 4]), .frames = 0};
    const std::string_view octets(reinterpret_cast<const char*>(block.data()), block.size() * 4 - 4);
    pcapng::for_each_option(
        octets.substr(std::min(options_at, octets.size())), [&](std::uint16_t number) { return order.host(number); },
        [&](std::uint16_t code, std::string_view value) {
            std::uint64_t frames = 0;
            const bool is_lost = code == pcapng::option::interface_dropped || code == pcapng::option::system_dropped;
            if (!is_lost || value.size() != sizeof frames) return;
            std::memcpy(&frames, value.data(), sizeof frames);
            loss.frames += order.host(frames);
        });
    return loss;
}

}  // namespace

std::vector<InterfaceLoss> losses_told_at_the_end_of(const std::string& path) {
    constexpr std::size_t smallest = 6;  // words, without options
    BackwardReader reader(path);
    std::vector<InterfaceLoss> losses;
    for (auto block = reader.previous(); !block.empty(); block = reader.previous()) {
        if (reader.host(block[0]) != pcapng::interface_statistics || block.size() < smallest) break;
        if (const InterfaceLoss loss = loss_of(block, reader); loss.frames != 0) losses.push_back(loss);
    }
    std::ranges::reverse(losses);
    return losses;
}

std::array<std::uint32_t, 13> interface_statistics_block(
    std::uint32_t interface, Time time, std::uint64_t received, std::uint64_t dropped) {
    using Pair = std::array<std::uint32_t, 2>;
    const auto head = [](std::uint16_t code) {
        return std::bit_cast<std::uint32_t>(std::array{code, std::uint16_t{8}});
    };
    const auto both = [](std::uint64_t number) { return std::bit_cast<Pair>(number); };
    constexpr std::uint32_t length = 13 * 4;
    return {
        pcapng::interface_statistics,
        length,
        interface,
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(time) >> 32),
        static_cast<std::uint32_t>(time),
        head(pcapng::option::received),
        both(received)[0],
        both(received)[1],
        head(pcapng::option::interface_dropped),
        both(dropped)[0],
        both(dropped)[1],
        pcapng::option::end,
        length};
}

}  // namespace fabricscope::capture
