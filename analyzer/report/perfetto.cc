// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/perfetto.h"

#include <map>
#include <ostream>

#include "analyzer/report/json_value.h"

namespace fabricscope::report {
namespace {

/// Numbers of fields and values in Perfetto's schema (protos/perfetto/trace/trace.proto and what it imports).
namespace schema {
constexpr unsigned trace_packet = 1;
constexpr unsigned packet_clock_snapshot = 6, packet_timestamp = 8, packet_sequence_id = 10, packet_track_event = 11,
                   packet_timestamp_clock = 58, packet_track_descriptor = 60;
constexpr unsigned snapshot_clocks = 1, snapshot_primary = 2, clock_id = 1, clock_timestamp = 2;
constexpr unsigned track_uuid = 1, track_name = 2, track_parent = 5, track_counter = 8, counter_unit = 3;
constexpr unsigned event_annotations = 4, event_type = 9, event_track = 11, event_categories = 22, event_name = 23,
                   event_counter_value = 30, event_flows = 47, event_last_flows = 48;
constexpr unsigned annotation_uint = 3, annotation_string = 6, annotation_name = 10;
constexpr std::uint64_t realtime = 1, size_in_bytes = 3;
constexpr std::uint64_t slice_begin = 1, slice_end = 2, instant = 3, counter = 4;
}  // namespace schema

/// A protocol buffer in the making.
class Message {
public:
    void number(unsigned field, std::uint64_t value) {
        varint(std::uint64_t{field} << 3);
        varint(value);
    }
    void text(unsigned field, std::string_view value) {
        varint(std::uint64_t{field} << 3 | 2);
        varint(value.size());
        octets_ += value;
    }
    void fixed(unsigned field, std::uint64_t value) {
        varint(std::uint64_t{field} << 3 | 1);
        for (int shift = 0; shift < 64; shift += 8) octets_ += static_cast<char>(value >> shift);
    }
    void message(unsigned field, const Message& value) { text(field, value.octets_); }
    const std::string& octets() const { return octets_; }
    void clear() { octets_.clear(); }

private:
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) octets_ += static_cast<char>(value | 0x80);
        octets_ += static_cast<char>(value);
    }

    std::string octets_;
};

class Trace {
public:
    Trace(std::ostream& out, const engine::Engine& engine, const Overview& overview, const FrameListeners* listeners)
        : out_(out), engine_(engine), overview_(overview), listeners_(listeners) {}

    void begin(engine::Time start, std::string_view generator);
    void branches();
    void counters();

private:
    static constexpr std::uint64_t root = 1;

    std::uint64_t add_track(std::uint64_t parent, const std::string& name, bool counts = false);
    void find_flows(const Node& node);
    void lane(std::uint64_t parent, const Node& node, const Lane& lane);
    void slice(std::uint64_t track, const Node& node, const Lane& lane, const Slice& slice);
    void event(std::uint64_t track, engine::Time time, std::uint64_t type) { event(track, time, type, {}); }
    void event(std::uint64_t track, engine::Time time, std::uint64_t type, const Message& more);
    void write(const Message& packet);

    std::ostream& out_;
    const engine::Engine& engine_;
    const Overview& overview_;
    const FrameListeners* listeners_;
    /// Arrows of the node that is being written, by lane and frame of their ends.
    using Flows = std::multimap<std::pair<std::string, std::uint64_t>, std::uint64_t>;
    Flows from_, to_;
    std::uint64_t last_flow_ = 0;
    std::uint64_t last_track_ = 0;
    std::vector<std::uint64_t> branches_;  ///< the tracks of the nodes
};

void Trace::write(const Message& packet) {
    Message trace;
    trace.message(schema::trace_packet, packet);
    out_ << trace.octets();
}

/// The wall clock is the clock of the trace, so that it lies beside others of the same run.
void Trace::begin(engine::Time start, std::string_view generator) {
    add_track(0, std::string(generator));
    Message clock, snapshot, packet;
    clock.number(schema::clock_id, schema::realtime);
    clock.number(schema::clock_timestamp, static_cast<std::uint64_t>(start));
    snapshot.message(schema::snapshot_clocks, clock);
    snapshot.number(schema::snapshot_primary, schema::realtime);
    packet.message(schema::packet_clock_snapshot, snapshot);
    packet.number(schema::packet_sequence_id, 1);
    write(packet);
}

std::uint64_t Trace::add_track(std::uint64_t parent, const std::string& name, bool counts) {
    Message track, packet;
    track.number(schema::track_uuid, ++last_track_);
    if (parent != 0) track.number(schema::track_parent, parent);
    track.text(schema::track_name, utf8_of(name));
    if (counts) {
        Message counter;
        counter.number(schema::counter_unit, schema::size_in_bytes);
        track.message(schema::track_counter, counter);
    }
    packet.message(schema::packet_track_descriptor, track);
    packet.number(schema::packet_sequence_id, 1);
    write(packet);
    return last_track_;
}

void Trace::event(std::uint64_t track, engine::Time time, std::uint64_t type, const Message& more) {
    Message event, packet;
    event.number(schema::event_type, type);
    event.number(schema::event_track, track);
    std::string octets = event.octets() + more.octets();
    packet.number(schema::packet_timestamp, static_cast<std::uint64_t>(time));
    packet.number(schema::packet_timestamp_clock, schema::realtime);
    packet.number(schema::packet_sequence_id, 1);
    packet.text(schema::packet_track_event, octets);
    write(packet);
}

Message annotation(std::string_view name, std::uint64_t value) {
    Message annotation;
    annotation.text(schema::annotation_name, name);
    annotation.number(schema::annotation_uint, value);
    return annotation;
}

Message annotation(std::string_view name, std::string_view value) {
    Message annotation;
    annotation.text(schema::annotation_name, name);
    annotation.text(schema::annotation_string, value);
    return annotation;
}

void Trace::slice(std::uint64_t track, const Node& node, const Lane& lane, const Slice& slice) {
    const bool has_name = lane.prefix != nullptr && slice.session != 0;
    Message more;
    more.text(schema::event_name, utf8_of(overview_.labels[slice.label]));
    more.text(schema::event_categories, name_of(slice.activity));
    more.message(
        schema::event_annotations,
        annotation("session", has_name ? lane.prefix + std::to_string(slice.session) : node.name));
    more.message(schema::event_annotations, annotation("frame", slice.frame));
    if (slice.octets != 0) more.message(schema::event_annotations, annotation("bytes", slice.octets));
    const std::pair key{lane.name, slice.frame};
    for (auto [flow, end] = from_.equal_range(key); flow != end; ++flow) more.fixed(schema::event_flows, flow->second);
    for (auto [flow, end] = to_.equal_range(key); flow != end; ++flow)
        more.fixed(schema::event_last_flows, flow->second);
    if (slice.begin == slice.end) {
        event(track, slice.begin, schema::instant, more);
        return;
    }
    event(track, slice.begin, schema::slice_begin, more);
    event(track, slice.end, schema::slice_end);
}

void Trace::find_flows(const Node& node) {
    from_.clear();
    to_.clear();
    if (listeners_ == nullptr) return;
    for (const Arrow& arrow : listeners_->arrows(engine_, node.name, std::nullopt)) {
        from_.emplace(std::pair{arrow.from.lane, arrow.from.frame}, ++last_flow_);
        to_.emplace(std::pair{arrow.to.lane, arrow.to.frame}, last_flow_);
    }
}

void Trace::lane(std::uint64_t parent, const Node& node, const Lane& lane) {
    for (const auto& row : rows_of(lane, lane.slices.size())) {
        const std::uint64_t track = add_track(parent, lane.name);
        for (const std::uint32_t i : row) slice(track, node, lane, lane.slices[i]);
    }
}

void Trace::branches() {
    for (const Node& node : overview_.nodes) {
        const std::uint64_t parent = node.parent != Node::none ? branches_[node.parent] : root;
        const std::string name = node.about.empty() ? node.name : node.name + "  " + node.about;
        branches_.push_back(add_track(parent, name));
        find_flows(node);
        for (const Lane& each : node.lanes) lane(branches_.back(), node, each);
    }
}

void Trace::counters() {
    for (std::size_t i = 0; i < overview_.nodes.size(); ++i) {
        const auto session = session_named(engine_, overview_.nodes[i].name);
        if (!session || session->kind->curves == nullptr) continue;
        for (const CurvePanel& panel : session->kind->curves(engine_, session->index))
            for (const Curve& curve : panel.curves) {
                const std::uint64_t track = add_track(branches_[i], panel.title + ": " + curve.name, true);
                for (const StepValue& step : curve.steps) {
                    Message more;
                    more.number(schema::event_counter_value, step.value);
                    event(track, step.time, schema::counter, more);
                }
            }
    }
}

}  // namespace

void write_perfetto(
    std::ostream& out, const engine::Engine& engine, const Overview& overview, std::string_view generator,
    const FrameListeners* listeners) {
    Trace trace(out, engine, overview, listeners);
    trace.begin(engine.capture().start.value_or(0), generator);
    trace.branches();
    trace.counters();
}

}  // namespace fabricscope::report
