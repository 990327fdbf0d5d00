// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/model.h"

#include <algorithm>

#include "analyzer/engine/packing.h"

namespace fabricscope::engine::fcvi {

const char* name_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::connected: return "connected";
        case Outcome::rejected: return "rejected";
        case Outcome::aborted: return "aborted";
        case Outcome::unknown: return "unknown";
    }
    return "";
}

const char* name_of(State state) {
    switch (state) {
        case State::unknown: return "unknown";
        case State::idle: return "idle";
        case State::pending_connect: return "pending connect";
        case State::pending_connect_retry: return "pending connect retry";
        case State::connected: return "connected";
        case State::error: return "error";
    }
    return "";
}

const char* name_of(Operation operation) {
    switch (operation) {
        case Operation::send: return "send";
        case Operation::write: return "rdma write";
        case Operation::read: return "rdma read";
    }
    return "";
}

Operation operation_of(wire::IuType type) {
    using wire::IuType;
    switch (type) {
        case IuType::write_rqst:
        case IuType::write_resp: return Operation::write;
        case IuType::read_rqst:
        case IuType::read_resp: return Operation::read;
        default: return Operation::send;
    }
}

const char* name_of(MessageState state) {
    switch (state) {
        case MessageState::open: return "open";
        case MessageState::complete: return "complete";
        case MessageState::incomplete: return "incomplete";
        case MessageState::failed: return "failed";
        case MessageState::aborted: return "aborted";
    }
    return "";
}

std::optional<wire::Reliability> Connection::reliability() const {
    const auto& client = end[Side::client].reliability;
    const auto& server = end[Side::server].reliability;
    if (client && server && *client != *server) return std::nullopt;
    return client ? client : server;
}

bool has_disconnected(const Connection& connection, Side side) {
    return std::ranges::any_of(
        connection.disconnects, [&](const Disconnect& d) { return d.from == side && d.resp.has_value(); });
}

const char* close_of(const Connection& connection) {
    if (connection.outcome != Outcome::connected) return nullptr;
    const auto left = [&](Side side) {
        return connection.end[side].state == State::idle || has_disconnected(connection, side);
    };
    const int ends = left(Side::client) + left(Side::server);
    return ends == 2 ? "closed" : ends == 1 ? "half" : "open";
}

template <class Way> [[gnu::always_inline]] static inline void code(Way& way, Message& message) {
    auto& [id, connection, from, operation, state, msg_id, ox_id, total_length, immediate_data, rmt_va, rmt_va_handle, bytes, frames, sequences, repeated_frames, missing_frames, first, last, request_begin, request_end, response, response_begin, response_end, trans_err, prot_err, desc_err] =
        message;
    way(id, connection, from, operation, state, msg_id, ox_id, total_length, immediate_data, rmt_va, rmt_va_handle,
        bytes, frames, sequences, repeated_frames, missing_frames, first, last, request_begin, request_end, response,
        response_begin, response_end, trans_err, prot_err, desc_err);
}

std::size_t pack(Message& message, std::vector<std::uint8_t>& room) { return Packer(room).pack(message); }

void unpack(Message& message, const std::uint8_t* from) { Unpacker(from).unpack(message); }

}  // namespace fabricscope::engine::fcvi
