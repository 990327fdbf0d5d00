// SPDX-License-Identifier: GPL-2.0-or-later
// Why rules stay undecided.
#pragma once

#include <cstdint>
#include <optional>

namespace fabricscope::engine {

enum class UndecidedReason : std::uint8_t {
    frames_missing,
    out_of_order,
    interface_order,
    clock_too_coarse,
    captured_twice,
    cut,
    too_short,
    encrypted,
    capture_ended,
    beginning_not_captured,
    setup_not_captured,
    tcp_handshake_not_captured,
    link_not_captured,
    login_not_captured,
    request_not_captured,
    response_not_captured,
    addresses_not_captured,
    no_sof,
    may_have_crossed,
    option_removed,
    another_request,
    another_link,
    another_reason,
    another_service_version,
    another_sender,
    not_remembered,
    standard_contradicts_itself,
    link_failed,
    link_deletion_due,
    old_link_not_deleted,
    old_group_unknown,
    contact_unknown,
    connection_given_up,
    used_again,
    element_size_unknown,
    element_owner_unknown,
    rmb_unknown,
    ip_versions_unknown,
    server_address_unknown,
    service_unknown,
    r_a_tov_unknown,
    handle_unknown,
    connection_unknown,
    discriminators_differ,
    region_size_unknown,
    icrc_filled_in_later,
};

/// Completes "undecided because ...".
constexpr const char* text_of(UndecidedReason reason) {
    switch (reason) {
        using enum UndecidedReason;
        case frames_missing: return "frames are missing from the capture";
        case out_of_order: return "frames were captured out of order";
        case interface_order: return "frames of different interfaces are in no certain order";
        case clock_too_coarse: return "the capture's clock does not tell the frames apart";
        case captured_twice: return "the same packet was captured twice";
        case cut: return "a message was cut by the snap length";
        case too_short: return "a message is too short to tell";
        case encrypted: return "a message is encrypted";
        case capture_ended: return "the capture ended too early";
        case beginning_not_captured: return "the session's beginning was not captured";
        case setup_not_captured: return "the setup was not captured";
        case tcp_handshake_not_captured: return "the TCP handshake was not captured";
        case link_not_captured: return "the link's packets were not captured";
        case login_not_captured: return "the login was not captured";
        case request_not_captured: return "the request was not captured";
        case response_not_captured: return "the response was not captured";
        case addresses_not_captured: return "the addresses were not captured";
        case no_sof: return "the frame has no SOF";
        case may_have_crossed: return "messages may have crossed on their way";
        case option_removed: return "the SMC option may have been removed on its way to the client";
        case another_request: return "the reply may be to another request";
        case another_link: return "messages may have been sent on another link";
        case another_reason: return "the request may have been rejected for another reason";
        case another_service_version: return "another version of the service may have another format";
        case another_sender: return "the MSG_ID may be one of the sender's own Messages";
        case not_remembered: return "a limit of the analyzer was reached";
        case standard_contradicts_itself: return "the standard contradicts itself";
        case link_failed: return "the link may have failed";
        case link_deletion_due: return "a link that was left out was about to be deleted";
        case old_link_not_deleted: return "the link that was left had not been deleted";
        case old_group_unknown:
            return "whether the link group with the same queue pair or RMB still exists is not known";
        case contact_unknown: return "whether it is a first or a subsequent contact is not known";
        case connection_given_up: return "the old connection may have been given up";
        case used_again: return "the alert token or RMB element may be in use again";
        case element_size_unknown: return "the RMB element's size is not known";
        case element_owner_unknown: return "the RMB element's connection is not known";
        case rmb_unknown: return "WRITEs to an unknown RMB were waiting";
        case ip_versions_unknown: return "the server may support one IP version only";
        case server_address_unknown: return "the server's IP address is not known";
        case service_unknown: return "whether the server has the service is not known";
        case r_a_tov_unknown: return "R_A_TOV is not known";
        case handle_unknown: return "the handle's announcement was not captured";
        case connection_unknown: return "an IU between the ports belongs to no known connection";
        case discriminators_differ: return "the peers ask for different discriminators";
        case region_size_unknown: return "the memory region's size is not known";
        case icrc_filled_in_later: return "the ICRC may be filled in behind the point of capture";
    }
    return "";
}

/// What of a rule's evidence may be missing from the capture, if anything. A breach of a rule that needs a stretch of
/// the capture is told of together with one (verdicts.h); so there is none without a question behind it.
class Doubt {
public:
    Doubt(UndecidedReason why) : why_(why) {}
    Doubt(std::optional<UndecidedReason> why) : why_(why) {}
    Doubt(std::nullopt_t) = delete;

    explicit operator bool() const { return why_.has_value(); }
    UndecidedReason operator*() const { return *why_; }

private:
    std::optional<UndecidedReason> why_;
};

/// A doubt of that kind, if something is `lacking`.
inline Doubt doubt_if(bool lacking, UndecidedReason why) {
    return lacking ? std::optional(why) : std::optional<UndecidedReason>();
}

}  // namespace fabricscope::engine
