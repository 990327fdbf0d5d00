// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/vipl/caller.h"

#include <condition_variable>
#include <deque>
#include <mutex>

namespace fabricscope::vipl {

struct Caller::Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> handlers;
    bool over = false;
};

Caller::Caller() : queue_(std::make_shared<Queue>()), thread_(run, queue_) {}

Caller::~Caller() {
    {
        const std::scoped_lock lock(queue_->mutex);
        queue_->over = true;
    }
    queue_->changed.notify_one();
    if (thread_.get_id() == std::this_thread::get_id()) thread_.detach();
    else thread_.join();
}

void Caller::call(std::function<void()> handler) {
    {
        const std::scoped_lock lock(queue_->mutex);
        queue_->handlers.push_back(std::move(handler));
    }
    queue_->changed.notify_one();
}

void Caller::run(const std::shared_ptr<Queue>& queue) {
    std::unique_lock lock(queue->mutex);
    while (true) {
        queue->changed.wait(lock, [&] { return queue->over || !queue->handlers.empty(); });
        if (queue->over) return;
        const std::function<void()> handler = std::move(queue->handlers.front());
        queue->handlers.pop_front();
        lock.unlock();
        handler();
        lock.lock();
    }
}

}  // namespace fabricscope::vipl
