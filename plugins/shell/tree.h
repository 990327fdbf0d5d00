// SPDX-License-Identifier: GPL-2.0-or-later
// A message as a tree: the visitor for walk() that shows each part's fields as its layout says.
#pragma once

#include <string>

#include "plugins/shell/fields.h"

namespace fabricscope::plugin {

/// A copy that lives as long as the packet is being dissected.
const char* packet_text(const packet_info* pinfo, const std::string& text);

/// Trivially destructible, as Wireshark's exceptions demand.
class TreeBuilder {
public:
    /// `message` begins with the message and ends with it or where the capture ends.
    TreeBuilder(Fields& ids, packet_info* pinfo, tvbuff_t* message, proto_tree* tree)
        : ids_(ids), pinfo_(pinfo), message_(message), tree_(tree) {}

    template <layout::WireFormat T> void part(const T&, std::size_t offset, const layout::PartInfo& info) {
        add_part(shape_of<T>(), offset, info, layout::size_of<T>);
    }
    /// The same where the part's last field has octets that do not count: what is behind `used` is not shown.
    template <layout::WireFormat T>
    void part(const T&, std::size_t offset, const layout::PartInfo& info, std::size_t used) {
        add_part(shape_of<T>(), offset, info, used);
    }
    void octets(ByteView octets, std::size_t offset, const layout::PartInfo& info) {
        add_octets(offset, octets.size(), info);
    }

private:
    struct Shape {
        layout::LayoutInfo info;
        std::size_t begin;  ///< what the layout counts its first octet as
        std::size_t size;
    };

    template <layout::WireFormat T> static Shape shape_of() {
        constexpr layout::Extent extent = layout::layout_of<T>.extent;
        return {layout::info_of<T>(), extent.begin, extent.end - extent.begin};
    }
    void add_part(const Shape& shape, std::size_t offset, const layout::PartInfo& role, std::size_t used);
    void add_octets(std::size_t offset, std::size_t size, const layout::PartInfo& role);
    proto_tree* subtree_for(const Shape& shape, std::size_t offset, const layout::PartInfo& role);
    /// The parent of flags that share the octets at `offset`.
    proto_tree* add_flags(
        proto_tree* tree, const Shape& shape, const FieldRegistry::Flags& flags, std::size_t offset) const;
    void add_field(proto_tree* tree, const layout::FieldInfo& info, int id, std::size_t offset, unsigned width);
    bool is_set(const layout::FieldInfo& info, std::size_t offset) const;

    Fields& ids_;
    packet_info* pinfo_;
    tvbuff_t* message_;
    proto_tree* tree_;
};

}  // namespace fabricscope::plugin
