// SPDX-License-Identifier: GPL-2.0-or-later
// What a scenario does to frames on their way, in an emulated fabric as well as before a live peer.
//
// Statements: fault, drop, delay, duplicate, corrupt, cut.
#pragma once

#include <functional>

#include "analyzer/engine/sides.h"
#include "replay/stack/core/fabric.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

/// How `drop` and the like call messages.
struct MessageNames {
    std::function<std::string(ByteView frame)> of;  ///< of the one in a frame: "REP"; empty if it has none
    std::vector<std::string> all;                   ///< that there are
    std::vector<std::string_view> kinds;            ///< of frames, for `fault`: "all", "tcp"
};

/// Of TCP and RoCE.
MessageNames ethernet_messages();
/// Of Fibre Channel; `of`: the name of the message in a frame of the link.
MessageNames fc_messages(std::function<std::string(ByteView frame)> of);
/// Of all these, whatever the link.
MessageNames all_messages();

/// Certain messages, as a statement chooses them. The statement must live as long.
class ChosenMessages {
public:
    ChosenMessages(const Statement& statement, const MessageNames& names, bool has_side);

    bool include(const std::string& host, ByteView frame, const MessageNames& names);
    /// Throws ScenarioError if there was none.
    void expect_any() const;
    const Statement& statement() const { return *statement_; }

private:
    const Statement* statement_;
    std::string message_, from_;
    std::uint64_t skip_ = 0, count_ = 0;
    std::uint64_t seen_ = 0;  ///< messages of that name
    bool fired_ = false;
};

class Faults {
public:
    /// Whether the statement is one of these; then it has been read. The statement must live as long.
    bool read(const Statement& statement, const MessageNames& names);
    bool empty() const { return random_.empty() && messages_.empty(); }
    /// What becomes of a frame that `host` has sent: "client", "server".
    stack::Delivery operator()(
        const std::string& host, const stack::FrameInFlight& frame, capture::LinkType link, const MessageNames& names,
        stack::Random& random);
    /// A fault that nothing comes of is a scenario's mistake. Throws ScenarioError.
    void expect_all_fired() const;

private:
    struct RandomFault {
        stack::RandomFaults faults;
        std::string from, what;
        const Statement* statement = nullptr;
        bool concerned = false;  ///< a frame
    };
    enum class Harm : std::uint8_t { drop, delay, duplicate, corrupt, cut };
    struct MessageFault {
        ChosenMessages messages;
        Harm harm{};
        Time time = 0;  ///< delay: by how much; cut: for how long
    };

    void read_random(const Statement& statement, const MessageNames& names);
    void apply(const MessageFault& fault, Time now, stack::Delivery& delivery);

    std::vector<RandomFault> random_;
    std::vector<MessageFault> messages_;
    Time cut_until_ = 0;
};

/// The fault statements of a scenario, for frames that go to a peer and come from it.
class PeerFaults {
public:
    /// Takes these statements out of the scenario, which may have others. Throws ScenarioError.
    explicit PeerFaults(Scenario& scenario);

    bool empty() const { return faults_.empty(); }
    stack::Delivery operator()(
        engine::Side from, const stack::FrameInFlight& frame, capture::LinkType link, stack::Random& random) {
        return faults_(engine::name_of(from), frame, link, names_, random);
    }
    void expect_all_fired() const { faults_.expect_all_fired(); }

private:
    MessageNames names_ = all_messages();
    std::vector<Statement> statements_;  ///< that the faults point to
    Faults faults_;
};

/// For people: what became of a frame; empty if it arrives as it was sent.
std::string text_of(const stack::Delivery& delivery);

}  // namespace fabricscope::synth
