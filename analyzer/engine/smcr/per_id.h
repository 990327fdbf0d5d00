// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <deque>

namespace fabricscope::engine::smcr {

/// What a rule keeps of each link group or connection, made when first asked for.
template <class T> class PerId {
public:
    T& operator[](std::uint32_t id) {
        if (id > of_.size()) of_.resize(id);
        return of_[id - 1];
    }
    /// nullptr if nobody has asked for it.
    const T* find(std::uint32_t id) const { return id > of_.size() ? nullptr : &of_[id - 1]; }

private:
    std::deque<T> of_;
};

}  // namespace fabricscope::engine::smcr
