// SPDX-License-Identifier: GPL-2.0-or-later
// RDMA WRITEs to RMBs whose announcement was not captured: a cursor tells later where the RMB element is.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/engine/smcr/held.h"
#include "analyzer/engine/smcr/youngest.h"

namespace fabricscope::engine::smcr {

struct StrayWrite {
    std::uint32_t link;  ///< index in LinkGroup::links
    std::uint32_t rkey;
    std::uint64_t address;
    HeldWrite write;
};

/// StrayWrites keeps the latest such WRITEs of one side in the order of their capture.
class StrayWrites {
public:
    static constexpr std::size_t most = 8;

    /// keep() adds a WRITE; of too many the oldest is forgotten, which is what it returns.
    bool keep(StrayWrite write, std::size_t at_most = most) {
        return keep_youngest(writes_, at_most, std::move(write));
    }

    bool empty() const { return writes_.empty(); }

    /// adopt() adds one that was captured before its link was known, however many there are.
    void adopt(StrayWrite write) { writes_.push_back(std::move(write)); }

    /// element_before() returns where the RMB element begins into which the latest WRITE went, if `producer` came
    /// behind it on the same `link`: the WRITE ends where the cursor points. Elements are page aligned in every
    /// implementation; if this one would not be, the WRITE was not that connection's, and nothing is returned.
    std::optional<Rtoken> element_before(std::uint32_t link, wire::Cursor producer) const {
        constexpr std::uint64_t page = 4096;
        if (writes_.empty()) return std::nullopt;
        const StrayWrite& latest = writes_.back();
        const std::uint64_t end = latest.address + latest.write.length();
        if (latest.link != link || end < producer.offset || (end - producer.offset) % page != 0) return std::nullopt;
        return Rtoken{link, latest.rkey, end - producer.offset, /* inferred */ true};
    }

    /// release() hands `use(const Flow::Write&)` the WRITEs into the element that begins at `element`, each with its
    /// offset there, and forgets all that have its RKey. Those before `since` were another connection's, which had the
    /// element then.
    template <class Use> void release(const Rtoken& element, Time since, Use&& use) {
        for (const StrayWrite& stray : writes_)
            if (stray.rkey == element.rkey && stray.address >= element.address && stray.write.time() >= since)
                use(stray.write.at(stray.address - element.address));
        std::erase_if(writes_, [&](const StrayWrite& stray) { return stray.rkey == element.rkey; });
    }

private:
    std::vector<StrayWrite> writes_;
};

}  // namespace fabricscope::engine::smcr
