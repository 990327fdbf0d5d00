// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "analyzer/engine/smcr/observer.h"
#include "analyzer/report/smcr_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

/// Writes one direction's octets as they become known. Of a connection seen midway they wait for the end of the
/// captures: it may belong to another one, and who is the client may be told by what comes later.
class SmcrStream final : public Stream, public Observer {
public:
    SmcrStream(const StreamChoice& choice, OctetSink& sink)
        : choice_(choice), wanted_{choice.id, choice.from}, sink_(sink) {}

    void listen(engine::Observers& observers) override { observers.smcr = this; }

    bool learn(const engine::Engine& engine) override {
        const Connection& connection = engine.smcr().connections[choice_.id - 1];
        const FirstName name = std::exchange(wanted_, connection.from[choice_.from].first_name);
        learned_ = true;
        return choice_.read_once ? name != wanted_ : connection.midstream;
    }

    bool wants_stream(const Connection& connection, Side from) override {
        if (FirstName{connection.id, from} != wanted_) return false;
        return !connection.midstream || learned_ || choice_.read_once;
    }

    void on_stream(const StreamPiece& piece) override {
        const std::uint64_t drop = choice_.skip_urgent && piece.urgent_last ? 1 : 0;
        if (piece.missing != 0) write_hole(piece, drop);
        else sink_.write(piece.octets.first(piece.octets.size() - drop));
    }

private:
    /// Zeros keep the offsets of what follows right. But cursors can claim anything: zeros for whatever they claim
    /// would make a file without end.
    void write_hole(const StreamPiece& piece, std::uint64_t drop) {
        if (!piece.implausible) sink_.write_zeros(piece.missing - drop);
        sink_.tell_hole(
            piece.position, piece.missing,
            piece.implausible ? "that is more than was seen, so they are left out, and what follows stands too early"
                              : "zeros stand in for them");
    }

    StreamChoice choice_;
    FirstName wanted_;
    bool learned_ = false;
    OctetSink& sink_;
};

}  // namespace

std::unique_ptr<Stream> smcr_stream(const StreamChoice& choice, OctetSink& sink) {
    return std::make_unique<SmcrStream>(choice, sink);
}

}  // namespace fabricscope::report
