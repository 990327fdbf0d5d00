// SPDX-License-Identifier: GPL-2.0-or-later
// A protocol's face to the reader: what it adds to every kind of report, and to the commands of the program.
//
// NAME_report.cc describes that of one protocol; protocols.cc lists them. All that reports walks over the list.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyzer/report/columns.h"
#include "analyzer/report/cursor_curves.h"
#include "analyzer/report/data_tables.h"
#include "analyzer/report/detail.h"
#include "analyzer/report/fabric.h"
#include "analyzer/report/frame_listener.h"
#include "analyzer/report/ladder.h"
#include "analyzer/report/memory.h"
#include "analyzer/report/overview.h"
#include "analyzer/report/streams.h"
#include "analyzer/report/summary.h"

namespace fabricscope::report {

class FrameLayers;

/// Something that reports give a name to: "fcvi-1".
struct Session {
    std::uint64_t id = 0;
    bool merged = false;  ///< turned out to be another one's; has been given up
};

/// Sessions of one kind. What a kind does not have is nullptr.
struct SessionKind {
    const char* prefix;  ///< of their names: "fcvi-"
    const char* noun;    ///< "connection"
    std::size_t (*count)(const engine::Engine& engine);
    /// In order of ids. `index` is less than count().
    Session (*at)(const engine::Engine& engine, std::size_t index);
    /// Between whom it is, for the line that a live capture shows when it begins.
    std::string (*ends)(const engine::Engine& engine, std::size_t index) = nullptr;
    Ladder (*ladder)(const engine::Engine& engine, std::size_t index, engine::Time start) = nullptr;
    std::unique_ptr<Stream> (*stream)(const StreamChoice& choice, OctetSink& sink) = nullptr;
    /// Tells whose each frame is, where more is known than what begins with it.
    std::unique_ptr<FrameListener> (*frames)(TellSession tell) = nullptr;
    const char* why_no_stream = "";       ///< reads on from the session's name
    const char* filter = nullptr;         ///< display filter field that has the session's name as its value
    const char* number_filter = nullptr;  ///< the same with its number
    /// What is plotted over time: a panel for each direction, nothing of what has no cursors.
    std::vector<CurvePanel> (*curves)(const engine::Engine& engine, std::size_t index) = nullptr;
    std::vector<Memory> (*memories)(const engine::Engine& engine, std::size_t index) = nullptr;
    /// To be told while the same captures are read once more, by another engine.
    std::unique_ptr<DetailListener> (*detail)(const engine::Engine& engine, std::size_t index) = nullptr;
};

/// Names that reports give, numbered from 1 in the order in which what they name turns up.
struct NameKind {
    const char* prefix;
    std::size_t (*count)(const engine::Engine& engine);
};

/// An option of analyze and capture for what the protocol's traffic does not tell. May be repeated.
struct OwnOption {
    const char* name;  ///< "--region"
    const char* description;
    const char* placeholder;
    /// False if the value is none.
    bool (*take)(engine::Options& options, std::string_view value);
    const char* complaint;  ///< about such a value, behind it
};

struct ProtocolReport {
    const engine::Protocol& protocol;
    Column section;  ///< of the document: of a record that is Results
    /// Whether the capture has any of it. The models are those that were asked for.
    bool (*is_there)(const engine::Models& models);
    void (*write_summary)(std::ostream& out, const Results& results, const SummaryOptions& options);
    std::span<const SessionKind> sessions;  ///< the main kind first
    std::span<const NameKind> names;        ///< theirs, and those of what else has a name
    std::span<const View> views{};          ///< of its tables
    std::span<const OwnOption> options{};
    /// What the engine has to keep of it for ladders; nullptr: it keeps that anyway.
    void (*keep_for_ladders)(engine::Options& options) = nullptr;
    /// What it is built on. The summary has that behind it, and a live capture does not count its sessions.
    const ProtocolReport* carrier = nullptr;
    const char* profile = "";  ///< of Wireshark
    /// What went on, as branches and lanes. The model is there.
    void (*overview)(const engine::Models& models, Overview& overview) = nullptr;
    /// Who is linked to whom. The model is there.
    void (*fabric)(const engine::Models& models, Fabric& fabric) = nullptr;
    /// What the frame has of it; false: nothing.
    bool (*add_fields)(FrameLayers& layers) = nullptr;
};

/// Of all protocols.
Overview overview_of(const engine::Models& models);
/// The same, with what listeners tell.
Overview overview_of(const engine::Engine& engine, const engine::Models& models, const class FrameListeners& listeners);
Fabric fabric_of(const engine::Models& models);

/// A session by its name.
struct SessionPlace {
    const ProtocolReport* protocol;
    const SessionKind* kind;
    std::uint32_t id;
};
/// The kind whose sessions have such names, and the number in it; nothing if there is no such kind.
std::optional<SessionPlace> kind_of(const std::string& name);
/// Where in its list it is; nothing if it is not there.
std::optional<std::size_t> index_of(const engine::Engine& engine, const SessionKind& kind, std::uint32_t id);

/// A listener for each kind of session that has one.
class FrameListeners {
public:
    using Tell = std::function<void(const SessionKind& kind, std::uint64_t frame, std::uint32_t id)>;
    explicit FrameListeners(const Tell& tell);

    const engine::Observers& observers() const { return observers_; }
    void add_lanes(const engine::Engine& engine, Overview& overview) const;
    /// Of a session by its name; see FrameListener.
    std::vector<Arrow> arrows(
        const engine::Engine& engine, const std::string& session, std::optional<std::uint64_t> frame) const;

private:
    struct Listening {
        const SessionKind* kind;
        std::unique_ptr<FrameListener> listener;
    };
    std::vector<Listening> listeners_;
    engine::Observers observers_;
};

/// The session of that name, if the engine has it.
struct FoundSession {
    const SessionKind* kind;
    std::size_t index;
};
std::optional<FoundSession> session_named(const engine::Engine& engine, const std::string& name);

/// In the order of engine::protocols.
std::span<const ProtocolReport* const> protocol_reports();

/// Whether others are built on it.
bool carries_others(const ProtocolReport& report);

// ---- for describing one ----------------------------------------------------------------------------

/// The sessions of a list: SessionsIn<&engine::Engine::fcvi, &engine::fcvi::Model::connections>.
template <auto Model, auto List> struct SessionsIn {
    static const auto& list(const engine::Engine& engine) { return (engine.*Model)().*List; }
    static std::size_t count(const engine::Engine& engine) { return list(engine).size(); }
    static Session at(const engine::Engine& engine, std::size_t index) {
        const auto& session = list(engine)[index];
        if constexpr (requires { session.merged; }) return {session.id, session.merged};
        else return {session.id};
    }
};

template <auto Model> using ModelOf = std::remove_cvref_t<decltype(*(std::declval<engine::Models>().*Model))>;

/// The model as an object of the document, if it was asked for.
template <auto Model> void visit_model(const Results& results, const Each<ModelOf<Model>>& each) {
    if (results.models.*Model != nullptr) each(*(results.models.*Model));
}

/// Of a protocol's `Members`: section<&engine::Models::fcvi, fcvi_columns>("fcvi", "FC-VI").
template <auto Model, const auto& Members> consteval ColumnOf<Results> section(const char* name, const char* title) {
    return object<visit_model<Model>, Members>(name, title).in_lines();
}

}  // namespace fabricscope::report
