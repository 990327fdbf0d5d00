// SPDX-License-Identifier: GPL-2.0-or-later
// Capture files for tests, octet by octet, and a folder that goes away with the test.
#pragma once

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "tests/unit/capture/frames.h"

namespace fabricscope::capture::test {

// Link types as files name them: https://www.tcpdump.org/linktypes.html
inline constexpr std::uint16_t linktype_ethernet = 1, linktype_raw = 101, linktype_sll = 113, linktype_erf = 197,
                               linktype_fc2 = 224, linktype_infiniband = 247, linktype_sll2 = 276;

inline Octets u16(std::uint16_t value) {
    return {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8)};
}
inline Octets u32(std::uint32_t value) {
    return join({u16(static_cast<std::uint16_t>(value)), u16(static_cast<std::uint16_t>(value >> 16))});
}
inline Octets u64(std::uint64_t value) {
    return join({u32(static_cast<std::uint32_t>(value)), u32(static_cast<std::uint32_t>(value >> 32))});
}
inline std::uint32_t size32(const Octets& octets) { return static_cast<std::uint32_t>(octets.size()); }

// ---- pcap, nanoseconds ----

inline Octets pcap_header(std::uint16_t link_type) {
    return join({u32(0xA1B2'3C4D), u16(2), u16(4), u32(0), u32(0), u32(262'144), u32(link_type)});
}
inline Octets pcap_record(Time time, const Octets& octets) {
    const auto seconds = static_cast<std::uint32_t>(time / second),
               nanoseconds = static_cast<std::uint32_t>(time % second);
    return join({u32(seconds), u32(nanoseconds), u32(size32(octets)), u32(size32(octets)), octets});
}

// ---- pcapng ----

inline Octets pcapng_block(std::uint32_t type, Octets body) {
    body.resize((body.size() + 3) / 4 * 4);
    const Octets length = u32(12 + size32(body));
    return join({u32(type), length, body, length});
}
inline Octets pcapng_section() {
    return pcapng_block(0x0A0D'0D0A, join({u32(0x1A2B'3C4D), u16(1), u16(0), u64(UINT64_MAX)}));
}
inline Octets pcapng_interface(std::uint16_t link_type) {
    const Octets nanoseconds = {9, 0, 1, 0, 9, 0, 0, 0};
    return pcapng_block(1, join({u16(link_type), u16(0), u32(0), nanoseconds, u32(0)}));
}
inline Octets pcapng_packet(std::uint32_t interface, Time time, const Octets& octets) {
    const auto high = static_cast<std::uint32_t>(time >> 32), low = static_cast<std::uint32_t>(time);
    return pcapng_block(
        6, join({u32(interface), u32(high), u32(low), u32(size32(octets)), u32(size32(octets)), octets}));
}

// ---- ERF: https://wiki.wireshark.org/ERF ----

inline Octets erf_record(std::uint8_t type, Time time, const Octets& octets) {
    const auto big16 = [](std::size_t value) {
        return Octets{static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
    };
    const std::uint64_t seconds = static_cast<std::uint64_t>(time / second) << 32;
    return join({u64(seconds), {type, 4}, big16(16 + octets.size()), big16(0), big16(octets.size()), octets});
}

// ---- compression, storing only ----

inline Octets gzip(const Octets& octets) {
    const auto crc = static_cast<std::uint32_t>(crc32_z(0, octets.data(), octets.size()));
    const auto size = static_cast<std::uint16_t>(octets.size());
    const Octets stored = join(
        {{1}, u16(size), u16(static_cast<std::uint16_t>(~size)), octets});  // the only and last block
    return join({{0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF}, stored, u32(crc), u32(size)});
}
inline Octets zstd(const Octets& octets) {
    const std::uint32_t last_raw_block = 1 | size32(octets) << 3;
    Octets block_header = u32(last_raw_block);
    block_header.pop_back();
    return join({u32(0xFD2F'B528), {0xA0}, u32(size32(octets)), block_header, octets});
}
inline Octets lz4(const Octets& octets) {
    const Octets descriptor = {0x60, 0x40, 0x82};  // independent blocks of up to 64 KiB; its checksum
    return join({u32(0x184D'2204), descriptor, u32(0x8000'0000 | size32(octets)), octets, u32(0)});
}

// ---- files ----

class Folder {
public:
    Folder() {
        std::string name = std::filesystem::temp_directory_path() / "fabricscope-test-XXXXXX";
        path_ = mkdtemp(name.data());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    std::string write(const std::string& name, const Octets& octets) const {
        const auto path = path_ / name;
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(octets.data()), static_cast<std::streamsize>(octets.size()));
        return path;
    }

private:
    std::filesystem::path path_;
};

}  // namespace fabricscope::capture::test
