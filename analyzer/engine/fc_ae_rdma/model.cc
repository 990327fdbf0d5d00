// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_ae_rdma/model.h"

#include <algorithm>

#include "analyzer/engine/packing.h"

namespace fabricscope::engine::fc_ae_rdma {

const char* name_of(MessageState state) {
    switch (state) {
        case MessageState::open: return "open";
        case MessageState::complete: return "complete";
        case MessageState::failed: return "failed";
        case MessageState::aborted: return "aborted";
    }
    return "";
}

std::uint64_t Region::end() const {
    std::uint64_t highest = 0;
    for (const RangeSet* ranges : {&read, &written})
        if (!ranges->ranges().empty()) highest = std::max(highest, ranges->ranges().back().end);
    return highest;
}

template <class Way> [[gnu::always_inline]] static inline void code(Way& way, Message& message) {
    auto& [id, initiator, target, region, ox_id, is_read, lun, data_length, notifies, base_address, state, bytes, frames, repeated_frames, missing_bytes, service_class, status, residual, resid_over, resid_under, command, first_data, last_data, response] =
        message;
    way(id, initiator.fabric, initiator.id, target.fabric, target.id, region, ox_id, is_read, lun, data_length,
        notifies, base_address, state, bytes, frames, repeated_frames, missing_bytes, service_class, status, residual,
        resid_over, resid_under, command, first_data, last_data, response);
}

std::size_t pack(Message& message, std::vector<std::uint8_t>& room) { return Packer(room).pack(message); }

void unpack(Message& message, const std::uint8_t* from) { Unpacker(from).unpack(message); }

}  // namespace fabricscope::engine::fc_ae_rdma
