// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "capture/time_order.h"

namespace fabricscope::capture {
namespace {

/// Whether frames of different interfaces lie further apart in the file than in time, and those of each do not. Reads
/// the source to its end, or until an interface steps back by itself: then its clock was set.
bool interfaces_lie_apart(Source& source, Time window) {
    std::vector<std::optional<Time>> latest;  // by interface
    std::optional<Time> youngest;
    bool apart = false;
    for (Frame frame; source.next(frame);) {
        if (latest.size() <= frame.interface) latest.resize(frame.interface + 1);
        std::optional<Time>& before = latest[frame.interface];
        if (before && frame.time < *before - window) return false;
        apart |= youngest && frame.time < *youngest - window;
        before = std::max(frame.time, before.value_or(frame.time));
        youngest = std::max(frame.time, youngest.value_or(frame.time));
    }
    return apart;
}

/// The same source once for each interface, of which the frames of the others are passed over.
class InterfaceByInterface final : public Source {
public:
    explicit InterfaceByInterface(std::vector<std::unique_ptr<Source>> sources) {
        for (auto& source : sources) {
            const auto interface = static_cast<std::uint32_t>(readers_.size());
            readers_.push_back({std::move(source), interface, {}, false});
        }
        for (Reader& reader : readers_) reader.fetch();
    }

    bool next(Frame& frame) override {
        if (delivered_ != nullptr) delivered_->fetch();  // its frame may go now
        const auto earliest = std::ranges::min_element(readers_, {}, [](const Reader& reader) {
            return std::tuple(reader.ended, reader.frame.time, reader.frame.number);
        });
        if (earliest->ended) return false;
        delivered_ = &*earliest;
        frame = delivered_->frame;
        return true;
    }

    /// All that could be read has been.
    std::vector<Error> errors() const override { return readers_.front().source->errors(); }
    std::uint32_t interface_count() const override { return static_cast<std::uint32_t>(readers_.size()); }

private:
    struct Reader {
        std::unique_ptr<Source> source;
        std::uint32_t interface;
        Frame frame;  ///< its next one
        bool ended;

        void fetch() {
            do ended = !source->next(frame);
            while (!ended && frame.interface != interface);
        }
    };

    std::vector<Reader> readers_;
    Reader* delivered_ = nullptr;
};

/// Later sections of a file may have interfaces of their own.
std::uint32_t interfaces_at_the_end(const Reopen& reopen) {
    const std::unique_ptr<Source> all = merge(reopen());
    for (Frame frame; all->next(frame);) {
    }
    return all->interface_count();
}

/// nullptr: they cannot be opened as often.
std::unique_ptr<Source> interface_by_interface(std::uint32_t interfaces, const Reopen& reopen) {
    std::vector<std::unique_ptr<Source>> sources;
    for (std::uint32_t i = 0; i < interfaces; ++i) {
        auto again = reopen();
        if (again.empty()) return nullptr;
        sources.push_back(merge(std::move(again)));
    }
    return std::make_unique<InterfaceByInterface>(std::move(sources));
}

}  // namespace

bool steps_back_often(Source& source, Time window) {
    constexpr int first_frames = 65'536, often = 3;
    constexpr Time shortest_step = second / 1000;
    int steps = 0;
    std::optional<Time> before;
    Frame frame;
    for (int i = 0; i < first_frames && steps < often && source.next(frame); ++i) {
        steps += before && frame.time < *before - shortest_step && frame.time > *before - window;
        before = frame.time;
    }
    return steps == often;
}

Reopen reopening(std::vector<std::string> files) {
    return [files = std::move(files)] {
        std::vector<std::unique_ptr<Source>> sources;
        for (const std::string& file : files) {
            OpenResult opened = open(file);
            if (!opened) return std::vector<std::unique_ptr<Source>>();
            sources.push_back(std::move(opened.source));
        }
        return sources;
    };
}

std::unique_ptr<Source> timeline(
    std::vector<std::unique_ptr<Source>> sources, const Reopen& reopen, ReorderLimits limits) {
    constexpr std::uint32_t most_interfaces = 64;  // each has the files open
    const auto has_several = [](const auto& source) { return source->interface_count() > 1; };
    const auto lies_apart = [&](const auto& again) {
        return has_several(again) && interfaces_lie_apart(*again, limits.window);
    };
    const bool apart = reopen && std::ranges::any_of(sources, has_several) && std::ranges::any_of(reopen(), lies_apart);
    std::unique_ptr<Source> merged = merge(std::move(sources));
    const std::uint32_t interfaces = apart ? interfaces_at_the_end(reopen) : 0;
    if (apart && interfaces <= most_interfaces)
        if (auto each = interface_by_interface(interfaces, reopen)) merged = std::move(each);
    if (merged->interface_count() > 1) return in_time_order(std::move(merged), limits);
    const auto is_mixed = [&](const auto& again) { return steps_back_often(*again, limits.window); };
    const bool mixed = reopen && std::ranges::any_of(reopen(), is_mixed);
    return mixed ? sorted(std::move(merged), limits) : std::move(merged);
}

}  // namespace fabricscope::capture
