// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/smcr/application.h"

#include <algorithm>
#include <utility>

namespace fabricscope::stack::smcr {
namespace {

/// How long a scripted application that cannot write stays from reading what it did not read then.
constexpr Time relief = 200 * millisecond;

}  // namespace

void Application::work(Time now, ByteStream& stream) {
    if (!std::exchange(started_, true)) {
        next_message_ = now;
        next_read_ = now + plan_.read_from;
    }
    wakeup_ = never;
    if (ended_) return;
    if (plan_.script) return play(now, stream);
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
        const auto octet = plan_.content.empty()
                               ? static_cast<std::uint8_t>(produced_ * 131 + (produced_ >> 8) + seed_ * 29)
                               : plan_.content[produced_ % plan_.content.size()];
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

// ---- a script ------------------------------------------------------------------------------------

void Application::play(Time now, ByteStream& stream) {
    while (!ended_ && !script_done() && play(now, stream, plan_.script->steps[step_])) {
        ++step_;
        resume_at_.reset();
        relief_at_.reset();
    }
    if (!ended_ && script_done()) read_up_to(stream, UINT64_MAX);
}

/// True if it has been done.
bool Application::play(Time now, ByteStream& stream, const AppStep& step) {
    read_up_to(stream, step.until_end ? UINT64_MAX : step.read);
    if (received_.octets < step.read || received_.octets + stream.readable() < step.arrived) return false;
    if ((step.until_end && !stream.at_end()) || (step.after_end && !stream.peer_ended())) return false;
    if (!resume_at_) resume_at_ = now + static_cast<Time>(static_cast<double>(step.pause) * plan_.pace);
    if (now < *resume_at_) {
        wake(*resume_at_);
        return false;
    }
    if (!write_step(now, stream, step)) return false;
    if (!step.end) return true;
    held_ = plan_.may_end && !plan_.may_end();
    if (held_) return false;
    end_step(stream, *step.end);
    return true;
}

bool Application::write_step(Time now, ByteStream& stream, const AppStep& step) {
    const ByteView octets = ByteView(plan_.script->octets).first(step.written);
    const std::uint64_t ordinary = step.written - (step.urgent ? 1 : 0);
    if (sent_.octets < ordinary) {
        const ByteView rest = octets.subspan(sent_.octets, ordinary - sent_.octets);
        sent_.add(rest.first(stream.write(rest)));
    }
    if (sent_.octets == ordinary && step.urgent && stream.write_urgent(octets.back())) sent_.add(octets.last(1));
    if (sent_.octets >= step.written) return true;
    wait_for_room(now, stream);
    return false;
}

/// The peer may be one that reads only after it has been read from.
void Application::wait_for_room(Time now, ByteStream& stream) {
    if (stream.readable() == 0) return;
    if (!relief_at_) relief_at_ = now + relief;
    if (now >= *relief_at_) read_up_to(stream, UINT64_MAX);
    else wake(*relief_at_);
}

void Application::read_up_to(ByteStream& stream, std::uint64_t total) {
    while (received_.octets < total && stream.readable() != 0) {
        const Octets octets = stream.read(std::min(total - received_.octets, stream.readable()));
        if (octets.empty()) return;
        received_.add(octets);
    }
}

void Application::end_step(ByteStream& stream, AppEnd end) {
    switch (end) {
        case AppEnd::close: stream.close(); break;
        case AppEnd::abort: stream.abort(); break;
        case AppEnd::shutdown: return stream.shutdown_write();
        case AppEnd::wait: return;
    }
    ended_ = true;
}

}  // namespace fabricscope::stack::smcr
