// SPDX-License-Identifier: GPL-2.0-or-later
// Messages that no single table can describe are chains of parts: headers, optional parts, lists, rests.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "protocols/layout/layout.h"

namespace fabricscope::layout {

/// Octets that no layout describes, but that have a name of their own.
struct OctetsInfo {
    const char* filter;  ///< display filter name, "rdma_ip_cm.private_data"
    const char* label;
    const char* clause;
};

/// How a part stands in its message.
struct PartInfo {
    const char* label = nullptr;         ///< what it is here, if the layout's name does not say enough
    int index = -1;                      ///< its number in a list of equal parts
    bool used = true;                    ///< false: a slot that this message leaves empty
    const OctetsInfo* octets = nullptr;  ///< of octets that have a name
};

/// Hands the parts of a message to a visitor, in order, each with its offset.
template <class Visitor> class Walker {
public:
    explicit Walker(Visitor& visit) : visit_(visit) {}

    template <WireFormat T> void part(const T& part, PartInfo info = {}) {
        visit_.part(part, offset_, info);
        offset_ += size_of<T>;
    }
    template <WireFormat T> void part(const std::optional<T>& maybe, PartInfo info = {}) {
        if (maybe) part(*maybe, info);
    }
    template <WireFormat T> void list(const List<T>& list) {
        for (std::size_t i = 0; i < list.size(); ++i) part(list[i], {.index = static_cast<int>(i)});
    }
    void octets(ByteView octets, PartInfo info = {}) {
        if (octets.empty()) return;
        visit_.octets(octets, offset_, info);
        offset_ += octets.size();
    }

private:
    Visitor& visit_;
    std::size_t offset_ = 0;
};

/// Takes the parts of a message from its octets. After the first error nothing more is read.
class PartReader {
public:
    /// `length` is what the message claims; `octets` is what was captured of it.
    PartReader(ByteView octets, std::size_t length)
        : octets_(octets.first(std::min(octets.size(), length))), end_(length) {}

    template <WireFormat T> void read(T& part) {
        if (error_) return;
        if (remaining() < size_of<T>) return fail_length(info_of<T>().fields.front().filter, size_of<T>);
        error_ = parse_into(part, there(size_of<T>), offset_);
        offset_ += size_of<T>;
    }
    /// A part that was not captured whole is not there: it would hold zeros that nobody has sent.
    template <WireFormat T> void read(std::optional<T>& part) {
        if (error_) return;
        read(part.emplace());
        if (error_.fault == Fault::truncated) part.reset();
    }
    template <WireFormat T> void read(List<T>& list, std::size_t count) {
        list.octets = take(count * size_of<T>, info_of<T>().fields.front().filter);
    }
    /// The next `count` octets, or as many as were captured.
    ByteView take(std::size_t count, const char* field) {
        if (error_) return {};
        if (remaining() < count) {
            fail_length(field, count);
            return {};
        }
        const ByteView taken = there(count);
        if (taken.size() < count) error_ = {Fault::truncated, field, offset_, count, taken.size()};
        offset_ += count;
        return taken;
    }
    /// All octets up to `offset`; nothing if that is behind.
    ByteView take_until(std::size_t offset, const char* field) {
        if (offset < offset_) {
            fail_length(field, offset_);
            return {};
        }
        return take(offset - offset_, field);
    }

    std::size_t offset() const { return offset_; }
    std::size_t remaining() const { return end_ - std::min(end_, offset_); }
    const ParseError& error() const { return error_; }
    void fail(ParseError error) {
        if (!error_) error_ = error;
    }
    /// Leaves `count` octets at the end for a trailer.
    void keep_back(std::size_t count) { end_ -= std::min(end_, count); }
    void give_back(std::size_t count) { end_ += count; }

private:
    ByteView there(std::size_t count) const {
        const std::size_t from = std::min(offset_, octets_.size());
        return octets_.subspan(from, std::min(count, octets_.size() - from));
    }
    void fail_length(const char* field, std::size_t needed) {
        fail({Fault::wrong_length, field, offset_, needed, remaining()});
    }

    ByteView octets_;
    std::size_t end_;
    std::size_t offset_ = 0;
    ParseError error_;
};

/// A part as it stands on the wire.
template <WireFormat T> std::vector<std::uint8_t> octets_of(const T& part) {
    std::vector<std::uint8_t> octets(size_of<T>);
    build_into(part, octets);
    return octets;
}

/// A visitor for walk() that writes the message.
struct Builder {
    std::vector<std::uint8_t> message;

    template <WireFormat T> void part(const T& part, std::size_t offset, PartInfo) {
        message.resize(offset + size_of<T>);
        build_into(part, std::span(message).subspan(offset));
    }
    void octets(ByteView octets, std::size_t, PartInfo) { message.insert(message.end(), octets.begin(), octets.end()); }
};

/// A visitor for walk() that looks for reserved bits in use, and for padding that is not zero.
struct ReservedCheck {
    struct Use {
        const char* field;   ///< filter name; nullptr: padding
        std::size_t offset;  ///< in the message
    };
    std::optional<Use> found;  ///< the first one

    template <WireFormat T> void part(const T& part, std::size_t offset, PartInfo) {
        if (found) return;
        std::array<std::uint8_t, size_of<T>> octets{};
        build_into(part, octets);
        if (const FieldInfo* info = reserved_in_use<T>(octets); info != nullptr)
            found = {info->filter, offset + info->offset - layout_of<T>.extent.begin};
    }
    void octets(ByteView octets, std::size_t offset, PartInfo) {
        const auto set = std::ranges::find_if(octets, [](std::uint8_t octet) { return octet != 0; });
        if (!found && set != octets.end()) found = {nullptr, offset + static_cast<std::size_t>(set - octets.begin())};
    }
};

}  // namespace fabricscope::layout
