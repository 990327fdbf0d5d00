// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "capture/source.h"

namespace fabricscope::capture {
namespace {

constexpr std::size_t batches = 4;
constexpr std::size_t frames_in_a_batch = 1024;
constexpr std::size_t octets_in_a_batch = 64 * 1024;  // all batches together stay in a processor's cache

/// What the source said after a number of frames.
struct Batch {
    std::vector<Frame> frames;
    std::vector<std::size_t> offsets;  ///< of each frame's data in `octets`
    std::vector<std::uint8_t> octets;
    std::vector<Error> errors;
    std::uint32_t interface_count = 0;
    bool last = false;

    bool full() const { return frames.size() >= frames_in_a_batch || octets.size() >= octets_in_a_batch; }
    void clear() {
        frames.clear();
        offsets.clear();
        octets.clear();
    }
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
        while (next_in_batch_ == taken_->frames.size()) {
            if (taken_->last) return false;
            take_batch();
        }
        frame = taken_->frames[next_in_batch_++];
        return true;
    }

    std::vector<Error> errors() const override { return taken_->errors; }
    std::uint32_t interface_count() const override { return taken_->interface_count; }

private:
    /// Gives back the batch at hand and waits for the next one.
    void take_batch() {
        std::unique_lock lock(mutex_);
        if (holding_) --waiting_, ++first_;
        holding_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return waiting_ != 0; });
        taken_ = &ring_[first_ % batches];
        next_in_batch_ = 0;
    }

    void fill_batches() {
        for (std::size_t index = 0;; ++index) {
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [this] { return waiting_ < batches || abandoned_; });
                if (abandoned_) return;
            }
            Batch& batch = ring_[index % batches];
            fill(batch);
            {
                const std::lock_guard lock(mutex_);
                ++waiting_;
            }
            changed_.notify_all();
            if (batch.last) return;
        }
    }

    void fill(Batch& batch) {
        batch.clear();
        Frame frame;
        while (!batch.full() && !batch.last) {
            batch.last = !source_->next(frame);
            if (batch.last) break;
            batch.frames.push_back(frame);
            batch.offsets.push_back(batch.octets.size());
            batch.octets.insert(batch.octets.end(), frame.data.begin(), frame.data.end());
        }
        for (std::size_t i = 0; i < batch.frames.size(); ++i)
            batch.frames[i].data = ByteView(batch.octets).subspan(batch.offsets[i], batch.frames[i].data.size());
        batch.interface_count = source_->interface_count();
        if (batch.last) batch.errors = source_->errors();
    }

    std::unique_ptr<Source> source_;  ///< the thread's, once that runs
    std::array<Batch, batches> ring_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t first_ = 0;    ///< serial number of the batch that is taken, or will be next
    std::size_t waiting_ = 0;  ///< batches filled and not given back
    bool holding_ = false;
    bool abandoned_ = false;
    Batch before_first_;
    const Batch* taken_ = &before_first_;
    std::size_t next_in_batch_ = 0;
    std::thread thread_;
};

}  // namespace

std::unique_ptr<Source> read_ahead(std::unique_ptr<Source> source) {
    if (std::thread::hardware_concurrency() == 1) return source;
    return std::make_unique<ReadAheadSource>(std::move(source));
}

}  // namespace fabricscope::capture
