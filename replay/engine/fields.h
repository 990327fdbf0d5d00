// SPDX-License-Identifier: GPL-2.0-or-later
// A message as a row of fields, whatever its protocol: the layouts' own fields, each at its place in the octets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocols/layout/parts.h"

namespace fabricscope::replay {

using Octets = std::vector<std::uint8_t>;

/// A field where it stands in a message.
struct FieldAt {
    const layout::FieldInfo* info = nullptr;     ///< nullptr: octets that no layout describes
    const layout::OctetsInfo* octets = nullptr;  ///< of those, if they have a name
    const char* label = nullptr;                 ///< of the part it belongs to, if the message tells several apart
    int index = -1;                              ///< of the part, in a list of equal parts
    std::size_t offset = 0;                      ///< of its first octet
    std::size_t width = 0;                       ///< octets

    /// The display filter's name; a label for octets without one. Never empty.
    std::string_view filter() const;
    /// The filter's name, with the number in a list, "smcr.llc.rkey[1]", and the part, "... (Alternate path)".
    std::string name() const;
    const char* clause() const;
};

/// Whether two messages of a kind have these fields at the same place in their structure.
bool same_place(const FieldAt& a, const FieldAt& b);

/// The fields with `names`, each of which stands within octets that no layout describes, as fields of their own.
/// Names behind the message's end are left out.
std::vector<FieldAt> with_names(std::vector<FieldAt> fields, std::span<const FieldAt> names);

/// A visitor for walk() that takes down all fields. Slots that a message leaves empty are left out.
class FieldCollector {
public:
    /// `origin`: where the walked part begins in the message.
    explicit FieldCollector(std::vector<FieldAt>& fields, std::size_t origin = 0) : fields_(fields), origin_(origin) {}

    template <layout::WireFormat T> void part(const T&, std::size_t offset, const layout::PartInfo& role) {
        if (role.used) add(layout::info_of<T>(), layout::layout_of<T>.extent.begin, offset, role);
    }
    void octets(ByteView octets, std::size_t offset, const layout::PartInfo& role) {
        fields_.push_back({nullptr, role.octets, role.label, role.index, origin_ + offset, octets.size()});
    }

private:
    void add(const layout::LayoutInfo& part, std::size_t begin, std::size_t offset, const layout::PartInfo& role);

    std::vector<FieldAt>& fields_;
    std::size_t origin_;
};

/// A field's value: its octets as they stand; of numbers, in network order and without leading zeros, so that equal
/// numbers are equal however wide a field holds them.
using Value = Octets;

/// Empty if the message ends before the field does.
Value value_of(ByteView message, const FieldAt& field);
std::uint64_t number_of(const Value& value);
Value value_of_number(std::uint64_t number);
/// As the field would hold it; what is wider than the field is cut.
Value value_of_number(std::uint64_t number, const FieldAt& field);
/// Whether its value is a number, and not octets or an address.
bool is_number(const FieldAt& field);
/// Writes the value where the field stands; what is wider than the field is cut.
void set_value(std::span<std::uint8_t> message, const FieldAt& field, const Value& value);
/// For people: "0x11", "2 (ACCEPT)", "192.0.2.10".
std::string text_of(const FieldAt& field, const Value& value);

}  // namespace fabricscope::replay
