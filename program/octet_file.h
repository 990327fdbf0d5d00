// SPDX-License-Identifier: GPL-2.0-or-later
// The file or pipe that a stream of octets goes to, and what is told of octets that were not captured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/report/streams.h"
#include "program/output.h"

namespace fabricscope::cli {

class OctetFile final : public report::OctetSink {
public:
    /// `output` as -o has it; `what` is said of in complaints: "smcr-1 from the client".
    OctetFile(std::string output, std::string what) : name_(std::move(output)), what_(std::move(what)) {}

    void write(ByteView octets) override;
    void write_zeros(std::uint64_t count) override;
    /// Up to a thousand times.
    void tell_hole(std::uint64_t position, std::uint64_t octets, const char* consequence) override;
    void tell(const std::string& trouble) override { complain(trouble); }

    bool complete() const { return holes_ == 0; }
    /// What has not been told one by one, and that nothing was written.
    void sum_up() const;
    /// False after a complaint: not everything could be written.
    bool finish() { return output().finish(); }

private:
    /// Opens the file not before there is something to write, so that a wrong id leaves it as it was.
    Output& output() {
        if (!output_) output_.emplace(name_);
        return *output_;
    }

    std::string name_, what_;
    std::optional<Output> output_;
    std::uint64_t holes_ = 0;
    std::uint64_t missing_ = 0;  ///< octets
};

}  // namespace fabricscope::cli
