// SPDX-License-Identifier: GPL-2.0-or-later
// Scenarios: small text files that describe who does what, with which faults and which seed. docs/scenarios.md has the
// words.
//
//     title    Ten messages, and their end
//     protocol rdma-cm
//     seed     1
//     listen   port=7174 echo=yes        # words, then name=value
//     connect  port=7174 messages=10
//
// Lines of a script (`call`, `expect`) have further words, and may end in what has to come of it:
//
//     call     client VipPostSend vi=1 octets=100 -> VIP_SUCCESS
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "capture/frame.h"
#include "replay/synth/scenario_lines.h"

namespace fabricscope::synth {

using capture::Time;

/// What is wrong with a scenario; `what()` names the line.
struct ScenarioError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One line. Values are read by name; done() reports any name that has not been read as an error.
class Statement {
public:
    Statement(std::string place, std::string word) : place_(std::move(place)), word_(std::move(word)) {}

    const std::string& word() const { return word_; }
    /// What follows a `call` or `message` before its values: "client", "VipPostSend".
    const std::vector<std::string>& words() const {
        words_read_ = true;
        return words_;
    }
    /// All values, by name; they count as read.
    const std::map<std::string, std::string>& values() const;
    void add_word(const std::string& word) { words_.push_back(word); }
    bool has(const std::string& name) const { return find(name) != nullptr; }

    std::string text(const std::string& name, const std::string& otherwise) const;
    std::uint64_t number(const std::string& name, std::uint64_t otherwise, std::uint64_t most = UINT32_MAX) const;
    bool flag(const std::string& name, bool otherwise) const;                      ///< yes, no
    Time time(const std::string& name, Time otherwise) const;                      ///< 3s, 20ms, 5us, 100ns
    std::uint64_t octets(const std::string& name, std::uint64_t otherwise) const;  ///< 100, 64K, 2M
    std::uint32_t chance(const std::string& name) const;  ///< 1%, 0.05%: in parts per million; 0 without
    /// The position of the value in `words`.
    std::size_t choice(
        const std::string& name, std::size_t otherwise, const std::vector<std::string_view>& words) const;
    /// A host by its name, "client" or "server"; "" without.
    std::string host(const std::string& name) const;
    /// "line 3"
    const std::string& place() const { return place_; }
    /// Throws if the statement has words or names that nobody read, and tells those that somebody asked for.
    void done() const;
    /// Somebody else reads a copy, and says what means nothing.
    void leave() const;
    [[noreturn]] void fail(const std::string& problem) const;

    void set(const std::string& name, const std::string& value);

private:
    const std::string* find(const std::string& name) const;
    [[noreturn]] void fail_value(const std::string& name, const std::string& expected) const;

    std::string place_;
    std::string word_;
    std::vector<std::string> words_;
    std::map<std::string, std::string> values_;
    mutable std::set<std::string> read_;
    mutable bool words_read_ = false;
};

/// Whether the line is one of a script of calls: it has words of its own, and may end in what has to come of it.
inline bool is_script(const Statement& statement) { return statement.word() == "call" || statement.word() == "expect"; }

struct Scenario {
    std::string title;
    std::string clause;    ///< of the document that describes what happens
    std::string protocol;  ///< the family that runs it
    std::uint64_t seed = 1;
    std::vector<std::string> finds;     ///< rules that are broken on purpose
    std::vector<std::string> samples;   ///< that show the same course: "fcvi/logout" is samples/fcvi/logout.pcap
    std::vector<Statement> statements;  ///< everything else, in order
    std::vector<Scenario> beside;       ///< others that run at the same time, in the same capture
};

/// Throws ScenarioError. `is_rule`: whether there is such a rule for `finds`; empty: rules are not looked up. `load`
/// gives what `include` and `beside` name; empty: there is nothing of that kind.
Scenario parse_scenario(
    std::string_view text, const std::function<bool(std::string_view)>& is_rule = {}, const LoadText& load = {});

/// The same of lines that name no protocol: faults, for what is no scenario.
Scenario parse_statements(
    std::string_view text, const std::function<bool(std::string_view)>& is_rule = {}, const LoadText& load = {});

}  // namespace fabricscope::synth
