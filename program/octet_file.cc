// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/octet_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzer/report/units.h"

namespace fabricscope::cli {
namespace {

constexpr std::uint64_t most_told = 1000;  // holes

}  // namespace

void OctetFile::write(ByteView octets) {
    output().stream().write(reinterpret_cast<const char*>(octets.data()), static_cast<std::streamsize>(octets.size()));
}

void OctetFile::write_zeros(std::uint64_t count) {
    static constexpr std::array<std::uint8_t, 65'536> zeros{};
    for (std::uint64_t now = 0; count != 0; count -= now) {
        now = std::min<std::uint64_t>(count, zeros.size());
        write(ByteView(zeros).first(now));
    }
}

void OctetFile::tell_hole(std::uint64_t position, std::uint64_t octets, const char* consequence) {
    missing_ += octets;
    if (++holes_ > most_told) return;
    complain(fmt::format(
        "{}: {} at position {} were not captured; {}", what_, report::counted(octets, "byte"), position, consequence));
}

void OctetFile::sum_up() const {
    if (!output_ && holes_ == 0) complain(what_ + ": no data; analyze says what became of it");
    if (holes_ > most_told)
        complain(fmt::format(
            "{}: {} in all were not captured, in {} places", what_, report::counted(missing_, "byte"),
            report::grouped(holes_)));
}

}  // namespace fabricscope::cli
