// SPDX-License-Identifier: GPL-2.0-or-later
// Values of fields as people write them, and messages made of such values.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>

#include "replay/engine/fields.h"

namespace fabricscope::replay {

/// The text is shown to the user unchanged.
struct FieldError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// ---- octets --------------------------------------------------------------------------------------
// Runs, joined by "+": "hex:00ff", "zeros:4096", "count:256" (0, 1, 2 ... 255, 0 ...), "text:hello".

/// Nothing if it is no such text.
std::optional<Octets> octets_from_text(std::string_view text);
/// A text that octets_from_text() reads.
std::string text_of_octets(ByteView octets);

// ---- addresses -----------------------------------------------------------------------------------

std::optional<Mac> mac_from_text(std::string_view text);
/// A World Wide Port_Name: "21:00:00:e0:8b:05:05:04", "210000e08b050504", "0x210000e08b050504".
std::optional<std::uint64_t> port_name_from_text(std::string_view text);
/// An IPv4 or IPv6 address.
std::optional<Gid> gid_from_text(std::string_view text);

// ---- fields --------------------------------------------------------------------------------------

/// The value of a number ("12", "0x0c"; by its name, "ACCEPT"; of a flag "yes", "no"), of an address, or of octets.
/// Nothing if the text is no value of such a field.
std::optional<Value> value_from_text(const FieldAt& field, std::string_view text);
/// A text that value_from_text() reads.
std::string plain_text(const FieldAt& field, const Value& value);

struct NamedField {
    std::string name;  ///< the filter; of the second one that has it, "smcr.llc.rtoken.rkey/2"
    FieldAt field;
};
std::vector<NamedField> named(const std::vector<FieldAt>& fields);

struct Assignment {
    std::string name;  ///< as NamedField::name, or "octets[12]": what stands there, whatever it belongs to
    std::string text;
};

using FieldsOf = std::function<std::vector<FieldAt>(ByteView message)>;

/// The message of so many octets that has these values, and zeros elsewhere. Which fields there are depends on the
/// values of others: they are set until the structure does not change any more. Throws FieldError.
Octets assemble(std::size_t length, const FieldsOf& fields_of, const std::vector<Assignment>& assignments);

/// One of them in a message that is there; what depends on it stays as it is. Throws FieldError.
void set(Octets& message, const FieldsOf& fields_of, const Assignment& assignment);

/// The assignments that make assemble() give `message`, where those of `defaults` are made before them. Fields that are
/// 0 are left out.
std::vector<Assignment> assignments_of(
    ByteView message, const FieldsOf& fields_of, const std::vector<Assignment>& defaults);

}  // namespace fabricscope::replay
