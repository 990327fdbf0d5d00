// SPDX-License-Identifier: GPL-2.0-or-later
// How payloads come to us, instead of Wireshark's own SMC dissector.
#include "plugins/smcr/hooks.h"

#include <memory>

#include "plugins/shell/addresses.h"
#include "plugins/smcr/builtin.h"
#include "plugins/smcr/show.h"
#include "protocols/smcr/tcp_option.h"

namespace fabricscope::plugin::smcr {
namespace {

constexpr std::uint32_t experimental_option = 254;

/// The frame that is being dissected.
struct Turn {
    const Visit* visit;
    FrameFacts facts;
    bool known;  ///< whether the engine said something of the frame; `facts` holds it
    bool ours;   ///< to be decoded by us instead of Wireshark's own dissector
    bool shown;  ///< by one of the hooks below
};
static_assert(std::is_trivially_destructible_v<Turn>);

std::unique_ptr<Record> open_record;
bool replacing = true;
Turn turn{};
dissector_handle_t link_handle;
dissector_handle_t clc_handle;
dissector_handle_t other_option_handle;
int follow_tap;

std::unique_ptr<StreamReader> stream_reader;  ///< while somebody wants streams
StreamReader::Pieces pieces;

const capture::Packet& packet() { return turn.visit->packet; }
bool is_tcp() { return packet().transport == capture::Transport::tcp; }
bool is_ib() { return packet().transport == capture::Transport::ib; }
bool has_link_payload() { return is_ib() && packet().ib.payload_length != 0; }
bool has_clc() { return turn.facts.clc_pending != 0 || !open_record->clc(turn.facts.frame).empty(); }
SmcDisplay display_of(packet_info* pinfo, proto_tree* tree) {
    Display display = display_in(fields, open_record->notes(), pinfo, tree);
    display.columns = display.columns && turn.ours;
    return {display, *open_record};
}

/// Whether `tvb` begins at this place of the frame itself, not of something made of several frames.
bool is_at(tvbuff_t* tvb, std::uint32_t offset) {
    return tvb_get_ds_tvb(tvb) == turn.visit->tvb && tvb_raw_offset(tvb) == static_cast<int>(offset);
}

// ---- payloads on InfiniBand ----------------------------------------------------------------------

int dissect_link_payload(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void*) {
    if (!turn.known || !is_at(tvb, packet().ib.payload_offset)) return 0;
    turn.shown = true;
    show_link_payload(display_of(pinfo, tree), tvb, turn.facts);
    return static_cast<int>(tvb_captured_length(tvb));
}

// ---- payloads on TCP -----------------------------------------------------------------------------

/// From this frame on our dissector is asked before those of the ports. It declines what is not CLC.
void claim_conversation(const packet_info* pinfo) {
    const address source = address_of(packet().source);
    const address destination = address_of(packet().destination);
    const capture::TcpSegment& tcp = packet().tcp;
    conversation_t* conversation = find_conversation(
        pinfo->num, &source, &destination, CONVERSATION_TCP, tcp.source_port, tcp.destination_port, 0);
    if (conversation == nullptr)
        conversation = conversation_new(
            pinfo->num, &source, &destination, CONVERSATION_TCP, tcp.source_port, tcp.destination_port, 0);
    if (conversation_get_dissector(conversation, pinfo->num) != clc_handle)
        conversation_set_dissector_from_frame_number(conversation, pinfo->num, clc_handle);
}

/// What follows CLC in the segment goes to whomever TCP would have given it; they may desegment it.
void offer_rest(tvbuff_t* tvb, int offset, packet_info* pinfo, proto_tree* tree, tcpinfo* segment) {
    if (turn.ours) {
        col_append_fstr(pinfo->cinfo, COL_INFO, " [%d more bytes] ", tvb_reported_length_remaining(tvb, offset));
        col_set_fence(pinfo->cinfo, COL_INFO);
    }
    if (segment == nullptr) {
        call_data_dissector(tvb_new_subset_remaining(tvb, offset), pinfo, tree);
        return;
    }
    pinfo->can_desegment = pinfo->saved_can_desegment;
    tcp_analysis* analysis = get_tcp_conversation_data(nullptr, pinfo);
    decode_tcp_ports(
        tvb, offset, pinfo, tree, static_cast<int>(pinfo->srcport), static_cast<int>(pinfo->destport), analysis,
        segment);
    if (pinfo->desegment_len != 0) pinfo->desegment_offset += offset;
}

int dissect_clc(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
    if (!turn.known || turn.shown || !is_tcp() || !has_clc() || !is_at(tvb, packet().tcp.payload_offset)) return 0;
    turn.shown = true;
    const int end = show_clc(display_of(pinfo, tree), tvb, turn.facts);
    if (end < static_cast<int>(tvb_captured_length(tvb)))
        offer_rest(tvb, end, pinfo, tree, static_cast<tcpinfo*>(data));
    return static_cast<int>(tvb_captured_length(tvb));
}

int dissect_tcp_option(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
    const int length = static_cast<int>(tvb_captured_length(tvb));
    if (!replacing || !wire::find_tcp_option({tvb_get_ptr(tvb, 0, length), static_cast<std::size_t>(length)}))
        return call_dissector_only(other_option_handle, tvb, pinfo, tree, data);
    show_tcp_option(pinfo, tree, tvb);
    return length;
}

// ---- taps ----------------------------------------------------------------------------------------

/// What is not wanted any more goes with the next frame; what is wanted anew begins with the first one.
void read_streams(const Visit& visit) {
    if (have_tap_listener(follow_tap) == 0 && have_tap_listener(fields.export_tap) == 0) return stream_reader.reset();
    if (!stream_reader || stream_reader->is_past(visit.frame.number)) {
        stream_reader = std::make_unique<StreamReader>(
            engine::Options{
                .smcr_options = engine_options(), .interfaces = interface_count(), .damaged = damaged_frames()},
            file_in_time_order());
        begin_export();
    }
    stream_reader->on_packet(packet());
}

/// What the engine handed out, with the connection's own frame: filters for the connection see no other.
void tap_streams(const Visit& visit, const FrameFacts& facts) {
    const std::uint32_t connection = facts.connection;
    if (connection == 0 || !stream_reader) return;
    const bool last = is_all_seen(visit) && open_record->last_frame(connection) == visit.frame.number;
    pieces = last ? stream_reader->take_last(connection) : stream_reader->take(connection);
    if (pieces.empty()) return;
    static StreamTap data;
    data = {connection, facts.from.value_or(Side::client), &pieces};
    tap_queue_packet(follow_tap, visit.pinfo, &data);
    tap_queue_packet(fields.export_tap, visit.pinfo, &data);
}

ByteView message_of(const FrameFacts& facts) {
    if (facts.what != FrameFacts::What::llc && facts.what != FrameFacts::What::cdc) return {};
    if (const ByteView whole = open_record->long_message(facts.frame); !whole.empty()) return whole;
    const ByteView payload = packet().ib.payload;
    return payload.first(std::min<std::size_t>(payload.size(), facts.message_length));
}

void tap_frame(const Visit& visit) {
    const bool is_copy = turn.facts.frame != visit.pinfo->num;
    const bool is_asked_for = stream_reader || have_tap_listener(fields.tap) != 0;
    if (is_copy || !is_asked_for) return;
    const FrameFacts facts = Record::known_now(turn.facts);
    if (have_tap_listener(fields.tap) != 0) {
        // Listeners are called when the frame is done.
        auto* data = wmem_new(visit.pinfo->pool, Tap);
        const Ends ends = ends_of(visit.pinfo, *open_record, facts);
        const auto broken = open_record->notes().broken_rules(facts.frame);
        *data = {{&fields, ends, facts.connection, broken}, facts, message_of(facts)};
        tap_queue_packet(fields.tap, visit.pinfo, data);
    }
    tap_streams(visit, facts);
}

// ---- frames --------------------------------------------------------------------------------------

/// Frames that no dissector gave to our hooks: cut by the snap length (Wireshark's InfiniBand dissector
/// gives up on these), held back by TCP, without payload, or decoded by Wireshark's own SMC dissector.
void show_rest(const Visit& visit) {
    const SmcDisplay display = display_of(visit.pinfo, visit.tree);
    const bool on_tcp = is_tcp();
    const std::uint32_t offset = on_tcp ? packet().tcp.payload_offset : packet().ib.payload_offset;
    const ByteView payload = on_tcp ? packet().tcp.payload : packet().ib.payload;
    const std::uint32_t length = on_tcp ? packet().tcp.payload_length : packet().ib.payload_length;
    if (payload.empty() || (on_tcp && !has_clc())) return show_facts(display, visit.tvb, turn.facts);
    tvbuff_t* tvb = tvb_new_subset_length_caplen(
        visit.tvb, static_cast<int>(offset), static_cast<int>(payload.size()), static_cast<int>(length));
    if (on_tcp) show_clc(display, tvb, turn.facts);
    else show_link_payload(display, tvb, turn.facts);
}

class SmcrPlugin final : public Plugin {
public:
    SmcrPlugin() : Plugin(smcr::description(), fields) {}

    void install() override;
    void begin(bool enabled) override;
    void follow(engine::Options& options, engine::Observers& observers) override;
    void end() override;
    /// Of others than TCP and InfiniBand, too: these may be given to Wireshark's InfiniBand dissector.
    bool is_concerned_by(capture::Transport transport) const override { return transport != capture::Transport::fc; }
    void on_packet(const Visit& visit) override { open_record->on_packet(visit.packet); }
    bool knows(std::uint64_t frame) const override {
        FrameFacts facts;
        return open_record->find_facts(frame, facts);
    }
    void before(const Visit& visit) override;
    void after(const Visit& visit) override;
};

void SmcrPlugin::install() {
    follow_tap = find_tap_id(follower.tap);
    link_handle = create_dissector_handle(dissect_link_payload, fields.protocol);
    clc_handle = create_dissector_handle(dissect_clc, fields.protocol);
    other_option_handle = dissector_get_uint_handle(find_dissector_table("tcp.option"), experimental_option);
    const int option_protocol = dissector_handle_get_protocol_index(other_option_handle);
    dissector_add_uint("tcp.option", experimental_option, create_dissector_handle(dissect_tcp_option, option_protocol));
}

void SmcrPlugin::begin(bool enabled) {
    replacing = enabled && wants_to_replace_builtin();
    turn = {};
    replace_builtin_decode(replacing);
}

void SmcrPlugin::follow(engine::Options& options, engine::Observers& observers) {
    open_record = std::make_unique<Record>();
    observers.smcr = open_record.get();
    options.smcr = true;
    options.smcr_options = engine_options();
}

void SmcrPlugin::end() {
    end_infiniband_turn();
    open_record.reset();
    stream_reader.reset();
    pieces.clear();
}

void SmcrPlugin::before(const Visit& visit) {
    turn.visit = &visit;
    turn.known = turn.ours = turn.shown = false;
    if (!is_tcp() && !is_ib()) return end_infiniband_turn();
    read_streams(visit);
    turn.known = open_record->find_facts(visit.pinfo->num, turn.facts);
    turn.ours = turn.known && replacing;
    if (is_tcp()) {
        if (turn.ours && has_clc()) claim_conversation(visit.pinfo);
    } else if (has_link_payload()) {
        if (turn.ours) begin_infiniband_turn(link_handle);
        else end_infiniband_turn();
    }
}

void SmcrPlugin::after(const Visit& visit) {
    if (!turn.known) return;
    turn.known = false;
    // Taking turns costs more than showing a frame. Where frames come once, nobody can see the settings in between.
    if (frames_come_again()) end_infiniband_turn();
    if (!turn.shown) show_rest(visit);
    tap_frame(visit);
}

}  // namespace

Plugin& plugin() {
    static SmcrPlugin plugin;
    return plugin;
}

const Record& record() { return *open_record; }
const Record* current_record() { return open_record.get(); }

}  // namespace fabricscope::plugin::smcr
