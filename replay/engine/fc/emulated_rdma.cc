// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "replay/engine/fc/emulated_parts.h"
#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

namespace {

namespace stack_fc = stack::fibre_channel;
using fc_ae_rdma::Iu;
using fc_ae_rdma::StatusCode;

bool is(const fc::Frame& frame, Iu iu) { return frame.header.r_ctl == static_cast<std::uint8_t>(iu); }

/// An RDMA message as it was captured. Views point into the recording.
struct Recorded {
    fc_ae_rdma::CommandParameter parameter;
    fc_ae_rdma::Command command;
    std::optional<fc_ae_rdma::Response> response;
    ByteView data;

    bool is_good() const { return response->status == static_cast<std::uint8_t>(StatusCode::good); }
    /// What is beyond FCP_DL is thrown away.
    ByteView data_in_reach() const { return data.first(std::min<std::size_t>(data.size(), command.data_length)); }
};

Recorded recorded_message(const Recording& recording, const std::vector<std::size_t>& messages) {
    Recorded recorded;
    for (const std::size_t index : messages) {
        const Message& message = recording.conversation.messages[index];
        const fc::Frame frame = frame_of(message.octets);
        if (is(frame, Iu::data)) recorded.data = frame.payload;
        if (is(frame, Iu::command)) {
            recorded.parameter = fc_ae_rdma::parse_parameter(frame.header.parameter);
            if (layout::parse_into(recorded.command, frame.payload))
                throw NotPlayable(fmt::format("the FCP_CMND in frame {} is too short", message.frame));
        }
        if (is(frame, Iu::response) && layout::parse_into(recorded.response.emplace(), frame.payload))
            throw NotPlayable(fmt::format("the FCP_RSP in frame {} is too short", message.frame));
    }
    return recorded;
}

stack_fc::RdmaRequest request_of(const Recorded& recorded) {
    stack_fc::RdmaRequest request;
    request.read = recorded.command.control.read_data;
    request.notify = recorded.parameter.notifies();
    request.lun = recorded.command.lun.number;
    request.base_address = recorded.parameter.base_address;
    request.length = recorded.command.data_length;
    if (!request.read) request.data.assign(recorded.data.begin(), recorded.data.end());
    return request;
}

// ---- the Target ------------------------------------------------------------------------------------

/// Logical Units as the recording tells them: what they hold, and what may be done with them.
class Picture {
public:
    /// `room`: octets that all Logical Units together may have.
    explicit Picture(std::uint64_t room) : room_(room) {}

    void add(const Recorded& recorded) {
        Unit& unit = units_[recorded.command.lun.number];
        const bool reads = recorded.command.control.read_data;
        const auto status = static_cast<StatusCode>(recorded.response->status);
        unit.is_there |= status != StatusCode::logical_unit_not_available;
        if (!recorded.is_good()) return unit.note(status);
        (reads ? unit.good_read : unit.good_write) = true;
        const std::uint64_t begin = recorded.parameter.base_address, size = unit.at_first.size();
        const std::uint64_t end = begin + recorded.command.data_length;
        const std::uint64_t more = std::max(end, size) - size;
        if (more > room_) throw NotPlayable("the Logical Units are too large to be emulated");
        room_ -= more;
        unit.grow(end);
        unit.touch(begin, recorded.data_in_reach(), reads);
    }

    /// When all has been taken.
    void set_up(stack_fc::AeRdma& target) {
        for (auto& [number, unit] : units_) {
            unit.now = unit.at_first;
            if (!unit.is_there) continue;
            stack_fc::LogicalUnit& there = target.logical_unit(number);
            there.may_read = unit.good_read || !unit.read_protected;
            there.may_write = unit.good_write || !unit.write_protected;
            there.memory = unit.at_first;
        }
    }

    /// What its application does before a command; asked for in order, once it is set up.
    stack_fc::ApplicationResponse response_of(const Recorded& recorded) {
        Unit& unit = units_[recorded.command.lun.number];
        const bool reads = recorded.command.control.read_data;
        const std::uint32_t begin = recorded.parameter.base_address;
        stack_fc::ApplicationResponse response;
        if (!recorded.is_good()) {
            const auto status = static_cast<StatusCode>(recorded.response->status);
            if (!unit.refuses(status, reads, std::uint64_t{begin} + recorded.command.data_length))
                response.refusal = status;
            return response;
        }
        if (reads) {
            response.changes = unit.changes(begin, recorded.data_in_reach());
            response.residual = recorded.response->resid_over    ? std::int64_t{recorded.response->resid}
                                : recorded.response->resid_under ? -std::int64_t{recorded.response->resid}
                                                                 : 0;
        } else {
            unit.write(begin, recorded.data_in_reach());
        }
        return response;
    }

private:
    struct Unit {
        bool is_there = false, good_read = false, good_write = false, read_protected = false, write_protected = false;
        Octets at_first, now;
        std::vector<bool> known;  ///< of `at_first`

        void note(StatusCode status) {
            read_protected |= status == StatusCode::read_protect_error;
            write_protected |= status == StatusCode::write_protect_error;
        }
        void grow(std::uint64_t size) {
            if (size <= at_first.size()) return;
            at_first.resize(size);
            known.resize(size);
        }
        /// Written octets were something else before, nobody knows what.
        void touch(std::uint64_t begin, ByteView octets, bool reads) {
            for (std::size_t i = 0; i < octets.size(); ++i) {
                if (known[begin + i]) continue;
                known[begin + i] = true;
                if (reads) at_first[begin + i] = octets[i];
            }
        }
        /// Whether a Target with these Logical Units says so of itself.
        bool refuses(StatusCode status, bool reads, std::uint64_t end) const {
            if (!is_there) return status == StatusCode::logical_unit_not_available;
            if (!reads && write_protected && !good_write) return status == StatusCode::write_protect_error;
            if (reads && read_protected && !good_read) return status == StatusCode::read_protect_error;
            return end > at_first.size() && status == StatusCode::buffer_overrun;
        }
        void write(std::uint64_t begin, ByteView octets) {
            std::ranges::copy(octets, now.begin() + static_cast<std::ptrdiff_t>(begin));
        }
        /// Octets that are read, and are not what the Initiators have left there.
        std::map<std::uint32_t, Octets> changes(std::uint32_t begin, ByteView octets) {
            std::map<std::uint32_t, Octets> changed;
            for (std::size_t i = 0; i < octets.size(); ++i) {
                const auto address = static_cast<std::uint32_t>(begin + i);
                if (std::exchange(now[address], octets[i]) == octets[i]) continue;
                const auto last = changed.rbegin();
                const bool goes_on = last != changed.rend() && last->first + last->second.size() == address;
                if (goes_on) last->second.push_back(octets[i]);
                else changed[address] = {octets[i]};
            }
            return changed;
        }
    };

    std::map<std::uint8_t, Unit> units_;
    std::uint64_t room_;
};

}  // namespace

void add_rdma(Plan& plan) {
    const std::uint32_t target = plan.recording.ports[other(plan.side)];
    EmulatedPort* port = &plan.port;
    const std::size_t track = plan.track++;
    Picture picture(believable_octets(plan.recording.conversation));
    std::vector<Recorded> served;
    const auto by_exchange = plan.recording.messages_by_exchange();
    for (std::size_t exchange = 0; exchange < plan.recording.exchanges.size(); ++exchange) {
        if (plan.recording.exchanges[exchange].type != fc_ae_rdma::fc_type) continue;
        const std::vector<std::size_t>& messages = by_exchange[exchange];
        if (messages.empty()) continue;
        const Recorded recorded = recorded_message(plan.recording, messages);
        if (plan.recording.exchanges[exchange].originator == plan.side) {
            plan.steps.push_back(
                {messages.front(), plan.heard.before(messages.front()), track,
                 [port, target, request = request_of(recorded)](Time now) {
                     port->rdma().request(now, target, request);
                     return true;
                 }});
        } else if (!plan.heard.is_lost(messages.front())) {
            if (!recorded.response) throw NotPlayable("the Target's response was not captured");
            picture.add(recorded);
            served.push_back(recorded);
        }
    }
    picture.set_up(port->rdma());
    for (const Recorded& recorded : served) port->rdma().prepare_response(picture.response_of(recorded));
}

}  // namespace fabricscope::replay::fibre_channel
