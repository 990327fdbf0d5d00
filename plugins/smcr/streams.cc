// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/smcr/streams.h"

#include <algorithm>
#include <utility>

#include "plugins/shell/session.h"

namespace fabricscope::plugin::smcr {
namespace {

using engine::smcr::Connection;
using engine::smcr::FirstName;
using engine::smcr::Side;

/// Zeros stand in for what was not captured, as `fabricscope stream` has it; but cursors of a hostile
/// capture shall not make us fill the memory.
constexpr std::uint64_t most_zeros = 16 * 1024 * 1024;

/// Whose the octets are by what is known now.
FirstName whose(const FirstName& octets) {
    const Connection& of = whole_of(engine().smcr(), octets.connection);
    return {of.id, of.from[Side::server].first_name == octets ? Side::server : Side::client};
}

}  // namespace

StreamReader::StreamReader(engine::Options options, const CaptureFile* file)
    : engine_(std::move(options), {.smcr = this}) {
    const std::unique_ptr<capture::Source> frames = file != nullptr ? file->in_time_order() : nullptr;
    for (capture::Frame frame; frames && frames->next(frame);) {
        engine_.on_frame(frame);
        ahead_ = std::max(ahead_, frame.number);
    }
}

void StreamReader::on_packet(const capture::Packet& packet) {
    latest_ = packet.number;
    if (packet.number > ahead_) engine_.on_packet(packet);
}

void StreamReader::on_stream(const engine::smcr::StreamPiece& piece) {
    const auto [connection, from] = whose(piece.of);
    Piece& made = pieces_[connection].emplace_back();
    made.from = from;
    made.octets.assign(piece.octets.begin(), piece.octets.end());
    if (piece.missing != 0 && !piece.implausible) made.octets.resize(std::min(piece.missing, most_zeros));
}

StreamReader::Pieces StreamReader::take(std::uint32_t connection) {
    const auto found = pieces_.find(connection);
    if (found == pieces_.end()) return {};
    return std::move(pieces_.extract(found).mapped());
}

StreamReader::Pieces StreamReader::take_last(std::uint32_t connection) {
    if (connection <= engine_.smcr().connections.size()) engine_.end_stream(connection);
    return take(connection);
}

}  // namespace fabricscope::plugin::smcr
