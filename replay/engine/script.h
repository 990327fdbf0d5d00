// SPDX-License-Identifier: GPL-2.0-or-later
// The schedule of the played side: which recorded messages it sends, and what each of them waits for.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "replay/engine/bindings.h"

namespace fabricscope::replay {

/// The delay before a message is sent, once what it waits for has happened.
struct Pace {
    double factor = 0;  ///< recorded gaps are multiplied with it; 0: at once, 1: as recorded
};

/// What a message of the played side waits for:
///  - an answer for the message that it answers, and for its own side's earlier answers to it;
///  - any other message for all that came before it in the recording, of both sides. Messages that are left to
///    implementations are not waited for, and if they do not come they are not answered.
/// The other side's messages are recognised by channel and name: the first one that has not come yet.
class Script {
public:
    static constexpr Time never = std::numeric_limits<Time>::max();

    Script(const Conversation& recorded, Side played, Pace pace);

    /// The run begins.
    void start(Time now);
    /// The recorded message that the other side's message stands for; nothing if none is waited for. Names are learned
    /// from it.
    std::optional<std::size_t> received(Time now, std::string_view channel, std::string_view name, ByteView octets);
    /// The other side's message of that channel and name that has not come yet; nothing if none is waited for.
    std::optional<std::size_t> expected(std::string_view channel, std::string_view name) const;
    /// Whether a message of the played side, of that channel, is still to come whose name `counts`.
    bool has_to_send(std::string_view channel, bool (*counts)(std::string_view name)) const;
    /// The next message to be sent now, or nothing. `sent` is to be called when it has been. `may_send`: whether this
    /// message can be sent at the moment; others may overtake it.
    std::optional<std::size_t> ready(
        Time now, const std::function<bool(std::size_t)>& may_send = [](std::size_t) { return true; }) const;
    void sent(Time now, std::size_t index);
    /// The player's own protocol machine has sent a message that ready() did not return: the first one of that channel
    /// and name that is still to come.
    std::optional<std::size_t> sent(Time now, std::string_view channel, std::string_view name);
    /// Whether the message has been sent or has come.
    bool done(std::size_t message) const { return progress_[message].done; }
    /// When ready() is to be called again although nothing has happened: the first time `after` that something is due.
    /// What has been due since, and could not be sent, waits for something else.
    Time wakeup(Time after = std::numeric_limits<Time>::min()) const;

    const Message& message(std::size_t index) const { return recorded_.messages[index]; }
    const Conversation& recorded() const { return recorded_; }
    Side played() const { return played_; }
    Bindings& bindings() { return bindings_; }
    const Bindings& bindings() const { return bindings_; }
    /// Everything has been sent, and everything that is waited for has come.
    bool over() const;
    /// The first message that has neither come nor been sent, "LLC CONFIRM LINK of the server (recorded in frame 12)".
    std::string waiting_for() const;

private:
    struct Progress {
        bool done = false;
        Time at = 0;
    };

    /// The latest of some causes, in this run and in the recording.
    struct Moment {
        Time at = 0, recorded = 0;
    };
    using Key = std::tuple<Side, std::string_view, std::string_view>;  ///< sender, channel, name

    static Key key_of(const Message& message);
    bool is_moot(std::size_t index) const;
    bool is_waited_for(std::size_t index) const;
    std::optional<std::size_t> first_open(Side from, std::string_view channel, std::string_view name) const;
    void advance();
    std::optional<Time> due(std::size_t index) const;
    template <class Visit> void each_candidate(Visit visit) const;

    const Conversation& recorded_;
    Side played_;
    Pace pace_;
    Bindings bindings_;
    std::vector<Progress> progress_;                   ///< as the messages
    std::map<Key, std::deque<std::size_t>> to_come_;   ///< in order
    std::multimap<std::size_t, std::size_t> answers_;  ///< of the played side, by what they answer
    std::set<std::size_t> due_answers_;                ///< whose request has been received
    std::size_t next_ = 0;                             ///< the first message that is waited for
    Moment settled_;                                   ///< of all that is waited for before it
};

}  // namespace fabricscope::replay
