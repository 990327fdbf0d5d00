// SPDX-License-Identifier: GPL-2.0-or-later
// What deserves attention, at the frames that show it: the list of `fabricscope analyze`, as a protocol of its own.
//
// Observations are made when the capture has been read, so that they show when a frame is dissected again: in a window
// at once, in tshark with -2.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/observations/observation.h"
#include "plugins/shell/wireshark_compat.h"

namespace fabricscope::plugin {

/// Once: the protocol, its fields and expert infos. Returns the protocol's id.
int register_observations();
/// By the user, among Wireshark's protocols.
bool observations_are_enabled();

class FrameObservations {
public:
    /// Nothing is observed.
    FrameObservations() = default;
    /// What is said of the capture as a whole, and names no frame, shows at `first_frame`; 0: nowhere, and neither
    /// does the rest of what is said of it, since the capture holds nothing that we follow.
    FrameObservations(std::vector<observations::Observation> all, std::uint64_t first_frame);

    /// In the frame's tree; a damaged one says so, in its Info column as well. This may leave by longjmp.
    void show(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree) const;

private:
    std::vector<observations::Observation> all_;
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_frame_;  ///< places in the list
};

}  // namespace fabricscope::plugin
