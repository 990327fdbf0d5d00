// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark shows of observations: they are a protocol of their own there, since their frames may be of any
// protocol, or of none that has a tree.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::observations {

inline constexpr const char* filter_name = "fabricscope";

using engine::GeneratedField;
using engine::GeneratedType;

inline constexpr std::array generated_fields{
    GeneratedField{
        "fabricscope.observation", "Observation", GeneratedType::text,
        "This is the id of what is observed of the frame, as fabricscope explain takes it, for example "
        "SMCR-O-declined"},
    GeneratedField{
        "fabricscope.observation.session", "Session", GeneratedType::text,
        "The observation is about this connection, link group, stream or Exchange"},
    GeneratedField{
        "fabricscope.observation.text", "What was seen", GeneratedType::text, "This sentence says what was seen"},
    GeneratedField{
        "fabricscope.observation.cause", "Cause", GeneratedType::text,
        "This sentence says why, where the capture shows it"},
    GeneratedField{
        "fabricscope.observation.look", "Look at", GeneratedType::text, "This counter, setting or command tells more"},
    GeneratedField{
        "fabricscope.observation.count", "How often", GeneratedType::unsigned_number,
        "It was seen in so many packets, waits or frames, with those that follow from it"},
    GeneratedField{"fabricscope.observation.frame", "Seen in", GeneratedType::frame, "This other frame shows the same"},
    GeneratedField{
        "fabricscope.observation.note", "Something worth knowing", GeneratedType::expert_info,
        "An observation that is a note is shown in this frame"},
    GeneratedField{
        "fabricscope.observation.warning", "Something did not go as it should", GeneratedType::expert_info,
        "An observation that is a warning is shown in this frame"},
    GeneratedField{
        "fabricscope.observation.error", "Something failed", GeneratedType::expert_info,
        "An observation that is an error is shown in this frame"},
    GeneratedField{
        "fabricscope.damaged", "Damaged on its way, and left out", GeneratedType::expert_info,
        "The ICRC or TCP checksum is wrong, and what the packet was came again: its receiver dropped it"},
};

}  // namespace fabricscope::observations
