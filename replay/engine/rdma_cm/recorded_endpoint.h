// SPDX-License-Identifier: GPL-2.0-or-later
// One side of a recorded connection in a run: a player under the recorded names, or the emulated stack under names of
// its own. Holds what both need: the script, the messages of the run, memory, and the queue pair.
#pragma once

#include <map>

#include "replay/engine/rdma_cm/recording.h"

namespace fabricscope::replay::rdma_cm {

class RecordedEndpoint {
public:
    enum class Names : std::uint8_t {
        recorded,  ///< queue pair, keys and addresses of memory as they were
        fresh,     ///< others
    };

    /// `recording` and `adapter` have to live as long.
    RecordedEndpoint(
        const Recording& recording, Side side, Pace pace, stack::Adapter& adapter, stack::IbAddress peer, Names names);

    Side side() const { return side_; }
    Script& script() { return script_; }
    const Script& script() const { return script_; }
    const ConversationAssembler& assembler() const { return assembler_; }
    const stack::IbAddress& peer() const { return peer_; }
    /// This side's queue pair; 0 if it never had one.
    std::uint32_t qpn() const { return qpn_; }

    /// The messages that this packet of the peer's completes. The adapter gets the packet afterwards.
    std::vector<ConversationMessage> receive(const capture::Packet& packet);
    /// Feeds this side's own frames to the assembler, each once.
    void record_sent(const std::vector<stack::OutgoingFrame>& frames);
    /// The frames have been taken away.
    void frames_taken() { recorded_frames_ = 0; }
    /// Connects the queue pair as soon as both sides' are known.
    void connect_if_known(Time now);
    /// Sends a message over the queue pair. READ responses and NAKs are left to the queue pair itself.
    void send(Time now, const Message& message);
    /// All that was sent has been acknowledged.
    bool all_acknowledged();
    void on_completion(const stack::Completion& completion);
    const std::vector<std::string>& notes() const { return notes_; }

private:
    struct Region {
        std::uint64_t begin = 0, end = 0;
    };

    void scan_recording();
    void create_queue_pair(Names names);
    void register_memory(Names names);
    std::map<std::uint32_t, Region> regions() const;
    bool is_announced(std::uint32_t key) const;
    void rename_memory(std::uint32_t key, const Region& region, std::uint32_t actual_key);
    void prepare_response(const capture::Packet& packet, bool first);
    ib::Reth translated(const ib::Reth& recorded) const;

    const Recording& recording_;
    Side side_;
    Script script_;
    stack::Adapter& adapter_;
    stack::IbAddress peer_;
    ConversationAssembler assembler_;
    std::uint32_t qpn_ = 0;
    std::map<std::size_t, std::size_t> responses_;  ///< of this side, by the READ they answer
    std::map<std::uint32_t, std::size_t> given_;    ///< the same in this run, by the READ's PSN
    std::vector<Value> announced_addresses_;        ///< of the peer's memory, as the peer told them
    bool connected_ = false;
    std::size_t recorded_frames_ = 0;
    std::deque<Octets> memory_;   ///< that the peer may use
    std::deque<Octets> buffers_;  ///< READs go there
    std::vector<std::string> notes_;
};

}  // namespace fabricscope::replay::rdma_cm
