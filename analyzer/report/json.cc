// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json.h"

#include <ostream>
#include <string_view>

#include "analyzer/report/fc_ae_rdma_records.h"
#include "analyzer/report/fcvi_records.h"
#include "analyzer/report/records.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

/// An array with an element on each line.
class Lines {
public:
    Lines(std::ostream& out, std::string_view indent) : out_(out), indent_(indent) { out_ << '['; }
    void add(const Json& element) {
        line_.assign(empty_ ? "\n" : ",\n").append(indent_).append("  ");
        append(line_, element);
        out_ << line_;
        empty_ = false;
    }
    void end() {
        if (!empty_) out_ << '\n' << indent_;
        out_ << ']';
    }

private:
    std::ostream& out_;
    std::string_view indent_;
    std::string line_;  ///< its memory is used again
    bool empty_ = true;
};

/// The last members of a protocol's object.
void write_limits(std::ostream& out, const Json& limits) {
    for (const auto& [name, count] : limits.members()) out << ",\n    \"" << name << "\": " << line_of(count);
    out << "\n  },\n";
}

void write_smcr(std::ostream& out, const Model& model, const Clock& clock, bool cursors) {
    out << "  \"smcr\": {\n    \"connections\": ";
    Lines connections(out, "    ");
    for (const Connection& connection : model.connections)
        if (!connection.merged) connections.add(record_of(connection, clock, cursors));
    connections.end();
    out << ",\n    \"link_groups\": ";
    Lines groups(out, "    ");
    for (const LinkGroup& group : model.link_groups)
        if (came_to_be(group)) groups.add(record_of(group, clock));
    groups.end();
    write_limits(out, limits_record(model));
}

void write_rdma_cm(std::ostream& out, const engine::rdma_cm::Model& model, const Clock& clock) {
    out << "  \"rdma_cm\": {\n    \"connections\": ";
    Lines connections(out, "    ");
    for (const engine::rdma_cm::Connection& connection : model.connections)
        if (!connection.merged) connections.add(record_of(connection, clock));
    connections.end();
    write_limits(out, limits_record(model));
}

/// `record` makes an element's record.
template <class List, class Record>
void write_list(std::ostream& out, const char* name, const List& list, const Record& record) {
    out << "    \"" << name << "\": ";
    Lines lines(out, "    ");
    for (const auto& element : list) lines.add(record(element));
    lines.end();
}

void write_fc(std::ostream& out, const engine::fibre_channel::Model& model, const Clock& clock) {
    const auto record = [&](const auto& element) { return record_of(element, clock); };
    out << "  \"fc\": {\n";
    write_list(out, "exchanges", model.exchanges, record);
    out << ",\n";
    write_list(out, "logins", model.logins, record);
    out << ",\n";
    write_list(out, "addresses", model.resolutions, record);
    write_limits(out, limits_record(model));
}

void write_fcvi(std::ostream& out, const engine::fcvi::Model& model, const Clock& clock) {
    const auto record = [&](const auto& element) { return record_of(element, clock); };
    out << "  \"fcvi\": {\n";
    write_list(out, "connections", model.connections, record);
    out << ",\n";
    write_list(out, "messages", model.messages, record);
    write_limits(out, limits_record(model));
}

void write_fc_ae_rdma(std::ostream& out, const engine::fc_ae_rdma::Model& model, const Clock& clock) {
    out << "  \"fc_ae_rdma\": {\n";
    write_list(out, "messages", model.messages, [&](const auto& message) { return record_of(message, clock); });
    out << ",\n";
    write_list(out, "regions", model.regions, [](const auto& region) { return record_of(region); });
    write_limits(out, limits_record(model));
}

}  // namespace

void write_json(std::ostream& out, const Results& results, bool cursors) {
    const Clock clock(results.capture.start);
    out << "{\n  \"schema\": \"fabricscope/1\",\n  \"capture\": " << line_of(capture_record(results)) << ",\n";
    if (results.smcr != nullptr) write_smcr(out, *results.smcr, clock, cursors);
    if (results.rdma_cm != nullptr) write_rdma_cm(out, *results.rdma_cm, clock);
    if (results.fc != nullptr) write_fc(out, *results.fc, clock);
    if (results.fcvi != nullptr) write_fcvi(out, *results.fcvi, clock);
    if (results.fc_ae_rdma != nullptr) write_fc_ae_rdma(out, *results.fc_ae_rdma, clock);
    out << "  \"findings\": ";
    Lines findings(out, "  ");
    for (const engine::Finding* finding : results.findings) findings.add(record_of(*finding, results.places));
    findings.end();
    out << ",\n  \"profile\": \"" << name_of(results.profile) << "\",\n  \"rules\": ";
    Lines rules(out, "  ");
    for (const engine::RuleResult& result : results.rules) rules.add(record_of(result));
    rules.end();
    out << "\n}\n";
}

}  // namespace fabricscope::report
