// SPDX-License-Identifier: GPL-2.0-or-later
// Which X_IDs the ports have given, as far as the capture shows: whether Exchanges between two of them are missing.
//
// A port that numbers its Exchanges one by one leaves no number out, so a number that was not seen is an Exchange that
// was not captured. Ports that take their numbers from a pool, or at random, prove nothing in this way.
#pragma once

#include <unordered_map>

#include "analyzer/engine/fc/model.h"
#include "analyzer/engine/intervals.h"

namespace fabricscope::engine::fibre_channel {

class GivenIds {
public:
    /// The port has given `id` to an Exchange whose beginning was captured: as its Originator, or as its Responder.
    void note(const Port& port, std::uint16_t id);

    /// Whether each number from `from` to `to` was seen in use, the latter less than 32,768 behind the former.
    bool has_all(const Port& port, std::uint16_t from, std::uint16_t to) const;

private:
    /// A port's numbers, those that have wrapped counted on.
    struct Ids {
        RangeSet seen;
        std::uint64_t latest = 0;
        bool one_by_one = true;  ///< so far
    };
    static constexpr std::size_t most_ports = 65'536;
    static constexpr std::size_t most_gaps = 512;  ///< who leaves out more does not number one by one

    static std::uint64_t key_of(const Port& port) { return std::uint64_t{port.fabric} << 32 | port.id; }
    static std::uint64_t counted_on(const Ids& ids, std::uint16_t id);

    std::unordered_map<std::uint64_t, Ids> ports_;
};

}  // namespace fabricscope::engine::fibre_channel
