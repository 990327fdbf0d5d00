// SPDX-License-Identifier: GPL-2.0-or-later
// Header fields from tables: what Wireshark must know about a field is already in its layout.
#pragma once

#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "plugins/common/wireshark_compat.h"
#include "protocols/layout/layout.h"

namespace fabricscope::plugin {

/// Collects fields and subtrees, registers them, and tells their ids. Lives as long as the process.
class FieldRegistry {
public:
    /// The ids of a layout's fields, in the layout's order, and of its subtree.
    struct Part {
        const int* fields;
        int subtree;
    };

    void add_layouts(std::span<const layout::LayoutInfo> layouts);
    /// A field without a layout. `id` is set by register_with() and outlives the registry.
    void add(int& id, const char* filter, const char* label, enum ftenum type, int display, const char* description);
    void add_subtree(int& id) { subtrees_.push_back(&id); }
    void register_with(int protocol);

    /// Of a layout that has been added.
    Part part(const layout::LayoutInfo& info) const;

private:
    struct LayoutIds {
        std::vector<int> fields;
        int subtree = -1;
    };

    const void* strings_of(const layout::FieldInfo& info);

    std::unordered_map<const layout::FieldInfo*, LayoutIds> layouts_;  // by the layout's first field
    std::vector<hf_register_info> fields_;
    std::vector<int*> subtrees_;
    std::deque<std::vector<value_string>> value_names_;
};

}  // namespace fabricscope::plugin
