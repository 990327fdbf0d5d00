// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "capture/source.h"

namespace fabricscope::capture {
namespace {

constexpr std::size_t batches = 8;
constexpr std::size_t refill_at = batches / 2;  // to wake a thread costs more than to read a batch

constexpr std::size_t ahead = 2;  // frames to prefetch

/// What the source said after a number of frames.
struct Reading {
    Batch batch;
    std::vector<Error> errors;
    std::uint32_t interface_count = 0;
    std::exception_ptr failure;  ///< instead of a batch: for the reader to deal with
    bool last = false;
};

/// A ring of batches: the thread fills the one behind those that wait, the reader takes the first.
class ReadAheadSource final : public Source {
public:
    explicit ReadAheadSource(std::unique_ptr<Source> source) : source_(std::move(source)) {
        before_first_.interface_count = source_->interface_count();
        thread_ = std::thread([this] { fill_batches(); });
    }
    ReadAheadSource(const ReadAheadSource&) = delete;
    ReadAheadSource& operator=(const ReadAheadSource&) = delete;

    ~ReadAheadSource() override {
        {
            const std::lock_guard lock(mutex_);
            abandoned_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    bool next(Frame& frame) override {
        while (next_in_batch_ == taken_->batch.frames.size()) {
            if (taken_->last) return false;
            take_batch();
        }
        const std::vector<Frame>& frames = taken_->batch.frames;
        frame = frames[next_in_batch_++];
        if (next_in_batch_ + ahead < frames.size()) prefetch(frames[next_in_batch_ + ahead]);
        return true;
    }

    std::vector<Error> errors() const override { return taken_->errors; }
    std::uint32_t interface_count() const override { return taken_->interface_count; }

private:
    /// Headers were written by another processor: they are fetched while the frames before are dealt with.
    static void prefetch(const Frame& frame) {
        for (std::size_t line = 0; line < 2; ++line) __builtin_prefetch(frame.data.data() + 64 * line);
    }

    /// Gives back the batch at hand and waits for the next one.
    void take_batch() {
        std::unique_lock lock(mutex_);
        if (holding_) --waiting_, ++first_;
        holding_ = true;
        if (waiting_ == refill_at) changed_.notify_all();
        changed_.wait(lock, [this] { return waiting_ != 0; });
        taken_ = &ring_[first_ % batches];
        next_in_batch_ = 0;
        if (taken_->failure) std::rethrow_exception(taken_->failure);
    }

    void fill(Reading& reading) {
        try {
            reading.last = !source_->next_batch(reading.batch);
            reading.interface_count = source_->interface_count();
            if (reading.last) reading.errors = source_->errors();
        } catch (...) {  // memory is short
            reading.failure = std::current_exception();
            reading.last = true;
        }
    }

    void fill_batches() {
        for (std::size_t index = 0;; ++index) {
            {
                std::unique_lock lock(mutex_);
                if (waiting_ == batches) changed_.wait(lock, [this] { return waiting_ <= refill_at || abandoned_; });
                if (abandoned_) return;
            }
            Reading& reading = ring_[index % batches];
            fill(reading);
            {
                const std::lock_guard lock(mutex_);
                ++waiting_;
            }
            changed_.notify_all();
            if (reading.last) return;
        }
    }

    std::unique_ptr<Source> source_;  ///< the thread's, once that runs
    std::array<Reading, batches> ring_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t first_ = 0;    ///< serial number of the batch that is taken, or will be next
    std::size_t waiting_ = 0;  ///< batches filled and not given back
    bool holding_ = false;
    bool abandoned_ = false;
    Reading before_first_;
    const Reading* taken_ = &before_first_;
    std::size_t next_in_batch_ = 0;
    std::thread thread_;
};

}  // namespace

std::unique_ptr<Source> read_ahead(std::unique_ptr<Source> source) {
    if (std::thread::hardware_concurrency() == 1) return source;
    return std::make_unique<ReadAheadSource>(std::move(source));
}

}  // namespace fabricscope::capture
