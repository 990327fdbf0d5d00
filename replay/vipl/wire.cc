// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/vipl/wire.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>

#include "capture/file_descriptor.h"
#include "capture/interface.h"
#include "capture/pcapng_writer.h"

namespace fabricscope::vipl {
namespace {

std::chrono::nanoseconds in_chrono(Time time) { return std::chrono::nanoseconds(std::min(time, capture::second)); }

class InterfaceWire final : public Wire {
public:
    explicit InterfaceWire(const std::string& name)
        : interface_(name, {.filter = "ether proto 0x8906 or vlan", .own_frames = false, .immediate = true}),
          wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (interface_.link() != capture::LinkType::ethernet)
            throw capture::InterfaceError(name + " is no Ethernet interface");
        if (!wakeup_.is_open()) throw capture::InterfaceError("no descriptor is left for " + name);
    }

    void send(ByteView frame) override { interface_.send(frame); }

    ByteView receive(Time wait) override {
        if (const ByteView frame = next(); !frame.empty()) return frame;
        pollfd both[] = {{interface_.descriptor(), POLLIN, 0}, {wakeup_.get(), POLLIN, 0}};
        const auto duration = in_chrono(wait).count();
        const timespec time{duration / capture::second, duration % capture::second};
        if (::ppoll(both, std::size(both), &time, nullptr) <= 0) return {};
        if (both[1].revents != 0) {
            std::uint64_t count = 0;
            [[maybe_unused]] const auto done = ::read(wakeup_.get(), &count, sizeof count);
            return {};
        }
        return next();
    }

    void wake() override {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto done = ::write(
            wakeup_.get(), &one, sizeof one);  // it is awake already, if that fails
    }

private:
    ByteView next() {
        capture::Frame frame;
        return interface_.next(frame) ? frame.data : ByteView{};
    }

    capture::Interface interface_;
    capture::FileDescriptor wakeup_;
};

class EmulatedWire final : public Wire {
public:
    explicit EmulatedWire(std::unique_ptr<stack::Endpoint> host) : host_(std::move(host)) { collect(); }

    void send(ByteView frame) override {
        const std::scoped_lock lock(mutex_);
        const Time time = now();
        if (host_->wakeup() <= time) host_->on_timer(time);  // what is due is due before the frame
        host_->on_frame(time, 0, frame);
        collect();
        changed_.notify_one();
    }

    ByteView receive(Time wait) override {
        std::unique_lock lock(mutex_);
        const Time until = stack::later(now(), wait);
        while (inbox_.empty() && !awake_) {
            const Time time = now(), next = std::min(until, host_->wakeup());
            if (host_->wakeup() <= time) {
                host_->on_timer(time);
                collect();
            } else if (until <= time) {
                return {};
            } else {
                changed_.wait_for(lock, in_chrono(next - time));
            }
        }
        awake_ = false;
        if (inbox_.empty()) return {};
        latest_ = std::move(inbox_.front());
        inbox_.pop_front();
        return latest_;
    }

    void wake() override {
        const std::scoped_lock lock(mutex_);
        awake_ = true;
        changed_.notify_one();
    }

private:
    void collect() {
        std::vector<stack::OutgoingFrame> frames;
        host_->take_frames(frames);
        for (stack::OutgoingFrame& frame : frames) inbox_.push_back(std::move(frame.octets));
    }

    std::unique_ptr<stack::Endpoint> host_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<stack::Octets> inbox_;
    stack::Octets latest_;
    bool awake_ = false;
};

class RecordedWire final : public Wire {
public:
    RecordedWire(std::unique_ptr<Wire> wire, const std::string& file)
        : wire_(std::move(wire)),
          file_(
              file, {.application = "libfabricscope-vipl",
                     .comments = {},
                     .interfaces = {{.name = "VINIC", .description = {}}}}) {}
    ~RecordedWire() override {
        if (const auto error = file_.finish()) log(*error);
    }

    void send(ByteView frame) override {
        record(frame);
        wire_->send(frame);
    }
    ByteView receive(Time wait) override {
        const ByteView frame = wire_->receive(wait);
        if (!frame.empty()) record(frame);
        return frame;
    }
    void wake() override { wire_->wake(); }

private:
    void record(ByteView frame) {
        using std::chrono::system_clock, std::chrono::nanoseconds;
        const std::scoped_lock lock(mutex_);
        const auto time = std::chrono::duration_cast<nanoseconds>(system_clock::now().time_since_epoch());
        file_.write(capture::whole_frame(0, time.count(), frame), {});
    }

    std::unique_ptr<Wire> wire_;
    std::mutex mutex_;
    capture::PcapngWriter file_;
};

}  // namespace

Time now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::unique_ptr<Wire> open_interface(const std::string& name) { return std::make_unique<InterfaceWire>(name); }

std::unique_ptr<Wire> connect_emulated(std::unique_ptr<stack::Endpoint> host) {
    return std::make_unique<EmulatedWire>(std::move(host));
}

std::unique_ptr<Wire> recorded(std::unique_ptr<Wire> wire, const std::string& file) {
    return std::make_unique<RecordedWire>(std::move(wire), file);
}

void log(const std::string& text) { std::fprintf(stderr, "fabricscope-vipl: %s\n", text.c_str()); }

}  // namespace fabricscope::vipl
