// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/fc_streams.h"

#include <algorithm>

namespace fabricscope::cli {
namespace {

constexpr std::uint64_t widest_hole = 1 << 24;               // what a Base Address reaches; offsets can claim anything
constexpr std::size_t most_waiting = std::size_t{64} << 20;  // octets of Messages that are held back
constexpr std::size_t most_memory = std::size_t{1} << 30;    // octets of a region

/// From position 0 on, zeros where nothing is known. `tell(begin, octets)` is called for each hole that is told.
template <class Tell> void write_image(OctetFile& file, const OctetImage& image, const Tell& tell) {
    std::uint64_t position = 0;
    for (const engine::RangeSet::Range& range : image.known().ranges()) {
        const std::uint64_t hole = range.begin - position;
        if (hole != 0) tell(position, hole, hole > widest_hole);
        if (hole <= widest_hole) file.write_zeros(hole);
        image.visit(range.begin, range.end, [&](ByteView octets) { file.write(octets); });
        position = range.end;
    }
}

const char* consequence_of(bool wide) {
    return wide ? "that is more than anything reaches, so they are left out, and what follows stands too early"
                : "zeros stand in for them";
}

}  // namespace

// ---- FC-VI ---------------------------------------------------------------------------------------

void FcviStream::on_data(const engine::fcvi::DataPiece& piece) {
    if (piece.message.connection != connection_ || piece.from != from_) return;
    while (!waiting_.empty() && (has_ended() || held_ > most_waiting)) write_first();
    Waiting& waiting = waiting_[piece.message.id];
    waiting.message = &piece.message;
    const std::size_t before = waiting.image.size();
    waiting.image.put(piece.offset, piece.octets);
    held_ += waiting.image.size() - before;
}

/// The first Message has all its data, or gets no more.
bool FcviStream::has_ended() const {
    const auto state = waiting_.begin()->second.message->state;
    using enum engine::fcvi::MessageState;
    return state == complete || state == failed || state == aborted;
}

void FcviStream::write_first() {
    const auto first = waiting_.begin();
    const Waiting& waiting = first->second;
    write_image(file_, waiting.image, [&](std::uint64_t begin, std::uint64_t octets, bool wide) {
        file_.tell_hole(written_ + begin, octets, consequence_of(wide));
    });
    const std::uint64_t end = waiting.image.known().ranges().back().end;
    written_ += end;
    const engine::fcvi::Message& message = *waiting.message;
    if (message.state == engine::fcvi::MessageState::incomplete && message.total_length.value_or(0) > end)
        file_.tell_hole(written_, *message.total_length - end, "they are left out");
    held_ -= waiting.image.size();
    waiting_.erase(first);
}

void FcviStream::finish() {
    while (!waiting_.empty()) write_first();
}

// ---- FC-AE-RDMA ----------------------------------------------------------------------------------

void MemoryStream::on_data(const engine::fc_ae_rdma::DataPiece& piece) {
    if (!choose_(piece.message)) return;
    if (full_ || image_.size() + piece.octets.size() > most_memory) {
        if (!full_) complain("the memory region is larger than 1 GiB; what came later is left out");
        full_ = true;
        return;
    }
    image_.put(piece.address - (origin_ == Origin::message ? piece.message.base_address : 0), piece.octets);
}

void MemoryStream::finish() {
    write_image(file_, image_, [&](std::uint64_t begin, std::uint64_t octets, bool wide) {
        // Of a region's memory, what no message touched is not missing.
        if (wide || origin_ == Origin::message) file_.tell_hole(begin, octets, consequence_of(wide));
    });
}

}  // namespace fabricscope::cli
