// SPDX-License-Identifier: GPL-2.0-or-later
// A message's layout, written once.
//
// A wire format is a plain struct and, beside it, one constexpr table that says where each member
// stands on the wire and how people call it. Parsing, building, Wireshark's header fields and tree,
// JSON and the field reference all come from that table:
//
//     struct Cursor { std::uint16_t wrap; std::uint32_t offset; };
//     struct Cdc    { std::uint16_t sequence; Cursor producer; bool writer_blocked; };
//     template <> inline constexpr auto fabricscope::layout::layout_of<Cdc> = layout<Cdc>(
//         "CDC", "RFC 7609, A.4", octets(0, 44),
//         field<&Cdc::sequence>(at(2), "smcr.cdc.sequence", "Sequence number"),
//         field<&Cdc::producer, &Cursor::wrap>(at(10), "smcr.cdc.producer.wrap", "Producer wrap"),
//         field<&Cdc::writer_blocked>(bits(24, 0x80), "smcr.cdc.flags.writer_blocked", "Writer blocked"),
//         ...);
//
// A table must account for every bit of its extent exactly once, reserved ones included; that is
// checked while compiling. So build(parse(x)) == x holds for every x by construction.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "protocols/layout/error.h"
#include "protocols/layout/types.h"

namespace fabricscope::layout {

enum class Kind : std::uint8_t { unsigned_integer, boolean, bytes, mac, ipv4, gid, text };
enum class Base : std::uint8_t { dec, hex };
enum class Order : std::uint8_t { big, little };

struct ValueName {
    std::uint32_t value;
    const char* name;
};
using ValueNames = std::span<const ValueName>;

/// The name of `value`, or nullptr.
constexpr const char* name_of(ValueNames names, std::uint64_t value) {
    for (const ValueName& entry : names)
        if (entry.value == value) return entry.name;
    return nullptr;
}

/// Everything about a field that does not depend on its C++ type.
struct FieldInfo {
    const char* filter = "";  ///< display filter name, "smcr.cdc.sequence"
    const char* label = "";   ///< for people, "Sequence number"
    Kind kind = Kind::unsigned_integer;
    Base base = Base::dec;
    Order order = Order::big;
    bool reserved = false;     ///< the standard says: send 0, do not look
    std::uint16_t offset = 0;  ///< octets from the start of the part
    std::uint16_t width = 0;   ///< octets
    std::uint64_t mask = 0;    ///< of the integer of `width` octets; 0 = all of it
    ValueNames names{};
    const char* clause = nullptr;  ///< where it differs from the part's

    constexpr std::size_t end() const { return std::size_t{offset} + width; }
};

/// A layout without its C++ type: for field references, trees and reports.
struct LayoutInfo {
    const char* name;    ///< "CDC"
    const char* clause;  ///< "RFC 7609, A.4"
    std::span<const FieldInfo> fields;
};

// ---- writing a table -----------------------------------------------------------------------------

struct Place {
    std::uint16_t offset;
    std::uint16_t width;  ///< 0 = that of the member
    std::uint64_t mask;   ///< 0 = all
};
/// At `offset`, as wide as the member, or `width` octets (24-bit QPNs in 32-bit members).
consteval Place at(unsigned offset, unsigned width = 0) {
    return {static_cast<std::uint16_t>(offset), static_cast<std::uint16_t>(width), 0};
}
/// The bits `mask` of the integer of `width` octets at `offset`.
consteval Place bits(unsigned offset, std::uint64_t mask, unsigned width = 1) {
    return {static_cast<std::uint16_t>(offset), static_cast<std::uint16_t>(width), mask};
}

/// The octets [begin, end) that a table accounts for. A part that follows a common header begins
/// where the header ends, so that its offsets are those of the standard's figure.
struct Extent {
    std::size_t begin;
    std::size_t end;
};
consteval Extent octets(std::size_t begin, std::size_t end) { return {begin, end}; }

// Options, after the label of a field.
struct Hex {};
struct LittleEndian {};
struct Reserved {};
inline constexpr Hex hex;
inline constexpr LittleEndian little_endian;
inline constexpr Reserved reserved;
struct Names {
    ValueNames list;
};
struct Clause {
    const char* text;
};
consteval Names names(ValueNames list) { return {list}; }
consteval Clause clause(const char* text) { return {text}; }

namespace detail {

template <auto First, auto... Rest, class T> constexpr auto& follow(T& object) {
    if constexpr (sizeof...(Rest) == 0) return object.*First;
    else return follow<Rest...>(object.*First);
}

template <class T> struct member_of;
template <class C, class M> struct member_of<M C::*> {
    using owner = C;
    using type = M;
};

template <auto... Path> struct path_end;
template <auto Last> struct path_end<Last> { using type = typename member_of<decltype(Last)>::type; };
template <auto First, auto... Rest> struct path_end<First, Rest...> : path_end<Rest...> {};

template <class T> constexpr Kind kind_of() {
    if constexpr (std::is_same_v<T, bool>) return Kind::boolean;
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) return Kind::unsigned_integer;
    else if constexpr (std::is_same_v<T, Mac>) return Kind::mac;
    else if constexpr (std::is_same_v<T, Ipv4>) return Kind::ipv4;
    else if constexpr (std::is_same_v<T, Gid>) return Kind::gid;
    else if constexpr (requires(T t) { []<std::size_t N>(Text<N>&) {}(t); }) return Kind::text;
    else return Kind::bytes;
}

constexpr void apply(FieldInfo& info, Hex) { info.base = Base::hex; }
constexpr void apply(FieldInfo& info, LittleEndian) { info.order = Order::little; }
constexpr void apply(FieldInfo& info, Reserved) { info.reserved = true; }
constexpr void apply(FieldInfo& info, Names names) { info.names = names.list; }
constexpr void apply(FieldInfo& info, Clause clause) { info.clause = clause.text; }

}  // namespace detail

/// A row of a table: which member it is about is its type, all the rest is data.
template <auto... Path> struct Field {
    FieldInfo info;

    template <class T> static constexpr auto& of(T& object) { return detail::follow<Path...>(object); }
};

template <auto... Path, class... Options>
consteval Field<Path...> field(Place place, const char* filter, const char* label, Options... options) {
    using T = typename detail::path_end<Path...>::type;
    FieldInfo info{
        .filter = filter,
        .label = label,
        .kind = detail::kind_of<T>(),
        .offset = place.offset,
        .width = place.width != 0 ? place.width : static_cast<std::uint16_t>(sizeof(T)),
        .mask = place.mask};
    (detail::apply(info, options), ...);
    return {info};
}

/// `fields[i]` describes the member that the i-th of `Fields` leads to. (No std::tuple of the rows: instantiating one
/// for each message took as long as the rest of the compilation together.)
template <class T, class... Fields> struct Layout {
    const char* name;
    const char* clause;
    Extent extent;
    std::array<FieldInfo, sizeof...(Fields)> fields;
};

namespace detail {

/// The bits that a field has in its octet number `i`.
constexpr std::uint8_t bits_in_octet(const FieldInfo& info, std::size_t i) {
    const std::size_t shift = 8 * (info.order == Order::big ? info.width - 1 - i : i);
    return static_cast<std::uint8_t>(info.mask == 0 ? 0xFF : info.mask >> shift);
}

/// Every bit of the extent belongs to exactly one field.
consteval bool covers(Extent extent, std::span<const FieldInfo> fields) {
    constexpr std::size_t limit = 256;
    std::uint8_t seen[limit] = {};
    bool clean = extent.end <= limit;
    for (const FieldInfo& info : fields)
        for (std::size_t i = 0; i < info.width; ++i) {
            const std::uint8_t claimed = bits_in_octet(info, i);
            const std::size_t octet = info.offset + i;
            if (octet < extent.begin || octet >= extent.end || (seen[octet] & claimed) != 0) clean = false;
            else seen[octet] = static_cast<std::uint8_t>(seen[octet] | claimed);
        }
    for (std::size_t i = extent.begin; i < extent.end; ++i) clean = clean && seen[i] == 0xFF;
    return clean;
}

void a_layout_must_cover_every_bit_of_its_extent_exactly_once();  // never defined: named by the compiler

}  // namespace detail

/// `layout_of<T>` is specialised beside each wire format.
template <class T> inline constexpr auto layout_of = nullptr;

template <class T, class... Fields>
consteval Layout<T, Fields...> layout(const char* name, const char* clause_text, Extent extent, Fields... fields) {
    const Layout<T, Fields...> made{name, clause_text, extent, {fields.info...}};
    if (!detail::covers(extent, made.fields)) detail::a_layout_must_cover_every_bit_of_its_extent_exactly_once();
    return made;
}

template <class T>
concept WireFormat = !std::is_null_pointer_v<std::remove_cvref_t<decltype(layout_of<T>)>>;

// ---- using a table -------------------------------------------------------------------------------

template <WireFormat T> inline constexpr std::size_t size_of = layout_of<T>.extent.end - layout_of<T>.extent.begin;

namespace detail {

template <std::size_t Width, Order order> constexpr std::uint64_t load(const std::uint8_t* octets) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < Width; ++i)
        value |= std::uint64_t{octets[i]} << (8 * (order == Order::big ? Width - 1 - i : i));
    return value;
}

template <std::size_t Width, Order order> constexpr void merge(std::uint8_t* octets, std::uint64_t value) {
    for (std::size_t i = 0; i < Width; ++i)
        octets[i] = static_cast<std::uint8_t>(octets[i] | (value >> (8 * (order == Order::big ? Width - 1 - i : i))));
}

constexpr bool is_number(Kind kind) { return kind == Kind::unsigned_integer || kind == Kind::boolean; }

/// Where field I of a T stands, in octets from the start of the part.
template <WireFormat T, std::size_t I>
inline constexpr std::size_t position_of = layout_of<T>.fields[I].offset - layout_of<T>.extent.begin;

template <WireFormat T, class Field, std::size_t I> constexpr void read_field(T& object, const std::uint8_t* part) {
    constexpr const FieldInfo& info = layout_of<T>.fields[I];
    auto& member = Field::of(object);
    const std::uint8_t* octets = part + position_of<T, I>;
    if constexpr (is_number(info.kind)) {
        std::uint64_t value = load<info.width, info.order>(octets);
        if constexpr (info.mask != 0) value = (value & info.mask) >> std::countr_zero(info.mask);
        member = static_cast<std::remove_cvref_t<decltype(member)>>(value);
    } else {
        std::copy_n(octets, info.width, member.octets.begin());
    }
}

template <WireFormat T, class Field, std::size_t I> constexpr void write_field(const T& object, std::uint8_t* part) {
    constexpr const FieldInfo& info = layout_of<T>.fields[I];
    const auto& member = Field::of(object);
    std::uint8_t* octets = part + position_of<T, I>;
    if constexpr (is_number(info.kind)) {
        auto value = static_cast<std::uint64_t>(member);
        if constexpr (info.mask != 0) value = (value << std::countr_zero(info.mask)) & info.mask;
        merge<info.width, info.order>(octets, value);
    } else {
        std::copy_n(member.octets.begin(), info.width, octets);
    }
}

/// Reads field I if the part is long enough; otherwise the first such field becomes the error.
template <WireFormat T, class Field, std::size_t I>
constexpr void read_field_if_there(T& object, ByteView part, std::size_t origin, ParseError& error) {
    constexpr const FieldInfo& info = layout_of<T>.fields[I];
    if (position_of<T, I> + info.width <= part.size()) read_field<T, Field, I>(object, part.data());
    else if (!error)
        error = {
            Fault::truncated, info.filter, origin + position_of<T, I>, info.width,
            part.size() - std::min(part.size(), position_of<T, I>)};
}

template <class T, class... Fields, std::size_t... I>
constexpr void read_all(const Layout<T, Fields...>&, std::index_sequence<I...>, T& object, const std::uint8_t* part) {
    (read_field<T, Fields, I>(object, part), ...);
}

template <class T, class... Fields, std::size_t... I>
constexpr ParseError read_those_there(
    const Layout<T, Fields...>&, std::index_sequence<I...>, T& object, ByteView part, std::size_t origin) {
    ParseError error;
    (read_field_if_there<T, Fields, I>(object, part, origin, error), ...);
    return error;
}

template <class T, class... Fields, std::size_t... I>
constexpr void write_all(const Layout<T, Fields...>&, std::index_sequence<I...>, const T& object, std::uint8_t* part) {
    (write_field<T, Fields, I>(object, part), ...);
}

template <class T, class... Fields, std::size_t... I, class Visitor>
constexpr void visit_all(
    const Layout<T, Fields...>& table, std::index_sequence<I...>, const T& object, Visitor& visit) {
    (visit(table.fields[I], Fields::of(object)), ...);
}

template <WireFormat T> inline constexpr auto indices = std::make_index_sequence<layout_of<T>.fields.size()>{};

}  // namespace detail

template <WireFormat T> constexpr LayoutInfo info_of() {
    return {layout_of<T>.name, layout_of<T>.clause, layout_of<T>.fields};
}

/// For a registry of all parts of a protocol.
template <WireFormat... T> constexpr std::array<LayoutInfo, sizeof...(T)> infos_of() { return {info_of<T>()...}; }

/// Reads a T. `part` begins at the octet that the table counts as `extent.begin`; `origin` is where
/// that octet stands in the message, for the error's offset. The members of missing fields stay as
/// they were.
template <WireFormat T> constexpr ParseError parse_into(T& object, ByteView part, std::size_t origin = 0) {
    if (part.size() < size_of<T>)
        return detail::read_those_there(layout_of<T>, detail::indices<T>, object, part, origin);
    detail::read_all(layout_of<T>, detail::indices<T>, object, part.data());
    return {};
}

/// Writes a T over the octets [0, size_of<T>) of `part`, which must be there.
template <WireFormat T> constexpr void build_into(const T& object, std::span<std::uint8_t> part) {
    std::fill_n(part.begin(), size_of<T>, std::uint8_t{0});
    detail::write_all(layout_of<T>, detail::indices<T>, object, part.data());
}

namespace detail {

/// The reserved bits of a T, octet by octet.
template <WireFormat T>
inline constexpr auto reserved_bits = [] {
    std::array<std::uint8_t, size_of<T>> bits{};
    for (const FieldInfo& info : layout_of<T>.fields)
        for (std::size_t i = 0; info.reserved && i < info.width; ++i)
            bits[info.offset - layout_of<T>.extent.begin + i] = static_cast<std::uint8_t>(
                bits[info.offset - layout_of<T>.extent.begin + i] | bits_in_octet(info, i));
    return bits;
}();

}  // namespace detail

/// The first reserved field that is not zero in the octets of a T, as far as they go; or nullptr.
template <WireFormat T> constexpr const FieldInfo* reserved_in_use(ByteView part) {
    const std::size_t size = std::min(part.size(), size_of<T>);
    constexpr std::span<const std::uint8_t> mask(detail::reserved_bits<T>);
    unsigned any = 0;
    for (std::size_t i = 0; i < size; ++i) any |= static_cast<unsigned>(part[i] & mask[i]);
    if (any == 0) return nullptr;
    for (const FieldInfo& info : layout_of<T>.fields)
        for (std::size_t i = 0; info.reserved && i < info.width; ++i) {
            const std::size_t octet = info.offset - layout_of<T>.extent.begin + i;
            if (octet < size && (part[octet] & detail::bits_in_octet(info, i)) != 0) return &info;
        }
    return nullptr;
}

/// Calls `visit(info, member)` for each field of the table, in its order.
template <WireFormat T, class Visitor> constexpr void for_each_field(const T& object, Visitor visit) {
    detail::visit_all(layout_of<T>, detail::indices<T>, object, visit);
}

/// A list of equal elements as it stands on the wire; elements are parsed when asked for.
template <class T> struct List {
    ByteView octets;

    std::size_t size() const { return octets.size() / size_of<T>; }
    bool empty() const { return size() == 0; }
    T operator[](std::size_t index) const {
        T element{};
        parse_into(element, octets.subspan(index * size_of<T>, size_of<T>));
        return element;
    }
};

}  // namespace fabricscope::layout
