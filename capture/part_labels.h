// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of captures, as copy_into_parts() writes them: where each of their frames comes from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/frame.h"
#include "capture/source.h"

namespace fabricscope::capture {

/// Where a frame of a part comes from.
struct PartLabel {
    std::uint64_t number = 0;  ///< among the frames of all captures
    Origin origin{};           ///< the capture, and the number in it
    bool operator==(const PartLabel&) const = default;
};

/// As the frame's comment: "a.pcap, frame 18", of several captures "a.pcap, frame 18 (412 of all)".
std::string label_text(const PartLabel& label, const std::vector<std::string>& captures);
/// Nothing if that is no such comment, or names no such capture. `captures`: in UTF-8, as the manifest has them.
std::optional<PartLabel> label_of(std::string_view comment, const std::vector<std::string>& captures);

/// The labels of a part's frames, in their order.
class PartLabels {
public:
    PartLabels(const std::string& path, std::vector<std::string> captures);
    PartLabels(PartLabels&&) noexcept;
    PartLabels& operator=(PartLabels&&) = delete;
    ~PartLabels();

    /// Of the next frame. Nothing at the end, and if the frame has none.
    std::optional<PartLabel> next();

private:
    class Blocks;
    std::unique_ptr<Blocks> blocks_;
    std::vector<std::string> captures_;
};

/// The frames of the part at `path`, which `source` reads, numbered as those of all captures. A frame without a label
/// ends it with an error.
std::unique_ptr<Source> with_original_numbers(
    std::unique_ptr<Source> source, const std::string& path, PartLabels labels);

}  // namespace fabricscope::capture
