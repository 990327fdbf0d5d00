// SPDX-License-Identifier: GPL-2.0-or-later
// What is kept of every frame for the list of packets: a few octets each, words once for all frames that share them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/report/overview.h"
#include "capture/packet.h"

namespace fabricscope::viewer {

/// Texts by number; each is held once.
class Words {
public:
    std::uint32_t number_of(std::string_view words);
    const std::string& operator[](std::uint32_t number) const { return texts_[number]; }
    std::size_t size() const { return texts_.size(); }

private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<std::string> texts_;
};

struct FrameRow {
    static constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();

    std::uint64_t number = 0;  ///< of the frame
    engine::Time time = 0;
    std::uint32_t source = 0;  ///< in FrameTable::words, as the next two
    std::uint32_t destination = 0;
    std::uint32_t summary = 0;
    std::uint32_t sequence = 0;    ///< PSN, or TCP sequence number; where `is_numbered`
    std::uint32_t octets = 0;      ///< on the wire
    std::uint32_t node = no_node;  ///< branch of the overview that it belongs to, where that is known
    bool is_numbered = false;
};

struct FrameTable {
    /// Some 1.5 GB with their words, and as much as a capture of 10 GB has.
    static constexpr std::size_t most_rows = 25'000'000;

    struct End {
        enum class Kind : std::uint8_t { host, port, queue_pair };
        capture::Address address;
        Kind kind = Kind::host;
        std::uint32_t number = 0;  ///< of the port or queue pair
        bool operator==(const End&) const = default;
    };

    /// What goes from one end to another, and the branch that it belongs to.
    struct Flow {
        End from, to;
        std::uint32_t node;
    };

    std::size_t most = most_rows;
    std::uint64_t left_out = 0;  ///< frames behind these
    std::vector<FrameRow> rows;
    Words words;

    void add(const capture::Packet& packet);
    /// By number: files need not be in order of time. To be called before what follows.
    void sort();
    /// A frame whose branch is known. To be called before what follows.
    void mark(std::uint64_t frame, std::size_t node);
    /// Tells other frames the branches of the operations that begin with them, those behind which octets or packets are
    /// counted first: what carries others leaves that to them. The rest get that of their flow (ends and direction):
    /// the branch that all known frames of it have in common, or of a flow without any what `flows` say.
    void take_nodes_from(const report::Overview& overview, const std::vector<Flow>& flows);
    /// Of a frame; rows.size() if it is not there.
    std::size_t row_of(std::uint64_t frame) const;

private:
    void take_operations_of(const report::Overview& overview, bool counted);
    void spread_over_flows(const report::Overview& overview, const std::vector<Flow>& flows);

    struct EndHash {
        std::size_t operator()(const End& end) const {
            return std::hash<capture::Address>()(end.address) ^ std::size_t{end.number} * 0x9E37'79B9;
        }
    };

    struct Recent {
        std::optional<End> end;
        std::uint32_t number;
    };

    std::uint32_t number_of(const End& end);
    std::uint32_t number_in_table(const End& end);
    std::uint32_t summary_number(const capture::Packet& packet);

    std::unordered_map<End, std::uint32_t, EndHash> ends_;     ///< in `words`
    std::array<Recent, 256> recent_{};                         ///< of them, by hash
    std::array<std::optional<std::uint32_t>, 256> opcodes_{};  ///< in `words`
};

}  // namespace fabricscope::viewer
