// SPDX-License-Identifier: GPL-2.0-or-later
// Objects that grow: a stream is listed for export with its first octets, and written with its last.
#pragma once

#include <map>
#include <utility>

#include "plugins/common/wireshark_compat.h"
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
    /// The objects, which belong to Wireshark, are gone or complete.
    void forget() { objects_.clear(); }

private:
    struct Growing {
        export_object_entry_t* entry;
        std::size_t capacity;
    };
    static Growing make(const Key& key, std::uint32_t frame, const ObjectName& name);

    std::map<Key, Growing> objects_;
};

}  // namespace fabricscope::plugin
