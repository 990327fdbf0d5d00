// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/info/rdma_cm.h"

#include <algorithm>

namespace fabricscope::info::rdma_cm {
namespace {

using wire::RejectInformation;

// ---- why somebody said no ------------------------------------------------------------------------

/// The words of a REJ or SIDR_REP, wherever they were kept.
struct Refusal {
    std::uint16_t reason;
    bool sidr;
    bool to_socket;  ///< the request was for a socket of the RDMA IP CM service, so that the annex holds
    const RejectInformation* information;  ///< of the service's own layer
    ByteView suggested;
};

const char* name_or(const char* name, const char* otherwise) { return name != nullptr ? name : otherwise; }

/// What the reason means to somebody who looks for the fault; nullptr if its name says all.
const char* hint_for(const Refusal& refusal) {
    if (refusal.sidr) return refusal.reason == 1 ? "nobody listens there" : nullptr;
    switch (refusal.reason) {
        case 4: return "no answer came in time";
        case 6: return "the peer does not know this connection";
        case ib::invalid_service_id: return "nobody listens there";
        case 10: return "the peer still has an older connection of this queue pair";
        case 24:
        case 25: return "connect elsewhere";
        case ib::consumer_reject:
            return refusal.information == nullptr || !refusal.to_socket ? "the application refuses" : nullptr;
        default: return nullptr;
    }
}

/// Table 5 of the annex, as a complaint.
const char* complaint_for(std::uint8_t code) {
    switch (code) {
        case 0: return "for an unspecified reason";
        case 1: return "major version not supported";
        case 2: return "minor version not supported";
        case 3: return "IP version not supported";
        case 4: return "source IP address does not fit the IP version";
        case 5: return "destination IP address does not fit the IP version";
        case 6: return "destination IP address is not the server's";
        default: return "code outside the annex";
    }
}

void add_octets(Line& line, ByteView octets) {
    static constexpr char digits[] = "0123456789abcdef";
    for (const std::uint8_t octet : octets) {
        const char text[] = {digits[octet >> 4], digits[octet & 15]};
        line << std::string_view(text, 2);
    }
}

/// The annex leaves the form open: versions are read as numbers, everything else as octets.
void add_suggestion(Line& line, const Refusal& refusal) {
    if (refusal.suggested.empty()) return;
    line << ", suggests ";
    const bool is_version = refusal.information->code >= 1 && refusal.information->code <= 3;
    if (!is_version || refusal.suggested.size() > 4) return add_octets(line, refusal.suggested);
    std::uint32_t number = 0;
    for (const std::uint8_t octet : refusal.suggested) number = number << 8 | octet;
    line << number;
}

void add_information(Line& line, const Refusal& refusal) {
    line << ", " << complaint_for(refusal.information->code);
    add_suggestion(line, refusal);
}

void add_refusal(Line& line, const Refusal& refusal) {
    const char* name = refusal.sidr ? layout::name_of(ib::sidr_status_names, refusal.reason)
                                    : layout::name_of(ib::reject_reason_names, refusal.reason);
    line << name_or(name, "unknown reason") << " (" << refusal.reason << ")";
    if (const char* hint = hint_for(refusal)) line << ", " << hint;
    if (refusal.information != nullptr && refusal.to_socket) add_information(line, refusal);
}

/// What an application says with its rejection is often readable.
void add_private_data(Line& line, ByteView octets) {
    constexpr std::size_t most = 32;
    const auto end = std::find_if(octets.rbegin(), octets.rend(), [](std::uint8_t octet) { return octet != 0; });
    octets = octets.first(static_cast<std::size_t>(octets.rend() - end));
    if (octets.empty()) return;
    const bool readable = std::ranges::all_of(octets, [](std::uint8_t octet) { return octet >= 0x20 && octet < 0x7F; });
    const ByteView shown = octets.first(std::min(octets.size(), most));
    line << ", private data ";
    if (readable) line << "\"" << std::string_view(reinterpret_cast<const char*>(shown.data()), shown.size()) << "\"";
    else add_octets(line, shown);
    if (shown.size() < octets.size()) line << "...";
}

// ---- what tells a message from others ------------------------------------------------------------

bool is_socket(const MessageView& view) { return view.connection == nullptr || is_of_service(*view.connection); }

void add_queue_pair(Line& line, std::uint32_t qpn) { line << ", QP 0x", line.hex(qpn); }

/// Timeouts are coded: 4.096 us * 2^code
void add_timeout(Line& line, std::uint8_t code) { line << ((std::uint64_t{4096} << code) / 1'000'000) << " ms"; }

/// In small letters, as the engine names protocols.
void add_small(Line& line, std::string_view text) {
    for (const char letter : text) {
        const char small = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        line << std::string_view(&small, 1);
    }
}

void add_service(Line& line, std::uint64_t service_id, const std::optional<wire::IpHeader>& ip) {
    if (!wire::is_socket_service(service_id)) {
        line << " service id 0x", line.hex(service_id);
    } else {
        const auto socket = wire::socket_service(service_id);
        const char* protocol = layout::name_of(wire::protocol_names, socket.protocol);
        if (protocol != nullptr) add_small(line << " ", protocol);
        else line << " protocol " << socket.protocol;
    }
    if (const char* ulp = wire::ulp_of(service_id)) line << ", " << ulp;
    if (!ip) return;
    const wire::IpVersions& versions = ip->versions;
    if (versions.major_version != 0 || versions.minor_version != 0)
        line << ", IP CM version " << versions.major_version << "." << versions.minor_version;
    if (versions.ip_version != 4 && versions.ip_version != 6) line << ", IP version " << versions.ip_version;
}

/// Adds what a body says if it was captured.
struct Detail {
    Line& line;
    const MessageView& view;

    void operator()(const wire::Unknown&) const {}
    void operator()(const wire::Req& req) const {
        if (!is_there(req.body)) return;
        add_service(line, req.body.service_id, req.ip);
        add_queue_pair(line, req.body.local_qpn);
    }
    void operator()(const ib::CmMra& mra) const {
        if (!is_there(mra)) return;
        line << " " << name_or(layout::name_of(ib::mra_message_names, mra.message), "message") << " received, wait ";
        add_timeout(line, mra.service_timeout);
    }
    void operator()(const wire::Rej& rej) const {
        if (!is_there(rej.body)) return;
        line << " rejects " << name_or(layout::name_of(ib::rej_message_names, rej.body.message), "message") << ": ";
        const std::size_t suggested = rej.information ? rej.information->suggested_length : 0;
        add_refusal(
            line, {rej.body.reason, false, is_socket(view), rej.information ? &*rej.information : nullptr,
                   rej.additional.first(std::min(suggested, rej.additional.size()))});
        if (rej.body.reason == ib::consumer_reject) add_private_data(line, view.message.private_data);
    }
    void operator()(const ib::CmRep& rep) const {
        if (is_there(rep)) add_queue_pair(line, queue_pair_of(rep));
    }
    void operator()(const ib::CmRtu&) const {}
    void operator()(const ib::CmDreq&) const {}
    void operator()(const ib::CmDrep&) const {}
    void operator()(const wire::SidrReq& request) const {
        if (is_there(request.body)) add_service(line, request.body.service_id, request.ip);
    }
    void operator()(const wire::SidrRep& reply) const {
        if (!is_there(reply.body)) return;
        if (reply.body.status == 0) return add_queue_pair(line, reply.body.qpn);
        line << ": ";
        add_refusal(line, {reply.body.status, true, is_socket(view), nullptr, {}});
        add_private_data(line, view.message.private_data);
    }
    void operator()(const ib::CmLap&) const {}
    void operator()(const wire::Apr& apr) const {
        if (!is_there(apr.body)) return;
        const char* status = layout::name_of(ib::apr_status_names, apr.body.status);
        line << ": " << name_or(status, "unknown status") << " (" << apr.body.status << ")";
    }
    void operator()(const ib::ClassPortInfo&) const {
        const ib::MadHeader& mad = view.message.mad;
        line << " " << name_or(layout::name_of(ib::mad_method_names, mad.method), "");
        if (mad.response) line << " response";
    }

private:
    template <class T> bool is_there(const T&) const { return view.captured >= layout::layout_of<T>.extent.end; }
};

}  // namespace

Line name_of_message(const wire::Message& message) {
    const char* name = layout::name_of(ib::cm_attribute_names, message.mad.attribute_id);
    if (name != nullptr) return Line(name);
    Line line("CM attribute 0x");
    line.hex(message.mad.attribute_id);
    return line;
}

Line summary_of(const MessageView& view) {
    Line line = name_of_message(view.message);
    if (view.connection != nullptr) line << " cm-" << view.connection->id;
    if (view.source != nullptr) line << " " << view.source << " → " << view.destination;
    std::visit(Detail{line, view}, view.message.body);
    return line;
}

Line rejection_of(const Connection& connection) {
    Line line;
    if (!connection.reject) return line;
    const engine::rdma_cm::RejectSeen& seen = *connection.reject;
    line << "by the " << name_of(seen.by) << ": ";
    std::optional<RejectInformation> information;
    if (seen.information && seen.information->code)
        information = RejectInformation{.layer = wire::service_layer, .code = *seen.information->code};
    add_refusal(
        line, {seen.reason, seen.sidr, is_of_service(connection), information ? &*information : nullptr,
               seen.information ? ByteView(seen.information->suggested) : ByteView{}});
    return line;
}

}  // namespace fabricscope::info::rdma_cm
