// SPDX-License-Identifier: GPL-2.0-or-later
// RDMA CM in Wireshark: the description of its plugin.
//
// Wireshark's InfiniBand dissector decodes messages first and hands their private data to whomever it
// likes; ours are added when it is done. So all messages are treated alike, those that it does not know
// and those it gives up on because the capture cut them, and nobody's order of heuristics matters.
#include "plugins/rdma_cm/plugin.h"

#include <memory>
#include <utility>

#include "plugins/rdma/plugin.h"
#include "plugins/rdma_cm/guesses.h"
#include "plugins/rdma_cm/show.h"
#include "plugins/shell/guesses.h"

namespace fabricscope::plugin::rdma_cm {
namespace {

std::unique_ptr<Record> open_record;
Guesses guesses;
constexpr const char* guessed[] = {"infiniband.payload", "infiniband.mad.cm.private"};

// ---- preferences ---------------------------------------------------------------------------------

wireshark_bool with_columns = true;
wireshark_bool guess_by_service_id = true;

void register_preferences(module_t* module) {
    prefs_register_bool_preference(
        module, "columns", "Write the columns",
        "Whether addresses, Protocol and Info of messages are this plugin's, or those of Wireshark's InfiniBand "
        "dissector",
        &with_columns);
    prefs_register_bool_preference(
        module, "guesses", "Heuristics by service id only",
        "Whether what a connection carries is decoded by the heuristic dissector of the ULP that its service id is "
        "known for, and by no other",
        &guess_by_service_id);
}

// ---- filters -------------------------------------------------------------------------------------

char* connection_filter(std::uint32_t frame) {
    FrameFacts facts;
    if (!open_record || !open_record->find_facts(frame, facts) || facts.connection == 0) return nullptr;
    return g_strdup_printf("rdma_ip_cm.connection == \"cm-%u\"", facts.connection);
}

constexpr FrameFilter frame_filters[] = {
    frame_filter<connection_filter>(
        "Filter &Connection", "Show only the selected frame's connection, messages and traffic", "RDMA CM connection"),
};
constexpr MenuFilter menu_filters[] = {
    {"Filter &Messages", "Show only how connections begin and end", "rdma_ip_cm"},
    {"Filter &Rejections", "Show only messages of connections that were rejected", "rdma_ip_cm.rejection"},
    {"Filter &Findings", "Show only frames that break a rule, or show what is observed",
     "rdma_ip_cm.rule || fabricscope"},
};

// ---- the plugin ----------------------------------------------------------------------------------

constexpr ExpertKind experts[] = {{&rejected, Generated("rdma_ip_cm.rejected").field(), PI_RESPONSE_CODE, PI_NOTE}};
constexpr int* subtrees[] = {&traffic_subtree};

const Description& description() {
    static const Description made{
        .protocol = engine::protocol("rdma-cm"),
        .title = "RDMA IP CM Service (fabricscope)",
        .experts = experts,
        .subtrees = subtrees,
        .register_preferences = register_preferences,
        .frame_filters = frame_filters,
        .menu_filters = menu_filters,
        .response_times = response_times,
        .response_time_packet = response_time_packet,
        .make_counts = make_counts,
        .count_packet = count_packet,
        .flows = "RDMA CM Flows",
        .flow_packet = flow_packet};
    return made;
}

/// What the frame's connection is for, if its request was captured.
std::optional<std::uint64_t> service_of(const FrameFacts& facts) {
    const Connection* connection = open_record->connection(facts.connection);
    return connection != nullptr ? connection->service_id : std::nullopt;
}

class RdmaCmPlugin final : public Plugin {
public:
    RdmaCmPlugin() : Plugin(rdma_cm::description(), fields) {}

    void follow(engine::Options& options, engine::Observers& observers) override {
        open_record = std::make_unique<Record>();
        observers.rdma_cm = open_record.get();
        options.rdma_cm = true;
    }
    void begin(bool enabled) override {
        if (enabled && guess_by_service_id) guesses.find(guessed);
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
        open_record->note_message(visit.packet);
        known_ = open_record->find_facts(visit.pinfo->num, facts_);
        if (!known_ || visit.packet.ib.payload_length == 0) return;
        const std::optional<std::uint64_t> service = service_of(facts_);
        if (!service) return;  // it may be anything
        guesses.keep_off([&](std::string_view protocol) { return may_be_guessed(protocol, *service); });
    }

    void after(const Visit& visit) override {
        guesses.allow_all();
        if (!std::exchange(known_, false) && !find_late_facts(visit, facts_)) return;
        show(visit, facts_);
        if (facts_.frame == visit.pinfo->num) tap(visit, facts_);
    }

private:
    /// Traffic that came before the first message of its connection: its queue pairs tell afterwards whose it is.
    static bool find_late_facts(const Visit& visit, FrameFacts& facts) {
        const std::uint32_t id = rdma::cm_connection_of(visit.pinfo->num);
        const Connection* connection = open_record->connection(id);
        if (connection == nullptr || !connection->began_before) return false;
        const bool from_client = connection->end[Side::client].address == visit.packet.source;
        facts = {.frame = visit.pinfo->num, .connection = id, .from = from_client ? Side::client : Side::server};
        return true;
    }

    static void show(const Visit& visit, const FrameFacts& facts) {
        const Display display = display_in(fields, open_record->notes(), visit.pinfo, visit.tree);
        if (!facts.message) return show_traffic(display, *open_record, visit.tvb, facts);
        const capture::IbPacket& ib = visit.packet.ib;
        tvbuff_t* mad = tvb_new_subset_length_caplen(
            visit.tvb, static_cast<int>(ib.payload_offset), static_cast<int>(ib.payload.size()),
            static_cast<int>(ib.payload_length));
        show_message(display, *open_record, mad, visit.packet, facts, with_columns != 0);
    }

    static void tap(const Visit& visit, const FrameFacts& facts) {
        if (have_tap_listener(fields.tap) == 0) return;
        // Listeners are called when the frame is done.
        auto* data = wmem_new(visit.pinfo->pool, Tap);
        const Ends ends = ends_of(visit.pinfo, *open_record, facts);
        const auto broken = open_record->notes().broken_rules(facts.frame);
        *data = {
            {&fields, ends, facts.connection, broken}, facts, facts.message ? visit.packet.ib.payload : ByteView{}};
        tap_queue_packet(fields.tap, visit.pinfo, data);
    }

    // Of the frame that is being dissected.
    bool known_ = false;
    FrameFacts facts_;
};

}  // namespace

Plugin& plugin() {
    static RdmaCmPlugin plugin;
    return plugin;
}

const Record& record() { return *open_record; }

std::optional<std::uint64_t> service_id_of(std::uint32_t frame) {
    FrameFacts facts;
    if (!open_record || !open_record->find_facts(frame, facts)) return std::nullopt;
    return service_of(facts);
}

}  // namespace fabricscope::plugin::rdma_cm
