// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/ib/upper_layers.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fabricscope::ib {
namespace {

/// Reads what may end too early: then `cut` is set, and zeros are read.
class Reader {
public:
    explicit Reader(ByteView octets) : octets_(octets) {}

    std::uint32_t big_endian(std::size_t width) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < width; ++i) value = value << 8 | next();
        return value;
    }
    std::uint32_t little_endian(std::size_t width) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < width; ++i) value |= std::uint32_t{next()} << 8 * i;
        return value;
    }
    void skip(std::size_t octets) {
        cut_ = cut_ || octets > octets_.size();
        octets_ = octets_.subspan(std::min(octets, octets_.size()));
    }
    bool cut() const { return cut_; }

private:
    std::uint8_t next() {
        cut_ = cut_ || octets_.empty();
        if (octets_.empty()) return 0;
        const std::uint8_t octet = octets_.front();
        octets_ = octets_.subspan(1);
        return octet;
    }

    ByteView octets_;
    bool cut_ = false;
};

constexpr std::size_t segment_size = 16;  // handle, length, offset

/// XDR's "something follows". What is neither yes nor no is no list.
bool has_more(Reader& reader, bool& well_formed) {
    const std::uint32_t more = reader.big_endian(4);
    well_formed = well_formed && more <= 1;
    return well_formed && !reader.cut() && more == 1;
}

/// A read list, a write list and a reply chunk.
bool are_chunk_lists(Reader& reader) {
    bool well_formed = true;
    while (has_more(reader, well_formed)) reader.skip(4 + segment_size);
    const auto skip_chunk = [&] { reader.skip(segment_size * reader.big_endian(4)); };
    while (has_more(reader, well_formed)) skip_chunk();
    if (has_more(reader, well_formed)) skip_chunk();
    return well_formed;
}

}  // namespace

bool may_be_rpc_over_rdma(const MessageBegin& message) {
    enum Procedure : std::uint32_t { msg, nomsg, msgp, done, error };
    Reader reader(message.octets);
    reader.skip(4);  // the transaction
    const std::uint32_t version = reader.big_endian(4), credits = reader.big_endian(4),
                        procedure = reader.big_endian(4);
    if (reader.cut()) return !message.whole;
    if (version != 1 || credits == 0 || procedure > error) return false;
    if (procedure == done) return true;
    if (procedure == error) {
        const std::uint32_t reason = reader.big_endian(4);
        return reader.cut() ? !message.whole : reason == 1 || reason == 2;
    }
    if (procedure == msgp) reader.skip(8);
    return are_chunk_lists(reader) && (!reader.cut() || !message.whole);
}

bool may_be_smb_direct(const MessageBegin& message) {
    constexpr std::uint32_t version = 0x0100;
    constexpr std::size_t request_size = 20, response_size = 32, header_size = 20, least_offset = 24;
    Reader reader(message.octets);
    std::array<std::uint32_t, 4> words{};
    for (std::uint32_t& word : words) word = reader.little_endian(2);
    const std::uint32_t remaining = reader.little_endian(4), offset = reader.little_endian(4),
                        length = reader.little_endian(4);
    static_cast<void>(remaining);
    if (reader.cut()) return !message.whole;
    const std::size_t size = message.octets.size();
    const bool negotiates = words[0] == version && words[1] == version &&
                            (size == request_size || size == response_size);
    if (negotiates) return true;
    if (words[2] > 1 || words[3] != 0) return false;  // flags, reserved
    if (length == 0) return offset == 0 && (!message.whole || size == header_size);
    return offset >= least_offset && offset % 8 == 0 && (!message.whole || std::uint64_t{offset} + length == size);
}

bool may_be_ip_over_infiniband(const MessageBegin& message) {
    enum EtherType : std::uint32_t { ipv4 = 0x0800, arp = 0x0806, rarp = 0x8035, ipv6 = 0x86DD };
    Reader reader(message.octets);
    const std::uint32_t type = reader.big_endian(2), reserved = reader.big_endian(2),
                        version = reader.big_endian(1) >> 4;
    if (reader.cut()) return !message.whole;
    if (reserved != 0) return false;
    switch (type) {
        case ipv4: return version == 4;
        case ipv6: return version == 6;
        case arp:
        case rarp: return true;
        default: return false;
    }
}

}  // namespace fabricscope::ib
