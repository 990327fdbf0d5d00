// SPDX-License-Identifier: GPL-2.0-or-later
// What every protocol has behind its filter name, as in "smcr.malformed": the plugin registers it, `fabricscope fields`
// prints it.
#pragma once

#include <array>

namespace fabricscope::engine {

struct CommonField {
    const char* name;
    const char* label;
    const char* description;  ///< a sentence without its full stop
};

inline constexpr CommonField unknown_octets{
    "octets", "Bytes without a known meaning", "No document that fabricscope knows gives these bytes a meaning"};

/// Expert infos.
namespace expert {
inline constexpr CommonField malformed{
    "malformed", "The message contradicts itself", "Lengths, types or counts in the message cannot all be right"};
inline constexpr CommonField cut{
    "cut", "The message was not captured whole",
    "The capture has a beginning of the message only, so that its other fields are unknown"};
inline constexpr CommonField reserved_set{
    "reserved_set", "Reserved, but not zero", "Bits that the protocol reserves are set"};
inline constexpr CommonField repeated{
    "repeated", "The packet was seen before", "The sender sent the same packet before, or the capture has it twice"};
inline constexpr CommonField late{
    "late", "From this frame on, the capture is not in order of time",
    "The frame is older than one before it, and what depends on order may be undecided from here on"};
inline constexpr CommonField note{
    "finding.note", "A rule is broken",
    "The frame breaks a rule whose severity is note; the text has its id and clause"};
inline constexpr CommonField warning{
    "finding.warning", "A rule is broken",
    "The frame breaks a rule whose severity is warning; the text has its id and clause"};
inline constexpr CommonField error{
    "finding.error", "A rule is broken",
    "The frame breaks a rule whose severity is error; the text has its id and clause"};
inline constexpr std::array all{malformed, cut, reserved_set, repeated, late, note, warning, error};
}  // namespace expert

}  // namespace fabricscope::engine
