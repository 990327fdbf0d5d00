// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/mutation/campaign.h"

namespace fabricscope::replay {

namespace {

class Campaign {
public:
    Campaign(const Conversation& recorded, Side played, const CampaignSettings& settings, const MutatedPeer& peer)
        : recorded_(recorded), played_(played), settings_(settings), peer_(peer) {}

    CampaignResult run() {
        for (std::size_t run = 1; run <= settings_.runs; ++run) {
            if (peer_.stop && peer_.stop()) {
                result_.ended = "interrupted";
                break;
            }
            if (peer_.on_run) peer_.on_run(run);
            std::vector<Mutation> mutations = mutations_of(recorded_, played_, settings_, run);
            ++result_.runs;
            if (!kills(mutations)) continue;
            result_.deaths.push_back({run, std::move(mutations)});
            if (!restart()) break;
            minimise(result_.deaths.back());
            if (!result_.ended.empty()) break;
        }
        return std::move(result_);
    }

private:
    bool kills(const std::vector<Mutation>& mutations) {
        peer_.play(mutations);
        return !peer_.is_healthy();
    }

    bool restart() {
        if (!peer_.restart) result_.ended = "the peer is not well, and nobody knows how to bring it up again";
        else if (!peer_.restart() || !peer_.is_healthy()) result_.ended = "the peer could not be brought up again";
        return result_.ended.empty();
    }

    /// Leaves mutations out, one after the other, as long as the rest does it.
    void minimise(Death& death) {
        death.reproduced = kills(death.mutations);
        if (!death.reproduced || !restart()) return;
        for (std::size_t i = 0; i < death.mutations.size() && death.mutations.size() > 1;) {
            if (peer_.stop && peer_.stop()) {
                result_.ended = "interrupted";
                return;
            }
            std::vector<Mutation> fewer = death.mutations;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (!kills(fewer)) {
                ++i;
                continue;
            }
            death.mutations = std::move(fewer);
            if (!restart()) return;
        }
        death.minimal = true;
    }

    const Conversation& recorded_;
    Side played_;
    const CampaignSettings& settings_;
    const MutatedPeer& peer_;
    CampaignResult result_;
};

}  // namespace

std::vector<Mutation> mutations_of(
    const Conversation& recorded, Side played, const CampaignSettings& settings, std::size_t run) {
    constexpr std::uint64_t between_runs = 0x9E37'79B9'7F4A'7C15;
    stack::Random random(settings.seed + run * between_runs);
    return random_mutations(recorded, played, 1 + random.below(settings.mutations), random);
}

CampaignResult run_campaign(
    const Conversation& recorded, Side played, const CampaignSettings& settings, const MutatedPeer& peer) {
    return Campaign(recorded, played, settings, peer).run();
}

}  // namespace fabricscope::replay
