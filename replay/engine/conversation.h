// SPDX-License-Identifier: GPL-2.0-or-later
// The messages that two sides exchanged in a session, whatever the protocol. A recording is a conversation, and so is a
// run in which one side of it is played: both are read from frames by the same engine, and so can be compared.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "analyzer/engine/finding.h"
#include "analyzer/engine/sides.h"
#include "replay/engine/fields.h"

namespace fabricscope::replay {

using engine::PerSide;
using engine::Side;
using engine::Time;

// ---- messages ------------------------------------------------------------------------------------

/// How a field of the run is compared with the recorded one.
enum class Treatment : std::uint8_t {
    exact,       ///< has to be equal
    introduces,  ///< an identifier that its owner chooses freely: from now on it is mapped to the recorded one
    refers,      ///< to such an identifier: has to be the one that is mapped to the recorded one
    ignored,     ///< chosen freely, and nothing refers to it
    policy,      ///< left to implementations, but worth reporting
};
enum class Owner : std::uint8_t { sender, receiver, group };

struct FieldRule {
    std::string_view filter;  ///< of the field
    Treatment treatment = Treatment::exact;
    std::string_view kind{};  ///< of names: "qpn", "rkey"; what is of one kind and one owner is named once
    Owner owner = Owner::sender;
    bool in_channel = false;  ///< the name means something in its channel only
};

/// Rules of several tables in one.
template <std::size_t... sizes> constexpr auto joined(const std::array<FieldRule, sizes>&... tables) {
    std::array<FieldRule, (sizes + ...)> all;
    auto end = all.begin();
    ((end = std::ranges::copy(tables, end).out), ...);
    return all;
}

/// Messages that are built and compared in one way: CLC, LLC, CM ...
struct MessageFormat {
    const char* name;
    const char* clause;  ///< for fields whose layout names none
    std::vector<FieldAt> (*fields_of)(ByteView message);
    std::span<const FieldRule> rules;  ///< fields that are not here are exact; reserved ones are ignored
};
FieldRule rule_of(const MessageFormat& format, const FieldAt& field);

/// How far a message may be from the recorded one.
struct Tolerance {
    std::string field;                         ///< as NamedField::name; `time_field`: when it comes
    std::optional<std::uint64_t> low, high{};  ///< nothing: any value will do
};
/// Nanoseconds since the message before it.
inline constexpr const char* time_field = "time";

struct Message {
    const MessageFormat* format = nullptr;
    Side from{};
    std::string name;  ///< "CLC ACCEPT", "LLC CONFIRM LINK reply"
    /// Messages of one channel have a fixed order. Channels have the same names in recording and run: "connection 1",
    /// "link 2", numbered as they begin.
    std::string channel;
    Time time = 0;
    std::uint64_t frame = 0;  ///< that completed it
    Octets octets{};
    std::optional<std::size_t> answers{};  ///< the request that it responds to, if that is certain
    bool optional = false;                 ///< whether and when it comes is left to implementations
    /// Of a recorded message: names that an application put where layouts see octets only, in order; see with_names().
    std::vector<FieldAt> embedded{};
    /// Of a recorded message: rules that go before those of the format; see Masks.
    std::vector<FieldRule> overrides{};
    /// Of a recorded message, by somebody who has written it down.
    std::vector<Tolerance> tolerances{};
};
FieldRule rule_of(const Message& recorded, const FieldAt& field);

/// The fields of `octets`, which is the message `like` or stands for it in a run.
std::vector<FieldAt> fields_of(const Message& like, ByteView octets);

// ---- data ----------------------------------------------------------------------------------------

/// Application data of one direction.
struct Stream {
    std::string name;  ///< "connection 1", as channels
    Side from{};
    Octets octets{};            ///< missing ones are 0
    std::uint64_t missing = 0;  ///< announced, but not captured
    /// Of a recording: positions that are not compared, from the first to the one behind the last; see Masks.
    std::vector<std::pair<std::size_t, std::size_t>> ignored{};
};

/// What became of something: compared by its meaning.
struct Fact {
    static constexpr const char* unknown = "unknown";  ///< value that the recording does not tell: not compared

    std::string about;  ///< "connection 1", as channels
    std::string name;   ///< "outcome"
    std::string value;  ///< "smc-r"
    bool policy = false;
};

/// Something in a recording that no run repeats: what differs because of it says nothing about the peer.
struct Cause {
    std::string about{};      ///< channel, or what facts and streams are about; empty: all of it
    std::uint64_t frame = 0;  ///< messages since then; 0: all
    std::string text;         ///< "the TCP connection was reset without a word on RoCE: a host or its device went away"
    std::string only{};       ///< the message or fact that differs; empty: any
    bool not_captured = false;  ///< it may have been there: what differs is left to implementations
};

struct Conversation {
    std::string session;            ///< "smcr-1"
    std::string about{};            ///< the only channel of its kind; empty: nothing was left out
    std::vector<Message> messages;  ///< in order of time
    std::vector<Stream> streams;
    std::vector<Fact> facts;
    std::vector<engine::Finding> findings;
    std::vector<Cause> causes;  ///< of a recording
    bool complete = true;       ///< false: something of it was not captured, or was too much to keep
};

}  // namespace fabricscope::replay
