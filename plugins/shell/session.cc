// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/session.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/damaged_packets.h"
#include "capture/wiretap_link_type.h"
#include "plugins/shell/capture_file.h"
#include "plugins/shell/observations.h"
#include "plugins/shell/plugin.h"

namespace fabricscope::plugin {
namespace {

static_assert(std::is_trivially_destructible_v<Visit>);

/// Link types that may carry InfiniBand, TCP or Fibre Channel; frames of others cost nothing.
constexpr int links[] = {
    WTAP_ENCAP_ETHERNET,
    WTAP_ENCAP_SLL,
    WTAP_ENCAP_SLL2,
    WTAP_ENCAP_RAW_IP,
    WTAP_ENCAP_RAW_IP4,
    WTAP_ENCAP_RAW_IP6,
    WTAP_ENCAP_INFINIBAND,
    WTAP_ENCAP_ERF,
    WTAP_ENCAP_FIBRE_CHANNEL_FC2,
    WTAP_ENCAP_FIBRE_CHANNEL_FC2_WITH_FRAME_DELIMS};

struct EntryPoint {
    std::uint32_t link;
    dissector_handle_t wrapped;
};
std::vector<EntryPoint> entry_points;
std::span<Plugin* const> all_plugins;
bool inside = false;

/// All that is known of the capture that is open.
struct Session {
    std::vector<Plugin*> plugins;  ///< of the protocols that are enabled
    /// Of these, whom a frame concerns, by the packet's transport.
    std::array<std::vector<Plugin*>, capture::transport_count> concerned;
    engine::Options options{.smcr = false};
    engine::Observers observers;
    std::optional<engine::Engine> engine;  ///< from the first frame on
    std::uint32_t interfaces = 1;
    bool frames_come_again = false;
    bool settled = false;
    FrameObservations observations;  ///< once it is settled
    std::uint32_t last_first_visit = 0;
    capture::Time latest = 0;          ///< of those that the engine has seen
    capture::Time latest_visited = 0;  ///< of those that Wireshark has shown us
    std::optional<CaptureFile> file;   ///< which the engine has gone through by itself
    std::vector<capture::Time> ahead;  ///< of the frames that the engine got then, by number - 1
    capture::DamagedPackets checked;
    capture::Frame last_frame;  ///< that Wireshark came to for the first time
    std::vector<std::uint8_t> last_octets;
    OrderNote order_note;
    std::unordered_map<std::uint64_t, std::uint64_t> originals;
};
std::optional<Session> session;

const std::vector<Plugin*>& concerned(const Visit& visit) {
    return session->concerned[static_cast<std::size_t>(visit.packet.transport)];
}

// ---- the engine ----------------------------------------------------------------------------------

bool are_frames_read_again([[maybe_unused]] tvbuff_t* tvb) {
#if FABRICSCOPE_WIRESHARK_VERSION >= 406
    return is_a_file_open_twice();
#else
    // A clone of a frame of a file that can be read again holds no octets.
    tvbuff_t* clone = tvb_clone(tvb);
    const bool when_needed = clone->real_data == nullptr;
    tvb_free(clone);
    return when_needed;
#endif
}

/// Whom the engine tells; it follows nothing yet.
void begin_following() {
    session->options = {.smcr = false};
    session->observers = {};
    for (Plugin* plugin : session->plugins) plugin->follow(session->options, session->observers);
}

void start_engine(std::uint32_t interfaces, bool frames_come_again) {
    session->interfaces = session->options.interfaces = interfaces;
    session->frames_come_again = frames_come_again;
    session->engine.emplace(session->options, session->observers);
}

void give_to_engine(const Visit& visit) {
    session->latest = std::max(session->latest, visit.packet.time);
    for (Plugin* plugin : concerned(visit)) plugin->on_packet(visit);
    session->engine->on_packet(visit.packet);
}

/// What is found of a frame shows when Wireshark comes to it, so that nothing may be forgotten until then.
void go_through(CaptureFile file, capture::Source& frames) {
    start_engine(file.interfaces(), true);
    session->file = std::move(file);
    for (capture::Frame frame; frames.next(frame);) {
        if (frame.number > session->ahead.size()) session->ahead.resize(frame.number);
        session->ahead[frame.number - 1] = frame.time;
        const Visit visit{nullptr, nullptr, nullptr, frame, capture::decode(frame), true};
        session->checked.on_packet(visit.packet);
        give_to_engine(visit);
    }
}

/// Of what was found, nothing is kept.
void start_anew() {
    for (Plugin* plugin : session->plugins) {
        plugin->end();
        plugin->begin(true);
    }
    begin_following();
    session->file.reset();
    session->ahead.clear();
    session->originals.clear();
    session->latest = 0;
    session->checked = {};
}

void leave_out(std::vector<std::uint64_t> damaged, CaptureFile file) {
    const std::unique_ptr<capture::Source> frames = file.in_time_order();
    if (!frames) return;
    start_anew();
    session->options.damaged = std::move(damaged);
    go_through(std::move(file), *frames);
}

/// Wireshark has come to the last frame.
void leave_out_damaged() {
    std::vector<std::uint64_t> damaged = session->checked.frames();
    if (damaged.empty()) return;
    session->last_frame.data = session->last_octets;
    std::optional<CaptureFile> file = CaptureFile::that_holds(session->last_frame);
    if (file) leave_out(std::move(damaged), std::move(*file));
}

/// With the first frame.
void start(const Visit& visit) {
    // What has no interface id comes from the only one. How many others have, only the file tells.
    const bool several = (visit.pinfo->rec->presence_flags & WTAP_HAS_INTERFACE_ID) != 0;
    std::optional<CaptureFile> file = several ? CaptureFile::that_holds(visit.frame) : std::nullopt;
    std::unique_ptr<capture::Source> frames = file && file->is_out_of_order() ? file->in_time_order() : nullptr;
    if (frames) {
        go_through(std::move(*file), *frames);
        std::vector<std::uint64_t> damaged = session->checked.frames();
        if (!damaged.empty()) leave_out(std::move(damaged), std::move(*session->file));
        return;
    }
    start_engine(file ? file->interfaces() : several ? 2 : 1, are_frames_read_again(visit.tvb));
}

/// Wireshark numbers frames otherwise than the file does: a read filter leaves some out. What was found ahead belongs
/// to none of them.
void start_in_file_order(const Visit& visit) {
    start_anew();
    start_engine(session->interfaces, are_frames_read_again(visit.tvb));
}

bool is_known_ahead(const Visit& visit) {
    if (visit.frame.number > session->ahead.size()) return false;
    if (session->ahead[visit.frame.number - 1] == visit.frame.time) return true;
    start_in_file_order(visit);
    return false;
}

/// Once for the capture: with the first frame out of order that shows anything of ours.
void note_order(const Visit& visit) {
    const bool late = visit.frame.time < session->latest_visited;
    session->latest_visited = std::max(session->latest_visited, visit.frame.time);
    if (!late || session->order_note.plugin != nullptr) return;
    for (const Plugin* plugin : concerned(visit))
        if (plugin->knows(visit.frame.number)) {
            session->order_note = {visit.frame.number, plugin};
            return;
        }
}

/// The first frame that shows anything of ours; 0 = there is none.
std::uint64_t first_frame_of_ours() {
    const std::uint64_t frames = session->last_first_visit;
    for (std::uint64_t frame = 1; frame <= frames; ++frame)
        for (const Plugin* plugin : session->plugins)
            if (plugin->knows(frame)) return frame;
    return 0;
}

void observe() {
    const engine::Models models = session->engine->models();
    std::vector<observations::Observation> all = observations::observe(
        {.models = models, .capture = session->engine->capture()});
    if (!all.empty()) session->observations = {std::move(all), first_frame_of_ours()};
}

/// The capture's next frame. Only who comes to frames again can show what the last one tells.
void take(const Visit& visit) {
    give_to_engine(visit);
    if (!session->frames_come_again) return;
    session->checked.on_packet(visit.packet);
    session->last_frame = visit.frame;
    session->last_octets.assign(visit.frame.data.begin(), visit.frame.data.end());
}

void follow(const Visit& visit) {
    if (!session->engine) start(visit);
    if (session->settled) return;  // a frame that was ignored until now
    if (!is_known_ahead(visit)) take(visit);
    note_order(visit);
}

// ---- frames --------------------------------------------------------------------------------------

capture::Frame frame_of(tvbuff_t* tvb, const packet_info* pinfo) {
    const wtap_packet_header& header = pinfo->rec->rec_header.packet_header;
    const unsigned captured = tvb_captured_length(tvb);
    capture::Frame frame;
    frame.number = pinfo->num;
    frame.time = capture::time_of(pinfo->abs_ts.secs, pinfo->abs_ts.nsecs);
    frame.wire_length = tvb_reported_length(tvb);
    if (captured != 0) frame.data = {tvb_get_ptr(tvb, 0, static_cast<int>(captured)), captured};
    frame.link = capture::link_type_of(header);
    if ((pinfo->rec->presence_flags & WTAP_HAS_INTERFACE_ID) != 0) frame.interface = header.interface_id;
    return frame;
}

/// Wireshark dissects a frame for the first time in the capture's order; later in any order, and a
/// frame that was ignored then may come for the first time later: the engine has gone past it.
bool is_first_visit(const packet_info* pinfo) {
    if (PINFO_FD_VISITED(pinfo) || pinfo->num <= session->last_first_visit) return false;
    session->last_first_visit = pinfo->num;
    return true;
}

void before_frame(const Visit& visit) try {
    if (visit.first) follow(visit);
    for (Plugin* plugin : concerned(visit)) plugin->before(visit);
} catch (const std::exception& error) {
    // Out of memory, say: Wireshark still shows what it can by itself.
    ws_warning("fabricscope: frame %u: %s", visit.pinfo->num, error.what());
}

/// `next` is the first plugin that has not had its turn, also when one of them throws. Behind the last one comes what
/// is observed of the frame.
void take_turns(const Visit& visit, volatile std::size_t& next) {
    const std::vector<Plugin*>& plugins = concerned(visit);
    const char* around = visit.pinfo->current_proto;
    while (next < plugins.size()) {
        Plugin* plugin = plugins[next];
        next = next + 1;
        visit.pinfo->current_proto = plugin->description().protocol.title;  // whose expert infos are
        plugin->after(visit);
    }
    if (next == plugins.size()) {
        next = next + 1;
        session->observations.show(visit.tvb, visit.pinfo, visit.tree);
    }
    visit.pinfo->current_proto = around;
}

/// One plugin that throws keeps the frame from no other.
void after_exception(const Visit& visit, std::size_t first) {
    const char* around = visit.pinfo->current_proto;
    volatile std::size_t next = first;
    TRY { take_turns(visit, next); }
    FINALLY {
        visit.pinfo->current_proto = around;
        if (next <= concerned(visit).size()) after_exception(visit, next);
    }
    ENDTRY;
}

int dissect_around(dissector_handle_t wrapped, const Visit& visit, void* data) {
    volatile int dissected = 0;
    volatile std::size_t next = 0;
    const char* around = visit.pinfo->current_proto;
    before_frame(visit);
    inside = true;
    TRY {
        dissected = call_dissector_only(wrapped, visit.tvb, visit.pinfo, visit.tree, data);
        inside = false;
        take_turns(visit, next);
    }
    FINALLY {
        inside = false;
        if (next != 0) visit.pinfo->current_proto = around;
        if (next <= concerned(visit).size()) after_exception(visit, next);
    }
    ENDTRY;
    return dissected;
}

dissector_handle_t wrapped_for(std::uint32_t link) {
    for (const EntryPoint& entry : entry_points)
        if (entry.link == link) return entry.wrapped;
    return nullptr;
}

int dissect_frame(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
    dissector_handle_t wrapped = wrapped_for(pinfo->match_uint);
    // A frame inside a frame (a capture file that is carried by a protocol) is not the capture's.
    const bool is_ours = session && !session->plugins.empty() && !inside && pinfo->rec->rec_type == REC_TYPE_PACKET;
    if (!is_ours) return call_dissector_only(wrapped, tvb, pinfo, tree, data);
    const capture::Frame frame = frame_of(tvb, pinfo);
    const Visit visit{tvb, pinfo, tree, frame, capture::decode(frame), is_first_visit(pinfo)};
    return dissect_around(wrapped, visit, data);
}

}  // namespace

void install_hooks(std::span<Plugin* const> plugins) {
    all_plugins = plugins;
    for (Plugin* plugin : plugins) plugin->install();
    dissector_table_t table = find_dissector_table("wtap_encap");
    dissector_handle_t handle = create_dissector_handle(dissect_frame, -1);
    for (const int link : links) {
        const auto number = static_cast<std::uint32_t>(link);
        dissector_handle_t wrapped = dissector_get_uint_handle(table, number);
        if (wrapped == nullptr) continue;
        entry_points.push_back({number, wrapped});
        dissector_add_uint("wtap_encap", number, handle);
    }
}

void begin_capture() {
    session.emplace();
    for (Plugin* plugin : all_plugins) {
        const bool enabled = plugin->is_enabled();
        plugin->begin(enabled);
        if (!enabled) continue;
        session->plugins.push_back(plugin);
        for (std::size_t i = 0; i < capture::transport_count; ++i)
            if (plugin->is_concerned_by(static_cast<capture::Transport>(i))) session->concerned[i].push_back(plugin);
    }
    begin_following();
}

void settle_capture() try {
    if (!session || !session->engine || std::exchange(session->settled, true)) return;
    if (!session->file) leave_out_damaged();
    session->engine->finish();
    if (observations_are_enabled()) observe();
} catch (const std::exception& error) {
    ws_warning("fabricscope: at the end of the capture: %s", error.what());
}

void end_capture() {
    session.reset();
    for (Plugin* plugin : all_plugins) plugin->end();
}

const engine::Engine& engine() { return *session->engine; }
std::uint32_t interface_count() { return session->interfaces; }
bool frames_come_again() { return session->frames_come_again; }
capture::Time latest_time() { return session->latest; }
OrderNote order_note() { return session->order_note; }
bool is_all_seen(const Visit& visit) { return !visit.first || visit.frame.number <= session->ahead.size(); }
const CaptureFile* file_in_time_order() { return session->file ? &*session->file : nullptr; }
const std::vector<std::uint64_t>& damaged_frames() { return session->options.damaged; }
bool is_damaged(std::uint64_t frame) { return std::ranges::binary_search(damaged_frames(), frame); }

std::uint64_t original_of(std::uint64_t frame) {
    if (session->originals.empty()) return frame;
    const auto found = session->originals.find(frame);
    return found != session->originals.end() ? found->second : frame;
}

void note_copy(std::uint64_t frame, std::uint64_t original) { session->originals.emplace(frame, original); }

}  // namespace fabricscope::plugin
