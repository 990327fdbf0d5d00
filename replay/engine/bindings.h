// SPDX-License-Identifier: GPL-2.0-or-later
// Maps identifiers of the recording (QPNs, keys, tokens, communication ids ...) to those of this run.
#pragma once

#include <map>
#include <tuple>

#include "replay/engine/conversation.h"

namespace fabricscope::replay {

/// Whose name a field holds. `Owner::group`: both sides' in common, kept as the client's.
Side owner_of(const FieldRule& rule, Side sender);
/// What a name in the message is one of: its rule's kind; of a name within a channel, in the message's channel.
std::string kind_of(const FieldRule& rule, const Message& message);

class Bindings {
public:
    void bind(std::string_view kind, Side owner, const Value& recorded, const Value& actual) {
        actual_[{std::string(kind), owner, recorded}] = actual;
    }
    /// The same of all names of this kind that the message has for `owner`.
    void bind_number(std::string_view kind, Side owner, const Message& recorded, std::uint64_t actual);
    /// What stands for the recorded name; nullptr if nothing does yet.
    const Value* find(std::string_view kind, Side owner, const Value& recorded) const {
        const auto found = actual_.find({std::string(kind), owner, recorded});
        return found == actual_.end() ? nullptr : &found->second;
    }
    /// Whether a recorded name is known by `actual` in this run.
    bool stands_for_any(std::string_view kind, Side owner, const Value& actual) const;
    /// Learns the names that a message introduces, or refers to for the first time.
    void learn(const Message& recorded, ByteView actual);
    /// The recorded message as it is to be sent in this run: with the names of this run. Names that nothing stands for
    /// stay.
    Octets translated(const Message& recorded) const;

private:
    std::map<std::tuple<std::string, Side, Value>, Value> actual_;
};

}  // namespace fabricscope::replay
