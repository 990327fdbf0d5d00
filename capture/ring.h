// SPDX-License-Identifier: GPL-2.0-or-later
// A thread that makes things ahead of the one that takes them.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

namespace fabricscope::capture {

/// A ring of slots: its thread fills the one behind those that wait, the ring's owner takes the first. What is in a
/// slot stays when it is filled again, with its memory.
template <typename Slot, std::size_t size> class Ring {
public:
    /// `fill(ring)` runs in the ring's thread: it calls free_slot() and filled() in turns, until it has no more or is
    /// told that nobody takes them. What it throws, the owner gets after all that was filled.
    template <typename Fill> explicit Ring(Fill fill) : thread_([this, fill] { run(fill); }) {}
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    ~Ring() {
        {
            const std::lock_guard lock(mutex_);
            abandoned_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    /// Gives back the slot at hand and waits for the next one, of which there has to be one.
    const Slot& take() {
        std::unique_lock lock(mutex_);
        if (holding_) --waiting_, ++first_;
        holding_ = false;
        if (waiting_ == refill_at) changed_.notify_all();
        changed_.wait(lock, [this] { return waiting_ != 0 || failure_; });
        if (waiting_ == 0) std::rethrow_exception(failure_);
        holding_ = true;
        return slots_[first_ % size];
    }

    /// For `fill`: nullptr if it shall end.
    Slot* free_slot() {
        std::unique_lock lock(mutex_);
        if (waiting_ == size) changed_.wait(lock, [this] { return waiting_ <= refill_at || abandoned_; });
        return abandoned_ ? nullptr : &slots_[(first_ + waiting_) % size];
    }

    void filled() {
        {
            const std::lock_guard lock(mutex_);
            ++waiting_;
        }
        changed_.notify_all();
    }

private:
    static constexpr std::size_t refill_at = size / 2;  // to wake a thread costs more than to fill a slot

    template <typename Fill> void run(const Fill& fill) {
        try {
            fill(*this);
        } catch (...) {  // memory is short
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            changed_.notify_all();
        }
    }

    std::array<Slot, size> slots_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t first_ = 0;    ///< serial number of the slot that is taken, or will be next
    std::size_t waiting_ = 0;  ///< filled and not given back
    std::exception_ptr failure_;
    bool holding_ = false;
    bool abandoned_ = false;
    std::thread thread_;
};

}  // namespace fabricscope::capture
