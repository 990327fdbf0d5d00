// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc/model.h"

#include <cstdio>

#include "protocols/fc/ct.h"

namespace fabricscope::engine::fibre_channel {

std::string to_string(const Port& port) {
    const std::string id = wire::port_id_text(port.id);
    return port.fabric == 0 ? id : id + " in fabric " + std::to_string(port.fabric);
}

const char* name_of(ExchangeState state) {
    switch (state) {
        case ExchangeState::open: return "open";
        case ExchangeState::closed: return "closed";
        case ExchangeState::aborted: return "aborted";
    }
    return "";
}

const char* name_of(LoginState state) {
    switch (state) {
        case LoginState::requested: return "requested";
        case LoginState::accepted: return "accepted";
        case LoginState::rejected: return "rejected";
        case LoginState::logged_out: return "logged-out";
        case LoginState::midstream: return "midstream";
    }
    return "";
}

namespace {

std::string name_or_code(const char* name, const char* what, unsigned code, int digits) {
    if (name != nullptr) return name;
    char text[32];
    std::snprintf(text, sizeof text, "%s %0*Xh", what, digits, code);
    return text;
}

}  // namespace

std::string kind_text(const Exchange& exchange) {
    if (exchange.els)
        return name_or_code(layout::name_of(wire::els_command_names, *exchange.els), "ELS", *exchange.els, 2);
    if (exchange.ct) return name_or_code(layout::name_of(wire::ct_command_names, *exchange.ct), "CT", *exchange.ct, 4);
    if (!exchange.type) return "?";
    return name_or_code(layout::name_of(wire::type_names, *exchange.type), "TYPE", *exchange.type, 2);
}

}  // namespace fabricscope::engine::fibre_channel
