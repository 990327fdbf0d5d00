// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of each thing, described once.
//
// Beside each reported type stands one constexpr table of its columns: which value, under which name, and what that
// means. JSON, CSV, SQLite, docs/tables.md and the texts of the columns all come from that table:
//
//     constexpr auto interval_columns = columns<Intervals>(
//         column<&Intervals::count>("count", "how often"),
//         seconds<&Intervals::total>("total", "for how long"));
//     constexpr auto direction_columns = columns<Direction>(
//         column<&Direction::writes>("writes", "RDMA WRITE operations"),
//         object<&Direction::stalls, interval_columns>("stalls", "the window was full"),
//         time<&Direction::first_data>("first_data", "time of the first data"));
//     constexpr auto directions = table<direction_columns>("directions", "The two directions of each connection.")
//         .key("connection", Type::text, "that they belong to")...;
//
// JSON nests objects and lists. Tables give the members of an object both names, joined by "_"; a list is a table of
// its own whose keys say where it belongs. Nothing can be written of a thing but through a column, which must have a
// meaning.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "analyzer/engine/sides.h"
#include "analyzer/report/json_value.h"
#include "analyzer/report/results.h"

namespace fabricscope::report {

/// What a column of a table holds.
enum class Type : std::uint8_t { text, integer, real, boolean };

constexpr double seconds_of(capture::Time duration) {
    return static_cast<double>(duration) / static_cast<double>(capture::second);
}

/// What values depend on besides the thing they are of.
struct Context {
    capture::Time start = 0;                                 ///< times count from here
    bool cursors = false;                                    ///< with each direction's timeline
    bool counters = false;                                   ///< with what adapters should have counted
    bool part = false;                                       ///< of what will be merged
    const std::map<std::uint64_t, Place>* places = nullptr;  ///< where the frames lie, if there are several files

    double seconds(capture::Time time) const { return seconds_of(time - start); }
};

/// Is called with each element of a list, or with an object if there is one.
class Visitor {
public:
    template <class F> Visitor(const F& visit) : visit_(&visit), call_(&call<F>) {}
    /// Only with those for which `is_wanted` says so, which is asked once for each.
    template <class F, class Wanted>
    Visitor(const F& visit, const Wanted& is_wanted)
        : visit_(&visit), call_(&call<F>), wanted_(&is_wanted), ask_(&ask<Wanted>) {}

    bool wants_next() const { return wanted_ == nullptr || ask_(wanted_); }
    /// Of one that is wanted.
    void operator()(const void* element) const { call_(visit_, element); }

private:
    template <class F> static void call(const void* visit, const void* element) {
        (*static_cast<const F*>(visit))(element);
    }
    template <class Wanted> static bool ask(const void* wanted) { return (*static_cast<const Wanted*>(wanted))(); }

    const void* visit_;
    void (*call_)(const void* visit, const void* element);
    const void* wanted_ = nullptr;
    bool (*ask_)(const void* wanted) = nullptr;
};

/// The same for elements that are Ts.
template <class T> struct Each {
    const Visitor& visit;
    void operator()(const T& element) const {
        if (visit.wants_next()) visit(&element);
    }
};

struct TableInfo;

/// How JSON writes a list.
enum class Form : std::uint8_t {
    objects,
    values,  ///< of the first column alone
    arrays,  ///< of the columns' values
    none,    ///< not at all: it is a table only
    parts,   ///< objects, in the result of a part only: it is a table otherwise
};

/// How the members of an object are named.
enum class Nesting : std::uint8_t {
    named,             ///< inside the object; in tables with its name before theirs
    inside_json_only,  ///< inside the object; in tables as they are
    nowhere,           ///< as if they were members of what the object is in
};

/// `,"name":`, as JSON has it behind another member.
struct JsonKey {
    std::array<char, 64> text{};
    std::size_t size = 0;

    constexpr JsonKey() = default;
    constexpr explicit JsonKey(std::string_view name) {
        for (const std::string_view piece : {std::string_view(",\""), name, std::string_view("\":")})
            for (const char c : piece) text[size++] = c;
    }
    std::string_view behind_another() const { return {text.data(), size}; }
    std::string_view of_the_first() const { return behind_another().substr(1); }
};

/// A value, an object or a list of a record, without its C++ type.
struct Column {
    const char* name;
    const char* meaning;
    JsonKey key{};
    /// Of a value; of an object or list nullptr.
    Json (*value)(const void* record, const Context& context) = nullptr;
    void (*visit)(const void* record, const Context& context, const Visitor& visitor) = nullptr;
    std::span<const Column> (*members)() = nullptr;       ///< of the object, or of each element
    const TableInfo* table = nullptr;                     ///< that has a row for each element, or for the object
    bool (*condition)(const Context& context) = nullptr;  ///< of a list; otherwise it is not written at all
    Type type{};                                          ///< of a value
    Form form{};                                          ///< of a list
    Nesting nesting{};                                    ///< of an object
    bool is_list = false;
    bool in_lines = false;   ///< JSON writes each member of the object on a line of its own
    bool has_names = false;  ///< sessions are named in the text

    bool is_object() const { return visit != nullptr && !is_list; }
    bool is_written(const Context& context) const { return condition == nullptr || condition(context); }
};

/// A column of a table that tells where the row belongs.
struct KeyColumn {
    const char* name;
    Type type;
    const char* meaning;
};

struct Reference {
    const char* columns;     ///< "link_group"
    const char* references;  ///< "link_groups (id)"
};

/// A table whose rows are records. Those inside of another table's records begin with that table's key; then follow the
/// name of the member, if there are several, and the position in the list. A table without key columns has its first
/// column for a key.
struct TableInfo {
    template <class T, std::size_t most> struct UpTo {
        std::array<T, most> items{};
        std::size_t size = 0;

        constexpr void add(T item) { items[size++] = item; }
        constexpr const T* begin() const { return items.data(); }
        constexpr const T* end() const { return items.data() + size; }
    };

    const char* name;
    const char* meaning;
    std::span<const Column> (*columns)();
    UpTo<KeyColumn, 3> keys{};
    UpTo<Reference, 3> references{};  ///< to other tables than the one it is inside of
    UpTo<const char*, 4> indexes{};   ///< columns that are looked up
    bool has_member_name = false;     ///< among its keys
    std::uint64_t first_position = 0;
};

// ---- writing a table -------------------------------------------------------------------------------

/// A column of records that are Rs.
template <class R> struct ColumnOf {
    Column column;

    /// A list that is written if `condition` says so: a function, since Clang 14 loses the parameter of a lambda here.
    consteval ColumnOf only_if(bool (*condition)(const Context&)) const {
        ColumnOf changed = *this;
        changed.column.condition = condition;
        return changed;
    }
    /// An object whose name does not stand before its members' in tables.
    consteval ColumnOf inside_json_only() const {
        ColumnOf changed = *this;
        changed.column.nesting = Nesting::inside_json_only;
        return changed;
    }
    consteval ColumnOf in_lines() const {
        ColumnOf changed = *this;
        changed.column.in_lines = true;
        return changed;
    }
    /// The text is the name of a session, or has such names in it: what numbers sessions anew changes them.
    consteval ColumnOf with_names() const {
        ColumnOf changed = *this;
        changed.column.has_names = true;
        return changed;
    }
};

/// The columns of an R.
template <class R, std::size_t N> struct Columns {
    using Record = R;
    std::array<Column, N> list;
    constexpr operator std::span<const Column>() const { return list; }
};

/// The same, defined in another source.
template <class R> struct ColumnsElsewhere {
    using Record = R;
    std::span<const Column> list;
    constexpr operator std::span<const Column>() const { return list; }
};

namespace detail {

void a_column_must_have_a_meaning();  // never defined: named by the compiler

/// Record and result of a getter: a pointer to a member, or a function or lambda of a record and perhaps a context.
template <class F> struct Getter : Getter<decltype(+F{})> {};
template <class T, class R> struct Getter<T (*)(const R&)> {
    using Record = R;
    using Result = std::remove_cvref_t<T>;
};
template <class T, class R> struct Getter<T (*)(const R&, const Context&)> : Getter<T (*)(const R&)> {};
template <class R, class T>
requires(!std::is_function_v<T>) struct Getter<T R::*> {
    using Record = R;
    using Result = T;
};

/// Record and elements of a function or lambda that visits.
template <class F> struct Walker : Walker<decltype(+F{})> {};
template <class R, class T> struct Walker<void (*)(const R&, const Each<T>&)> {
    using Record = R;
    using Element = T;
};
template <class R, class T>
struct Walker<void (*)(const R&, const Each<T>&, const Context&)> : Walker<void (*)(const R&, const Each<T>&)> {};

template <class T> struct Unwrapped { using type = T; };
template <class T> struct Unwrapped<std::optional<T>> { using type = T; };
template <class T> struct Unwrapped<const T*> { using type = T; };
template <> struct Unwrapped<const char*> { using type = const char*; };
template <class T> inline constexpr bool is_optional = !std::is_same_v<typename Unwrapped<T>::type, T>;

template <class T> consteval Type type_of() {
    if constexpr (std::is_same_v<T, bool>) return Type::boolean;
    else if constexpr (std::is_integral_v<T>) return Type::integer;
    else if constexpr (std::is_floating_point_v<T>) return Type::real;
    else return Type::text;
}

/// Values are scalars: numbers, texts, and what has a name or a text of its own.
template <class T> Json json_of(const T& value) {
    if constexpr (std::is_same_v<T, const char*>) return value != nullptr ? Json(value) : Json();
    else if constexpr (is_optional<T>) return value ? json_of(*value) : Json();
    else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) return Json(value);
    else if constexpr (std::is_enum_v<T>) return Json(name_of(value));
    else return Json(to_string(value));
}

// What columns call is static: for Clang, a function whose template argument is a lambda of an unnamed namespace is the
// same in all sources that have as many lambdas before it; for GCC 14, members_of() is that by the tables' name. And a
// copy of the lambda is called, since Clang gives the template argument itself such a name, too.

template <auto Get, class R> static decltype(auto) get(const R& record, const Context& context) {
    constexpr auto call = Get;
    if constexpr (std::is_member_object_pointer_v<decltype(Get)>) return (record.*call);
    else if constexpr (std::is_invocable_v<decltype(Get), const R&>) return call(record);
    else return call(record, context);
}

template <auto Get> static Json value_of(const void* record, const Context& context) {
    return json_of(get<Get>(*static_cast<const typename Getter<decltype(Get)>::Record*>(record), context));
}

inline std::optional<double> time_of(capture::Time time, const Context& context) { return context.seconds(time); }
inline std::optional<double> time_of(const engine::FrameStamp& step, const Context& context) {
    return context.seconds(step.time);
}
template <class T> std::optional<double> time_of(const std::optional<T>& when, const Context& context) {
    return when ? time_of(*when, context) : std::nullopt;
}

inline std::optional<std::uint64_t> frame_of(const engine::FrameStamp& step) { return step.frame; }
inline std::optional<std::uint64_t> frame_of(const std::optional<engine::FrameStamp>& step) {
    return step ? frame_of(*step) : std::nullopt;
}

inline std::optional<double> duration_of(capture::Time duration) { return seconds_of(duration); }
inline std::optional<double> duration_of(std::optional<capture::Time> duration) {
    return duration ? duration_of(*duration) : std::nullopt;
}

template <auto Member> using RecordOf = typename Getter<decltype(Member)>::Record;

template <auto Member> static Json time_value(const void* record, const Context& context) {
    return json_of(time_of(static_cast<const RecordOf<Member>*>(record)->*Member, context));
}
template <auto Member> static Json frame_value(const void* record, const Context&) {
    return json_of(frame_of(static_cast<const RecordOf<Member>*>(record)->*Member));
}
template <auto Member> static Json seconds_value(const void* record, const Context&) {
    return json_of(duration_of(static_cast<const RecordOf<Member>*>(record)->*Member));
}

template <class T>
concept ListLike = requires(const T& list) {
    list.begin();
    list.end();
};

/// What a member consists of that is an object, an object that may be absent, or a list of objects.
template <class T> struct Content : Unwrapped<T> {};
template <ListLike T> struct Content<T> { using type = typename T::value_type; };

template <auto Member> static void visit_member(const void* record, const Context&, const Visitor& visitor) {
    const auto& member = static_cast<const RecordOf<Member>*>(record)->*Member;
    using T = std::remove_cvref_t<decltype(member)>;
    if constexpr (ListLike<T>) {
        for (auto element = member.begin(); element != member.end(); ++element)
            if (visitor.wants_next()) visitor(&*element);  // a packed one is unpacked when it is looked at
    } else if constexpr (is_optional<T>) {
        if (member) visitor(&*member);
    } else {
        visitor(&member);
    }
}

template <auto Walk> static void visit_by(const void* record, const Context& context, const Visitor& visitor) {
    using W = Walker<decltype(Walk)>;
    const auto& typed = *static_cast<const typename W::Record*>(record);
    const Each<typename W::Element> each{visitor};
    constexpr auto call = Walk;
    if constexpr (std::is_invocable_v<decltype(Walk), decltype(typed), decltype(each)>) call(typed, each);
    else call(typed, each, context);
}

/// How `Source`, a member or a lambda that visits, is gone through.
template <auto Source> struct Visit : Walker<decltype(Source)> { static constexpr auto call = &visit_by<Source>; };
template <auto Source>
requires std::is_member_object_pointer_v<decltype(Source)>
struct Visit<Source> {
    using Record = RecordOf<Source>;
    using Element = typename Content<typename Getter<decltype(Source)>::Result>::type;
    static constexpr auto call = &visit_member<Source>;
};

template <const auto& Members> static std::span<const Column> members_of() { return Members; }

template <class R> consteval ColumnOf<R> with_meaning(Column column) {
    if (std::string_view(column.meaning).empty()) a_column_must_have_a_meaning();
    column.key = JsonKey(column.name);
    return {column};
}

}  // namespace detail

/// A value: a member, or what a lambda makes of the record. Null if it is an optional without value, or a null pointer.
template <auto Get> consteval auto column(const char* name, const char* meaning) {
    using G = detail::Getter<decltype(Get)>;
    return detail::with_meaning<typename G::Record>(
        {.name = name,
         .meaning = meaning,
         .value = &detail::value_of<Get>,
         .type = detail::type_of<typename detail::Unwrapped<typename G::Result>::type>()});
}

/// Seconds since the capture's first frame, of a moment.
template <auto Member> consteval auto time(const char* name, const char* meaning) {
    return detail::with_meaning<detail::RecordOf<Member>>(
        {.name = name, .meaning = meaning, .value = &detail::time_value<Member>, .type = Type::real});
}

/// The number of the frame of something that happened.
template <auto Member> consteval auto frame(const char* name, const char* meaning) {
    return detail::with_meaning<detail::RecordOf<Member>>(
        {.name = name, .meaning = meaning, .value = &detail::frame_value<Member>, .type = Type::integer});
}

enum class Show : std::uint8_t { time, frame };

/// Either of something that happened, so that one table of steps serves for both.
template <auto Member, Show show> consteval auto step(const char* name, const char* meaning) {
    return show == Show::time ? time<Member>(name, meaning) : frame<Member>(name, meaning);
}

/// A duration.
template <auto Member> consteval auto seconds(const char* name, const char* meaning) {
    return detail::with_meaning<detail::RecordOf<Member>>(
        {.name = name, .meaning = meaning, .value = &detail::seconds_value<Member>, .type = Type::real});
}

/// An object: a member, or what a lambda calls an Each with; null if it does not.
template <auto Source, const auto& Members> consteval auto object(const char* name, const char* meaning) {
    using V = detail::Visit<Source>;
    static_assert(std::is_same_v<typename V::Element, typename std::remove_cvref_t<decltype(Members)>::Record>);
    return detail::with_meaning<typename V::Record>(
        {.name = name, .meaning = meaning, .visit = V::call, .members = &detail::members_of<Members>});
}

/// A record as an object inside of itself, for members that JSON nests.
template <class R> void itself(const R& record, const Each<R>& each) { each(record); }

/// The columns that a function lists, as if they were the record's own.
template <std::span<const Column> (*Members)(), class R> consteval ColumnOf<R> listed() {
    return {
        {.name = "",
         .meaning = "",
         .visit = &detail::visit_by<itself<R>>,
         .members = Members,
         .nesting = Nesting::nowhere}};
}

/// The members of an object as if they were the record's own; `meaning` stands before theirs.
template <auto Source, const auto& Members> consteval auto inlined(const char* meaning = "") {
    auto made = object<Source, Members>("", "inlined");
    made.column.meaning = meaning;
    made.column.nesting = Nesting::nowhere;
    return made;
}

/// The columns and the table of an R.
template <class R> struct TableOf {
    using Record = R;
    TableInfo info;

    constexpr TableOf key(const char* name, Type type, const char* meaning) const {
        TableOf changed = *this;
        changed.info.keys.add({name, type, meaning});
        return changed;
    }
    consteval TableOf position(const char* meaning) const { return key("position", Type::integer, meaning); }
    /// Elements count from 1.
    consteval TableOf number(const char* name, const char* meaning) const {
        TableOf changed = key(name, Type::integer, meaning);
        changed.info.first_position = 1;
        return changed;
    }
    /// The name of the member that the row is made of.
    consteval TableOf member_name(const char* name, const char* meaning) const {
        TableOf changed = key(name, Type::text, meaning);
        changed.info.has_member_name = true;
        return changed;
    }
    consteval TableOf refers(const char* columns, const char* references) const {
        TableOf changed = *this;
        changed.info.references.add({columns, references});
        return changed;
    }
    template <class... Names> consteval TableOf indexes(Names... names) const {
        TableOf changed = *this;
        (changed.info.indexes.add(names), ...);
        return changed;
    }
};

template <const auto& Members> consteval auto table(const char* name, const char* meaning) {
    return TableOf<typename std::remove_cvref_t<decltype(Members)>::Record>{
        {.name = name, .meaning = meaning, .columns = &detail::members_of<Members>}};
}

namespace detail {

/// Clang 14 takes no call of one consteval function by another for a constant.
template <auto Source, const auto& Table> constexpr Column column_of_rows(const char* name, Form form, bool is_list) {
    using V = Visit<Source>;
    static_assert(std::is_same_v<typename V::Element, typename std::remove_cvref_t<decltype(Table)>::Record>);
    return {
        .name = name,
        .meaning = Table.info.meaning,
        .visit = V::call,
        .members = Table.info.columns,
        .table = &Table.info,
        .form = form,
        .is_list = is_list};
}

}  // namespace detail

/// A list whose elements are rows of `Table`: a member, or what a lambda calls an Each with.
template <auto Source, const auto& Table> consteval auto rows(const char* name, Form form = Form::objects) {
    return detail::with_meaning<typename detail::Visit<Source>::Record>(
        detail::column_of_rows<Source, Table>(name, form, true));
}

/// An object that is a row of `Table`, not further columns of the table that it is in.
template <auto Source, const auto& Table> consteval auto row(const char* name) {
    return detail::with_meaning<typename detail::Visit<Source>::Record>(
        detail::column_of_rows<Source, Table>(name, Form::objects, false));
}

/// A list that tables do not have, as its meaning says why.
template <auto Source, const auto& Members>
consteval auto only_in_json(const char* name, const char* meaning, Form form) {
    using V = detail::Visit<Source>;
    static_assert(std::is_same_v<typename V::Element, typename std::remove_cvref_t<decltype(Members)>::Record>);
    return detail::with_meaning<typename V::Record>(
        {.name = name,
         .meaning = meaning,
         .visit = V::call,
         .members = &detail::members_of<Members>,
         .form = form,
         .is_list = true});
}

template <class R, std::same_as<ColumnOf<R>>... C> consteval Columns<R, sizeof...(C)> columns(C... all) {
    return {{all.column...}};
}

}  // namespace fabricscope::report
