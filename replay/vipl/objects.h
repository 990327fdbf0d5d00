// SPDX-License-Identifier: GPL-2.0-or-later
// What the handles of vipl.h stand for.
#pragma once

#include <set>

#include "replay/vipl/caller.h"
#include "replay/vipl/nic.h"
#include "replay/vipl/vipl.h"

namespace fabricscope::vipl {

struct SharedNic;
struct Vi;
struct Cq;

/// A NIC handle: what one VipOpenNic has given, and all that was made with it. Guarded by the NIC's lock.
struct Opened {
    std::shared_ptr<SharedNic> shared;
    VIP_NIC_HANDLE handle = nullptr;
    std::string device_name;
    Gid address;
    bool closed = false;
    std::set<vi::ViHandle> vis;
    std::set<vi::CqHandle> cqs;
    std::map<vi::MemHandle, std::uint64_t> regions;  ///< with their addresses
    VIP_ERROR_HANDLER on_error = nullptr;
    VIP_PVOID error_context = nullptr;
    std::unique_ptr<Caller> error_caller;
    std::optional<vi::NameService> names;

    Nic& nic() const;
    void tell(const vi::ErrorDescriptor& error, VIP_VI_HANDLE vi, VIP_CQ_HANDLE cq);
};

/// Once for an interface.
struct SharedNic final : ErrorListener {
    std::unique_ptr<Nic> nic;
    std::set<Opened*> opened;
    std::map<vi::ViHandle, std::shared_ptr<Vi>> vis;
    std::map<vi::CqHandle, std::shared_ptr<Cq>> cqs;

    void on_error(const vi::ErrorDescriptor& error) override;
};

struct Vi {
    std::shared_ptr<Opened> opened;
    vi::ViHandle id = 0;
    VIP_VI_HANDLE handle = nullptr;
    VIP_VI_ATTRIBUTES attributes{};  ///< as the application has set them
    std::unique_ptr<Caller> send_caller, receive_caller;
};

struct Cq {
    std::shared_ptr<Opened> opened;
    vi::CqHandle id = 0;
    VIP_CQ_HANDLE handle = nullptr;
    std::unique_ptr<Caller> caller;
};

struct Ptag {
    std::shared_ptr<Opened> opened;
    vi::Ptag id = 0;
};

struct Connection {
    std::shared_ptr<Opened> opened;
    vi::ConnHandle id = 0;
};

/// What there is of one kind, by handle. A handle is not used again.
template <class Object> class Handles {
public:
    VIP_PVOID add(std::shared_ptr<Object> object) {
        const std::scoped_lock lock(mutex_);
        const auto handle = reinterpret_cast<VIP_PVOID>(next_ += alignment);
        objects_[handle] = std::move(object);
        return handle;
    }
    std::shared_ptr<Object> find(VIP_PVOID handle) const {
        const std::scoped_lock lock(mutex_);
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second;
    }
    /// What was there; nullptr if somebody else has taken it out.
    std::shared_ptr<Object> take(VIP_PVOID handle) {
        const std::scoped_lock lock(mutex_);
        const auto node = objects_.extract(handle);
        return node.empty() ? nullptr : node.mapped();
    }
    std::vector<VIP_PVOID> all() const {
        const std::scoped_lock lock(mutex_);
        std::vector<VIP_PVOID> handles;
        for (const auto& [handle, object] : objects_) handles.push_back(handle);
        return handles;
    }
    template <class Wanted> VIP_PVOID handle_of(Wanted wanted) const {
        const std::scoped_lock lock(mutex_);
        for (const auto& [handle, object] : objects_)
            if (wanted(*object)) return handle;
        return nullptr;
    }
    template <class Unwanted> void erase_if(Unwanted unwanted) {
        const std::scoped_lock lock(mutex_);
        std::erase_if(objects_, [&](const auto& entry) { return unwanted(*entry.second); });
    }

private:
    static constexpr std::uintptr_t alignment = 16;
    mutable std::mutex mutex_;
    std::map<VIP_PVOID, std::shared_ptr<Object>> objects_;
    std::uintptr_t next_ = 0;
};

/// All that this process has. The end of the process closes what is open, as a kernel agent would.
struct Library {
    Handles<Opened> nics;
    Handles<Vi> vis;
    Handles<Cq> cqs;
    Handles<Ptag> ptags;
    Handles<Connection> connections;
    std::mutex opening;
    std::map<std::string, std::weak_ptr<SharedNic>> by_interface;

    ~Library();
};
Library& library();

// What stands in nics.cc: VipOpenNic and VipCloseNic.
std::shared_ptr<Opened> open_nic(const std::string& device_name);
bool close_nic(VIP_NIC_HANDLE handle);

inline Nic& Opened::nic() const { return *shared->nic; }

}  // namespace fabricscope::vipl
