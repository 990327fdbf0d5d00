// SPDX-License-Identifier: GPL-2.0-or-later
// Header fields from tables: what Wireshark must know about a field is already in its layout. And what else a protocol
// has registered: its own id, subtrees, expert infos.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/generated_field.h"
#include "plugins/shell/experts.h"
#include "plugins/shell/wireshark_compat.h"
#include "protocols/layout/layout.h"
#include "protocols/layout/parts.h"

namespace fabricscope::plugin {

/// A description as people read it: with its clause, if a document has one, and a full stop.
std::string sentence(const char* description, const char* clause = nullptr);

/// Collects fields and subtrees, registers them, and tells their ids. Lives as long as the process.
class FieldRegistry {
public:
    /// Flags that share octets, as a whole.
    struct Flags {
        std::size_t begin, end;  ///< of the layout's fields
        int id;
    };
    /// The ids of a layout's fields, in the layout's order, and of its subtree.
    struct Part {
        const int* fields;
        int subtree;
        std::span<const Flags> flags;  ///< in the layout's order
    };

    void add_layouts(std::span<const layout::LayoutInfo> layouts);
    void add_octets(std::span<const layout::OctetsInfo> infos);
    /// `ids` are set by register_with() and outlive the registry; one for each field.
    void add_generated(std::span<const engine::GeneratedField> fields, std::span<int> ids);
    /// A field without a layout. `id` is set by register_with() and outlives the registry.
    void add(
        int& id, const char* filter, const char* label, enum ftenum type, int display, const char* description,
        const void* strings = nullptr);
    void add_subtree(int& id) { subtrees_.push_back(&id); }
    void register_with(int protocol);
    /// For Wireshark, which keeps pointers to texts.
    const char* kept(std::string text);

    /// Of a layout that has been added.
    Part part(const layout::LayoutInfo& info) const;
    int octets(const layout::OctetsInfo& info) const { return octets_.at(&info); }
    /// Of flags that share octets.
    int flags_subtree() const { return flags_subtree_; }

private:
    struct LayoutIds {
        std::vector<int> fields;
        std::vector<Flags> flags;
        int subtree = -1;
    };

    void add_flags(const layout::LayoutInfo& info, LayoutIds& ids);
    /// A text that Wireshark may keep a pointer to.
    const void* strings_of(const layout::FieldInfo& info);

    std::unordered_map<const layout::FieldInfo*, LayoutIds> layouts_;  // by the layout's first field
    std::unordered_map<const layout::OctetsInfo*, int> octets_;
    std::vector<hf_register_info> fields_;
    std::vector<int*> subtrees_;
    int flags_subtree_ = -1;
    std::deque<std::vector<value_string>> value_names_;
    std::deque<std::string> texts_;
};

/// Generated fields that each protocol has under the same name, behind its own: "fcvi.source".
struct CommonFields {
    int source, destination, endpoint;
    int request_in, time, response_in;
    int copy_of, repeated, rule;
};

/// All that a protocol has registered with Wireshark. Lives as long as the process.
struct Fields {
    const char* name = nullptr;  ///< in the Protocol column
    int protocol = -1;
    int subtree = -1;  ///< of a message
    int octets = -1;   ///< those without a known meaning
    FieldRegistry registry;
    std::vector<int> generated;  ///< in the order of their table
    CommonFields common{};
    Experts experts;
    int tap = 0, export_tap = 0;
};

/// Where `table` has the field `filter`; the compiler looks it up.
template <const auto& table> struct GeneratedName {
    std::size_t index = 0;

    constexpr const engine::GeneratedField& field() const { return table[index]; }

    consteval GeneratedName(const char* filter) {
        while (std::string_view(table.at(index).filter) != filter) ++index;
    }
};

}  // namespace fabricscope::plugin
