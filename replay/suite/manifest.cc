// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/suite/manifest.h"

#include <fmt/ranges.h>

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>

namespace fabricscope::replay {

namespace {

namespace fs = std::filesystem;

// ---- tables --------------------------------------------------------------------------------------

/// A table whose keys are read by name; done() reports any key that nobody has read.
class TableReader {
public:
    TableReader(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

    [[noreturn]] void fail(const toml::node& at, const std::string& problem) const {
        throw ManifestError(fmt::format("{}:{}: {}", file_, at.source().begin.line, problem));
    }
    [[noreturn]] void fail(const std::string& problem) const { fail(table_, problem); }

    std::string text(const char* key, const std::string& otherwise = "") {
        const toml::node* const node = get(key);
        if (node == nullptr) return otherwise;
        if (const auto value = node->value_exact<std::string>()) return *value;
        fail(*node, fmt::format("{} is to be a text in quotes", key));
    }
    std::string required_text(const char* key) {
        const std::string value = text(key);
        if (value.empty()) fail(fmt::format("{} is missing", key));
        return value;
    }
    double seconds(const char* key, double otherwise) {
        const toml::node* const node = get(key);
        if (node == nullptr) return otherwise;
        const auto value = node->value<double>();
        if (value && *value > 0 && *value <= 86'400) return *value;
        fail(*node, fmt::format("{} is to be seconds, more than 0 and at most 86400", key));
    }
    /// One of the words.
    std::string word(const char* key, std::initializer_list<const char*> words, const std::string& otherwise = "") {
        const std::string value = text(key, otherwise);
        if (value == otherwise) return value;
        check(*get(key), key, value, words);
        return value;
    }
    /// One text, or a list of them.
    std::vector<std::string> texts(const char* key, std::initializer_list<const char*> words = {}) {
        const toml::node* const node = get(key);
        if (node == nullptr) return {};
        std::vector<std::string> values;
        const auto add = [&](const toml::node& one) {
            const auto value = one.value_exact<std::string>();
            if (!value) fail(one, fmt::format("{} is to be a text in quotes, or a list of them", key));
            if (words.size() != 0) check(one, key, *value, words);
            values.push_back(*value);
        };
        if (const toml::array* const list = node->as_array())
            for (const toml::node& one : *list) add(one);
        else add(*node);
        return values;
    }
    std::optional<Side> side(const char* key) {
        const std::string value = word(key, {"client", "server"});
        if (value.empty()) return std::nullopt;
        return value == "client" ? Side::client : Side::server;
    }
    /// [[key]]: a reader for each.
    std::vector<TableReader> tables(const char* key) {
        const toml::node* const node = get(key);
        std::vector<TableReader> readers;
        if (node == nullptr) return readers;
        const toml::array* const list = node->as_array();
        if (list == nullptr) fail(*node, fmt::format("[[{}]] is to be in double brackets", key));
        for (const toml::node& one : *list) {
            if (one.as_table() == nullptr) fail(one, fmt::format("[[{}]] is to be a table", key));
            readers.emplace_back(*one.as_table(), file_);
        }
        return readers;
    }
    void done() const {
        for (const auto& [key, node] : table_)
            if (!read_.contains(std::string(key.str())))
                fail(node, fmt::format("\"{}\" means nothing here", key.str()));
    }

private:
    const toml::node* get(const char* key) {
        read_.insert(key);
        return table_.get(key);
    }
    void check(
        const toml::node& at, const char* key, const std::string& value,
        std::initializer_list<const char*> words) const {
        if (std::ranges::find(words, value) == words.end())
            fail(at, fmt::format("{} is one of {}; not {}", key, fmt::join(words, ", "), value));
    }

    const toml::table& table_;
    std::string file_;
    std::set<std::string> read_;
};

toml::table parse(const std::string& path) {
    if (fs::is_directory(path)) throw ManifestError(path + " is a folder");  // which toml++ takes for an empty file
    try {
        return toml::parse_file(path);
    } catch (const toml::parse_error& error) {
        const auto line = error.source().begin.line;
        throw ManifestError(
            line == 0 ? fmt::format("{}: {}", path, error.description())
                      : fmt::format("{}:{}: {}", path, line, error.description()));
    }
}

// ---- masks ---------------------------------------------------------------------------------------

/// "payload[16:24]", "payload[8:]", "payload".
void read_place(TableReader& table, Mask& mask) {
    const std::string text = table.required_text("field");
    const std::size_t bracket = text.find('[');
    mask.field = text.substr(0, bracket);
    if (bracket == std::string::npos) return;
    Mask::Range range{0, SIZE_MAX};
    const char* const end = text.data() + text.size();
    const auto [colon, bad_begin] = std::from_chars(text.data() + bracket + 1, end, range.begin);
    bool good = bad_begin == std::errc() && colon != end && *colon == ':' && !mask.field.empty();
    if (good && std::string_view(colon + 1, end) != "]") {
        const auto [rest, bad_end] = std::from_chars(colon + 1, end, range.end);
        good = bad_end == std::errc() && std::string_view(rest, end) == "]" && range.end > range.begin;
    }
    if (!good) table.fail("field is to be NAME, NAME[FIRST:BEHIND] or NAME[FIRST:], in octets; not " + text);
    mask.octets = range;
}

constexpr std::size_t widest_number = 8, address_width = 16;

/// How many octets a name of this kind may have.
void check_width(const TableReader& table, const Mask& mask) {
    if (!mask.octets) return;
    const std::size_t width = mask.octets->end - mask.octets->begin;
    const bool address = mask.name == "gid" || mask.name == "ip", mac = mask.name == "mac";
    const bool good = address ? width == address_width || (mask.name == "ip" && width == 4)
                      : mac   ? width == 6
                              : width <= widest_number;
    if (!good) table.fail(fmt::format("{} octets cannot be a name of kind {}", width, mask.name));
}

void read_mask(TableReader& table, Masks& masks, bool binds) {
    Mask mask;
    read_place(table, mask);
    mask.message = table.text("message");
    mask.from = table.side("from");
    mask.reason = table.text("reason");
    if (binds) {
        mask.name = table.required_text("is");
        const std::string owner = table.word("of", {"sender", "receiver", "both"}, "sender");
        mask.owner = owner == "sender" ? Owner::sender : owner == "receiver" ? Owner::receiver : Owner::group;
        if (table.word("order", {"big", "little"}, "big") == "little") mask.order = layout::Order::little;
        if (mask.field == stream_field) table.fail("data of a stream can be ignored, and hold no names");
        check_width(table, mask);
    }
    table.done();
    masks.add(std::move(mask));
}

void read_masks(TableReader& table, Masks& masks) {
    for (TableReader& one : table.tables("ignore")) read_mask(one, masks, false);
    for (TableReader& one : table.tables("bind")) read_mask(one, masks, true);
}

// ---- acceptances ---------------------------------------------------------------------------------

Acceptance read_acceptance(TableReader& table) {
    Acceptance accepted;
    accepted.session = table.text("session");
    accepted.target = table.text("target");
    accepted.play = table.side("play");
    accepted.where = table.text("where");
    accepted.message = table.text("message");
    accepted.field = table.text("field");
    accepted.actual = table.text("actual");
    accepted.cause = table.text("cause");
    accepted.rule = table.text("rule");
    accepted.reason = table.required_text("reason");
    if ((accepted.where + accepted.message + accepted.field + accepted.cause + accepted.rule).empty())
        table.fail("what is accepted? It wants where, message, field, cause or rule");
    return accepted;
}

// ---- entries -------------------------------------------------------------------------------------

SuiteEntry read_entry(TableReader& table, const Suite& suite) {
    SuiteEntry entry;
    entry.files = table.texts("file");
    if (entry.files.empty()) table.fail("file is missing");
    for (std::string& file : entry.files) {
        if (!fs::path(file).is_absolute()) file = (fs::path(suite.folder) / file).lexically_normal();
        if (std::error_code error; !fs::is_regular_file(file, error)) table.fail("there is no file " + file);
    }
    entry.name = table.text("name", fs::path(entry.files.front()).stem());
    entry.sessions = table.texts("session");
    if (const auto sides = table.texts("play", {"client", "server"}); !sides.empty()) {
        entry.play.clear();
        for (const std::string& side : sides) entry.play.push_back(side == "client" ? Side::client : Side::server);
    }
    entry.targets = table.texts("only", {"emulated", "rocev2", "smc", "if"});
    entry.setup = table.text("setup");
    entry.peer[Side::server] = table.text("server");
    entry.peer[Side::client] = table.text("client");
    entry.cleanup = table.text("cleanup");
    entry.timeout = table.seconds("timeout", entry.timeout);
    entry.limit = table.seconds("limit", entry.limit);
    entry.start = table.seconds("start", entry.start);
    entry.speed = table.word("speed", {"fast", "recorded"}, "fast");
    entry.masks = std::make_unique<Masks>();
    read_masks(table, *entry.masks);
    for (TableReader& one : table.tables("accept")) {
        entry.accepted.push_back(read_acceptance(one));
        one.done();
    }
    table.done();
    return entry;
}

void add_baseline(Suite& suite) {
    for (auto& [name, accepted] : read_baseline(suite.baseline())) {
        const auto entry = std::ranges::find(suite.entries, name, &SuiteEntry::name);
        if (entry == suite.entries.end())
            throw ManifestError(fmt::format("{}: there is no recording {} in the suite", suite.baseline(), name));
        entry->accepted.push_back(std::move(accepted));
    }
}

}  // namespace

std::unique_ptr<Masks> read_masks(const std::string& path) {
    const toml::table table = parse(path);
    auto masks = std::make_unique<Masks>();
    TableReader reader(table, path);
    read_masks(reader, *masks);
    reader.done();
    return masks;
}

Suite read_suite(const std::string& path) {
    Suite suite;
    const fs::path file = fs::is_directory(path) ? fs::path(path) / manifest_name : fs::path(path);
    suite.folder = file.has_parent_path() ? file.parent_path().string() : ".";
    const toml::table table = parse(file);
    TableReader reader(table, file);
    suite.title = reader.text("title", fs::path(suite.folder).filename());
    suite.shell = reader.text("shell");
    std::set<std::string> names;
    for (TableReader& one : reader.tables("recording")) {
        SuiteEntry& entry = suite.entries.emplace_back(read_entry(one, suite));
        if (!names.insert(entry.name).second) one.fail("there are two recordings with the name " + entry.name);
    }
    // Those of the suite are for every recording.
    for (const char* kind : {"ignore", "bind"})
        for (SuiteEntry& entry : suite.entries)
            for (TableReader& one : reader.tables(kind)) read_mask(one, *entry.masks, std::string_view(kind) == "bind");
    reader.done();
    if (suite.entries.empty()) reader.fail("it has no [[recording]]");
    add_baseline(suite);
    return suite;
}

Baseline read_baseline(const std::string& path) {
    Baseline baseline;
    if (!fs::exists(path)) return baseline;
    const toml::table table = parse(path);
    TableReader reader(table, path);
    for (TableReader& one : reader.tables("accept")) {
        std::string name = one.required_text("recording");
        baseline.emplace_back(std::move(name), read_acceptance(one));
        one.done();
    }
    reader.done();
    return baseline;
}

std::string text_of(const Baseline& baseline) {
    std::string text =
        "# Differences that `fabricscope verify --update` found and accepts from now on. Whoever knows why a\n"
        "# difference is right says so in its reason, which stays.\n";
    for (const auto& [name, accepted] : baseline) {
        toml::table table;
        const auto put = [&](const char* key, const std::string& value) {
            if (!value.empty()) table.insert(key, value);
        };
        put("recording", name);
        put("session", accepted.session);
        put("target", accepted.target);
        if (accepted.play) put("play", engine::name_of(*accepted.play));
        put("where", accepted.where);
        put("message", accepted.message);
        put("field", accepted.field);
        put("actual", accepted.actual);
        put("cause", accepted.cause);
        put("rule", accepted.rule);
        put("reason", accepted.reason);
        std::ostringstream out;
        out << toml::toml_formatter(table);
        text += "\n[[accept]]\n" + out.str() + "\n";
    }
    return text;
}

}  // namespace fabricscope::replay
