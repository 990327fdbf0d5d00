// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/reader.h"

#include <fmt/format.h>

#include <charconv>

#include "replay/engine/smcr/emulation.h"
#include "replay/engine/smcr/player.h"

namespace fabricscope::replay::smcr {

namespace {

/// The number in "smcr-3"; 0 if it is none of that kind.
std::uint32_t number_in(std::string_view id, std::string_view prefix) {
    std::uint32_t number = 0;
    if (!id.starts_with(prefix)) return 0;
    id.remove_prefix(prefix.size());
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    return error == std::errc() && end == id.data() + id.size() ? number : 0;
}

std::string between(const tracker::Connection& connection) {
    const auto text = [](const auto& address) {
        return address ? engine::to_string(*address) : std::string("unknown");
    };
    return fmt::format("{} > {}", text(connection.client), text(connection.server));
}

class SmcrReader final : public Reader {
public:
    void prepare(engine::Options& options, engine::Observers& observers) override {
        options.smcr = true;
        observers.smcr = &collector_;
    }

    std::vector<SessionInfo> sessions(const engine::Engine& engine) const override {
        std::vector<SessionInfo> sessions;
        for (const tracker::LinkGroup& group : engine.smcr().link_groups)
            if (offers(group)) sessions.push_back(info_of(engine, group));
        for (const tracker::Connection& connection : engine.smcr().connections)
            if (!connection.merged) sessions.push_back(info_of(engine, connection));
        return sessions;
    }

    std::unique_ptr<Session> session(const engine::Engine& engine, std::string_view id) const override {
        const tracker::Model& model = engine.smcr();
        const std::uint32_t connection = number_in(id, "smcr-"), group = number_in(id, "lg-");
        if (connection != 0 && connection <= model.connections.size() && !model.connections[connection - 1].merged)
            return make(recorded_connection(engine, collector_, connection));
        if (group != 0 && group <= model.link_groups.size() && offers(model.link_groups[group - 1]))
            return make(recorded_group(engine, collector_, group));
        return nullptr;
    }

    std::unique_ptr<Session> session_like(const engine::Engine& engine, const Conversation& recorded) const override {
        if (engine.smcr().connections.empty()) return nullptr;
        Recorded all = recorded_all(engine, collector_, recorded.session);
        if (!recorded.about.empty()) all.compared = only(all.conversation, recorded.about);
        return make(std::move(all));
    }

private:
    static std::unique_ptr<Session> make(Recorded recorded) {
        return std::make_unique<RecordedSession>(std::move(recorded));
    }

    static bool offers(const tracker::LinkGroup& group) {
        return tracker::came_to_be(group) && !group.connections.empty();
    }

    static SessionInfo info_of(const engine::Engine& engine, const tracker::LinkGroup& group) {
        const tracker::Connection& first = engine.smcr().connections[group.connections.front() - 1];
        return {
            fmt::format("lg-{}", group.id), "SMC-R link group",
            fmt::format(
                "{}, {} connection{}", between(first), group.connections.size(),
                group.connections.size() == 1 ? "" : "s"),
            first.first_frame, obstacle_of(engine, group)};
    }

    static SessionInfo info_of(const engine::Engine& engine, const tracker::Connection& connection) {
        std::string about = fmt::format("{}, {}", between(connection), tracker::name_of(connection.outcome));
        if (connection.outcome == tracker::Outcome::smc_r && connection.first_contact)
            about += *connection.first_contact ? ", first contact" : ", subsequent contact";
        return {
            fmt::format("smcr-{}", connection.id), "SMC-R connection", std::move(about), connection.first_frame,
            obstacle_of(engine, connection)};
    }

    Collector collector_;
};

}  // namespace

std::unique_ptr<Reader> make_reader() { return std::make_unique<SmcrReader>(); }

AttachedPlayer RecordedSession::player(Side played, const PlayOptions& options) const {
    return make_player(recorded_, played, options);
}

AttachedEndpoint RecordedSession::emulated(Side side, const std::string& profile) const {
    return make_emulated(recorded_, side, profile);
}

}  // namespace fabricscope::replay::smcr
