// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/fc_ae_rdma.h"

#include <fmt/format.h>

#include "protocols/fc_ae_rdma/process_login.h"
#include "replay/synth/fc_network.h"
#include "replay/synth/message_names.h"

namespace fabricscope::synth {
namespace {

using stack::AeRdmaPeer;
using stack::RdmaAccount;
using stack::RdmaPlan;

constexpr std::uint32_t highest_address = 0xFF'FFFF;

bool will_do(ByteView octets, bool is_accept) {
    fc_ae_rdma::ServicePage page;
    return !layout::parse_into(page, octets) && check_page(page, is_accept).count == 0;
}

class AeRdmaScenario {
public:
    explicit AeRdmaScenario(const Scenario& scenario)
        : world_(
              scenario, fc_messages([this](ByteView frame) { return fc_message_name(frame, network_.link()); }),
              [this](const Statement& statement) { read(statement); }) {}

    Recording run(AeRdmaAccounts* accounts) {
        network_.set_process_login(FcSide::client, fc_ae_rdma::service_parameters_of(initiator_), will_do);
        network_.set_process_login(FcSide::server, fc_ae_rdma::service_parameters_of(target_), will_do);
        client_.emplace(config(FcSide::client), plans_);
        server_.emplace(config(FcSide::server), std::vector<RdmaPlan>());
        for (const auto& [lun, unit] : units_) {
            stack::fibre_channel::LogicalUnit& made = server_->rdma().logical_unit(lun);
            made = unit;
            for (std::uint32_t i = 0; i < made.memory.size(); ++i) made.memory[i] = stack::rdma_memory_octet(lun, i);
        }
        server_->rdma().set_limits(limits_);
        for (AeRdmaPeer* peer : {&*client_, &*server_}) peer->rdma().set_sequence_size(sequence_size_);
        network_.connect(world_, *client_, *server_);
        start(*server_, 0);
        start(*client_, capture::millisecond);
        Recording recording = world_.run();
        tell(recording, "client", client_->account());
        recording.account.push_back(fmt::format("server: told of {} messages", server_->account().notifications));
        if (accounts != nullptr) {
            *accounts = {client_->account(), server_->account(), {}};
            for (const auto& [lun, unit] : units_) accounts->memory[lun] = server_->rdma().logical_unit(lun).memory;
        }
        return recording;
    }

private:
    void read(const Statement& statement) {
        if (network_.read(statement)) return;
        if (statement.word() == "unit") read_unit(statement);
        else if (statement.word() == "target") read_target(statement);
        else if (statement.word() == "initiator")
            initiator_.data_overlay_allowed = statement.flag("data-overlay", false);
        else if (statement.word() == "sequences")
            sequence_size_ = static_cast<std::uint32_t>(statement.octets("octets", 0));
        else if (statement.word() == "read" || statement.word() == "write") read_messages(statement);
        else if (statement.word() == "end") log_out_ = statement.flag("log-out", true);
        else statement.fail("this word is not known here");
    }

    void read_unit(const Statement& statement) {
        stack::fibre_channel::LogicalUnit unit;
        unit.memory.resize(statement.octets("size", 65'536));
        const std::size_t access = statement.choice("access", 0, {"both", "read", "write"});
        unit.may_read = access != 2;
        unit.may_write = access != 1;
        units_[static_cast<std::uint8_t>(statement.number("lun", 0, 255))] = std::move(unit);
    }

    void read_target(const Statement& statement) {
        limits_.tasks = statement.number("tasks", limits_.tasks);
        limits_.think = statement.time("think", 0);
        target_.data_overlay_allowed = statement.flag("data-overlay", false);
        limits_.busy = statement.flag("busy", false);
        limits_.short_by = static_cast<std::uint32_t>(statement.octets("short-by", 0));
        limits_.more_by = static_cast<std::uint32_t>(statement.octets("more-by", 0));
    }

    void read_messages(const Statement& statement) {
        RdmaPlan plan;
        plan.at = statement.time("at", 0);
        plan.request.read = statement.word() == "read";
        plan.request.notify = statement.flag("notify", true);
        plan.request.lun = static_cast<std::uint8_t>(statement.number("lun", 0, 255));
        plan.request.base_address = static_cast<std::uint32_t>(statement.number("address", 0, highest_address));
        plan.request.length = static_cast<std::uint32_t>(statement.octets("octets", 1000));
        plan.count = static_cast<std::uint32_t>(statement.number("count", 1));
        plan.interval = statement.time("interval", 0);
        plan.step = static_cast<std::uint32_t>(statement.octets("step", 0));
        if (statement.has("actual")) plan.actual = static_cast<std::int64_t>(statement.octets("actual", 0));
        plans_.push_back(plan);
    }

    stack::AeRdmaPeerConfig config(FcSide side) {
        stack::AeRdmaPeerConfig config;
        config.host = network_.host(side, world_.random().next());
        config.service_class = network_.service_class();
        config.target = network_.ip(FcSide::server);
        config.log_out = log_out_;
        return config;
    }

    void start(AeRdmaPeer& peer, Time after) {
        world_.fabric().at(
            world_.start() + after, [this, &peer] { peer.start(world_.fabric().now(), world_.start()); });
    }

    static void tell(Recording& recording, const char* side, const RdmaAccount& account) {
        std::string text = fmt::format(
            "{}: {} messages, {} good; wrote {} bytes, read {} bytes", side, account.messages, account.good,
            account.written, account.read);
        for (const auto& [status, count] : account.refused) {
            const char* name = layout::name_of(fc_ae_rdma::status_names, status);
            text += fmt::format("; {} times {}", count, name == nullptr ? "?" : name);
        }
        if (account.residuals != 0) text += fmt::format("; residuals of {} bytes", account.residuals);
        if (account.unanswered != 0) text += fmt::format("; {} without an answer", account.unanswered);
        if (!account.data_right) text += "; not what was written";
        recording.account.push_back(std::move(text));
    }

    FcNetwork network_;
    std::map<std::uint8_t, stack::fibre_channel::LogicalUnit> units_;
    stack::fibre_channel::TargetLimits limits_;
    fc_ae_rdma::ServicePage initiator_, target_;  ///< of PRLI, and of what accepts it
    std::uint32_t sequence_size_ = 0;
    std::vector<RdmaPlan> plans_;
    bool log_out_ = false;
    World world_;
    std::optional<AeRdmaPeer> client_, server_;
};

}  // namespace

Recording run_fc_ae_rdma(const Scenario& scenario, AeRdmaAccounts* accounts) {
    return AeRdmaScenario(scenario).run(accounts);
}

}  // namespace fabricscope::synth
