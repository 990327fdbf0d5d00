// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fc/delimiters.h"

#include <algorithm>
#include <array>

namespace fabricscope::fc {
namespace {

struct SofForms {
    Sof sof;
    const char* name;
    int service_class;
    bool initiates;
    std::uint32_t ordered_set;
    std::uint8_t code;  ///< RFC 3643
    std::uint8_t mds;
};

struct EofForms {
    Eof eof;
    const char* name;
    bool terminates;
    bool invalid;
    std::uint32_t negative, positive;  ///< ordered sets
    std::uint8_t code;                 ///< RFC 3643
    std::uint8_t mds;
};

// In the order of the enumerations.
constexpr std::array sof_forms{
    SofForms{Sof::none, "none", 0, false, 0, 0, 0},
    SofForms{Sof::f, "SOFf", 0, false, 0xBCB5'5858, 0x28, 0x8},
    SofForms{Sof::c1, "SOFc1", 1, true, 0xBCB5'1717, 0, 0x1},
    SofForms{Sof::i1, "SOFi1", 1, true, 0xBCB5'5757, 0, 0x2},
    SofForms{Sof::n1, "SOFn1", 1, false, 0xBCB5'3737, 0, 0x3},
    SofForms{Sof::i2, "SOFi2", 2, true, 0xBCB5'5555, 0x2D, 0x4},
    SofForms{Sof::n2, "SOFn2", 2, false, 0xBCB5'3535, 0x35, 0x5},
    SofForms{Sof::i3, "SOFi3", 3, true, 0xBCB5'5656, 0x2E, 0x6},
    SofForms{Sof::n3, "SOFn3", 3, false, 0xBCB5'3636, 0x36, 0x7},
    SofForms{Sof::c4, "SOFc4", 4, true, 0xBCB5'1919, 0x39, 0x9},
    SofForms{Sof::i4, "SOFi4", 4, true, 0xBCB5'5959, 0x29, 0xA},
    SofForms{Sof::n4, "SOFn4", 4, false, 0xBCB5'3939, 0x31, 0xB}};

constexpr std::array eof_forms{
    EofForms{Eof::none, "none", false, false, 0, 0, 0, 0},
    EofForms{Eof::n, "EOFn", false, false, 0xBC95'D5D5, 0xBCB5'D5D5, 0x41, 0x3},
    EofForms{Eof::t, "EOFt", true, false, 0xBC95'7575, 0xBCB5'7575, 0x42, 0x1},
    EofForms{Eof::a, "EOFa", false, true, 0xBC95'F5F5, 0xBCB5'F5F5, 0x50, 0x4},
    EofForms{Eof::ni, "EOFni", false, true, 0xBC8A'D5D5, 0xBCAA'D5D5, 0x49, 0x7},
    EofForms{Eof::dt, "EOFdt", true, false, 0xBC95'9595, 0xBCB5'9595, 0x46, 0x2},
    EofForms{Eof::dti, "EOFdti", true, true, 0xBC8A'9595, 0xBCAA'9595, 0x4E, 0x6},
    EofForms{Eof::rt, "EOFrt", true, false, 0xBC95'9999, 0xBCB5'9999, 0x44, 0xA},
    EofForms{Eof::rti, "EOFrti", true, true, 0xBC8A'9999, 0xBCAA'9999, 0x4F, 0xE}};

constexpr Sof delimiter_of(const SofForms& form) { return form.sof; }
constexpr Eof delimiter_of(const EofForms& form) { return form.eof; }

const SofForms& forms(Sof sof) { return sof_forms.at(static_cast<std::size_t>(sof)); }
const EofForms& forms(Eof eof) { return eof_forms.at(static_cast<std::size_t>(eof)); }

template <class Value> std::optional<Sof> find(Value SofForms::*form, Value value) {
    const auto found = std::ranges::find(sof_forms, value, form);
    return value == 0 || found == sof_forms.end() ? std::nullopt : std::optional(found->sof);
}
template <class Value> std::optional<Eof> find(Value EofForms::*form, Value value) {
    const auto found = std::ranges::find(eof_forms, value, form);
    return value == 0 || found == eof_forms.end() ? std::nullopt : std::optional(found->eof);
}

/// Of FCoE and FCIP, where each frame is asked for both of its codes: one for each octet.
template <class Delimiter, const auto& all>
constexpr auto by_code = [] {
    std::array<Delimiter, 256> known{};
    for (const auto& form : all)
        if (form.code != 0) known[form.code] = delimiter_of(form);
    return known;
}();
template <class Delimiter> std::optional<Delimiter> unless_none(Delimiter delimiter) {
    return delimiter == Delimiter::none ? std::nullopt : std::optional(delimiter);
}

}  // namespace

const char* name_of(Sof sof) { return forms(sof).name; }
const char* name_of(Eof eof) { return forms(eof).name; }
int class_of(Sof sof) { return forms(sof).service_class; }
bool initiates(Sof sof) { return forms(sof).initiates; }
bool terminates(Eof eof) { return forms(eof).terminates; }
bool is_invalid(Eof eof) { return forms(eof).invalid; }

std::optional<Sof> sof_of_ordered_set(std::uint32_t word) { return find(&SofForms::ordered_set, word); }
std::optional<Eof> eof_of_ordered_set(std::uint32_t word) {
    const auto negative = find(&EofForms::negative, word);
    return negative ? negative : find(&EofForms::positive, word);
}
std::optional<Sof> sof_of_code(std::uint8_t code) { return unless_none(by_code<Sof, sof_forms>[code]); }
std::optional<Eof> eof_of_code(std::uint8_t code) { return unless_none(by_code<Eof, eof_forms>[code]); }
std::optional<Sof> sof_of_mds(std::uint8_t code) { return find(&SofForms::mds, code); }
std::optional<Eof> eof_of_mds(std::uint8_t code) { return find(&EofForms::mds, code); }

std::uint32_t ordered_set_of(Sof sof) { return forms(sof).ordered_set; }
std::uint32_t ordered_set_of(Eof eof, bool positive) { return positive ? forms(eof).positive : forms(eof).negative; }
std::uint8_t code_of(Sof sof) { return forms(sof).code; }
std::uint8_t code_of(Eof eof) { return forms(eof).code; }
std::uint8_t mds_of(Sof sof) { return forms(sof).mds; }
std::uint8_t mds_of(Eof eof) { return forms(eof).mds; }

}  // namespace fabricscope::fc
