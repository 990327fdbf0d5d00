// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fc/record.h"

#include <algorithm>

namespace fabricscope::plugin {
namespace {

constexpr std::size_t most_exchanges = 16'384, most_over = 512;

class Listeners final : public engine::fibre_channel::Observer {
public:
    std::vector<FcRecord*> records;

private:
    bool wants_data(const capture::Packet& packet) override {
        return std::ranges::any_of(records, [&](FcRecord* record) { return record->wants_data(packet); });
    }
    void on_copy(std::uint64_t frame, std::uint64_t original) override { note_copy(frame, original); }
    void on_frame(const engine::fibre_channel::FrameFacts& facts) override {
        for (FcRecord* record : records) record->on_frame(facts);
    }
    void on_exchange_over(const engine::fibre_channel::Exchange& exchange) override {
        for (FcRecord* record : records) record->on_exchange_over(exchange);
    }
};

}  // namespace

void FcRecord::on_packet(const Visit& visit, bool data_wanted) {
    current_frame_ = static_cast<std::uint32_t>(visit.frame.number);
    assemblies_.on_packet(visit.tvb, visit.frame.data, data_wanted);
}

std::uint32_t FcRecord::keep_octets(const FcFacts& facts) {
    const capture::FcPacket& fc = *facts.packet.fc;
    if (fc.carrier != capture::FcCarrier::fcip) return 0;
    return kept_.add({fc.octets.begin(), fc.octets.end()});
}

void FcRecord::note_answer(FcEntry& entry, std::uint64_t request_frame, capture::Time elapsed) {
    if (request_frame == 0) return;
    entry.answer = answers_.add({elapsed, static_cast<std::uint32_t>(request_frame)});
    notes_.note_response(request_frame, entry.frame);
}

void listen_to_fibre_channel(FcRecord& record, engine::Options& options, engine::Observers& observers) {
    static Listeners listeners;
    if (observers.fc == nullptr) listeners.records.clear();
    listeners.records.push_back(&record);
    observers.fc = &listeners;
    options.fc = true;
    options.fc_options.only_notable = true;
    // Wireshark has less memory to spare than the program, and leaves less of the caches; more are hardly ever open at
    // a time.
    options.fc_options.limits.followed = most_exchanges;
    options.fc_options.limits.over = most_over;
}

}  // namespace fabricscope::plugin
