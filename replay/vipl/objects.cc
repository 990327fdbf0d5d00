// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/vipl/objects.h"

namespace fabricscope::vipl {

Library& library() {
    static Library all;
    return all;
}

Library::~Library() {
    for (const VIP_PVOID handle : nics.all()) close_nic(handle);
}

// ---- asynchronous errors -----------------------------------------------------------------------------

void Opened::tell(const vi::ErrorDescriptor& error, VIP_VI_HANDLE vi, VIP_CQ_HANDLE cq) {
    if (on_error == nullptr) return log(device_name + ": " + name_of(error.code));
    VIP_ERROR_DESCRIPTOR told{};
    told.NicHandle = handle;
    told.ViHandle = vi;
    told.CQHandle = cq;
    told.DescriptorPtr = reinterpret_cast<VIP_DESCRIPTOR*>(error.descriptor.value_or(0));
    told.OpCode = error.operation;
    told.ResourceCode = static_cast<VIP_RESOURCE_CODE>(error.resource);
    told.ErrorCode = static_cast<VIP_ERROR_CODE>(error.code);
    if (!error_caller) error_caller = std::make_unique<Caller>();
    error_caller->call([handler = on_error, context = error_context, told]() mutable { handler(context, &told); });
}

void SharedNic::on_error(const vi::ErrorDescriptor& error) {
    const auto cq = cqs.find(error.cq);
    const VIP_CQ_HANDLE cq_handle = cq == cqs.end() ? nullptr : cq->second->handle;
    if (const auto found = vis.find(error.vi); found != vis.end())
        found->second->opened->tell(error, found->second->handle, cq_handle);
    else if (error.resource == vi::Resource::nic)
        for (Opened* one : opened) one->tell(error, nullptr, nullptr);
}

// ---- opening and closing -----------------------------------------------------------------------------

namespace {

/// One N_Port for an interface: another one would answer for the same link.
std::shared_ptr<SharedNic> shared_nic(const Device& device) {
    const std::string place = device.interface.empty() ? "emulated:" + device.scenario : device.interface;
    std::weak_ptr<SharedNic>& known = library().by_interface[place];
    if (std::shared_ptr<SharedNic> there = known.lock()) return there;
    auto shared = std::make_shared<SharedNic>();
    shared->nic = std::make_unique<Nic>(device, *shared);
    known = shared;
    return shared;
}

using Callers = std::vector<std::unique_ptr<Caller>>;

void take_away(SharedNic& shared, Opened& opened, vi::ViHandle id, Callers& callers) {
    const auto node = shared.vis.extract(id);
    if (!node.empty()) {
        callers.push_back(std::move(node.mapped()->send_caller));
        callers.push_back(std::move(node.mapped()->receive_caller));
    }
    opened.vis.erase(id);
}

/// Ends the connections of its VIs, and takes away all that was made with the handle.
Callers release(Opened& opened) {
    SharedNic& shared = *opened.shared;
    Nic& nic = *shared.nic;
    Callers callers;
    Nic::Lock locked = nic.lock();
    opened.closed = true;
    for (const vi::ViHandle id : opened.vis) nic.provider().close(now(), id);
    nic.wait(locked, [&] {
        const std::set<vi::ViHandle> left = opened.vis;
        for (const vi::ViHandle id : left)
            if (nic.provider().abandon(id) != vi::Return::not_done) take_away(shared, opened, id, callers);
        return opened.vis.empty();
    });
    for (const vi::CqHandle id : opened.cqs) {
        nic.provider().destroy_cq(id);
        if (const auto node = shared.cqs.extract(id); !node.empty())
            callers.push_back(std::move(node.mapped()->caller));
    }
    for (const auto& [handle, address] : opened.regions) nic.provider().memory().deregister_mem(address, handle);
    library().ptags.erase_if(
        [&](const Ptag& ptag) { return ptag.opened.get() == &opened && (nic.provider().destroy_ptag(ptag.id), true); });
    callers.push_back(std::move(opened.error_caller));
    shared.opened.erase(&opened);
    nic.settle();
    return callers;
}

}  // namespace

std::shared_ptr<Opened> open_nic(const std::string& device_name) {
    const Device device = parse_device(device_name);
    const std::scoped_lock opening(library().opening);
    auto opened = std::make_shared<Opened>();
    opened->shared = shared_nic(device);
    opened->device_name = device_name;
    const Nic::Lock locked = opened->nic().lock();
    opened->address = opened->nic().provider().query_nic().address;
    opened->shared->opened.insert(opened.get());
    opened->handle = library().nics.add(opened);
    return opened;
}

bool close_nic(VIP_NIC_HANDLE handle) {
    std::shared_ptr<Opened> opened = library().nics.take(handle);
    if (opened == nullptr) return false;
    const auto is_of_it = [&](const auto& object) { return object.opened == opened; };
    library().vis.erase_if(is_of_it);
    library().cqs.erase_if(is_of_it);
    library().connections.erase_if(is_of_it);
    release(*opened);
    const std::scoped_lock opening(library().opening);  // nobody finds the NIC while it logs out
    opened.reset();
    return true;
}

}  // namespace fabricscope::vipl
