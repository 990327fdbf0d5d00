// SPDX-License-Identifier: GPL-2.0-or-later
// An Exchange that carries an RDMA message, and a frame of it that has come in.
#pragma once

#include <algorithm>
#include <vector>

#include "analyzer/engine/fc_ae_rdma/tracker.h"

namespace fabricscope::engine::fc_ae_rdma {

using fibre_channel::FrameSeen;

constexpr std::uint8_t r_ctl_of(wire::Iu iu) { return static_cast<std::uint8_t>(iu); }

/// How a frame of data continues what was seen of them.
enum class Continuity : std::uint8_t {
    known,    ///< nothing is missing before it
    assumed,  ///< the first data: nothing says whether some came before
    broken,   ///< something is missing
};

/// What is kept of an Exchange.
struct Exchange {
    std::uint64_t message = 0;                      ///< id
    bool closed = false;                            ///< its last Sequence has ended
    bool ox_id_may_be_anothers = false;             ///< its Initiator uses OX_IDs again: frames may lack their FCP_CMND
    bool left = false;                              ///< another message uses the OX_ID, whose FCP_CMND was not seen
    fc::FrameHeader command;                        ///< of the FCP_CMND
    std::vector<std::uint8_t> command_octets;       ///< its payload, as far as it was captured
    std::optional<std::uint16_t> responders_rx_id;  ///< what the Target has called the Exchange
    RangeSet data;                                  ///< Relative Offsets of data
    std::uint64_t end_of_data = 0;                  ///< behind the last frame of data
    std::optional<std::uint16_t> last_seq_cnt;
    std::uint8_t last_seq_id = 0;
    bool last_from_initiator = false;
    bool anothers = false;                    ///< data against the direction of the message: a later one's, perhaps
    bool gaps = false;                        ///< frames of data were not seen, or may not have been
    bool whole = false;                       ///< the FCP_RSP shows that no data are missing
    std::uint16_t first_seq_cnt = 0;          ///< of data
    bool last_ended = false;                  ///< the last frame of data ended its Sequence
    std::optional<FrameStamp> begins_behind;  ///< the first frame of data, if it did not have Relative Offset 0
    /// Why parts of the FCP_CMND, or of the FCP_RSP, are not known where they are not.
    UndecidedReason lack_of_command = UndecidedReason::cut, lack_of_response = UndecidedReason::cut;
    std::optional<std::uint8_t> response_seq_id;  ///< of the FCP_RSP
    std::uint16_t response_seq_cnt = 0;           ///< of the FCP_RSP
    bool abort_accepted = false;                  ///< ABTS has ended the Exchange, for both ports
    bool answered_early = false;                  ///< the Initiator's next data have shown it
    /// What the end of the Initiator's latest Sequence says; nothing: it was not seen.
    std::optional<bool> passes_initiative;
    Time last_time = 0;
    std::optional<std::pair<bool, std::uint8_t>> last_sequence;  ///< from the Initiator, and SEQ_ID

    /// As new, but for memory.
    void clear() {
        Exchange fresh;
        data.clear();
        fresh.data = std::move(data);
        command_octets.clear();
        fresh.command_octets = std::move(command_octets);
        *this = std::move(fresh);
    }
};

struct Arrival {
    const FrameSeen& seen;
    Exchange& exchange;
    Message& message;

    const fc::FrameHeader& header() const { return seen.frame.header; }
    bool from_initiator() const { return !header().f_ctl.exchange_responder; }
    bool ends_sequence() const { return header().f_ctl.end_sequence; }
    std::uint32_t length() const { return seen.frame.payload_length; }
    /// An FCP_RSP that counts on from the data before it: none are missing between the two.
    bool follows_data() const {
        if (!exchange.last_seq_cnt || !exchange.last_ended) return false;
        if (!message.reads()) return message.writes() && exchange.passes_initiative == true;
        return counts_on_from_data() || header().seq_id == static_cast<std::uint8_t>(exchange.last_seq_id + 1);
    }
    /// Its SEQ_CNT is the one behind the last data: the port counts over the whole Exchange.
    bool counts_on_from_data() const {
        return exchange.last_seq_cnt && from_initiator() == exchange.last_from_initiator &&
               header().seq_cnt == static_cast<std::uint16_t>(*exchange.last_seq_cnt + 1);
    }
    /// Data that were missing between those that were seen, and come late.
    bool fills_gap() const {
        const auto& ranges = exchange.data.ranges();
        const std::uint64_t begin = header().parameter, end = begin + length();
        return exchange.gaps && begin != end && end <= (ranges.empty() ? 0 : ranges.back().end) &&
               std::ranges::none_of(
                   ranges, [&](const RangeSet::Range& range) { return range.begin < end && begin < range.end; });
    }
    /// A copy of the FCP_RSP, or a retransmission.
    bool is_response_again() const {
        return !from_initiator() && exchange.response_seq_id == header().seq_id &&
               exchange.response_seq_cnt == header().seq_cnt;
    }
    /// The Sequence is its sender's next one, as far as it shows in the Exchange: the FCP_CMND of another one would
    /// have taken a number.
    bool is_next_of_initiator() const {
        const std::uint8_t last = exchange.last_seq_cnt && exchange.last_from_initiator ? exchange.last_seq_id
                                                                                        : exchange.command.seq_id;
        return from_initiator() && header().seq_id == static_cast<std::uint8_t>(last + 1);
    }
    /// Data of the Initiator before which it has sent a Sequence that was not seen: an FCP_CMND, perhaps, which they
    /// belong to.
    bool lacks_sequence_before() const {
        const bool goes_on = exchange.last_seq_cnt && exchange.last_from_initiator &&
                             header().seq_id == exchange.last_seq_id;
        return from_initiator() && !goes_on && !is_next_of_initiator();
    }
    /// The Target has sent it before the FCP_RSP, by the numbers of its Sequences.
    bool was_sent_before_response() const {
        const auto& end = exchange.response_seq_id;
        return end && !from_initiator() && static_cast<std::int8_t>(header().seq_id - *end) < 0;
    }
    /// Whether it is of the message whose FCP_RSP has ended the Exchange, and not of one that has its OX_ID: it counts
    /// on.
    bool goes_on_behind_end() const {
        const auto& told = exchange.responders_rx_id;
        const bool renamed = !from_initiator() && told && header().rx_id != *told;
        const bool may_count_on = !from_initiator() && (message.reads() || header().r_ctl != r_ctl_of(wire::Iu::data));
        const bool counts_on_from_response = may_count_on && header().seq_cnt == exchange.response_seq_cnt + 1;
        const bool counts_on = header().seq_cnt != 0 && (counts_on_from_response || counts_on_from_data());
        const bool next_octet = header().is_data() && exchange.end_of_data != 0 &&
                                header().parameter == exchange.end_of_data;
        if (renamed || lacks_sequence_before()) return false;
        if (exchange.ox_id_may_be_anothers && header().r_ctl != r_ctl_of(wire::Iu::data)) return false;
        return counts_on || next_octet || is_next_of_initiator() || (message.reads() && was_sent_before_response());
    }
    FrameStamp step() const { return seen.step(); }
};

/// An IU of one frame, as far as its octets reach: those that were captured, and on the wire.
template <layout::WireFormat T> struct Readable {
    T part{};
    std::size_t octets = 0;  ///< captured
    bool cut = false;        ///< by the snap length

    explicit Readable(const fc::Frame& frame)
        : octets(frame.payload.size()), cut(frame.payload.size() < frame.payload_length) {
        layout::parse_into(part, frame.payload);
    }
    bool reaches(std::size_t end) const { return octets >= end; }
    /// Why the rest is not known.
    UndecidedReason lack() const { return cut ? UndecidedReason::cut : UndecidedReason::too_short; }
};

}  // namespace fabricscope::engine::fc_ae_rdma
