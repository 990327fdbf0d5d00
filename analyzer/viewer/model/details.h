// SPDX-License-Identifier: GPL-2.0-or-later
// What a second look at the captures tells of single sessions, as panes ask for it.
#pragma once

#include <QObject>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/viewer/model/background.h"
#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/recording.h"

namespace fabricscope::viewer {

class Details : public QObject {
    Q_OBJECT

public:
    /// Forgets those of what was open before.
    void show(std::shared_ptr<const Recording> recording);
    /// Begins to read, if there is more to tell of the session and nobody has asked before.
    void want(const std::string& session);
    /// nullptr: there is none, or not yet.
    const report::Detail* find(const std::string& session) const;
    bool is_busy() const { return background_.is_busy(); }

Q_SIGNALS:
    void arrived(const QString& session);

private:
    static constexpr std::size_t most_kept = 4;

    struct Known {
        std::string session;
        std::shared_ptr<const report::Detail> detail;  ///< nullptr: not read yet
    };
    Known* known(const std::string& session);
    void read_next();

    std::shared_ptr<const Recording> recording_;
    std::deque<Known> known_;  ///< the latest one first
    std::string reading_;
    Background background_;
};

/// Reads the recording's files once more. Without panels and memories: nothing is known, or it was stopped.
report::Detail detail_of(const Recording& recording, const std::string& session, const std::function<bool()>& stop);

/// A frame with its octets, for who wants to see all of it.
struct WholeFrame {
    std::vector<std::uint8_t> octets;
    std::vector<report::FrameField> fields;
    std::string complaint;  ///< why there is nothing
};
WholeFrame whole_frame(
    const Recording& recording, std::uint64_t number, const std::string& session, const std::function<bool()>& stop);

}  // namespace fabricscope::viewer
