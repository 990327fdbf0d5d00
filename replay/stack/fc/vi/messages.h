// SPDX-License-Identifier: GPL-2.0-or-later
// VI Messages of an emulated FC-VI Provider: Send, RDMA Write, RDMA Read on the three Reliability Levels
// (ISO/IEC 14165-331, 5.2, 8.3, 8.4, annexes B, E, F; VI Architecture 6.3, 7; VI-DG 4.3).
#pragma once

#include "replay/stack/fc/vi/descriptor_memory.h"
#include "replay/stack/fc/vi/state.h"

namespace fabricscope::stack::vi {

class Messages {
public:
    explicit Messages(Shared& shared) : shared_(shared) {}

    void post_send(Time now, Vi& vi, Descriptor descriptor);
    void post_receive(Vi& vi, Descriptor descriptor);
    // Of descriptors that lie in memory.
    void post_send(Time now, Vi& vi, const DescriptorAddress& at);
    void post_receive(Vi& vi, const DescriptorAddress& at);
    /// Whatever could begin or be delivered by now does; to be called when an endpoint's state has changed.
    void go_on(Time now);

    fibre_channel::Disposition on_frame(
        Time now, ExchangeHandle exchange, const fc::Frame& frame, const fcvi::DeviceHeader& header);
    /// Its CRC is wrong.
    void on_bad_frame(Time now, const fc::Frame& frame, const fcvi::DeviceHeader& header);
    void on_iu(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header);
    void on_acknowledged(Time now, ExchangeHandle exchange);
    void on_failure(Time now, ExchangeHandle exchange, fibre_channel::Failure failure);
    Time wakeup() const;
    void on_timer(Time now);

private:
    // sending
    std::uint32_t why_not_post(const Vi& vi, const Descriptor& descriptor) const;
    bool awaits_response(const Vi& vi, const SendWork& work) const;
    void begin_messages(Time now, Vi& vi);
    void transmit(Time now, Vi& vi, SendWork& work);
    void send_data(Time now, ExchangeHandle exchange, const fcvi::DeviceHeader& header, ByteView data, bool answered);
    Octets gather(const Descriptor& descriptor) const;
    void scatter(const std::vector<DataSegment>& segments, ByteView octets);
    void on_response(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header);
    void accept_read_data(Vi& vi, SendWork& work, const fibre_channel::IncomingIu& iu);
    void complete_sends(Vi& vi);
    void fail_send(Vi& vi, SendWork& work, std::uint32_t bits);
    bool overruns(Vi& vi, std::size_t posted, Descriptor& descriptor);
    std::optional<Descriptor> take_over(Vi& vi, const DescriptorAddress& at, Queue queue);
    SendWork* find_work(ExchangeHandle exchange, Vi*& vi);
    // receiving
    /// Ends a reliable connection, and tells what can be told of the Message that is lost or spoilt.
    void lose(Vi& vi, std::uint32_t msg_id);
    /// Why the connection is over, if it is a reliable one.
    fcvi::Reason tell_loss(Vi& vi, std::uint32_t msg_id);
    bool fits_memory(Access access, const Vi& vi, const Descriptor& descriptor) const;
    fibre_channel::Disposition spoil(Time now, Vi& vi, std::uint32_t msg_id, bool asks_for_abort);
    bool out_of_order(const Vi& vi, std::uint32_t msg_id, std::uint16_t seq_cnt) const;
    void watch_for_gaps(Time now, Vi& vi, std::uint32_t msg_id);
    void on_request(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header);
    void deliver(Time now, Vi& vi);
    void process(Time now, Vi& vi, std::uint32_t msg_id, const InMessage& message);
    void accept_send(Time now, Vi& vi, std::uint32_t msg_id, const InMessage& message, ByteView data);
    void accept_write(Time now, Vi& vi, std::uint32_t msg_id, const InMessage& message, ByteView data);
    void accept_read(Time now, Vi& vi, std::uint32_t msg_id, const InMessage& message);
    bool consume_receive(
        Vi& vi, const InMessage& message, std::uint32_t op, std::uint32_t bits, ByteView data, std::size_t length);
    enum class Verdict : std::uint8_t { good, protection, descriptor };
    void answer(Time now, Vi& vi, std::uint32_t msg_id, const InMessage& message, Verdict verdict, ByteView data);
    void succeed(Vi& vi, std::uint32_t msg_id, std::size_t octets);
    void give_up(Time now, Vi& vi, std::uint32_t msg_id);

    Shared& shared_;
};

}  // namespace fabricscope::stack::vi
