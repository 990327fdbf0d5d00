// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine said about each frame, in as little memory as it takes.
#pragma once

#include <span>
#include <vector>

#include "analyzer/engine/smcr/observer.h"
#include "plugins/shell/frame_list.h"

namespace fabricscope::plugin::smcr {

namespace wire = fabricscope::smcr;

using engine::smcr::FrameFacts;

class FactStore {
public:
    /// Frames come in the capture's order. `message` and `consumed_by_peer` are not kept, and `time`
    /// only where a request's time belongs to it.
    /// `previous` is the frame before it on its connection, 0 if there is none.
    void add(const FrameFacts& facts, std::uint32_t previous);
    bool find(std::uint64_t frame, FrameFacts& facts) const;

    /// The CDC message that tells the peer of the data of the WRITE in this frame; 0: none that is known yet.
    std::uint64_t announcement(std::uint64_t write) const;
    /// The WRITEs that the CDC message in this frame tells of, the latest ones, in order.
    std::span<const std::uint32_t> announced(std::uint64_t cdc) const;

private:
    struct Entry {
        std::uint32_t frame;
        std::uint32_t connection;
        std::uint32_t link_group;
        std::uint32_t length;    ///< octets: write: of data, llc and cdc: of the message, tcp: clc_pending
        std::uint32_t detail;    ///< place in the list for its kind of frame; 0 = none
        std::uint32_t previous;  ///< frame of the connection
        FrameFacts::What what = FrameFacts::What::other;
        std::uint8_t link;
        bool has_link : 1;
        bool has_from : 1;
        bool from_server : 1;
        bool roles_known : 1;
        bool retransmission : 1;
    };
    static constexpr std::uint64_t unplaced = ~std::uint64_t{0};
    struct Write {
        std::uint64_t rmbe_offset, position;
    };
    struct Cdc {
        explicit Cdc(const FrameFacts& facts);
        void tell(FrameFacts& facts) const;

        std::uint64_t produced, in_flight, window;
        std::int64_t producer_delta, consumer_delta, stall_time;
        bool has_produced : 1;
        bool has_in_flight : 1;
        bool has_window : 1;
        bool has_producer_delta : 1;
        bool has_consumer_delta : 1;
        bool has_stall_time : 1;
    };
    struct Reply {
        capture::Time time, request_time;
        std::uint64_t request_frame;
    };

    void add_detail(Entry& entry, const FrameFacts& facts);
    void take_detail(const Entry& entry, FrameFacts& facts) const;

    FrameList<Entry> entries_;
    FrameDetails<Write> writes_;
    FrameDetails<Cdc> cdcs_;
    FrameDetails<Reply> replies_;
    mutable std::vector<std::uint32_t> announced_;  ///< by the message that was asked for last
};

}  // namespace fabricscope::plugin::smcr
