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
        "Id of what is observed of this frame, as fabricscope explain takes it: SMCR-O-declined"},
    GeneratedField{
        "fabricscope.observation.session", "Session", GeneratedType::text,
        "Connection, link group, stream or Exchange that it is about"},
    GeneratedField{"fabricscope.observation.text", "What was seen", GeneratedType::text, "In one sentence"},
    GeneratedField{
        "fabricscope.observation.cause", "Cause", GeneratedType::text, "In one sentence, where the capture shows it"},
    GeneratedField{
        "fabricscope.observation.look", "Look at", GeneratedType::text, "Counter, setting or command that tells more"},
    GeneratedField{
        "fabricscope.observation.count", "How often", GeneratedType::unsigned_number,
        "Packets, waits or frames, those that follow from it included"},
    GeneratedField{
        "fabricscope.observation.frame", "Seen in", GeneratedType::frame, "Another frame that shows the same"},
    GeneratedField{
        "fabricscope.observation.note", "Something worth knowing", GeneratedType::expert_info,
        "An observation that is a note"},
    GeneratedField{
        "fabricscope.observation.warning", "Something did not go as it should", GeneratedType::expert_info,
        "An observation that is a warning"},
    GeneratedField{
        "fabricscope.observation.error", "Something failed", GeneratedType::expert_info,
        "An observation that is an error"},
};

}  // namespace fabricscope::observations
