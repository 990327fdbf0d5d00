// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's Info column says of each frame, in a few octets: words are held once for all lines that differ in
// their numbers alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/viewer/model/recording.h"

namespace fabricscope::viewer {

class LineTable {
public:
    /// Replaces what was said of the frame before.
    void set(std::uint64_t frame, std::string_view line);
    /// Empty: nothing is said of it.
    std::string line(std::uint64_t frame) const;
    /// By frame number: whether the words stand in its line; capital letters or not.
    std::vector<bool> with(std::string_view words) const;
    std::size_t octets() const { return places_.size() * sizeof(Place) + numbers_.size(); }

private:
    struct Place {
        std::uint32_t pattern = 0;  ///< 0: there is no line
        std::uint32_t low = 0;      ///< of where its numbers begin
        std::uint8_t high = 0;
        std::uint64_t begin() const { return std::uint64_t{high} << 32 | low; }
    };
    std::string line_at(const Place& place) const;
    void add_number(std::uint64_t number);

    std::unordered_map<std::string, std::uint32_t> known_;  ///< patterns
    std::vector<const std::string*> patterns_;              ///< in `known_`; from 1
    std::vector<Place> places_;                             ///< by frame number
    std::string numbers_;                                   ///< seven bits an octet, the highest bit: more follow
};

/// Reads the recording's files once more. nullptr: it was stopped, or the files are not what they were.
std::shared_ptr<const LineTable> lines_of(const Recording& recording, const std::function<bool()>& stop);

}  // namespace fabricscope::viewer
