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
    struct Waiting {
        const Message* message = nullptr;  ///< stays where it is while the tracker lives
        OctetImage image;
    };

    bool has_ended() const;
    void write_first();

    StreamChoice choice_;
    OctetSink& sink_;
    std::map<std::uint64_t, Waiting> waiting_;  ///< by id
    std::size_t held_ = 0;                      ///< octets of memory
    std::uint64_t written_ = 0;                 ///< octets of data
};

void FcviStream::on_data(const DataPiece& piece) {
    if (piece.message.connection != choice_.id || piece.from != choice_.from) return;
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
    using enum MessageState;
    return state == complete || state == failed || state == aborted;
}

void FcviStream::write_first() {
    const auto first = waiting_.begin();
    const Waiting& waiting = first->second;
    write_image(sink_, waiting.image, [&](std::uint64_t begin, std::uint64_t octets, bool wide) {
        sink_.tell_hole(written_ + begin, octets, consequence_of_hole(wide));
    });
    const std::uint64_t end = waiting.image.known().ranges().back().end;
    written_ += end;
    const Message& message = *waiting.message;
    if (message.state == MessageState::incomplete && message.total_length.value_or(0) > end)
        sink_.tell_hole(written_, *message.total_length - end, "they are left out");
    held_ -= waiting.image.size();
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
