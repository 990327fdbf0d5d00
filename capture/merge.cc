// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>
#include <utility>

#include "capture/source.h"

namespace fabricscope::capture {
namespace {

class MergedSource final : public Source {
public:
    explicit MergedSource(std::vector<std::unique_ptr<Source>> sources) {
        for (auto& source : sources) {
            const std::uint32_t count = source->interface_count();
            inputs_.push_back({std::move(source), {}, {}});
            for (std::uint32_t local = 0; local < count; ++local)
                inputs_.back().interfaces.push_back(interface_count_++);
        }
    }

    bool next(Frame& frame) override {
        advance();
        if (queue_.empty()) return false;
        delivered_ = queue_.top().second;
        queue_.pop();

        Input& input = inputs_[*delivered_];
        frame = input.frame;
        frame.origin = {static_cast<std::uint32_t>(*delivered_), input.frame.number};
        frame.number = ++count_;
        frame.interface = timeline_interface(input, input.frame.interface);
        return true;
    }

    std::vector<Error> errors() const override {
        std::vector<Error> all;
        for (const Input& input : inputs_) std::ranges::move(input.source->errors(), std::back_inserter(all));
        return all;
    }

    std::uint32_t interface_count() const override { return interface_count_; }

private:
    /// Time of an input's next frame and the input: at equal times the first input is served first.
    using Next = std::pair<Time, std::size_t>;

    struct Input {
        std::unique_ptr<Source> source;
        Frame frame;                            ///< its next one
        std::vector<std::uint32_t> interfaces;  ///< of the timeline, by the source's own
    };

    /// A delivered frame must live until the next one is asked for; only then may its source move on.
    void advance() {
        if (!started_) {
            for (std::size_t i = 0; i < inputs_.size(); ++i) fetch(i);
            started_ = true;
        } else if (delivered_) {
            fetch(*std::exchange(delivered_, std::nullopt));
        }
    }

    void fetch(std::size_t index) {
        if (!inputs_[index].source->next(inputs_[index].frame)) return;
        queue_.emplace(inputs_[index].frame.time, index);
    }

    std::uint32_t timeline_interface(Input& input, std::uint32_t local) {
        while (input.interfaces.size() <= local) input.interfaces.push_back(interface_count_++);
        return input.interfaces[local];
    }

    std::vector<Input> inputs_;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> queue_;
    std::optional<std::size_t> delivered_;
    bool started_ = false;
    std::uint64_t count_ = 0;
    std::uint32_t interface_count_ = 0;
};

}  // namespace

std::unique_ptr<Source> merge(std::vector<std::unique_ptr<Source>> sources) {
    if (sources.size() == 1) return std::move(sources.front());
    return std::make_unique<MergedSource>(std::move(sources));
}

}  // namespace fabricscope::capture
