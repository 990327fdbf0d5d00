// SPDX-License-Identifier: GPL-2.0-or-later
// What a protocol has in a frame, for frame_fields.h. That of a protocol comes from its NAME_fields.cc.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyzer/report/frame_fields.h"
#include "analyzer/report/units.h"
#include "capture/packet.h"
#include "protocols/layout/parts.h"

namespace fabricscope::report {

/// The first ones, in hexadecimal.
std::string octets_text(ByteView octets);
/// With the name that the layout gives it.
std::string number_text(const layout::FieldInfo& info, std::uint64_t value);

template <class T> std::string value_text(const layout::FieldInfo& info, const T& value) {
    if constexpr (std::is_same_v<T, bool>) return value ? "set" : "not set";
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
        return number_text(info, static_cast<std::uint64_t>(value));
    else if constexpr (requires { to_string(value); }) return to_string(value);
    else if (info.kind == layout::Kind::text) return '"' + printable_text(value.octets) + '"';
    else return octets_text(value.octets);
}

template <class T> bool is_zero(const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) return static_cast<std::uint64_t>(value) == 0;
    else return std::ranges::all_of(value.octets, [](std::uint8_t octet) { return octet == 0; });
}

/// The visitor for walk(): adds the parts of a message that begins at `base` in the frame, as far as the frame was
/// captured (`limit`).
class FieldParts {
public:
    FieldParts(std::vector<FrameField>& fields, std::size_t base, std::size_t limit)
        : fields_(fields), base_(base), limit_(limit) {}

    template <layout::WireFormat T> void part(const T& part, std::size_t offset, const layout::PartInfo& role) {
        if (!role.used || base_ + offset >= limit_) return;
        constexpr std::size_t begin = layout::layout_of<T>.extent.begin;
        // A part that counts from the message's begin continues it; one that counts its own is an area in it.
        const bool continues = begin == offset && role.index < 0;
        FrameField* area = nullptr;
        if (!continues) {
            std::string name = role.label != nullptr ? role.label : layout::layout_of<T>.name;
            if (role.index >= 0) name += fmt::format(" {}", role.index + 1);
            area = &fields_.emplace_back(
                FrameField{std::move(name), base_ + offset, std::min(layout::size_of<T>, limit_ - base_ - offset)});
        }
        layout::for_each_field(part, [&](const layout::FieldInfo& info, const auto& value) {
            const std::size_t at = base_ + offset + info.offset - begin;
            // What is reserved shows if it is in use.
            if (at + info.width > limit_ || (info.reserved && is_zero(value))) return;
            (area != nullptr ? area->fields : fields_)
                .push_back({fmt::format("{}: {}", info.label, value_text(info, value)), at, info.width});
        });
    }
    void octets(ByteView octets, std::size_t offset, const layout::PartInfo& role) {
        if (base_ + offset + octets.size() > limit_) return;
        const char* const label = role.octets != nullptr ? role.octets->label : role.label;
        fields_.push_back(
            {fmt::format(
                 "{} ({}): {}", label != nullptr ? label : "Octets", counted(octets.size(), "byte"),
                 octets_text(octets)),
             base_ + offset, octets.size()});
    }

private:
    std::vector<FrameField>& fields_;
    std::size_t base_, limit_;
};

/// A frame that is being taken apart, from the outside to the inside.
class FrameLayers {
public:
    FrameLayers(const capture::Frame& frame, const engine::Engine& engine, const std::string& session)
        : frame_(frame), packet_(capture::decode(frame)), engine_(engine), session_(session) {}

    const capture::Packet& packet() const { return packet_; }
    const engine::Engine& engine() const { return engine_; }
    const std::string& session() const { return session_; }
    const capture::Frame& frame() const { return frame_; }
    /// Whether the frame belongs to a session of the protocol of that token.
    bool is_of(std::string_view protocol) const;

    FrameField& add(std::string name, std::size_t offset, std::size_t length);
    void add_octets(const char* name, ByteView octets, std::size_t offset);
    /// One header or message whose layout is all that it is, if it was captured whole.
    template <layout::WireFormat T> void add_header(const char* name, std::size_t offset) {
        if (offset + layout::size_of < T >> frame_.data.size()) return;
        T header{};
        layout::parse_into(header, frame_.data.subspan(offset));
        parts_of(add(name, offset, layout::size_of<T>), offset).part(header, layout::layout_of<T>.extent.begin, {});
    }
    /// A message with parts.
    template <class Message>
    void add_message(std::string name, const Message& message, ByteView octets, std::size_t offset) {
        FrameField& all = add(std::move(name), offset, octets.size());
        walk(message, parts_of(all, offset));
        if (message.error) all.fields.push_back({layout::to_string(message.error), 0, 0});
    }
    FieldParts parts_of(FrameField& layer, std::size_t offset) const {
        return {layer.fields, offset, frame_.data.size()};
    }
    std::vector<FrameField> take() { return std::move(layers_); }

private:
    const capture::Frame& frame_;
    const capture::Packet packet_;
    const engine::Engine& engine_;
    const std::string& session_;
    std::vector<FrameField> layers_;
};

}  // namespace fabricscope::report
