// SPDX-License-Identifier: GPL-2.0-or-later
// What the Fibre Channel tracker says about single frames while it works. What is built on Fibre Channel (FC-VI,
// FC-AE-RDMA) listens here: it gets each frame with its Exchange, its place in its Sequence, and all logins so far.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "analyzer/engine/fc/model.h"
#include "capture/fc_sequence.h"
#include "protocols/fc/delimiters.h"

namespace fabricscope::engine::fibre_channel {

class GivenIds;
class Logins;

/// A frame, as those look at it who judge what it carries.
struct FrameSeen {
    std::uint64_t number = 0;
    Time time = 0;
    std::uint32_t interface = 0;
    std::uint16_t fabric = 0;          ///< VSAN or VF_ID; 0: not told
    std::optional<int> service_class;  ///< where SOF tells
    const wire::Frame& frame;

    FrameStamp step() const { return {time, number, interface}; }
};
inline Port source_of(const FrameSeen& seen) { return {seen.fabric, seen.frame.header.s_id}; }
inline Port destination_of(const FrameSeen& seen) { return {seen.fabric, seen.frame.header.d_id}; }

/// What one frame means. References are valid during the call only.
struct FrameFacts {
    const capture::Packet& packet;  ///< of Transport::fc
    const Exchange& exchange;       ///< after the frame
    Party from{};
    const capture::FcSequenceEvent& sequence;
    bool opens = false;   ///< the first frame of the Exchange that was seen
    bool closes = false;  ///< with it the Exchange is closed
    /// An ELS or CT answer: the first frame of its request; 0 otherwise.
    std::uint64_t request_frame = 0;
    Time request_time = 0;
    const Logins& logins;
    const GivenIds& given_ids;
    /// The listener's own number for what it keeps of the Exchange, 0 at first: no other listener sees it. It stays
    /// when the OX_ID is used again (`opens`), since who knows the payload tells a repeated frame better from another
    /// Exchange; Observer::on_forgotten() ends it.
    std::uint32_t& kept;

    FrameSeen seen() const {
        const capture::FcPacket& fc = *packet.fc;
        const int service_class = wire::class_of(fc.sof);
        return {
            packet.number,
            packet.time,
            packet.interface,
            fc.fabric.value_or(0),
            service_class == 0 ? std::optional<int>() : service_class,
            fc.frame};
    }
    /// An ELS: the accept of a request.
    bool accepts() const { return from == Party::responder && exchange.accepted == true; }
};

/// All calls happen while a packet is being taken, or in finish().
class Observer {
public:
    virtual ~Observer() = default;
    /// Whether the data of this frame's Sequence is to be put together for FrameFacts::sequence. Asked for each of
    /// its frames, before on_frame(); the answer no ends it.
    virtual bool wants_data(const capture::Packet&) { return false; }
    /// The packet is a copy of an earlier one: nothing more is said of it.
    virtual void on_copy([[maybe_unused]] std::uint64_t frame, [[maybe_unused]] std::uint64_t original) {}
    /// After what the other calls say of the same frame.
    virtual void on_frame(const FrameFacts&) {}
    /// What one party says of itself in a login: in its request, or in the LS_ACC.
    virtual void on_login(const Login&, [[maybe_unused]] Party said_by) {}
    /// The fabric's answer to the login, of which on_login() told, turns out to have been another one's.
    virtual void on_wrong_answer(const Login&) {}
    /// LOGO, or another login that was accepted instead.
    virtual void on_logout(const Login&) {}
    /// RTV has told timeouts between the login's ports.
    virtual void on_timeouts(const Login&) {}
    /// A PRLI was asked for, answered or rejected, or undone by PRLO.
    virtual void on_process_login(const Login&, const ProcessLogin&) {}
    /// The Exchange is over, or was replaced by another one, or the capture has ended.
    virtual void on_exchange_over(const Exchange&) {}
    /// A limit made room: no frame will find what the listener keeps under this number (FrameFacts::kept, not 0).
    virtual void on_forgotten([[maybe_unused]] std::uint32_t kept) {}
    /// No more frames; after the other calls.
    virtual void on_end(const Logins&) {}
};

/// What a listener keeps of Exchanges, each under the number that it leaves in FrameFacts::kept. T::clear(), if
/// there is one, makes it as new, but for memory that the next one will need.
template <class T> class Kept {
public:
    /// nullptr for 0, and otherwise until forget()
    T* find(std::uint32_t number) { return number == 0 ? nullptr : &items_[number - 1]; }
    /// A new one, in place of what `number` stood for.
    T& renew(std::uint32_t& number) {
        if (number != 0) {
            clear(items_[number - 1]);
        } else if (!free_.empty()) {
            number = free_.back();
            free_.pop_back();
        } else {
            items_.emplace_back();
            number = static_cast<std::uint32_t>(items_.size());
        }
        return items_[number - 1];
    }
    template <class Use> void for_each(Use&& use) const {
        for (const T& item : items_) use(item);
    }
    void forget(std::uint32_t& number) {
        if (number == 0) return;
        clear(items_[number - 1]);
        free_.push_back(std::exchange(number, 0));
    }

private:
    static void clear(T& item) {
        if constexpr (requires { item.clear(); }) item.clear();
        else item = {};
    }

    std::deque<T> items_;
    std::vector<std::uint32_t> free_;
};

}  // namespace fabricscope::engine::fibre_channel
