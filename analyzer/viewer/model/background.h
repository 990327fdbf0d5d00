// SPDX-License-Identifier: GPL-2.0-or-later
// Work in a thread of its own, whose result comes back to the thread of the window.
#pragma once

#include <QObject>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

namespace fabricscope::viewer {

/// One work at a time: the next one gives up the one before.
class Background {
public:
    using Stop = std::function<bool()>;

    Background() = default;
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background() { abandon(); }

    /// `work` asks now and then whether it is to stop. What comes of it is given to `done`.
    template <class Work, class Done> void run(Work work, Done done) {
        abandon();
        stop_ = false;
        busy_ = true;
        thread_ = std::jthread([this, work = std::move(work), done = std::move(done), generation = generation_] {
            auto result = work(Stop([this] { return stop_.load(); }));
            if (stop_) return;
            QMetaObject::invokeMethod(
                &receiver_,
                [this, generation, result = std::move(result), done] {
                    if (generation != generation_) return;
                    busy_ = false;
                    done(result);
                },
                Qt::QueuedConnection);
        });
    }
    void abandon() {
        stop_ = true;
        ++generation_;
        busy_ = false;
        if (thread_.joinable()) thread_.join();
    }
    bool is_busy() const { return busy_; }

private:
    QObject receiver_;
    std::atomic<bool> stop_ = false;
    bool busy_ = false;
    std::uint64_t generation_ = 0;  ///< results of an earlier one are out of date
    std::jthread thread_;
};

}  // namespace fabricscope::viewer
