// SPDX-License-Identifier: GPL-2.0-or-later
// Queue pairs in Wireshark: the description of the plugin that is to them what tcp.analysis is to TCP.
//
// Wireshark's InfiniBand dissector decodes the packets; what the engine knows of their streams is added when it is
// done.
#include "plugins/rdma/plugin.h"

#include <memory>

#include "plugins/rdma/show.h"
#include "plugins/rdma_cm/plugin.h"
#include "plugins/shell/guesses.h"

namespace fabricscope::plugin::rdma {
namespace {

std::unique_ptr<Record> open_record;
Guesses guesses;
constexpr const char* guessed[] = {"infiniband.payload"};

// ---- preferences ---------------------------------------------------------------------------------

wireshark_bool with_columns = true;
wireshark_bool guess_by_messages = true;

void register_preferences(module_t* module) {
    prefs_register_bool_preference(
        module, "columns", "Write the Info column",
        "Whether Info says what a packet is to its operation, where no protocol above InfiniBand has written it",
        &with_columns);
    prefs_register_bool_preference(
        module, "guesses", "Heuristics that fit the stream only",
        "Whether what a stream carries whose set-up was not captured is decoded by those heuristic dissectors only "
        "that "
        "all of its messages fit",
        &guess_by_messages);
}

// ---- filters -------------------------------------------------------------------------------------

char* stream_filter(std::uint32_t frame) {
    const std::uint32_t stream = stream_of(frame);
    return stream != 0 ? filter_for_stream(stream, 0) : nullptr;
}

char* operation_filter(std::uint32_t frame) {
    FrameFacts facts;
    if (!open_record || !open_record->find_facts(frame, facts) || facts.operation_number == 0) return nullptr;
    return g_strdup_printf(
        "rdma.stream == %u && rdma.operation == %u", facts.stream, static_cast<unsigned>(facts.operation_number));
}

constexpr FrameFilter frame_filters[] = {
    frame_filter<stream_filter>(
        "Filter &Stream", "Show only the packets of the selected frame's queue pairs", "RDMA stream"),
    frame_filter<operation_filter>(
        "Filter &Operation", "Show only the selected frame's operation, and its answer", "RDMA operation"),
};
constexpr MenuFilter menu_filters[] = {
    {"Filter &Bad RDMA", "Show what went wrong: NAKs, retransmissions, what is missing or out of order",
     "rdma.analysis.retransmission || rdma.analysis.nak || rdma.analysis.rnr || rdma.analysis.out_of_order || "
     "rdma.analysis.lost_packets || rdma.analysis.unseen_packets || rdma.analysis.retries_exhausted"},
    {"Filter &Congestion", "Show marked packets and congestion notifications", "rdma.ecn.ce || rdma.cnp"},
    {"Filter &Findings", "Show only frames that break a rule, or show what is observed", "rdma.rule || fabricscope"},
};

// ---- the plugin ----------------------------------------------------------------------------------

const Description& description() {
    static const Description made{
        .protocol = engine::protocol("rdma"),
        .title = "RDMA transport analysis (fabricscope)",
        .experts = experts(),
        .register_preferences = register_preferences,
        .frame_filters = frame_filters,
        .menu_filters = menu_filters,
        .response_times = response_times,
        .response_time_packet = response_time_packet,
        .make_counts = make_counts,
        .count_packet = count_packet,
        .flows = "RDMA Flows",
        .flow_packet = flow_packet,
        .follower = &follower};
    return made;
}

class RdmaPlugin final : public Plugin {
public:
    RdmaPlugin() : Plugin(rdma::description(), fields) {}

    void follow(engine::Options& options, engine::Observers& observers) override {
        open_record = std::make_unique<Record>();
        observers.rdma = open_record.get();
        options.rdma = true;
    }
    void begin(bool enabled) override {
        if (enabled && guess_by_messages) guesses.find(guessed);
        else guesses.forget();
    }
    void end() override {
        guesses.forget();
        open_record.reset();
    }

    bool is_concerned_by(capture::Transport transport) const override { return transport == capture::Transport::ib; }

    bool knows(std::uint64_t frame) const override {
        FrameFacts facts;
        return open_record->find_facts(frame, facts);
    }

    void before(const Visit& visit) override {
        guesses.allow_all();
        // Nobody's message. Wireshark's dissectors may not have seen it in the first pass, and would miss what they
        // keep.
        if (is_damaged(visit.pinfo->num)) return guesses.keep_off([](std::string_view) { return false; });
        if (visit.packet.ib.payload_length == 0 || rdma_cm::service_id_of(visit.pinfo->num)) return;
        const Content* content = open_record->content(visit.pinfo->num);
        if (content == nullptr) return;
        const capture::IbCarrier carrier = visit.packet.ib.carrier;
        guesses.keep_off([&](std::string_view protocol) { return content->may_be_guessed(protocol, carrier); });
    }

    void after(const Visit& visit) override {
        guesses.allow_all();
        const Display display = display_in(fields, open_record->notes(), visit.pinfo, visit.tree);
        const bool with_info = with_columns != 0 && is_info_free(display);
        const bool is_shown = display.details || with_info;
        FrameFacts facts;
        if (!is_shown && have_tap_listener(fields.tap) == 0) return;
        if (!open_record->find_facts(visit.pinfo->num, facts)) return;
        if (is_shown) show(display, *open_record, visit, facts, with_info);
        if (facts.frame == visit.pinfo->num) tap(visit, facts);
    }

private:
    static void tap(const Visit& visit, const FrameFacts& facts) {
        if (have_tap_listener(fields.tap) == 0) return;
        // Listeners are called when the frame is done.
        auto* data = wmem_new(visit.pinfo->pool, Tap);
        const Ends ends = ends_of(facts);
        const auto broken = open_record->notes().broken_rules(facts.frame);
        *data = {{&fields, ends, facts.stream, broken}, facts, &visit.packet.ib.opcode(), visit.packet.ib.payload};
        tap_queue_packet(fields.tap, visit.pinfo, data);
    }
};

}  // namespace

Plugin& plugin() {
    static RdmaPlugin plugin;
    return plugin;
}

const Record& record() { return *open_record; }

std::uint32_t cm_connection_of(std::uint32_t frame) {
    FrameFacts facts;
    if (!open_record || !open_record->find_facts(frame, facts)) return 0;
    const Session* session = open_record->session(Record::stream(facts));
    return session != nullptr ? session->cm_connection : 0;
}

std::uint32_t stream_of(std::uint32_t frame) {
    FrameFacts facts;
    return open_record && open_record->find_facts(frame, facts) ? facts.stream : 0;
}

}  // namespace fabricscope::plugin::rdma
