// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine knows about FC-AE-RDMA in a capture: messages, and what they did to the Targets' memory regions.
//
// Plain data. Times are nanoseconds since the epoch, frames are numbered from 1. What a capture does
// not tell is nullopt, never a guess. Clauses are those of ISO/IEC TR 14165-314.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/fc/model.h"
#include "analyzer/engine/fc_ae_rdma/rules.h"
#include "analyzer/engine/intervals.h"
#include "analyzer/engine/sides.h"
#include "protocols/fc/frame.h"
#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fc_ae_rdma/response.h"

namespace fabricscope::engine::fc_ae_rdma {

/// The wire formats; this namespace is about what they add up to.
namespace wire = fabricscope::fc_ae_rdma;
/// Frames below; not the engine's part of the same name.
namespace fc = fabricscope::fc;

using engine::FrameStamp;
using engine::RangeSet;
using engine::Time;
using fibre_channel::Port;

enum class MessageState : std::uint8_t {
    open,      ///< no FCP_RSP so far, or none whose status was captured
    complete,  ///< status GOOD
    failed,    ///< another status
    aborted,   ///< by ABTS
};
/// "open", "complete", "failed", "aborted"
const char* name_of(MessageState state);

/// An RDMA message: an Exchange that begins with an FCP_CMND of Code A6h or A7h.
struct Message {
    std::uint64_t id = 0;  ///< n in "fc-ae-rdma-n", from 1
    Port initiator, target;
    std::uint32_t region = 0;  ///< id of the memory region; 0 = left out, or not known
    std::uint16_t ox_id = 0;
    // Of the FCP_CMND's payload: nothing, if the capture holds no more of it than what stands before.
    std::optional<bool> is_read;
    std::optional<std::uint8_t> lun;
    std::optional<std::uint32_t> data_length;  ///< FCP_DL
    bool notifies = false;                     ///< the Target's application is told
    std::uint32_t base_address = 0;            ///< in the Logical Unit's memory region
    MessageState state{};
    std::uint64_t bytes = 0;  ///< of data, each octet once
    std::uint64_t frames = 0;
    std::uint64_t repeated_frames = 0;
    std::uint64_t missing_bytes = 0;  ///< between those that were seen
    std::optional<int> service_class;
    std::optional<std::uint8_t> status;
    std::optional<std::uint32_t> residual;        ///< with resid_over or resid_under
    std::optional<bool> resid_over, resid_under;  ///< as FCP_RSP says
    FrameStamp command;
    std::optional<FrameStamp> first_data, last_data, response;

    bool writes() const { return is_read == false; }
    bool reads() const { return is_read == true; }
    /// "read" or "write"; nullptr if the capture does not tell.
    const char* operation() const { return !is_read ? nullptr : *is_read ? "read" : "write"; }
};
/// For PackedList.
std::size_t pack(Message& message, std::vector<std::uint8_t>& room);
void unpack(Message& message, const std::uint8_t* from);

/// A Logical Unit of a Target, as far as messages have touched it.
struct Region {
    std::uint32_t id = 0;  ///< n in "fc-ae-rdma-region-n", from 1
    Port target;
    std::uint8_t lun = 0;
    std::uint64_t reads = 0, writes = 0;
    RangeSet read;                         ///< addresses in the region
    RangeSet written;                      ///< the same, of writes that the Target has answered with GOOD (4.2.4.7)
    std::uint64_t served = 0;              ///< behind the highest address of a message with status GOOD
    std::optional<std::uint64_t> overrun;  ///< the lowest end of a message that got BUFFER OVERRUN
    std::uint64_t end() const;             ///< behind the highest address that was touched
};

struct Model : RuleRecord<rules::catalogue> {
    PackedList<Message> messages;  ///< messages[id - 1]
    std::vector<Region> regions;   ///< in order of their first message
    /// How often a limit kept something from being followed; 0 in any ordinary capture.
    std::uint64_t dropped_messages = 0;
    std::uint64_t dropped_regions = 0;
    std::uint64_t dropped_details = 0;  ///< frames of which it is not remembered which data, or what memory, they had
};

}  // namespace fabricscope::engine::fc_ae_rdma
