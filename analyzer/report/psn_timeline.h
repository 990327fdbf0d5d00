// SPDX-License-Identifier: GPL-2.0-or-later
// How the packet sequence numbers of one stream moved: curves and numbers for people, rows for programs.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analyzer/engine/queue_pair_key.h"
#include "analyzer/engine/rdma/observer.h"
#include "analyzer/report/chart.h"
#include "analyzer/report/drawing.h"

namespace fabricscope::report {

/// A packet of a stream.
struct PsnSample {
    enum class Kind : std::uint8_t { request, response, acknowledgment, nak, rnr_nak, cnp };

    Time time = 0;
    std::uint64_t frame = 0;
    std::uint32_t psn = 0;    ///< as it stands in the packet
    std::uint32_t bytes = 0;  ///< of payload
    std::optional<std::uint64_t>
        relative;  ///< PSN counted from the requester's first one, past 2^24; nullopt: not known
    std::optional<std::uint64_t> packets_in_flight, bytes_in_flight;  ///< of the requester, behind this packet
    Kind kind{};
    std::optional<engine::rdma::Cause> again;  ///< why it was retransmitted
    bool began_again = false;                  ///< the first one of those that were retransmitted
    bool ce = false;                           ///< marked by a switch
};
/// "request", "response", "acknowledgment", "nak", "rnr_nak", "cnp"
const char* name_of(PsnSample::Kind kind);

struct PsnTimeline {
    const engine::rdma::Stream& stream;
    Time start = 0;  ///< of the capture; times count from here
    /// Of each requester: what it asked, and how it was answered, in the capture's order.
    std::array<std::vector<PsnSample>, 2> of{};
    std::uint64_t dropped = 0;  ///< packets that there was no room for
};

/// Keeps the packets of the streams that a timeline is wanted of.
class PsnCollector final : public engine::rdma::Observer {
public:
    /// `streams`: their numbers; none: of all streams.
    explicit PsnCollector(std::set<std::uint32_t> streams) : streams_(std::move(streams)) {}

    void on_packet(const engine::rdma::FrameFacts& facts, const capture::Packet& packet) override;
    void on_merged(std::uint32_t stream, std::uint32_t into) override;

    /// When the engine has finished.
    PsnTimeline timeline_of(const engine::rdma::Stream& stream, Time start) const;

private:
    struct Kept {
        PsnSample sample;
        std::uint32_t relative = 0;  ///< modulo 2^24
        bool has_relative = false;
        std::uint8_t to = 0;  ///< place in `receivers`
    };
    /// Sides are settled at the end only; who receives a packet does not change.
    struct Packets {
        std::vector<engine::QueuePairKey> receivers;
        std::vector<Kept> kept;
        std::uint64_t dropped = 0;
    };
    std::size_t room_for(const engine::rdma::FrameFacts& facts) const;

    std::set<std::uint32_t> streams_;
    std::map<std::uint32_t, Packets> packets_;
};

/// A requester's packets as curves.
struct PsnCurves {
    struct Mark {
        Time time = 0;
        std::uint64_t psn = 0;
        PsnSample::Kind kind{};
        std::optional<engine::rdma::Cause> again;
    };
    // Each is the first PSN that is not among them.
    std::vector<StepValue> sent;          ///< behind each request: falls where packets are retransmitted
    std::vector<StepValue> highest;       ///< behind all requests until then
    std::vector<StepValue> responses;     ///< behind each READ or atomic response
    std::vector<StepValue> acknowledged;  ///< behind what has been acknowledged
    std::vector<StepValue> in_flight;
    bool in_flight_is_bytes = false;
    std::vector<Mark> marks;  ///< what was refused or retransmitted
    std::uint64_t most_psn = 0, most_in_flight = 0;
};
PsnCurves curves_of(std::span<const PsnSample> samples);

/// Times at which something happened, for marks below a chart.
struct PsnMoments {
    const char* name;  ///< at most 12 characters
    char letter;
    Ink ink;
    Colour colour;
    std::vector<Time> times{};
};
/// Kinds that did not happen are left out.
std::vector<PsnMoments> moments_of(const PsnTimeline& timeline, engine::rdma::Side requester);

/// "rdma-3  192.0.2.10 QP 17 → 192.0.2.20 QP 18"
std::string ends_text(const engine::rdma::Stream& stream);
/// Service, session, end: what a timeline says of the stream itself.
std::string about_text(const engine::rdma::Stream& stream);

void write_timeline(std::ostream& out, const PsnTimeline& timeline, const Style& style);
/// Columns: time, frame, requester, kind, psn, psn_relative, bytes, packets_in_flight, bytes_in_flight, cause, ce.
void write_timeline_csv(std::ostream& out, const PsnTimeline& timeline);

/// The streams one below the other, over one time axis: for each requester PSNs, what was in flight, the rate, and
/// below them what went wrong. `source` names the capture.
Drawing plot_of(std::span<const PsnTimeline> timelines, const std::string& source);

}  // namespace fabricscope::report
