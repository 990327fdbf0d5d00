// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/exports.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "analyzer/report/comments.h"
#include "analyzer/report/csv.h"
#include "analyzer/report/html.h"
#include "analyzer/report/perfetto.h"
#include "analyzer/report/png.h"
#include "analyzer/report/sqlite.h"
#include "analyzer/report/svg.h"
#include "capture/pcapng_copy.h"
#include "program/analysis.h"
#include "program/command_line.h"
#include "program/new_file.h"
#include "program/output.h"

namespace fabricscope::cli {
namespace {

std::string csv_path(const std::string& folder, const report::DataTable& table) {
    return std::filesystem::path(folder) / (std::string(table.name) + ".csv");
}

bool is_our_database(std::string_view octets) {
    constexpr std::string_view magic("SQLite format 3\0", 16);
    constexpr std::size_t application_id_offset = 68;
    if (!octets.starts_with(magic) || octets.size() < application_id_offset + 4) return false;
    std::uint32_t id = 0;
    for (const char c : octets.substr(application_id_offset, 4)) id = id << 8 | static_cast<std::uint8_t>(c);
    return id == report::sqlite_application_id;
}

/// Pictures, pages and traces name the program within the first octets, which begin in a way of their own.
bool is_ours(std::string_view octets, std::string_view beginning) {
    constexpr std::size_t head = 256;
    return octets.starts_with(beginning) && octets.substr(0, head).find("fabricscope ") != std::string_view::npos;
}

/// Has a file written; "-": standard output.
template <class Write> bool export_to(const std::string& file, const Write& write) {
    Output output(file);
    write(output.stream());
    return output.finish();
}

/// One table's file while it is being written.
struct CsvFile {
    NewFile file;
    std::ofstream stream;

    explicit CsvFile(const std::string& path)
        : file(path), stream(file.temporary(), std::ios::binary | std::ios::trunc) {}
};

}  // namespace

std::string why_not_csv(const std::string& folder) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) return why_no_folder(folder);
    for (const report::DataTable& table : report::data_tables()) {
        const std::string header = report::csv_header(table) + "\r\n";
        const Replaceable csv{"that table", [&](std::string_view octets) { return octets.starts_with(header); }};
        if (std::string reason = why_not_replace(csv_path(folder, table), csv); !reason.empty()) return reason;
    }
    return {};
}

std::string why_not_sqlite(const std::string& file) {
    return why_not_replace(file, {"a database of fabricscope", is_our_database});
}

std::string why_not_picture(const std::string& file) {
    const auto ours = [](std::string_view octets) { return is_ours(octets, "<?xml ") || is_ours(octets, "\x89PNG"); };
    return file == "-" ? std::string() : why_not_replace(file, {"a picture of fabricscope", ours});
}

std::string why_not_html(const std::string& file) {
    const auto ours = [](std::string_view octets) { return is_ours(octets, "<!DOCTYPE html>"); };
    return file == "-" ? std::string() : why_not_replace(file, {"a report of fabricscope", ours});
}

std::string why_not_perfetto(const std::string& file) {
    if (file == "-") return "standard output has the report; --perfetto needs a file";
    constexpr std::string_view packet = "\n";  // the tag of a trace's packets
    const auto ours = [](std::string_view octets) { return is_ours(octets, packet); };
    return why_not_replace(file, {"a trace of fabricscope", ours});
}

std::string why_not_annotate(const std::string& file, const std::vector<std::string>& inputs) {
    if (std::string reason = why_not_twice(inputs, "--annotate"); !reason.empty()) return reason;
    return why_not_replace(file, our_captures);
}

bool export_csv(const std::string& folder, const report::Results& results, bool cursors) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    std::vector<CsvFile> files;
    for (const report::DataTable& table : report::data_tables())
        if (!files.emplace_back(csv_path(folder, table)).file) return false;
    const report::DataTable* const first = report::data_tables().data();
    report::write_csv(results, cursors, [&](const report::DataTable& table) -> std::ostream& {
        return files[static_cast<std::size_t>(&table - first)].stream;
    });
    for (CsvFile& each : files) {
        const std::string reason = why_not_written(each.stream);
        if (reason.empty()) continue;
        complain("cannot write to " + folder + ": " + reason);
        return false;
    }
    for (CsvFile& each : files)
        if (!each.file.put_in_place()) return false;
    return true;
}

bool export_sqlite(const std::string& file, const report::Results& results, bool cursors) {
    NewFile database(file);
    if (!database) return false;
    try {
        report::write_sqlite(database.temporary(), results, cursors);
    } catch (const std::runtime_error& error) {
        complain("cannot write " + file + ": " + error.what());
        return false;
    }
    return database.put_in_place();
}

bool export_annotated(const std::string& file, const report::Results& results, const std::vector<std::string>& opened) {
    NewFile copy(file);
    if (!copy) return false;
    const capture::PcapngCopy done = capture::copy_with_comments(
        opened, report::comments_of(results), application, copy.temporary());
    if (done.error) {
        complain("cannot write " + file + ": " + *done.error);
        return false;
    }
    return copy.put_in_place();
}

bool export_perfetto(
    const std::string& file, const engine::Engine& engine, const report::Results& results,
    const report::FrameListeners& listeners) {
    return export_to(file, [&](std::ostream& out) {
        write_perfetto(out, engine, report::overview_of(engine, results.models, listeners), application, &listeners);
    });
}

bool export_html(const std::string& file, const engine::Engine& engine, const report::Results& results) {
    return export_to(file, [&](std::ostream& out) { write_html(out, engine, results, application); });
}

bool export_svg(const std::string& file, const report::Drawing& drawing) {
    return export_to(file, [&](std::ostream& out) { report::write_svg(out, drawing, application); });
}

bool export_png(const std::string& file, const report::Drawing& drawing) {
    if (std::max(drawing.width, drawing.height) <= report::largest_png_side)
        return export_to(file, [&](std::ostream& out) { report::write_png(out, drawing, application); });
    complain("the picture is too large for PNG; --svg has no such limit");
    return false;
}

}  // namespace fabricscope::cli
