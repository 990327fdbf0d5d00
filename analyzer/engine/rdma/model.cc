// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/model.h"

#include <algorithm>

namespace fabricscope::engine::rdma {

const char* name_of(Transport transport) {
    switch (transport) {
        case Transport::rc: return "rc";
        case Transport::uc: return "uc";
        case Transport::ud: return "ud";
        case Transport::xrc: return "xrc";
    }
    return "";
}

void Icrcs::add(const Icrcs& more) {
    checked += more.checked;
    wrong += more.wrong;
    any_right |= more.any_right;
    frames.insert(frames.end(), more.frames.begin(), more.frames.end());
    std::ranges::sort(frames);
    frames.resize(std::min(frames.size(), most_frames));
}

const char* name_of(Learned learned) {
    switch (learned) {
        case Learned::cm: return "cm";
        case Learned::smcr: return "smcr";
        case Learned::acknowledgments: return "acknowledgments";
        case Learned::datagrams: return "datagrams";
    }
    return "";
}

const char* name_of(End end) {
    switch (end) {
        case End::disconnected: return "disconnected";
        case End::retries_exhausted: return "retries-exhausted";
        case End::nak: return "nak";
        case End::open: return "open";
        case End::unknown: return "unknown";
    }
    return "";
}

const char* name_of(OperationType type) {
    switch (type) {
        case OperationType::send: return "send";
        case OperationType::write: return "write";
        case OperationType::read: return "read";
        case OperationType::atomic: return "atomic";
    }
    return "";
}

const char* name_of(Cause cause) {
    switch (cause) {
        case Cause::nak: return "nak";
        case Cause::timeout: return "timeout";
        case Cause::rnr: return "rnr";
        case Cause::implied: return "implied";
        case Cause::unknown: return "unknown";
    }
    return "";
}

const char* name_of(Event::Kind kind) {
    switch (kind) {
        using enum Event::Kind;
        case nak: return "nak";
        case rnr_nak: return "rnr-nak";
        case retransmission: return "retransmission";
        case not_captured: return "not-captured";
        case out_of_order: return "out-of-order";
    }
    return "";
}

namespace {

constexpr std::array retransmitted_counts{
    &Retransmitted::packets, &Retransmitted::nak, &Retransmitted::timeout, &Retransmitted::rnr,
    &Retransmitted::implied};

}  // namespace

Retransmitted& Retransmitted::operator+=(const Retransmitted& more) {
    for (const auto count : retransmitted_counts) this->*count += more.*count;
    return *this;
}

Retransmitted& Retransmitted::operator-=(const Retransmitted& some) {
    for (const auto count : retransmitted_counts) this->*count -= some.*count;
    return *this;
}

Retransmitted Direction::asked_again() const {
    Retransmitted requests = retransmitted;
    if (answered_again) requests -= *answered_again;
    return requests;
}

std::string stream_name(std::uint32_t id) { return "rdma-" + std::to_string(id); }

std::string session_name(const Stream& stream) {
    if (stream.cm_connection != 0) return "cm-" + std::to_string(stream.cm_connection);
    return stream.link_group != 0 ? "lg-" + std::to_string(stream.link_group) : "";
}

}  // namespace fabricscope::engine::rdma
