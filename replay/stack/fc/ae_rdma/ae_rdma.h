// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA on an emulated N_Port: Initiator and Target, whose Logical Units are regions of memory
// (ISO/IEC TR 14165-314, 4.2; FCP).
#pragma once

#include <set>

#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fc_ae_rdma/response.h"
#include "replay/stack/fc/exchanges.h"

namespace fabricscope::stack::fibre_channel {

/// A Logical Unit of a Target.
struct LogicalUnit {
    Octets memory;
    bool may_read = true, may_write = true;
};

/// What the Target's application is told, unless the command says otherwise.
struct Notification {
    std::uint32_t initiator = 0;  ///< N_Port_ID
    std::uint8_t lun = 0;
    bool read = false;
    std::uint32_t base_address = 0, length = 0;  ///< octets
};

/// What an Initiator asks for.
struct RdmaRequest {
    bool read = false;
    bool notify = true;
    std::uint8_t lun = 0;
    std::uint32_t base_address = 0;  ///< 24 bits
    std::uint32_t length = 0;        ///< FCP_DL
    Octets data{};                   ///< of a write; shorter or longer than `length` only by mistake
};

struct RdmaOutcome {
    std::uint64_t id = 0;   ///< what request() gave
    bool answered = false;  ///< else the Target has not answered in time, and the Exchange was aborted
    fc_ae_rdma::Response response;
    Octets data;  ///< of a read
};

/// What Targets find wrong of their own accord.
struct TargetLimits {
    std::size_t tasks = 16;  ///< commands at a time; beyond it is QUEUE FULL
    Time think = 0;          ///< from a whole command to its response
    bool busy = false;       ///< every command is answered with BUSY
    /// Reads bring so many octets less than they should (FCP_RESID_UNDER).
    std::uint32_t short_by = 0;
    std::uint32_t more_by = 0;  ///< and there are so many more than FCP_DL to be read (FCP_RESID_OVER)
};

/// What a Target's application has done when the next command comes.
struct ApplicationResponse {
    std::optional<fc_ae_rdma::StatusCode> refusal{};  ///< although the Logical Unit would do
    std::map<std::uint32_t, Octets> changes{};        ///< octets of its memory that it has set anew, by address
    std::int64_t residual = 0;  ///< of a read: so many octets more (or less) than FCP_DL are there to be read
};

class AeRdma final : public ExchangeUser {
public:
    AeRdma(Exchanges& exchanges, int service_class);

    /// FCP_DATA go in Sequences of so many octets (4.2.4.6); 0: in one.
    void set_sequence_size(std::uint32_t octets) { sequence_size_ = octets; }

    // Target
    LogicalUnit& logical_unit(std::uint8_t lun) { return units_[lun]; }
    void set_limits(const TargetLimits& limits) { limits_ = limits; }
    std::optional<Notification> next_notification();
    /// Before the next command that nothing has been said of; they come in order.
    void prepare_response(ApplicationResponse response) { prepared_.push_back(std::move(response)); }

    // Initiator
    /// To a Target that the port is logged in with. The outcome comes under the number that is returned.
    std::uint64_t request(Time now, std::uint32_t target, const RdmaRequest& request);
    std::optional<RdmaOutcome> next_outcome();

    Time wakeup() const;
    void on_timer(Time now);
    void on_iu(Time now, const IncomingIu& iu) override;
    void on_failure(Time now, ExchangeHandle exchange, Failure failure) override;

private:
    struct Pending {
        RdmaRequest request;
        std::map<std::uint32_t, Octets> data{};          ///< by Relative Offset
        std::optional<fc_ae_rdma::Response> response{};  ///< which may come before the data
    };
    /// A command that waits for data, or for its turn.
    struct Task {
        std::uint32_t initiator = 0;
        fc_ae_rdma::CommandParameter parameter;
        fc_ae_rdma::Command command;
        std::optional<fc_ae_rdma::StatusCode> refusal;
        std::int64_t residual = 0;  ///< of a read
        std::map<std::uint32_t, Octets> data;
        std::optional<std::uint32_t> end;
        bool is_ready = false;  ///< its data are there, and its time to think runs
    };

    void on_command(Time now, const IncomingIu& iu);
    std::optional<fc_ae_rdma::StatusCode> why_not(const fc_ae_rdma::Command& command, std::uint32_t base_address) const;
    void whole(Time now, ExchangeHandle exchange, Task task);
    ApplicationResponse next_response(std::uint8_t lun);
    void read(Time now, ExchangeHandle exchange, const Task& task);
    void write(Time now, ExchangeHandle exchange, const Task& task);
    void respond(Time now, ExchangeHandle exchange, fc_ae_rdma::StatusCode status, std::int64_t residual);
    void send_data(Time now, ExchangeHandle exchange, ByteView octets, bool of_a_write);
    void notify(const Task& task, std::uint32_t length);
    void on_data(Time now, const IncomingIu& iu);
    void on_response(const IncomingIu& iu);
    void finish_if_whole(ExchangeHandle exchange);

    /// When something is due of an Exchange, in place of what was before; `never`: nothing any more.
    void set_alarm(ExchangeHandle exchange, Time at);

    Exchanges& exchanges_;
    int service_class_;
    std::uint32_t sequence_size_ = 0;
    TargetLimits limits_;
    std::map<std::uint8_t, LogicalUnit> units_;
    std::map<ExchangeHandle, Task> tasks_;
    std::map<ExchangeHandle, Pending> pending_;
    std::set<std::pair<Time, ExchangeHandle>> alarms_;
    std::map<ExchangeHandle, Time> alarm_times_;
    std::deque<ApplicationResponse> prepared_;
    std::deque<Notification> notifications_;
    std::deque<RdmaOutcome> outcomes_;
    std::uint64_t next_unsent_ = UINT64_MAX;  ///< number of a request for which the port has no Exchange
};

}  // namespace fabricscope::stack::fibre_channel
