// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/document.h"

#include "analyzer/report/protocol.h"
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"

namespace fabricscope::report {
namespace {

using engine::CaptureSummary;
using engine::Finding;
using engine::Rule;
using engine::RuleResult;
using observations::Observation;

std::string as_given(const std::string& text) { return text; }

bool has_places(const Context& context) { return !context.places->empty(); }
bool is_part(const Context& context) { return context.part; }
bool has_counters(const Context& context) { return context.counters; }

// ---- the capture -----------------------------------------------------------------------------------

constexpr auto file_columns = columns<std::string>(column<as_given>("file", "name as given"));
constexpr auto error_columns = columns<std::string>(
    column<as_given>("error", "file, frame and offset where known, and what is wrong there"));
constexpr auto warning_columns = columns<std::string>(
    column<as_given>("warning", "what makes the capture doubtful, such as clocks that differ").with_names());

/// Frames that carry something that is not decoded.
struct NotDecoded {
    const char* name;
    std::uint64_t frames;
};
constexpr auto not_decoded_columns = columns<NotDecoded>(
    column<&NotDecoded::name>(
        "name", "what carries them: GTP-U, L2TP and the like, or datagrams of several RoCE packets"),
    column<&NotDecoded::frames>("frames", "how many"));
constexpr auto not_decoded = table<not_decoded_columns>(
    "not_decoded",
    "Frames that are known by name only: in tunnels, or of several RoCE packets. Nothing is said of what they hold.");

void each_not_decoded(const Results& results, const Each<NotDecoded>& each) {
    const auto& frames = results.capture.unread_frames;
    for (std::size_t i = 0; i < frames.size(); ++i)
        if (frames[i] != 0) each({name_of(static_cast<capture::Unread>(i)), frames[i]});
}

constexpr auto files = table<file_columns>("files", "The capture files.").position("place on the command line, from 0");
constexpr auto errors = table<error_columns>("errors", "Why files could not be read to their end.").position("from 0");
constexpr auto warnings = table<warning_columns>("warnings", "What makes the capture itself doubtful.")
                              .position("from 0");

constexpr auto capture_columns = columns<Results>(
    rows<&Results::files, files>("files", Form::values),
    column<[](const Results& r) { return r.capture.frames; }>("frames", "frames read"),
    column<[](const Results& r) { return converted(r.capture.start, timestamp_text); }>(
        "start", "time of the first frame, RFC 3339"),
    column<[](const Results& r) { return seconds_of(r.capture.duration); }>(
        "duration", "from the first frame to the latest one"),
    column<[](const Results& r) { return r.capture.truncated_frames; }>(
        "truncated_frames", "frames of which the snap length cut off something that is needed"),
    column<[](const Results& r) { return r.capture.undecoded_frames; }>(
        "undecoded_frames", "malformed frames, IP fragments, and frames of an unsupported link type"),
    column<[](const Results& r) { return r.capture.copies; }>(
        "copied_frames", "frames left out because they were captured before, by the same or another interface"),
    column<[](const Results& r) { return r.capture.tcp_frames; }>("tcp_frames", "TCP segments"),
    column<[](const Results& r) { return r.capture.rdma_frames; }>("rdma_frames", "RoCE and InfiniBand packets"),
    rows<each_not_decoded, not_decoded>("not_decoded"), rows<&Results::problems, errors>("errors", Form::values),
    rows<&Results::warnings, warnings>("warnings", Form::values));

// ---- findings --------------------------------------------------------------------------------------

constexpr auto place_columns = columns<Place>(
    column<&Place::file>("file", "name of the file"),
    column<&Place::frame>("frame", "the frame's number in that file"));

/// A frame that a finding names.
struct NamedFrame {
    std::uint64_t frame;
    const Place* place;  ///< nullptr: there is one file only
};

constexpr auto finding_frame_columns = columns<NamedFrame>(
    column<&NamedFrame::frame>("frame", "that shows it; the last one breaks the rule"),
    object<&NamedFrame::place, place_columns>("places", "where it lies, if there are several files"));

constexpr auto finding_frames = table<finding_frame_columns>("finding_frames", "The frames that show a finding.")
                                    .key("finding", Type::integer, "that they show")
                                    .position("from 0")
                                    .indexes("frame");

/// Of a finding or an observation.
template <class T> void each_frame(const T& named, const Each<NamedFrame>& each, const Context& context) {
    for (const std::uint64_t frame : named.frames) {
        const auto place = context.places->find(frame);
        each({frame, place != context.places->end() ? &place->second : nullptr});
    }
}

constexpr auto frame_place_columns = columns<NamedFrame>(
    object<&NamedFrame::place, place_columns>("places", "where the frame lies"));

constexpr auto finding_columns = columns<Finding>(
    column<[](const Finding& f) { return f.rule->id; }>("rule", "that was broken"),
    column<[](const Finding& f) { return f.rule->severity; }>("severity", "error, warning or note"),
    rows<each_frame<Finding>, finding_frames>("frames", Form::values),
    column<[](const Finding& f) { return text_or_null(f.session); }>("session", "connection or link group")
        .with_names(),
    column<&Finding::text>("text", "what was seen").with_names(),
    column<[](const Finding& f) { return f.rule->clause; }>("clause", "of the standard"),
    only_in_json<each_frame<Finding>, frame_place_columns>(
        "places", "where the frames lie, if there are several files; see finding_frames", Form::values)
        .only_if(has_places));

constexpr auto findings = table<finding_columns>("findings", "Rules that were broken.")
                              .number("id", "from 1")
                              .refers("rule", "rules (id)")
                              .indexes("rule", "session");

// ---- observations ----------------------------------------------------------------------------------

constexpr auto observation_frames = table<finding_frame_columns>(
                                        "observation_frames", "The frames that show an observation.")
                                        .key("observation", Type::integer, "that they show")
                                        .position("from 0")
                                        .indexes("frame");

constexpr auto observation_columns = columns<Observation>(
    column<&Observation::id>("id", "of its kind, as fabricscope explain knows it; or of the rule that was broken"),
    column<&Observation::severity>("severity", "error, warning or note"),
    column<[](const Observation& o) { return text_or_null(o.session); }>(
        "session", "connection, link group or Exchange")
        .with_names(),
    rows<each_frame<Observation>, observation_frames>("frames", Form::values),
    column<&Observation::count>(
        "count", "how often: packets, frames, waits; consequences are counted with their cause"),
    column<&Observation::text>("text", "what was seen").with_names(),
    column<[](const Observation& o) { return text_or_null(o.cause); }>("cause", "why, where the capture shows it")
        .with_names(),
    column<[](const Observation& o) { return text_or_null(o.look); }>("look", "where to look next"),
    only_in_json<each_frame<Observation>, frame_place_columns>(
        "places", "where the frames lie, if there are several files; see observation_frames", Form::values)
        .only_if(has_places));

constexpr auto observations = table<observation_columns>(
                                  "observations",
                                  "What deserves attention, the worst first: failures, waits, repetitions, what the "
                                  "capture lacks, and rules that were broken.")
                                  .number("number", "from 1")
                                  .indexes("id", "session");

void each_observation(const Results& results, const Each<Observation>& each) {
    for (const Observation& observation : results.observations) each(observation);
}

// ---- rules -----------------------------------------------------------------------------------------

constexpr auto catalogue_columns = columns<Rule>(
    column<&Rule::id>("id", "as fabricscope rules lists it"),
    column<&Rule::severity>("severity", "error, warning or note"), column<&Rule::clause>("clause", "of the standard"),
    column<&Rule::sentence>("sentence", "what must hold"),
    column<[](const Rule& r) { return r.evidence.text; }>(
        "evidence", "what a capture must hold for the rule to be decided"),
    column<&Rule::deviation>("habit", "what Linux does otherwise"),
    column<&Rule::only_in>("only_in", "the profile that asks for it; null: all"));

constexpr auto result_columns = columns<RuleResult>(
    column<[](const RuleResult& r) { return r.rule->id; }>("rule", "its id"),
    column<[](const RuleResult& r) { return r.tally.satisfied; }>("held", "how often it was kept"),
    column<[](const RuleResult& r) { return r.tally.broken; }>("broken", "how often it was broken"),
    column<[](const RuleResult& r) { return r.tally.waived; }>(
        "excused", "how often it was broken by a deviation that the profile waives"),
    column<[](const RuleResult& r) { return r.tally.undecided; }>(
        "undecided", "how often something that matters was not captured"),
    column<[](const RuleResult& r) { return r.tally.why ? text_of(*r.tally.why) : nullptr; }>(
        "why_undecided", "for what reason at first"));

constexpr auto rules = table<catalogue_columns>("rules", "The catalogue of rules.");
constexpr auto rule_results = table<result_columns>("rule_results", "What became of each rule.")
                                  .refers("rule", "rules (id)");

void each_rule(const Results&, const Each<Rule>& each) {
    for (const Rule* rule : engine::rules()) each(*rule);
}

void each_finding(const Results& results, const Each<Finding>& each) {
    for (const Finding* finding : results.findings) each(*finding);
}

// ---- counters of adapters --------------------------------------------------------------------------

constexpr auto counter_columns = columns<AdapterCounter>(
    column<&AdapterCounter::host>("host", "whose adapter it is"),
    column<&AdapterCounter::adapter>("adapter", "rxe or mlx5: whose name for the counter it is"),
    column<&AdapterCounter::name>("counter", "as rdma statistic shows it"),
    column<&AdapterCounter::relation>("relation", "of what is read to what is expected: equal, at least or at most"),
    column<&AdapterCounter::expected>("expected", "what the capture shows"),
    column<&AdapterCounter::read>("read", "what the adapter counted; null: not given"),
    column<[](const AdapterCounter& c) { return c.agrees(); }>("agrees", "whether that is as expected"));

constexpr auto counters = table<counter_columns>(
                              "adapter_counters", "What adapters should have counted; only with --counters.")
                              .position("from 0")
                              .indexes("host");

// ---- parts -----------------------------------------------------------------------------------------

constexpr auto number_columns = columns<std::uint64_t>(
    column<[](const std::uint64_t& number) { return number; }>("number", "of a frame, or its time"));

constexpr auto numbering_columns = columns<Numbering>(
    column<&Numbering::prefix>("prefix", "of the names of one kind of sessions"),
    only_in_json<&Numbering::frames, number_columns>(
        "frames", "with which they turned up, those that were given up as well", Form::values),
    only_in_json<&Numbering::times, number_columns>(
        "times", "of these frames, ns since the start, if they were analysed in order of time", Form::values));

constexpr auto setting_columns = columns<Setting>(
    column<&Setting::option>("option", "as the command line has it"),
    column<&Setting::value>("value", "several with commas; empty: it takes none"));

constexpr auto part_columns = columns<PartOfWhole>(
    column<&PartOfWhole::run>("run", "the same for all parts"), column<&PartOfWhole::number>("number", "from 1"),
    column<&PartOfWhole::of>("of", "how many parts there are"),
    only_in_json<&PartOfWhole::numberings, numbering_columns>(
        "numbering", "what numbers the sessions of all parts", Form::objects),
    only_in_json<&PartOfWhole::settings, setting_columns>(
        "options", "that shape results, as they were given: they have to be the same for all parts", Form::objects));

// ---- the document ----------------------------------------------------------------------------------

std::span<const Column> sections() {
    static const std::vector<Column> all = [] {
        std::vector<Column> list;
        for (const ProtocolReport* report : protocol_reports()) list.push_back(report->section);
        return list;
    }();
    return all;
}

constexpr auto all_columns = columns<Results>(
    column<[](const Results&) { return "fabricscope/1"; }>("schema", "of the JSON that these tables agree with"),
    only_in_json<&Results::parts, part_columns>(
        "part", "of what captures this is a part; only with --as-part", Form::objects)
        .only_if(is_part),
    object<itself<Results>, capture_columns>("capture", "of the capture").inside_json_only(),
    rows<each_rule, rules>("catalogue", Form::none), listed<sections, Results>(),
    rows<each_observation, observations>("observations"), rows<each_finding, findings>("findings"),
    column<&Results::profile>("profile", "what traffic was held against: rfc7609, linux or fc-ae-rdma-annex-a"),
    rows<&Results::rules, rule_results>("rules"), rows<&Results::counters, counters>("counters").only_if(has_counters));

}  // namespace

constinit const ColumnsElsewhere<Results> document_columns{all_columns};
constinit const ColumnsElsewhere<Rule> rule_columns{catalogue_columns};
constinit const TableOf<Results> document_table = table<all_columns>("capture", "What was read: one row.");

Context context_of(const Results& results, bool cursors) {
    return {
        .start = results.capture.start.value_or(0),
        .cursors = cursors,
        .counters = results.has_counters,
        .part = !results.parts.empty(),
        .places = &results.places};
}

}  // namespace fabricscope::report
