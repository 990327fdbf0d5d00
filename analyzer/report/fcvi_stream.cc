// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>

#include "analyzer/engine/fcvi/observer.h"
#include "analyzer/report/fcvi_report.h"
#include "analyzer/report/octet_image.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;

constexpr std::size_t most_waiting = std::size_t{64} << 20;  // octets of Messages that are held back

/// Frames may come in any order, and several Messages side by side: what has to wait is held, up to a limit.
class FcviStream final : public Stream, public Observer {
public:
    FcviStream(const StreamChoice& choice, OctetSink& sink) : choice_(choice), sink_(sink) {}

    void listen(engine::Observers& observers) override { observers.fcvi = this; }
    void on_data(const DataPiece& piece) override;
    void finish() override;

private:
    bool has_ended() const;
    void write_first();

    StreamChoice choice_;
    OctetSink& sink_;
    const engine::PackedList<Message>* messages_ = nullptr;  ///< of the engine
    std::map<std::uint64_t, OctetImage> waiting_;            ///< by id of the Message
    std::size_t held_ = 0;                                   ///< octets of memory
    std::uint64_t written_ = 0;                              ///< octets of data
};

void FcviStream::on_data(const DataPiece& piece) {
    if (piece.message.connection != choice_.id || piece.from != choice_.from) return;
    while (!waiting_.empty() && (has_ended() || held_ > most_waiting)) write_first();
    messages_ = &piece.messages;
    OctetImage& waiting = waiting_[piece.message.id];
    const std::size_t before = waiting.size();
    waiting.put(piece.offset, piece.octets);
    held_ += waiting.size() - before;
}

/// The first Message has all its data, or gets no more.
bool FcviStream::has_ended() const {
    const auto state = (*messages_)[waiting_.begin()->first - 1].state;
    using enum MessageState;
    return state == complete || state == failed || state == aborted;
}

void FcviStream::write_first() {
    const auto first = waiting_.begin();
    const OctetImage& waiting = first->second;
    write_image(sink_, waiting, [&](std::uint64_t begin, std::uint64_t octets, bool wide) {
        sink_.tell_hole(written_ + begin, octets, consequence_of_hole(wide));
    });
    const std::uint64_t end = waiting.known().ranges().back().end;
    written_ += end;
    const Message message = (*messages_)[first->first - 1];
    if (message.state == MessageState::incomplete && message.total_length.value_or(0) > end)
        sink_.tell_hole(written_, *message.total_length - end, "they are left out");
    held_ -= waiting.size();
    waiting_.erase(first);
}

void FcviStream::finish() {
    while (!waiting_.empty()) write_first();
}

}  // namespace

std::unique_ptr<Stream> fcvi_stream(const StreamChoice& choice, OctetSink& sink) {
    return std::make_unique<FcviStream>(choice, sink);
}

}  // namespace fabricscope::report
