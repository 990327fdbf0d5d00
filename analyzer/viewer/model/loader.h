// SPDX-License-Identifier: GPL-2.0-or-later
// Reads captures in a thread of its own.
#pragma once

#include <QObject>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/viewer/model/recording.h"

namespace fabricscope::viewer {

class Loader : public QObject {
    Q_OBJECT

public:
    Loader() = default;
    ~Loader() override { cancel_and_wait(); }

    /// Whatever is being read is given up. `still_written`: as of viewer::load().
    void load(std::vector<std::string> files, bool still_written = false);
    /// What was read so far is shown.
    void cancel() { cancelled_ = true; }
    bool is_busy() const { return busy_; }

Q_SIGNALS:
    /// `share`: per cent of the files' size; -1: not known
    void progressed(quint64 frames, int share);
    void loaded(std::shared_ptr<const Recording> recording);

private:
    void cancel_and_wait();

    std::jthread thread_;
    std::atomic<bool> cancelled_ = false;
    std::atomic<bool> abandoned_ = false;
    bool busy_ = false;
    std::uint64_t generation_ = 0;  ///< what a load before this one has queued is out of date
};

}  // namespace fabricscope::viewer
