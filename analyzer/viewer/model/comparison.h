// SPDX-License-Identifier: GPL-2.0-or-later
// A session beside another one, message by message: of two captures, or of a recording and of the run that comes of
// playing one side of it. The replay engine aligns and compares them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/viewer/model/navigator.h"

namespace fabricscope::viewer {

using engine::Side;

struct ComparedMessage {
    Time since_begin = 0;  ///< of its session
    Time time = 0;
    std::uint64_t frame = 0;
    Side from{};
    std::string name;     ///< "CLC ACCEPT"
    std::string channel;  ///< "link 1"
};

struct ComparedRow {
    std::optional<ComparedMessage> one, other;
    std::vector<std::string> differences{};  ///< "smcr.llc.mac: 1 / 2"
    bool differs = false;                    ///< in more than what is left to implementations
};

struct Compared {
    std::string one, other;  ///< what is compared: "smcr-1", "smcr-2 of b.pcap"
    std::vector<ComparedRow> rows{};
    std::vector<std::string> remarks{};  ///< differing data, states and rules
    std::size_t differences = 0;         ///< those that count
    bool same = false;
    std::string complaint{};  ///< why there is nothing to see; empty: there is
};

/// Captures as the replay engine reads them.
class Conversations {
public:
    /// Whatever keeps the files from being read is complaint(). `stop`: whether to give up.
    Conversations(std::vector<std::string> files, const std::function<bool()>& stop);
    ~Conversations();

    const std::vector<std::string>& files() const { return files_; }
    const std::string& complaint() const { return complaint_; }
    /// Names of the sessions that have messages to compare, in order of their first frames.
    std::vector<std::string> sessions() const;
    /// That between the same ends, else the first of its kind; empty: there is none.
    std::string session_like(const Conversations& others, const std::string& session) const;

private:
    friend Compared compare(
        const Conversations& one, const std::string& session, const Conversations& other,
        const std::string& other_session);
    friend Compared compare_with_run(
        const Conversations& recorded, const std::string& session, Side played, const std::function<bool()>& stop);
    struct Read;

    std::vector<std::string> files_;
    std::unique_ptr<Read> read_;
    std::string complaint_;
};

Compared compare(
    const Conversations& one, const std::string& session, const Conversations& other, const std::string& other_session);
/// The other side is the emulated stack's. `stop`: whether to break off.
Compared compare_with_run(
    const Conversations& recorded, const std::string& session, Side played, const std::function<bool()>& stop);

}  // namespace fabricscope::viewer
