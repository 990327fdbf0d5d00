// SPDX-License-Identifier: GPL-2.0-or-later
// A thread that calls the application's handlers, in order (VI-DG 3.5.12): a handler may make any call of the library.
#pragma once

#include <functional>
#include <memory>
#include <thread>

namespace fabricscope::vipl {

class Caller {
public:
    Caller();
    /// What has not begun is cancelled; waits for a call that has, unless it is the call that does this.
    ~Caller();
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    void call(std::function<void()> handler);

private:
    struct Queue;
    static void run(const std::shared_ptr<Queue>& queue);

    std::shared_ptr<Queue> queue_;
    std::thread thread_;
};

}  // namespace fabricscope::vipl
