// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of the played side that are not as recorded: wrong values, lengths, octets.
#pragma once

#include "replay/engine/conversation.h"
#include "replay/engine/field_values.h"
#include "replay/stack/core/random.h"

namespace fabricscope::replay {

struct Mutation {
    std::uint64_t frame = 0;  ///< that completes the message in the recording
    Assignment change;        ///< of a field, of "octets[12]", or "length": shorter, or longer by zeros
};

/// "4:smcr.clc.mtu=9"
std::string text_of(const Mutation& mutation);
/// Nothing if it is no such text.
std::optional<Mutation> mutation_from_text(std::string_view text);

/// So many mutations of what `played` says.
std::vector<Mutation> random_mutations(
    const Conversation& recorded, Side played, std::size_t count, stack::Random& random);

/// Throws FieldError if there is no such message of that side, or no such field in it.
void apply(Conversation& recorded, Side played, const std::vector<Mutation>& mutations);

}  // namespace fabricscope::replay
