// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "capture/packet.h"
#include "replay/synth/message_names.h"

namespace fabricscope::synth {
namespace {

using stack::Delivery;

constexpr std::array<std::string_view, 5> harms{"drop", "delay", "duplicate", "corrupt", "cut"};

/// Whether a fault for frames of kind `what` concerns a frame.
bool concerns(const std::string& what, ByteView octets, capture::LinkType kind) {
    if (what == "all") return true;
    capture::Frame frame = stack::ethernet_frame(octets);
    frame.link = kind;
    const capture::Packet packet = capture::decode(frame);
    if (packet.fc) {
        const fc::FrameHeader& header = packet.fc->frame.header;
        return (what == "fcvi" && header.type == fc::type_fcvi) || (what == "fcp" && header.type == fc::type_fcp);
    }
    return (packet.transport == capture::Transport::tcp) == (what == "tcp") && what != "fcvi" && what != "fcp";
}

}  // namespace

MessageNames ethernet_messages() { return {message_name, message_names(), {"all", "tcp", "roce"}}; }

MessageNames fc_messages(std::function<std::string(ByteView frame)> of) {
    return {std::move(of), fc_message_names(), {"all", "fcvi", "fcp"}};
}

MessageNames all_messages() {
    MessageNames names{
        [](ByteView frame) {
            std::string name = message_name(frame);
            for (const auto link : {capture::LinkType::ethernet, capture::LinkType::fc2_with_delimiters})
                if (name.empty()) name = fc_message_name(frame, link);
            return name;
        },
        message_names(),
        {"all", "tcp", "roce", "fcvi", "fcp"}};
    std::ranges::move(fc_message_names(), std::back_inserter(names.all));
    return names;
}

PeerFaults::PeerFaults(Scenario& scenario) {
    const auto is_fault = [](const Statement& statement) {
        return statement.word() == "fault" || std::ranges::find(harms, statement.word()) != harms.end();
    };
    std::ranges::copy_if(scenario.statements, std::back_inserter(statements_), is_fault);
    std::erase_if(scenario.statements, is_fault);
    for (const Statement& statement : statements_) {
        faults_.read(statement, names_);
        if (statement.chance("mark") != 0) statement.fail("there is no switch before a live peer that marks frames");
        statement.done();
    }
}

// ---- certain messages ----------------------------------------------------------------------------

ChosenMessages::ChosenMessages(const Statement& statement, const MessageNames& names, bool has_side)
    : statement_(&statement), message_(statement.text("message", "")) {
    if (message_.empty()) statement.fail("which message? Its name is wanted, as message=" + names.all.front());
    if (std::ranges::find(names.all, message_) == names.all.end())
        statement.fail(fmt::format("no message has the name {}; there are {}", message_, fmt::join(names.all, ", ")));
    if (has_side) from_ = statement.host("from");
    skip_ = statement.number("skip", 0);
    count_ = statement.number("count", 1);
    if (count_ == 0) statement.fail("count=0 is none: a number from 1 on is wanted");
}

bool ChosenMessages::include(const std::string& host, ByteView frame, const MessageNames& names) {
    if (count_ == 0 || !(from_.empty() || from_ == host) || names.of(frame) != message_) return false;
    ++seen_;
    if (skip_ != 0) {
        --skip_;
        return false;
    }
    --count_;
    fired_ = true;
    return true;
}

void ChosenMessages::expect_any() const {
    if (!fired_)
        statement_->fail(fmt::format(
            "it never happened: {} {} came{}, and at least one more than are skipped is wanted", seen_, message_,
            from_.empty() ? "" : " from the " + from_));
}

// ---- faults --------------------------------------------------------------------------------------

bool Faults::read(const Statement& statement, const MessageNames& names) {
    if (statement.word() == "fault") {
        read_random(statement, names);
        return true;
    }
    const auto harm = std::ranges::find(harms, statement.word());
    if (harm == harms.end()) return false;
    MessageFault fault{ChosenMessages(statement, names, true), static_cast<Harm>(harm - harms.begin())};
    if (fault.harm == Harm::delay) fault.time = statement.time("by", capture::millisecond);
    if (fault.harm == Harm::cut) fault.time = statement.time("for", stack::never);
    messages_.push_back(std::move(fault));
    return true;
}

void Faults::read_random(const Statement& statement, const MessageNames& names) {
    RandomFault fault;
    fault.faults.loss = statement.chance("loss");
    fault.faults.duplication = statement.chance("duplicate");
    fault.faults.corruption = statement.chance("corrupt");
    fault.faults.marking = statement.chance("mark");
    fault.faults.reordering = statement.chance("reorder");
    fault.faults.reorder_delay = statement.time("reorder-delay", fault.faults.reorder_delay);
    fault.from = statement.host("from");
    fault.what = names.kinds[statement.choice("what", 0, names.kinds)];
    fault.statement = &statement;
    const stack::RandomFaults& chances = fault.faults;
    if (chances.loss + chances.duplication + chances.corruption + chances.reordering + chances.marking == 0)
        statement.fail("which one? A chance of loss, duplicate, corrupt, reorder or mark is wanted, as loss=0.5%");
    random_.push_back(std::move(fault));
}

void Faults::apply(const MessageFault& fault, Time now, Delivery& delivery) {
    switch (fault.harm) {
        case Harm::drop: delivery.lost = true; break;
        case Harm::delay: delivery.extra_delay += fault.time; break;
        case Harm::duplicate: ++delivery.duplicates; break;
        case Harm::corrupt: delivery.corrupted_near_end = true; break;
        case Harm::cut: cut_until_ = std::max(cut_until_, stack::later(now, fault.time)); break;
    }
}

Delivery Faults::operator()(
    const std::string& host, const stack::FrameInFlight& frame, capture::LinkType link, const MessageNames& names,
    stack::Random& random) {
    Delivery delivery;
    for (RandomFault& fault : random_) {
        if (!(fault.from.empty() || fault.from == host) || !concerns(fault.what, frame.octets, link)) continue;
        fault.concerned = true;
        const Delivery one = fault.faults(frame, random);
        delivery.lost = delivery.lost || one.lost;
        delivery.corrupted = delivery.corrupted || one.corrupted;
        delivery.marked = delivery.marked || one.marked;
        delivery.duplicates += one.duplicates;
        delivery.extra_delay += one.extra_delay;
    }
    for (MessageFault& fault : messages_)
        if (fault.messages.include(host, frame.octets, names)) apply(fault, frame.sent, delivery);
    // The message that cuts the wire is lost with it.
    delivery.lost = delivery.lost || frame.sent < cut_until_;
    return delivery;
}

void Faults::expect_all_fired() const {
    for (const RandomFault& fault : random_)
        if (!fault.concerned) fault.statement->fail("it concerned no frame: none of that kind was sent");
    for (const MessageFault& fault : messages_) fault.messages.expect_any();
}

std::string text_of(const Delivery& delivery) {
    std::string text;
    const auto add = [&](bool holds, const char* what) {
        if (holds) text.append(text.empty() ? "Fault: " : ", ").append(what);
    };
    add(delivery.lost, "lost on the way");
    add(delivery.corrupted, "a bit turned over");
    add(delivery.corrupted_near_end, "an octet turned over");
    add(delivery.marked, "a switch marks it if it may");
    add(delivery.duplicates != 0, "arrives twice");
    add(delivery.extra_delay != 0, "delayed, others overtake it");
    return text;
}

}  // namespace fabricscope::synth
