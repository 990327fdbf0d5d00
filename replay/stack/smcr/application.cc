// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/smcr/application.h"

#include <algorithm>
#include <utility>

namespace fabricscope::stack::smcr {

void Application::work(Time now, ByteStream& stream) {
    if (!std::exchange(started_, true)) {
        next_message_ = now;
        next_read_ = now + plan_.read_from;
    }
    wakeup_ = never;
    if (ended_) return;
    read(now, stream);
    write(now, stream);
    finish(now, stream);
}

void Application::read(Time now, ByteStream& stream) {
    while (stream.readable() != 0) {
        if (now < next_read_) return wake(next_read_);
        if (plan_.echo && outgoing_.size() > 65'536) return;  // first what has been read has to go out
        const Octets octets = stream.read(plan_.read_size == 0 ? stream.readable() : plan_.read_size);
        if (octets.empty()) return;
        received_.add(octets);
        if (plan_.echo) outgoing_.insert(outgoing_.end(), octets.begin(), octets.end());
        next_read_ = now + plan_.read_interval;
    }
}

void Application::write(Time now, ByteStream& stream) {
    while (true) {
        const std::size_t taken = stream.write(outgoing_);
        sent_.add(ByteView(outgoing_).first(taken));
        outgoing_.erase(outgoing_.begin(), outgoing_.begin() + static_cast<std::ptrdiff_t>(taken));
        if (!outgoing_.empty()) return;
        if (urgent_pending_) {
            if (!stream.write_urgent(urgent_octet_)) return;
            sent_.add(ByteView(&urgent_octet_, 1));
            urgent_pending_ = false;
        }
        if (!next_message(now)) return;
    }
}

/// Puts the next message into `outgoing_`, if its time has come.
bool Application::next_message(Time now) {
    if (begun_ == plan_.messages) return false;
    if (plan_.ping_pong && received_.octets < produced_) return false;
    if (now < next_message_) {
        wake(next_message_);
        return false;
    }
    ++begun_;
    const bool urgent = plan_.urgent_every != 0 && begun_ % plan_.urgent_every == 0;
    for (std::uint64_t i = 0; i < plan_.octets; ++i, ++produced_) {
        const auto octet = static_cast<std::uint8_t>(produced_ * 131 + (produced_ >> 8) + seed_ * 29);
        if (urgent && i + 1 == plan_.octets) urgent_pending_ = true, urgent_octet_ = octet;
        else outgoing_.push_back(octet);
    }
    next_message_ = now + plan_.pause;
    return true;
}

void Application::finish(Time now, ByteStream& stream) {
    const bool all_written = outgoing_.empty() && !urgent_pending_ && begun_ == plan_.messages;
    const bool all_back = !plan_.ping_pong || plan_.echo || received_.octets >= produced_;
    if (stream.at_end() && all_written) {  // the peer has no more to say, either
        ended_ = true;
        return stream.close();
    }
    if (plan_.end == AppEnd::wait || !all_written || !all_back) return;
    if (end_at_ == never) end_at_ = now + plan_.hold;
    if (now < end_at_) return wake(end_at_);
    switch (plan_.end) {
        case AppEnd::close:
            ended_ = true;
            stream.close();
            break;
        case AppEnd::abort:
            ended_ = true;
            stream.abort();
            break;
        case AppEnd::shutdown:
            if (!std::exchange(shut_, true)) stream.shutdown_write();
            break;
        case AppEnd::wait: break;
    }
}

}  // namespace fabricscope::stack::smcr
