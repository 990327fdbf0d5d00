// SPDX-License-Identifier: GPL-2.0-or-later
// Which X_IDs the ports have given, as far as the capture shows: whether Exchanges between two of them are missing.
//
// A port that numbers its Exchanges one by one leaves no number out, so a number that was not seen is an Exchange that
// was not captured. Ports that take their numbers from a pool, or at random, prove nothing in this way. OX_ID and RX_ID
// are names of their own, each of the port that gives it (FC-PH 18.8, 18.9): a port may count both together, or each by
// itself. So a row of OX_IDs proves itself; RX_IDs fill its gaps only where the port has given no number twice.
#pragma once

#include <unordered_map>

#include "analyzer/engine/fc/model.h"
#include "analyzer/engine/intervals.h"

namespace fabricscope::engine::fibre_channel {

class GivenIds {
public:
    /// The port has given `id` to an Exchange whose beginning was captured: as its Originator, or as its Responder.
    void note(const Port& port, Party as, std::uint16_t id);

    /// Whether each number from `from` to `to`, which are OX_IDs of the port, was seen in use, the latter less than
    /// 32,768 behind the former.
    bool has_all(const Port& port, std::uint16_t from, std::uint16_t to) const;
    /// The same of a port that has one counter for those that it originates and those that it answers: no Exchange of
    /// any kind is missing.
    bool has_all_of_both(const Port& port, std::uint16_t from, std::uint16_t to) const;

private:
    /// Numbers of one counter, those that have wrapped counted on.
    struct Ids {
        RangeSet seen;
        std::uint64_t latest = 0;
        bool one_by_one = true;  ///< so far

        void note(std::uint16_t id);
        bool has_all(std::uint16_t from, std::uint16_t to) const;
        std::uint64_t counted_on(std::uint16_t id) const;
    };
    struct PortIds {
        Ids ox_ids, all;
    };
    static constexpr std::size_t most_ports = 65'536;
    static constexpr std::size_t most_gaps = 512;  ///< who leaves out more does not number one by one

    static std::uint64_t key_of(const Port& port) { return std::uint64_t{port.fabric} << 32 | port.id; }

    std::unordered_map<std::uint64_t, PortIds> ports_;
};

}  // namespace fabricscope::engine::fibre_channel
