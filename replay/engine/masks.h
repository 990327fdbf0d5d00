// SPDX-License-Identifier: GPL-2.0-or-later
// What a user knows of the contents of messages and no layout tells: octets that mean nothing (memory that was never
// written), and octets that are a name of the run (a queue pair number in immediate data, a key in a payload).
#pragma once

#include <deque>
#include <map>

#include "replay/engine/conversation.h"

namespace fabricscope::replay {

struct Mask {
    /// A display filter name ("infiniband.immdt"), "payload" of a queue pair's message, or "data": what applications
    /// sent in a stream.
    std::string field;
    /// Octets of it, from the first to the one behind the last; nothing: all of it.
    struct Range {
        std::size_t begin = 0, end = 0;
    };
    std::optional<Range> octets{};
    std::string message{};       ///< name of the messages it is about, "SEND"; of a stream, "connection 1"; empty: all
    std::optional<Side> from{};  ///< whose; nothing: both sides'
    /// The kind of name, "qpn", "rkey", "address" ...; empty: the octets are not compared.
    std::string name{};
    Owner owner = Owner::sender;  ///< whose name it is
    layout::Order order = layout::Order::big;
    std::string reason{};  ///< for people

    bool ignores() const { return name.empty(); }
};

/// "payload[16:24]"
std::string text_of(const Mask& mask);

/// As Mask::field, of streams.
inline constexpr const char* stream_field = "data";

class Masks {
public:
    Masks() = default;
    Masks(const Masks&) = delete;
    Masks& operator=(const Masks&) = delete;

    void add(Mask mask);
    /// How far the message that is complete with this frame may be from the recorded one.
    void tolerate(Side from, std::uint64_t frame, std::vector<Tolerance> tolerances);
    bool empty() const { return masks_.empty(); }
    /// Marks the messages and streams of a recording, which must not outlive this. Names that have been found in masked
    /// octets before are forgotten.
    void apply(Conversation& recorded) const;
    /// Those that no message or stream of the recording has.
    std::vector<std::string> unused(const Conversation& recorded) const;

private:
    /// A mask, and what marked messages point to.
    struct Entry {
        Mask mask;
        std::string filter;      ///< of the field that the marked octets become
        layout::FieldInfo info;  ///< of a name; unused if the octets are ignored
        layout::OctetsInfo octets{};
    };

    static bool apply(const Entry& entry, Message& message);
    static bool apply(const Entry& entry, Stream& stream);

    std::deque<Entry> masks_;
    std::map<std::pair<std::uint64_t, Side>, std::vector<Tolerance>> tolerances_;  ///< by frame and sender
};

}  // namespace fabricscope::replay
