// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/live_source.h"

#include <poll.h>

#include <chrono>
#include <optional>

#include "capture/time_order.h"

namespace fabricscope::capture {
namespace {

/// Longer than the kernel keeps a block of frames to itself.
constexpr int poll_milliseconds = 100;
/// Of one interface: its two directions pass different processors, one of which may be held up.
constexpr ReorderLimits of_one{.window = poll_milliseconds * millisecond, .frames = 4096};

Time now() { return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count(); }

class LiveSource final : public Source {
public:
    LiveSource(std::vector<std::unique_ptr<Interface>> interfaces, std::function<bool()> goes_on)
        : interfaces_(std::move(interfaces)),
          goes_on_(std::move(goes_on)),
          order_(interfaces_.size() == 1 ? of_one : ReorderLimits{}) {
        for (const auto& interface : interfaces_)
            polled_.push_back({.fd = interface->descriptor(), .events = POLLIN, .revents = 0});
    }

    bool next(Frame& frame) override {
        while (!((quiet_ || order_.is_due()) && order_.pop(frame))) {
            if (over_) return false;
            gather();
        }
        frame.number = ++count_;
        return true;
    }

    std::vector<Error> errors() const override { return errors_; }
    std::uint32_t interface_count() const override { return static_cast<std::uint32_t>(interfaces_.size()); }

private:
    /// Takes the next frame there is, or waits for one.
    void gather() {
        if (!end_ && !goes_on_()) end_ = now();
        Frame frame;
        if (take(frame)) {
            quiet_ = false;
            return order_.push(frame);
        }
        over_ |= end_ && now() > *end_ + poll_milliseconds * millisecond;
        quiet_ = over_ || ::poll(polled_.data(), polled_.size(), poll_milliseconds) == 0;
    }

    /// From the interfaces in turn, so that a busy one does not keep the others waiting.
    bool take(Frame& frame) {
        for (std::size_t tried = 0; tried < interfaces_.size() && !over_; ++tried) {
            const std::size_t turn = turn_++ % interfaces_.size();
            if (!take_from(*interfaces_[turn], frame)) continue;
            frame.interface = static_cast<std::uint32_t>(turn);
            return true;
        }
        return false;
    }

    /// What came before the end was asked for may still be in the kernel's buffer; what came later is not wanted.
    bool take_from(Interface& interface, Frame& frame) {
        try {
            return interface.next(frame) && (!end_ || frame.time <= *end_);
        } catch (const InterfaceError& error) {
            errors_.push_back({interface.name(), 0, std::nullopt, error.what()});
            over_ = true;
            return false;
        }
    }

    std::vector<std::unique_ptr<Interface>> interfaces_;
    std::function<bool()> goes_on_;
    TimeOrder order_;
    bool quiet_ = false;  ///< nothing is on its way that could be earlier than what is held
    bool over_ = false;
    std::vector<pollfd> polled_;
    std::size_t turn_ = 0;
    std::uint64_t count_ = 0;
    std::optional<Time> end_;
    std::vector<Error> errors_;
};

}  // namespace

std::unique_ptr<Source> live(std::vector<std::unique_ptr<Interface>> interfaces, std::function<bool()> goes_on) {
    return std::make_unique<LiveSource>(std::move(interfaces), std::move(goes_on));
}

}  // namespace fabricscope::capture
