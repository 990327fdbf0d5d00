// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/vi_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "replay/stack/fc/vi/descriptor_memory.h"
#include "replay/stack/fc/vi/vi_peer.h"

namespace fabricscope::synth {
namespace {

namespace vi = stack::vi;
using vi::Return;

constexpr std::uint32_t unknown_handle = UINT32_MAX;
constexpr std::uint64_t address_step = 0x100'0000;

constexpr std::pair<std::uint32_t, std::string_view> status_names[] = {
    {vi::status::format_error, "format-error"},
    {vi::status::protection_error, "protection-error"},
    {vi::status::length_error, "length-error"},
    {vi::status::partial_error, "partial-error"},
    {vi::status::desc_flushed_error, "flushed"},
    {vi::status::transport_error, "transport-error"},
    {vi::status::rdma_prot_error, "rdma-protection-error"},
    {vi::status::remote_desc_error, "remote-descriptor-error"},
};

constexpr std::string_view operation_names[] = {"send", "receive", "write", "remote-write", "read"};

std::string name_of_operation(std::uint32_t operation) {
    return operation < std::size(operation_names) ? std::string(operation_names[operation])
                                                  : fmt::format("{}", operation);
}

std::string words_of(std::uint32_t status) {
    std::vector<std::string_view> words;
    for (const auto& [bit, name] : status_names)
        if ((status & bit) != 0) words.push_back(name);
    return words.empty() ? "good" : fmt::format("{}", fmt::join(words, ","));
}

void compare(const Statement& statement, const std::string& what, const std::string& is, const std::string& expected) {
    if (is != expected) statement.fail(fmt::format("{} is {}, not {}", what, is, expected));
}

/// With what the statement says under that name, if it says anything.
void compare_if_told(
    const Statement& statement, const std::string& name, const std::string& what, const std::string& is) {
    if (statement.has(name)) compare(statement, what, is, statement.text(name, ""));
}

void compare_result(const Statement& statement, Return result) {
    compare_if_told(statement, "returns", "the result", name_of(result));
}

}  // namespace

std::uint32_t ViScriptHost::handle(const Handles& handles, const Statement& statement, const std::string& name) {
    const auto found = handles.find(statement.number(name, 1));
    return found == handles.end() ? unknown_handle : found->second;
}

Time ViScriptHost::timeout(const Statement& statement) {
    if (statement.text("timeout", "") == "infinite") return stack::never;
    return statement.time("timeout", 60 * capture::second);
}

vi::Attributes ViScriptHost::attributes(const Statement& statement) const {
    vi::Attributes attributes;
    attributes.level = static_cast<vi::Reliability>(
        statement.choice("level", 1, {"unreliable-delivery", "reliable-delivery", "reliable-reception"}));
    attributes.max_transfer_size = static_cast<std::uint32_t>(statement.octets("max-transfer", 65'536));
    attributes.pipeline_depth = static_cast<std::uint32_t>(statement.number("pipeline", 3, 1000));
    attributes.ptag = handle(ptags_, statement, "ptag");
    const bool reliable = attributes.level != vi::Reliability::unreliable_delivery;
    const std::size_t rdma = statement.choice("rdma", reliable ? 0 : 1, {"both", "write", "read", "none"});
    attributes.enable_rdma_write = rdma == 0 || rdma == 1;
    attributes.enable_rdma_read = rdma == 0 || rdma == 2;
    return attributes;
}

vi::MemoryAttributes ViScriptHost::memory_attributes(const Statement& statement) const {
    const std::size_t access = statement.choice("access", 0, {"both", "write", "read", "none"});
    return {handle(ptags_, statement, "ptag"), access == 0 || access == 1, access == 0 || access == 2};
}

vi::NetAddress ViScriptHost::address(const Statement& statement, const Gid& host) const {
    return stack::vi_address(host, statement.text("discriminator", "fabricscope/script"));
}

std::optional<vi::AddressSegment> ViScriptHost::memory(std::uint64_t number) const {
    const auto found = regions_.find(number);
    if (found == regions_.end()) return std::nullopt;
    return vi::AddressSegment{found->second.address, found->second.handle};
}

vi::Descriptor ViScriptHost::descriptor(const Statement& statement, bool receives) const {
    vi::Descriptor descriptor;
    const auto region = regions_.find(statement.number("mem", 1));
    if (region == regions_.end()) statement.fail("there is no such memory");
    descriptor.operation = static_cast<vi::Operation>(statement.choice("transfer", 0, {"send", "write", "read"}));
    if (descriptor.operation != vi::Operation::send_receive && !receives) {
        descriptor.remote = peer_->memory(statement.number("to", 1));
        if (!descriptor.remote) statement.fail("the other side has no such memory");
        descriptor.remote->address += statement.octets("beyond", 0);
    }
    if (statement.has("immediate")) descriptor.immediate = static_cast<std::uint32_t>(statement.number("immediate", 0));
    descriptor.fence = statement.flag("fence", false);
    const auto octets = static_cast<std::uint32_t>(statement.octets("octets", 100));
    const auto segments = static_cast<std::uint32_t>(statement.number("segments", 1, octets == 0 ? 1 : octets));
    std::uint64_t at = region->second.address + statement.octets("offset", 0);
    for (std::uint32_t i = 0; i < segments; ++i) {
        const std::uint32_t length = octets / segments + (i < octets % segments ? 1 : 0);
        descriptor.data.push_back({at, region->second.handle, length});
        at += length;
    }
    descriptor.length = static_cast<std::uint32_t>(statement.octets("length", octets));
    return descriptor;
}

/// Where it lies in memory, as VI-DG 5 has it.
vi::DescriptorAddress ViScriptHost::put(const Statement& statement, const vi::Descriptor& descriptor) {
    const auto region = regions_.find(statement.number("descriptor-mem", statement.number("mem", 1)));
    if (region == regions_.end()) statement.fail("there is no such memory for the descriptor");
    const stack::Octets octets = vi::octets_of(descriptor);
    const std::uint64_t offset = statement.octets("descriptor", 0);
    if (offset + octets.size() > region->second.length) statement.fail("the descriptor does not fit there");
    const vi::DescriptorAddress at{region->second.address + offset, region->second.handle};
    provider_.memory().write(at.address, at.handle, octets);
    return at;
}

// ---- calls -------------------------------------------------------------------------------------------

std::optional<Return> ViScriptHost::call_nic(Time now, const std::string& name, const Statement& statement) {
    if (name == "VipCloseNic") return provider_.close_nic(now);
    if (name == "VipQueryNic") {
        compare(statement, "the name", provider_.query_nic().name, statement.text("name", "VINIC"));
        return Return::success;
    }
    if (name == "VipQuerySystemManagementInfo") {
        vi::AutodiscoveryList list;
        list.hops = static_cast<std::uint32_t>(statement.number("hops", 2));
        list.count = statement.number("room", 16);
        const Return result = provider_.query_system_management_info(list);
        compare(
            statement, "the number of hosts", fmt::format("{}", list.count),
            statement.text("hosts", fmt::format("{}", list.count)));
        return result;
    }
    if (name == "VipCreatePtag") {
        const vi::Ptag ptag = provider_.create_ptag();
        if (ptag == 0) return Return::error_resource;
        ptags_[statement.number("ptag", 1)] = ptag;
        return Return::success;
    }
    if (name == "VipDestroyPtag") return provider_.destroy_ptag(handle(ptags_, statement, "ptag"));
    if (name == "VipErrorCallback") {
        has_handler_ = statement.flag("handler", true);
        return Return::success;
    }
    if (name == "LoseNic") {
        provider_.fail_all();
        return Return::success;
    }
    return std::nullopt;
}

std::optional<Return> ViScriptHost::call_names(const std::string& name, const Statement& statement) {
    vi::NameService& names = provider_.names();
    if (name == "VipNSInit") return names.init();
    if (name == "VipNSShutdown") return names.shutdown();
    const Gid& own = port().config().ip;
    if (name == "VipNSGetHostByName") {
        vi::NetAddress found;
        const Return result = names.host_by_name(statement.text("host", ""), statement.number("index", 0), found);
        compare_if_told(statement, "address", "the address", found.host == own ? "own" : "other");
        return result;
    }
    if (name != "VipNSGetHostByAddr") return std::nullopt;
    std::string found;
    const bool of_other = statement.choice("address", 1, {"own", "other"}) == 1;
    const Return result = names.host_by_address(address(statement, of_other ? other_ : own), found);
    compare_if_told(statement, "host", "the name", found);
    return result;
}

/// Without a handler of the application's, the default one writes errors down somewhere, and that is all (VI-DG 3.8.1).
void ViScriptHost::log_errors() {
    while (!has_handler_ && provider_.next_error()) ++logged_;
}

std::optional<Return> ViScriptHost::call_vi(Time now, const std::string& name, const Statement& statement) {
    if (name == "VipCreateVi") {
        const auto queue = [&](const std::string& which) {
            return statement.has(which) ? handle(queues_, statement, which) : 0;
        };
        return provider_.create_vi(
            attributes(statement), queue("send-cq"), queue("recv-cq"), vis_[statement.number("vi", 1)]);
    }
    if (name == "VipDestroyVi") return provider_.destroy_vi(vi(statement));
    if (name == "VipSetViAttributes") return provider_.set_vi_attributes(vi(statement), attributes(statement));
    if (name == "VipQueryVi") {
        vi::ViQuery query;
        const Return result = provider_.query_vi(vi(statement), query);
        const auto words = [](bool yes) { return yes ? "yes" : "no"; };
        compare_if_told(statement, "state", "the state", name_of(query.state));
        compare_if_told(statement, "sends-empty", "sends-empty", words(query.send_queue_empty));
        compare_if_told(statement, "receives-empty", "receives-empty", words(query.receive_queue_empty));
        return result;
    }
    if (name == "VipConnectWait")
        return provider_.connect_wait(now, address(statement, port().config().ip), timeout(statement));
    if (name == "VipConnectAccept")
        return provider_.connect_accept(now, handle(conns_, statement, "conn"), vi(statement));
    if (name == "VipConnectReject") return provider_.connect_reject(now, handle(conns_, statement, "conn"));
    const Gid& own = port().config().ip;
    const vi::NetAddress local = address(statement, own);
    const vi::NetAddress remote = address(statement, statement.flag("itself", false) ? own : other_);
    if (name == "VipConnectRequest")
        return provider_.connect_request(now, vi(statement), local, remote, timeout(statement));
    if (name == "VipConnectPeerRequest")
        return provider_.connect_peer_request(now, vi(statement), local, remote, timeout(statement));
    if (name == "VipConnectPeerDone") return provider_.connect_peer_done(vi(statement));
    if (name == "VipDisconnect") return provider_.disconnect(now, vi(statement));
    return std::nullopt;
}

std::optional<Return> ViScriptHost::call_memory(const std::string& name, const Statement& statement) {
    vi::Memory& memory = provider_.memory();
    const std::uint64_t number = statement.number("mem", 1);
    if (name == "VipRegisterMem") {
        Region region{next_address_, static_cast<std::uint32_t>(statement.octets("octets", 65'536)), 0};
        next_address_ += address_step;
        const Return result = memory.register_mem(
            region.address, region.length, memory_attributes(statement), region.handle);
        if (result == Return::success) regions_[number] = region;
        return result;
    }
    const auto found = regions_.find(number);
    const Region region = found == regions_.end() ? Region{0, 0, unknown_handle} : found->second;
    if (name == "VipDeregisterMem") return memory.deregister_mem(region.address, region.handle);
    if (name == "VipSetMemAttributes")
        return memory.set_attributes(region.address, region.handle, memory_attributes(statement));
    vi::MemoryAttributes attributes;
    if (name == "VipQueryMem") return memory.query(region.address, region.handle, attributes);
    return std::nullopt;
}

std::optional<Return> ViScriptHost::call_work(Time now, const std::string& name, const Statement& statement) {
    const std::uint64_t count = statement.number("count", 1, 1024);
    if (name == "VipPostSend" || name == "VipPostRecv") {
        const bool receives = name == "VipPostRecv";
        const vi::Descriptor one = descriptor(statement, receives);
        Return result = Return::success;
        if (statement.has("descriptor")) {
            const vi::DescriptorAddress at = put(statement, one);
            return receives ? provider_.post_receive_at(vi(statement), at)
                            : provider_.post_send_at(now, vi(statement), at);
        }
        for (std::uint64_t i = 0; i < count; ++i)
            result = receives ? provider_.post_receive(vi(statement), one)
                              : provider_.post_send(now, vi(statement), one);
        return result;
    }
    vi::Descriptor done;
    if (name == "VipSendDone") return provider_.send_done(vi(statement), done);
    if (name == "VipRecvDone") return provider_.receive_done(vi(statement), done);
    if (name == "VipSendWait") return provider_.send_wait(now, vi(statement), timeout(statement), 0);
    if (name == "VipRecvWait") return provider_.receive_wait(now, vi(statement), timeout(statement), 0);
    if (name == "VipSendNotify") return provider_.send_notify(vi(statement), 0);
    if (name == "VipRecvNotify") return provider_.receive_notify(vi(statement), 0);
    return std::nullopt;
}

std::optional<Return> ViScriptHost::call_queue(Time now, const std::string& name, const Statement& statement) {
    if (name == "VipCreateCQ") {
        const vi::CqHandle queue = provider_.create_cq(statement.number("entries", 1024));
        if (queue == 0) return Return::error_resource;
        queues_[statement.number("cq", 1)] = queue;
        return Return::success;
    }
    const vi::CqHandle queue = handle(queues_, statement, "cq");
    if (name == "LoseCQ") return provider_.lose_cq(queue);
    if (name == "VipDestroyCQ") return provider_.destroy_cq(queue);
    if (name == "VipResizeCQ") return provider_.resize_cq(queue, statement.number("entries", 1024));
    if (name == "VipCQWait") return provider_.cq_wait(now, queue, timeout(statement), 0);
    if (name == "VipCQNotify") return provider_.cq_notify(queue, 0);
    if (name != "VipCQDone") return std::nullopt;
    vi::CqEntry entry;
    const Return result = provider_.cq_done(queue, entry);
    if (result == Return::success) compare_if_told(statement, "queue", "the queue", entry.receive ? "receive" : "send");
    return result;
}

void ViScriptHost::call(Time now, const Statement& statement) {
    if (statement.words().size() != 2) statement.fail("a side and a call are wanted, as client VipPostSend");
    const std::string& name = statement.words()[1];
    log_errors();
    std::optional<Return> result = call_nic(now, name, statement);
    if (!result) result = call_names(name, statement);
    if (!result) result = call_vi(now, name, statement);
    if (!result) result = call_memory(name, statement);
    if (!result) result = call_work(now, name, statement);
    if (!result) result = call_queue(now, name, statement);
    if (!result) statement.fail(name + " is no call that is known here");
    compare_result(statement, *result);
    end_line(statement);
    work(now);
}

void ViScriptHost::end_line(const Statement& statement) {
    statement.done();
    ++done_;
}

// ---- what has come -----------------------------------------------------------------------------------

void ViScriptHost::expect_completion(const Statement& statement) {
    const bool receives = statement.choice("queue", 0, {"send", "receive"}) == 1;
    vi::Descriptor done;
    const Return result = receives ? provider_.receive_done(vi(statement), done)
                                   : provider_.send_done(vi(statement), done);
    if (done.status == 0) statement.fail(fmt::format("nothing is done: {}", name_of(result)));
    compare(statement, "the status", words_of(done.status), statement.text("status", "good"));
    if (statement.has("octets"))
        compare(
            statement, "the length", fmt::format("{}", done.length), fmt::format("{}", statement.octets("octets", 0)));
    if (receives && statement.has("immediate"))
        compare(
            statement, "the Immediate Data", fmt::format("{}", done.immediate.value_or(0)),
            fmt::format("{}", statement.number("immediate", 0)));
    compare_result(statement, result);
}

void ViScriptHost::expect_error(const Statement& statement) {
    const auto error = provider_.next_error();
    const std::string expected = statement.text("code", "none");
    compare(statement, "the asynchronous error", error ? name_of(error->code) : "none", expected);
    if (error && statement.has("vi") && error->vi != vi(statement)) statement.fail("it is another VI's");
    if (!error) return;
    compare_if_told(statement, "resource", "the resource", name_of(error->resource));
    compare_if_told(statement, "operation", "the operation", name_of_operation(error->operation));
    if (statement.has("cq") && error->cq != handle(queues_, statement, "cq")) statement.fail("it is another queue's");
    if (!statement.has("descriptor")) return;
    const auto region = regions_.find(statement.number("descriptor-mem", statement.number("mem", 1)));
    const std::uint64_t base = region == regions_.end() ? 0 : region->second.address;
    if (error->descriptor != base + statement.octets("descriptor", 0)) statement.fail("it is another descriptor's");
}

void ViScriptHost::expect(Time now, const Statement& statement) {
    if (statement.words().size() != 2) statement.fail("a side and a subject are wanted, as client completion");
    const std::string& subject = statement.words()[1];
    log_errors();
    if (subject == "completion") {
        expect_completion(statement);
    } else if (subject == "error") {
        expect_error(statement);
    } else if (subject == "connection") {
        compare_result(statement, provider_.connect_done(vi(statement)));
    } else if (subject == "disconnection") {
        compare_result(statement, provider_.disconnect_done(vi(statement)));
    } else if (subject == "request") {
        const auto request = provider_.next_request();
        if (!request) statement.fail("nobody has asked for a connection");
        compare_result(statement, request->result);
        conns_[statement.number("conn", 1)] = static_cast<std::uint32_t>(request->conn);
    } else if (subject == "notification") {
        const auto notification = provider_.next_notification();
        if (!notification) statement.fail("nobody has been told anything");
        compare_result(statement, notification->result);
        compare_if_told(statement, "status", "the status", words_of(notification->descriptor.status));
    } else {
        statement.fail(subject + " is no subject that is known here");
    }
    end_line(statement);
    work(now);
}

std::string ViScriptHost::account() const {
    const std::string errors = logged_ == 0 ? "" : fmt::format(", {} errors without a handler", logged_);
    return fmt::format("{} lines as they should be{}", done_, errors);
}

}  // namespace fabricscope::synth
