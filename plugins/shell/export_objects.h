// SPDX-License-Identifier: GPL-2.0-or-later
// Objects that grow: a stream is listed for export with its first octets, and written with its last.
#pragma once

#include <map>
#include <utility>

#include "plugins/shell/wireshark_compat.h"
#include "protocols/layout/types.h"

namespace fabricscope::plugin {

struct ObjectName {
    const char* host;
    const char* file;
    const char* content_type = "application/octet-stream";
};

class ExportObjects {
public:
    /// What tells one object from another: the tap's data and the caller's key.
    using Key = std::pair<void*, std::uint64_t>;

    /// Appends to the object, which is made and put into the tap's list (`key.first`) if it is new.
    void append(const Key& key, std::uint32_t frame, const ObjectName& name, ByteView octets);
    /// The same for octets that have a place in the object, over what stood there; zeros are where nothing was put.
    /// Nothing is put behind `most` octets.
    void put(const Key& key, std::uint32_t frame, const ObjectName& name, std::uint64_t offset, ByteView octets);
    /// The objects, which belong to Wireshark, are gone or complete.
    void forget() { objects_.clear(); }

private:
    struct Growing {
        export_object_entry_t* entry;
        std::size_t capacity;
    };
    static constexpr std::uint64_t most = 64ULL << 20;  ///< a hostile capture must not fill the memory

    Growing& find_or_make(const Key& key, std::uint32_t frame, const ObjectName& name);
    static void grow(Growing& object, std::size_t size);
    static Growing make(const Key& key, std::uint32_t frame, const ObjectName& name);

    std::map<Key, Growing> objects_;
};

}  // namespace fabricscope::plugin
