// SPDX-License-Identifier: GPL-2.0-or-later
// The calls of vipl.h: handles become objects, the Provider is asked under the NIC's lock, and what blocks waits for
// what the Provider tells.
#include "replay/vipl/vipl.h"

#include <algorithm>

#include "replay/vipl/convert.h"
#include "replay/vipl/pages.h"

using namespace fabricscope;
using namespace fabricscope::vipl;
using vi::Return;

namespace {

/// Nothing that happens inside gets out into C.
template <class Call> VIP_RETURN guarded(Call call) {
    try {
        return call();
    } catch (const DeviceError& error) {
        log(error.what());
        return VIP_INVALID_PARAMETER;
    } catch (const std::exception& error) {
        log(error.what());
        return VIP_ERROR_RESOURCE;
    }
}

/// `call(provider, object)` under the lock of the object's NIC; VIP_INVALID_PARAMETER, if there is no such object.
template <class Object, class Call> VIP_RETURN with(const Handles<Object>& handles, VIP_PVOID handle, Call call) {
    return guarded([&] {
        const std::shared_ptr<Object> object = handles.find(handle);
        if (object == nullptr) return VIP_INVALID_PARAMETER;
        Opened* opened = nullptr;
        if constexpr (std::is_same_v<Object, Opened>) opened = object.get();
        else opened = object->opened.get();
        Nic& nic = opened->nic();
        Nic::Lock locked = nic.lock();
        if (opened->closed) return VIP_INVALID_PARAMETER;
        VIP_RETURN result{};
        if constexpr (std::is_invocable_v<Call, Nic&, Object&, Nic::Lock&>) result = call(nic, *object, locked);
        else result = code(call(nic.provider(), *object));
        nic.settle();
        return result;
    });
}

template <class Call> VIP_RETURN with_nic(VIP_NIC_HANDLE handle, Call call) {
    return with(library().nics, handle, call);
}
template <class Call> VIP_RETURN with_vi(VIP_VI_HANDLE handle, Call call) { return with(library().vis, handle, call); }
template <class Call> VIP_RETURN with_cq(VIP_CQ_HANDLE handle, Call call) { return with(library().cqs, handle, call); }

VIP_DESCRIPTOR* descriptor_at(const vi::Descriptor& descriptor) {
    return reinterpret_cast<VIP_DESCRIPTOR*>(descriptor.cookie);
}

vi::ViQuery state_of(vi::Provider& provider, const Vi& vi) {
    vi::ViQuery query;
    provider.query_vi(vi.id, query);
    return query;
}

/// Until the VI's connection is there, or will not be. Another thread may have ended that, and then nobody tells.
VIP_RETURN await_connection(Nic& nic, Vi& vi, Nic::Lock& locked, VIP_VI_ATTRIBUTES* remote) {
    Return result{};
    vi::Attributes attributes;
    nic.wait(locked, [&] {
        result = nic.provider().connect_done(vi.id, &attributes);
        return result != Return::not_done || vi.opened->closed ||
               state_of(nic.provider(), vi).state != vi::State::connect_pending;
    });
    if (result == Return::not_done) return VIP_ERROR_RESOURCE;
    if (result == Return::success) write_attributes(attributes, remote);
    return code(result);
}

}  // namespace

// ---- hardware connection -----------------------------------------------------------------------------

VIP_RETURN VipOpenNic(const VIP_CHAR* DeviceName, VIP_NIC_HANDLE* NicHandle) {
    if (DeviceName == nullptr || NicHandle == nullptr) return VIP_INVALID_PARAMETER;
    return guarded([&] {
        *NicHandle = open_nic(DeviceName)->handle;
        return VIP_SUCCESS;
    });
}

VIP_RETURN VipCloseNic(VIP_NIC_HANDLE NicHandle) {
    return guarded([&] { return close_nic(NicHandle) ? VIP_SUCCESS : VIP_INVALID_PARAMETER; });
}

// ---- VIs ---------------------------------------------------------------------------------------------

namespace {

/// NULL is no completion queue; one of another NIC is as good as none that is there.
std::optional<vi::CqHandle> queue_of(const Opened& opened, VIP_CQ_HANDLE handle) {
    if (handle == nullptr) return vi::CqHandle{0};
    const std::shared_ptr<Cq> queue = library().cqs.find(handle);
    if (queue == nullptr || queue->opened->shared != opened.shared) return std::nullopt;
    return queue->id;
}

}  // namespace

VIP_RETURN VipCreateVi(
    VIP_NIC_HANDLE NicHandle, VIP_VI_ATTRIBUTES* ViAttribs, VIP_CQ_HANDLE SendCQHandle, VIP_CQ_HANDLE RecvCQHandle,
    VIP_VI_HANDLE* ViHandle) {
    if (ViAttribs == nullptr || ViHandle == nullptr) return VIP_INVALID_PARAMETER;
    return with_nic(NicHandle, [&](Nic& nic, Opened& opened, Nic::Lock&) {
        const auto send = queue_of(opened, SendCQHandle), receive = queue_of(opened, RecvCQHandle);
        if (!send || !receive) return VIP_INVALID_PARAMETER;
        vi::Attributes attributes;
        if (const VIP_RETURN wrong = read_attributes(opened, *ViAttribs, attributes); wrong != VIP_SUCCESS)
            return wrong;
        auto created = std::make_shared<Vi>();
        const Return result = nic.provider().create_vi(attributes, *send, *receive, created->id);
        if (result != Return::success) return code(result);
        created->opened = library().nics.find(NicHandle);
        if (created->opened == nullptr) return VIP_INVALID_PARAMETER;
        created->attributes = *ViAttribs;
        opened.shared->vis[created->id] = created;
        opened.vis.insert(created->id);
        *ViHandle = created->handle = library().vis.add(created);
        return VIP_SUCCESS;
    });
}

VIP_RETURN VipDestroyVi(VIP_VI_HANDLE ViHandle) {
    std::shared_ptr<Vi> gone;  // until the NIC is not locked any more: handlers may have to end
    const VIP_RETURN result = with_vi(ViHandle, [&](vi::Provider& provider, Vi& vi) {
        const Return destroyed = provider.destroy_vi(vi.id);
        if (destroyed != Return::success) return destroyed;
        vi.opened->shared->vis.erase(vi.id);
        vi.opened->vis.erase(vi.id);
        gone = library().vis.take(ViHandle);
        return destroyed;
    });
    if (gone != nullptr) gone->send_caller.reset(), gone->receive_caller.reset();
    return result;
}

// ---- connections -------------------------------------------------------------------------------------

VIP_RETURN VipConnectWait(
    VIP_NIC_HANDLE NicHandle, VIP_NET_ADDRESS* LocalAddr, VIP_ULONG Timeout, VIP_NET_ADDRESS* RemoteAddr,
    VIP_VI_ATTRIBUTES* RemoteViAttribs, VIP_CONN_HANDLE* ConnHandle) {
    const auto local = address_of(LocalAddr);
    if (!local || ConnHandle == nullptr) return VIP_INVALID_PARAMETER;
    return with_nic(NicHandle, [&](Nic& nic, Opened& opened, Nic::Lock& locked) {
        const Return waits = nic.provider().connect_wait(now(), *local, duration(Timeout));
        if (waits != Return::success) return code(waits);
        std::optional<vi::ConnectionRequest> request;
        nic.wait(locked, [&] { return (request = nic.take_request(*local)) || opened.closed; });
        if (!request) return VIP_INVALID_PARAMETER;
        if (request->result != Return::success) return code(request->result);
        if (RemoteAddr != nullptr) write_address(request->remote, *RemoteAddr);
        write_attributes(request->attributes, RemoteViAttribs);
        *ConnHandle = library().connections.add(
            std::make_shared<Connection>(Connection{library().nics.find(NicHandle), request->conn}));
        return VIP_SUCCESS;
    });
}

VIP_RETURN VipConnectAccept(VIP_CONN_HANDLE ConnHandle, VIP_VI_HANDLE ViHandle) {
    const std::shared_ptr<Connection> connection = library().connections.find(ConnHandle);
    if (connection == nullptr) return VIP_INVALID_PARAMETER;
    return with_vi(ViHandle, [&](Nic& nic, Vi& vi, Nic::Lock& locked) {
        if (vi.opened->shared != connection->opened->shared) return VIP_INVALID_PARAMETER;
        const Return accepted = nic.provider().connect_accept(now(), connection->id, vi.id);
        if (accepted == Return::success || accepted == Return::timeout) library().connections.take(ConnHandle);
        return accepted == Return::success ? await_connection(nic, vi, locked, nullptr) : code(accepted);
    });
}

VIP_RETURN VipConnectReject(VIP_CONN_HANDLE ConnHandle) {
    return with(library().connections, ConnHandle, [&](vi::Provider& provider, Connection& connection) {
        library().connections.take(ConnHandle);
        return provider.connect_reject(now(), connection.id);
    });
}

VIP_RETURN VipConnectRequest(
    VIP_VI_HANDLE ViHandle, VIP_NET_ADDRESS* LocalAddr, VIP_NET_ADDRESS* RemoteAddr, VIP_ULONG Timeout,
    VIP_VI_ATTRIBUTES* RemoteViAttribs) {
    const auto local = address_of(LocalAddr), remote = address_of(RemoteAddr);
    if (!local || !remote) return VIP_INVALID_PARAMETER;
    return with_vi(ViHandle, [&](Nic& nic, Vi& vi, Nic::Lock& locked) {
        const Return asked = nic.provider().connect_request(now(), vi.id, *local, *remote, duration(Timeout));
        return asked == Return::success ? await_connection(nic, vi, locked, RemoteViAttribs) : code(asked);
    });
}

VIP_RETURN VipDisconnect(VIP_VI_HANDLE ViHandle) {
    return with_vi(ViHandle, [&](Nic& nic, Vi& vi, Nic::Lock& locked) {
        Return result = nic.provider().disconnect(now(), vi.id);
        if (result != Return::success) return code(result);
        nic.wait(locked, [&] {
            result = nic.provider().disconnect_done(vi.id);
            return result != Return::not_done || vi.opened->closed ||
                   state_of(nic.provider(), vi).state == vi::State::idle;
        });
        return result == Return::not_done ? VIP_SUCCESS : code(result);  // another thread has been told
    });
}

VIP_RETURN VipConnectPeerRequest(
    VIP_VI_HANDLE ViHandle, VIP_NET_ADDRESS* LocalAddr, VIP_NET_ADDRESS* RemoteAddr, VIP_ULONG Timeout) {
    const auto local = address_of(LocalAddr), remote = address_of(RemoteAddr);
    if (!local || !remote) return VIP_INVALID_PARAMETER;
    return with_vi(ViHandle, [&](vi::Provider& provider, Vi& vi) {
        return provider.connect_peer_request(now(), vi.id, *local, *remote, duration(Timeout));
    });
}

VIP_RETURN VipConnectPeerDone(VIP_VI_HANDLE ViHandle, VIP_VI_ATTRIBUTES* RemoteViAttribs) {
    return with_vi(ViHandle, [&](vi::Provider& provider, Vi& vi) {
        vi::Attributes attributes;
        const Return result = provider.connect_peer_done(vi.id, &attributes);
        if (result == Return::success) write_attributes(attributes, RemoteViAttribs);
        return result;
    });
}

VIP_RETURN VipConnectPeerWait(VIP_VI_HANDLE ViHandle, VIP_VI_ATTRIBUTES* RemoteViAttribs) {
    return with_vi(ViHandle, [&](Nic& nic, Vi& vi, Nic::Lock& locked) {
        vi::Attributes attributes;
        const Return result = nic.provider().connect_peer_done(vi.id, &attributes);
        if (result == Return::not_done) return await_connection(nic, vi, locked, RemoteViAttribs);
        if (result == Return::success) write_attributes(attributes, RemoteViAttribs);
        return code(result);
    });
}

// ---- memory ------------------------------------------------------------------------------------------

VIP_RETURN VipCreatePtag(VIP_NIC_HANDLE NicHandle, VIP_PROTECTION_HANDLE* PtagHandle) {
    if (PtagHandle == nullptr) return VIP_INVALID_PARAMETER;
    return with_nic(NicHandle, [&](vi::Provider& provider, Opened&) {
        const vi::Ptag id = provider.create_ptag();
        if (id == 0) return Return::error_resource;
        *PtagHandle = library().ptags.add(std::make_shared<Ptag>(Ptag{library().nics.find(NicHandle), id}));
        return Return::success;
    });
}

VIP_RETURN VipDestroyPtag(VIP_NIC_HANDLE NicHandle, VIP_PROTECTION_HANDLE PtagHandle) {
    return with_nic(NicHandle, [&](vi::Provider& provider, Opened& opened) {
        const std::shared_ptr<Ptag> ptag = library().ptags.find(PtagHandle);
        if (ptag == nullptr || ptag->opened->shared != opened.shared) return Return::invalid_parameter;
        const Return result = provider.destroy_ptag(ptag->id);
        if (result == Return::success) library().ptags.take(PtagHandle);
        return result;
    });
}

VIP_RETURN VipRegisterMem(
    VIP_NIC_HANDLE NicHandle, VIP_PVOID VirtualAddress, VIP_ULONG Length, VIP_MEM_ATTRIBUTES* MemAttribs,
    VIP_MEM_HANDLE* MemoryHandle) {
    if (VirtualAddress == nullptr || MemAttribs == nullptr || MemoryHandle == nullptr) return VIP_INVALID_PARAMETER;
    *MemoryHandle = 0;
    return with_nic(NicHandle, [&](Nic& nic, Opened& opened, Nic::Lock&) {
        vi::MemoryAttributes attributes;
        if (const VIP_RETURN wrong = read_attributes(*MemAttribs, attributes); wrong != VIP_SUCCESS) return wrong;
        const std::span octets(static_cast<std::uint8_t*>(VirtualAddress), Length);
        const Pages pages = pages_of(octets);
        vi::Memory& memory = nic.provider().memory();
        const Return result = memory.register_own(octets, pages != Pages::writable, attributes, *MemoryHandle);
        if (result == Return::success && pages == Pages::none) {
            memory.deregister_mem(reinterpret_cast<std::uintptr_t>(VirtualAddress), *MemoryHandle);
            *MemoryHandle = 0;
            return VIP_INVALID_PARAMETER;
        }
        if (result == Return::success) opened.regions[*MemoryHandle] = reinterpret_cast<std::uintptr_t>(VirtualAddress);
        return code(result);
    });
}

VIP_RETURN VipDeregisterMem(VIP_NIC_HANDLE NicHandle, VIP_PVOID VirtualAddress, VIP_MEM_HANDLE MemoryHandle) {
    return with_nic(NicHandle, [&](vi::Provider& provider, Opened& opened) {
        opened.regions.erase(MemoryHandle);
        return provider.memory().deregister_mem(reinterpret_cast<std::uintptr_t>(VirtualAddress), MemoryHandle);
    });
}

// ---- transfers ---------------------------------------------------------------------------------------

namespace {

vi::DescriptorAddress address_of(VIP_DESCRIPTOR* descriptor, VIP_MEM_HANDLE handle) {
    return {reinterpret_cast<std::uintptr_t>(descriptor), handle};
}

/// `take(provider, vi, descriptor)`
VIP_RETURN take_done(
    VIP_VI_HANDLE ViHandle, VIP_DESCRIPTOR** DescriptorPtr,
    Return (vi::Provider::*take)(vi::ViHandle, vi::Descriptor&)) {
    if (DescriptorPtr == nullptr) return VIP_INVALID_PARAMETER;
    *DescriptorPtr = nullptr;
    return with_vi(ViHandle, [&](vi::Provider& provider, Vi& vi) {
        vi::Descriptor done;
        const Return result = (provider.*take)(vi.id, done);
        if (done.status != 0) *DescriptorPtr = descriptor_at(done);
        return result;
    });
}

/// `begin(provider, id, timeout, context)`; what it returns, or else what is notified.
template <class Object, class Begin>
Return await_notification(
    Nic& nic, Object& object, Nic::Lock& locked, VIP_ULONG timeout, vi::Notification& told, Begin begin) {
    bool is_told = false;
    const std::uint64_t context = nic.expect([&](const vi::Notification& notification) {
        told = notification;
        is_told = true;
    });
    const Return begun = begin(nic.provider(), object.id, duration(timeout), context);
    if (begun == Return::success) nic.wait(locked, [&] { return is_told || object.opened->closed; });
    nic.forget(context);
    if (begun != Return::success) return begun;
    return is_told ? told.result : Return::invalid_parameter;
}

template <class Begin>
VIP_RETURN wait_done(VIP_VI_HANDLE ViHandle, VIP_ULONG timeout, VIP_DESCRIPTOR** DescriptorPtr, Begin begin) {
    if (DescriptorPtr == nullptr) return VIP_INVALID_PARAMETER;
    *DescriptorPtr = nullptr;
    return with_vi(ViHandle, [&](Nic& nic, Vi& vi, Nic::Lock& locked) {
        vi::Notification told;
        const Return result = await_notification(nic, vi, locked, timeout, told, begin);
        if (told.has_descriptor) *DescriptorPtr = descriptor_at(told.descriptor);
        return code(result);
    });
}

/// The handler is called by the thread of the queue, `caller`.
template <class Object, class Begin, class Call>
VIP_RETURN notify(Nic& nic, Object& object, std::unique_ptr<Caller> Object::*caller, Begin begin, Call call) {
    const std::uint64_t context = nic.expect([&object, caller, call](const vi::Notification& notification) {
        if (!(object.*caller)) object.*caller = std::make_unique<Caller>();
        (object.*caller)->call([call, notification] { call(notification); });
    });
    const Return begun = begin(nic.provider(), object.id, context);
    if (begun != Return::success) nic.forget(context);
    return code(begun);
}

template <class Begin>
VIP_RETURN notify_of_descriptor(
    VIP_VI_HANDLE ViHandle, VIP_PVOID Context, VIP_DESCRIPTOR_HANDLER Handler, std::unique_ptr<Caller> Vi::*caller,
    Begin begin) {
    if (Handler == nullptr) return VIP_INVALID_PARAMETER;
    return with_vi(ViHandle, [&](Nic& nic, Vi& vi, Nic::Lock&) {
        const auto call = [=, of = vi.opened->handle](const vi::Notification& told) {
            Handler(Context, of, ViHandle, told.has_descriptor ? descriptor_at(told.descriptor) : nullptr);
        };
        return notify(nic, vi, caller, begin, call);
    });
}

/// Which VI and which of its queues an entry is of.
VIP_VI_HANDLE handle_of(const Opened& opened, vi::ViHandle id) {
    const auto found = opened.shared->vis.find(id);
    return found == opened.shared->vis.end() ? nullptr : found->second->handle;
}

}  // namespace

VIP_RETURN VipPostSend(VIP_VI_HANDLE ViHandle, VIP_DESCRIPTOR* DescriptorPtr, VIP_MEM_HANDLE MemoryHandle) {
    return with_vi(ViHandle, [&](vi::Provider& provider, Vi& vi) {
        return provider.post_send_at(now(), vi.id, address_of(DescriptorPtr, MemoryHandle));
    });
}

VIP_RETURN VipSendDone(VIP_VI_HANDLE ViHandle, VIP_DESCRIPTOR** DescriptorPtr) {
    return take_done(ViHandle, DescriptorPtr, &vi::Provider::send_done);
}

VIP_RETURN VipSendWait(VIP_VI_HANDLE ViHandle, VIP_ULONG TimeOut, VIP_DESCRIPTOR** DescriptorPtr) {
    return wait_done(
        ViHandle, TimeOut, DescriptorPtr,
        [](vi::Provider& provider, vi::ViHandle id, Time timeout, std::uint64_t context) {
            return provider.send_wait(now(), id, timeout, context);
        });
}

VIP_RETURN VipPostRecv(VIP_VI_HANDLE ViHandle, VIP_DESCRIPTOR* DescriptorPtr, VIP_MEM_HANDLE MemoryHandle) {
    return with_vi(ViHandle, [&](vi::Provider& provider, Vi& vi) {
        return provider.post_receive_at(vi.id, address_of(DescriptorPtr, MemoryHandle));
    });
}

VIP_RETURN VipRecvDone(VIP_VI_HANDLE ViHandle, VIP_DESCRIPTOR** DescriptorPtr) {
    return take_done(ViHandle, DescriptorPtr, &vi::Provider::receive_done);
}

VIP_RETURN VipRecvWait(VIP_VI_HANDLE ViHandle, VIP_ULONG TimeOut, VIP_DESCRIPTOR** DescriptorPtr) {
    return wait_done(
        ViHandle, TimeOut, DescriptorPtr,
        [](vi::Provider& provider, vi::ViHandle id, Time timeout, std::uint64_t context) {
            return provider.receive_wait(now(), id, timeout, context);
        });
}

VIP_RETURN VipCQDone(VIP_CQ_HANDLE CQHandle, VIP_VI_HANDLE* ViHandle, VIP_BOOLEAN* RecvQueue) {
    if (ViHandle == nullptr || RecvQueue == nullptr) return VIP_INVALID_PARAMETER;
    return with_cq(CQHandle, [&](vi::Provider& provider, Cq& cq) {
        vi::CqEntry entry;
        const Return result = provider.cq_done(cq.id, entry);
        if (result == Return::success) *ViHandle = handle_of(*cq.opened, entry.vi), *RecvQueue = entry.receive;
        return result;
    });
}

VIP_RETURN VipCQWait(VIP_CQ_HANDLE CQHandle, VIP_ULONG Timeout, VIP_VI_HANDLE* ViHandle, VIP_BOOLEAN* RecvQueue) {
    if (ViHandle == nullptr || RecvQueue == nullptr) return VIP_INVALID_PARAMETER;
    return with_cq(CQHandle, [&](Nic& nic, Cq& cq, Nic::Lock& locked) {
        vi::Notification told;
        const Return result = await_notification(
            nic, cq, locked, Timeout, told,
            [](vi::Provider& provider, vi::CqHandle id, Time timeout, std::uint64_t context) {
                return provider.cq_wait(now(), id, timeout, context);
            });
        if (result == Return::success) *ViHandle = handle_of(*cq.opened, told.vi), *RecvQueue = told.receive;
        return code(result);
    });
}

VIP_RETURN VipSendNotify(VIP_VI_HANDLE ViHandle, VIP_PVOID Context, VIP_DESCRIPTOR_HANDLER Handler) {
    return notify_of_descriptor(
        ViHandle, Context, Handler, &Vi::send_caller,
        [](vi::Provider& provider, vi::ViHandle id, std::uint64_t context) {
            return provider.send_notify(id, context);
        });
}

VIP_RETURN VipRecvNotify(VIP_VI_HANDLE ViHandle, VIP_PVOID Context, VIP_DESCRIPTOR_HANDLER Handler) {
    return notify_of_descriptor(
        ViHandle, Context, Handler, &Vi::receive_caller,
        [](vi::Provider& provider, vi::ViHandle id, std::uint64_t context) {
            return provider.receive_notify(id, context);
        });
}

VIP_RETURN VipCQNotify(VIP_CQ_HANDLE CQHandle, VIP_PVOID Context, VIP_CQ_HANDLER Handler) {
    if (Handler == nullptr) return VIP_INVALID_PARAMETER;
    return with_cq(CQHandle, [&](Nic& nic, Cq& cq, Nic::Lock&) {
        const auto begin = [](vi::Provider& provider, vi::CqHandle id, std::uint64_t context) {
            return provider.cq_notify(id, context);
        };
        const auto call = [=, opened = cq.opened](const vi::Notification& told) {
            VIP_VI_HANDLE of = nullptr;
            {
                const Nic::Lock locked = opened->nic().lock();
                of = handle_of(*opened, told.vi);
            }
            Handler(Context, opened->handle, of, told.receive);
        };
        return notify(nic, cq, &Cq::caller, begin, call);
    });
}

// ---- completion queues -------------------------------------------------------------------------------

VIP_RETURN VipCreateCQ(VIP_NIC_HANDLE NicHandle, VIP_ULONG EntryCount, VIP_CQ_HANDLE* CQHandle) {
    if (CQHandle == nullptr) return VIP_INVALID_PARAMETER;
    return with_nic(NicHandle, [&](vi::Provider& provider, Opened& opened) {
        auto created = std::make_shared<Cq>();
        created->id = provider.create_cq(EntryCount);
        if (created->id == 0) return Return::error_resource;
        created->opened = library().nics.find(NicHandle);
        if (created->opened == nullptr) return Return::invalid_parameter;
        opened.shared->cqs[created->id] = created;
        opened.cqs.insert(created->id);
        *CQHandle = created->handle = library().cqs.add(created);
        return Return::success;
    });
}

VIP_RETURN VipDestroyCQ(VIP_CQ_HANDLE CQHandle) {
    std::shared_ptr<Cq> gone;
    const VIP_RETURN result = with_cq(CQHandle, [&](vi::Provider& provider, Cq& cq) {
        const Return destroyed = provider.destroy_cq(cq.id);
        if (destroyed != Return::success) return destroyed;
        cq.opened->shared->cqs.erase(cq.id);
        cq.opened->cqs.erase(cq.id);
        gone = library().cqs.take(CQHandle);
        return destroyed;
    });
    if (gone != nullptr) gone->caller.reset();
    return result;
}

VIP_RETURN VipResizeCQ(VIP_CQ_HANDLE CQHandle, VIP_ULONG EntryCount) {
    return with_cq(CQHandle, [&](vi::Provider& provider, Cq& cq) { return provider.resize_cq(cq.id, EntryCount); });
}

// ---- queries -----------------------------------------------------------------------------------------

VIP_RETURN VipQueryNic(VIP_NIC_HANDLE NicHandle, VIP_NIC_ATTRIBUTES* NicAttribs) {
    if (NicAttribs == nullptr) return VIP_INVALID_PARAMETER;
    return with_nic(NicHandle, [&](vi::Provider& provider, Opened& opened) {
        write_attributes(provider.query_nic(), opened, *NicAttribs);
        return Return::success;
    });
}

VIP_RETURN VipSetViAttributes(VIP_VI_HANDLE ViHandle, VIP_VI_ATTRIBUTES* ViAttribs) {
    if (ViAttribs == nullptr) return VIP_INVALID_PARAMETER;
    return with_vi(ViHandle, [&](Nic& nic, Vi& vi, Nic::Lock&) {
        vi::Attributes attributes;
        const VIP_RETURN wrong = read_attributes(*vi.opened, *ViAttribs, attributes);
        if (wrong != VIP_SUCCESS) return wrong;
        const Return result = nic.provider().set_vi_attributes(vi.id, attributes);
        if (result == Return::success) vi.attributes = *ViAttribs;
        return code(result);
    });
}

VIP_RETURN VipQueryVi(
    VIP_VI_HANDLE ViHandle, VIP_VI_STATE* State, VIP_VI_ATTRIBUTES* ViAttribs, VIP_BOOLEAN* ViSendQEmpty,
    VIP_BOOLEAN* ViRecvQEmpty) {
    if (State == nullptr || ViAttribs == nullptr || ViSendQEmpty == nullptr || ViRecvQEmpty == nullptr)
        return VIP_INVALID_PARAMETER;
    return with_vi(ViHandle, [&](vi::Provider& provider, Vi& vi) {
        const vi::ViQuery query = state_of(provider, vi);
        *State = static_cast<VIP_VI_STATE>(query.state);
        *ViAttribs = vi.attributes;
        *ViSendQEmpty = query.send_queue_empty;
        *ViRecvQEmpty = query.receive_queue_empty;
        return Return::success;
    });
}

VIP_RETURN VipSetMemAttributes(
    VIP_NIC_HANDLE NicHandle, VIP_PVOID Address, VIP_MEM_HANDLE MemHandle, VIP_MEM_ATTRIBUTES* MemAttribs) {
    if (MemAttribs == nullptr) return VIP_INVALID_PARAMETER;
    return with_nic(NicHandle, [&](Nic& nic, Opened&, Nic::Lock&) {
        vi::MemoryAttributes attributes;
        if (const VIP_RETURN wrong = read_attributes(*MemAttribs, attributes); wrong != VIP_SUCCESS) return wrong;
        const auto address = reinterpret_cast<std::uintptr_t>(Address);
        return code(nic.provider().memory().set_attributes(address, MemHandle, attributes));
    });
}

VIP_RETURN VipQueryMem(
    VIP_NIC_HANDLE NicHandle, VIP_PVOID Address, VIP_MEM_HANDLE MemHandle, VIP_MEM_ATTRIBUTES* MemAttribs) {
    if (MemAttribs == nullptr) return VIP_INVALID_PARAMETER;
    return with_nic(NicHandle, [&](vi::Provider& provider, Opened&) {
        vi::MemoryAttributes attributes;
        const Return result = provider.memory().query(reinterpret_cast<std::uintptr_t>(Address), MemHandle, attributes);
        if (result == Return::success) write_attributes(attributes, *MemAttribs);
        return result;
    });
}

VIP_RETURN VipQuerySystemManagementInfo(VIP_NIC_HANDLE NicHandle, VIP_ULONG InfoType, VIP_PVOID SysManInfo) {
    if (SysManInfo == nullptr || InfoType != VIP_SMI_AUTODISCOVERY) return VIP_INVALID_PARAMETER;
    auto* const told = static_cast<VIP_AUTODISCOVERY_LIST*>(SysManInfo);
    return with_nic(NicHandle, [&](vi::Provider& provider, Opened&) {
        vi::AutodiscoveryList list;
        list.hops = static_cast<std::uint32_t>(std::min<VIP_ULONG>(told->NumberOfHops, UINT32_MAX));
        list.count = told->NumAdAddrs;
        const Return result = provider.query_system_management_info(list);
        told->NumAdAddrs = list.count;
        if (result != Return::success) return result;
        if (told->ADAddrArray == nullptr && !list.addresses.empty()) return Return::invalid_parameter;
        for (std::size_t i = 0; i < list.addresses.size(); ++i)
            if (!write_host(list.addresses[i].host, *told->ADAddrArray[i])) return Return::invalid_parameter;
        return result;
    });
}

// ---- errors ------------------------------------------------------------------------------------------

VIP_RETURN VipErrorCallback(VIP_NIC_HANDLE NicHandle, VIP_PVOID Context, VIP_ERROR_HANDLER Handler) {
    return with_nic(NicHandle, [&](vi::Provider&, Opened& opened) {
        opened.on_error = Handler;
        opened.error_context = Context;
        return Return::success;
    });
}

// ---- names -------------------------------------------------------------------------------------------

VIP_RETURN VipNSInit(VIP_NIC_HANDLE NicHandle, VIP_PVOID NSInitInfo) {
    return with_nic(NicHandle, [&](vi::Provider&, Opened& opened) {
        if (opened.names) return Return::error_nameservice;
        opened.names.emplace(
            NSInitInfo == nullptr ? hosts_of_system() : read_hosts(static_cast<const char*>(NSInitInfo)));
        return opened.names->init();
    });
}

VIP_RETURN VipNSGetHostByName(VIP_NIC_HANDLE NicHandle, VIP_CHAR* Name, VIP_NET_ADDRESS* Address, VIP_ULONG NameIndex) {
    if (Name == nullptr || Address == nullptr) return VIP_INVALID_PARAMETER;
    return with_nic(NicHandle, [&](vi::Provider&, Opened& opened) {
        if (!opened.names) return Return::error_nameservice;
        vi::NetAddress found;
        if (const auto itself = parse_address(Name); itself && NameIndex == 0) found.host = *itself;
        else if (const Return result = opened.names->host_by_name(Name, NameIndex, found); result != Return::success)
            return result;
        return write_host(found.host, *Address) ? Return::success : Return::invalid_parameter;
    });
}

VIP_RETURN VipNSGetHostByAddr(VIP_NIC_HANDLE NicHandle, VIP_NET_ADDRESS* Address, VIP_CHAR* Name, VIP_ULONG* NameLen) {
    const auto address = address_of(Address);
    if (!address || Name == nullptr || NameLen == nullptr) return VIP_INVALID_PARAMETER;
    return with_nic(NicHandle, [&](vi::Provider&, Opened& opened) {
        if (!opened.names) return Return::error_nameservice;
        std::string name;
        if (opened.names->host_by_address(*address, name) != Return::success) return Return::error_nameservice;
        const VIP_ULONG room = *NameLen;
        const bool fits = name.size() < room;
        *NameLen = fits ? name.size() : name.size() + 1;  // else what it takes, its end included (VI-DG 3.9.3)
        if (!fits) return Return::invalid_parameter;
        *std::ranges::copy(name, Name).out = '\0';
        return Return::success;
    });
}

VIP_RETURN VipNSShutdown(VIP_NIC_HANDLE NicHandle) {
    return with_nic(NicHandle, [&](vi::Provider&, Opened& opened) {
        const bool was_there = opened.names.has_value();
        opened.names.reset();
        return was_there ? Return::success : Return::error_nameservice;
    });
}
