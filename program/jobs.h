// SPDX-License-Identifier: GPL-2.0-or-later
// Work that has nothing in common, done at the same time by processes of its own: wiretap is not made for threads, and
// what one of them takes in memory, or dies of, does not concern the others.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>

namespace fabricscope::cli {

/// How many processors there are for this process.
std::size_t processors();

struct Work {
    std::size_t count = 0;
    /// Number `index` from 0, in a process of its own. What it writes to `out` and to stderr is handed on. Returns an
    /// exit status.
    std::function<int(std::size_t index, std::ostream& out)> run;
    /// Gets what each has written, in order of their numbers.
    std::function<void(std::size_t index, std::istream& written)> take;
};

/// Does the work, `jobs` at a time. Returns the highest status; not_read, after a complaint, for what ended by a
/// signal, and for what was not begun because of one. To be called while there are no threads. Throws std::system_error
/// where there can be no further process.
int run_jobs(const Work& work, std::size_t jobs);

}  // namespace fabricscope::cli
