// SPDX-License-Identifier: GPL-2.0-or-later
// Results that write_json() wrote, read line by line: each member of the document and of its sections has a line, and
// so has each element of lists.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

namespace fabricscope::report {

/// What is wrong with which result.
struct ResultError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class ResultLines {
public:
    /// Reads the line that begins the document.
    explicit ResultLines(const std::string& path);

    enum class Kind : std::uint8_t {
        object,  ///< its members follow
        list,    ///< its elements follow
        value,
        end,  ///< of the object that the members are of
    };
    struct Member {
        Kind kind = Kind::end;
        std::string name;
        std::string text;  ///< of a value
    };
    /// Throws ResultError for what write_json() does not write.
    Member member();
    /// Nothing at the end of the list.
    std::optional<std::string> element();

    /// To come back to.
    std::streampos place() { return file_.tellg(); }
    void return_to(std::streampos place);

    [[noreturn]] void refuse() const;
    const std::string& path() const { return path_; }

private:
    /// Without the blanks before it and the comma behind it.
    std::string line();

    std::string path_;
    std::ifstream file_;
    std::uint64_t number_ = 0;
};

}  // namespace fabricscope::report
