// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>

#include "capture/file_descriptor.h"

namespace fabricscope::cli {
namespace {

namespace fs = std::filesystem;

// As Documentation/userspace-api/landlock.rst of Linux has them; Debian 12's header knows only some. Each version of
// the interface knows more rights than the one before.
namespace right {
constexpr std::uint64_t execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2, read_folder = 1 << 3,
                        remove_folder = 1 << 4, remove_file = 1 << 5, make_folder = 1 << 7, make_file = 1 << 8,
                        of_version_1 = (1 << 13) - 1, refer = 1 << 13, truncate = 1 << 14;
constexpr std::uint64_t reading = read_file | read_folder;
constexpr std::uint64_t rewriting = read_file | write_file | truncate;
constexpr std::uint64_t making = rewriting | read_folder | remove_folder | remove_file | make_folder | make_file;
constexpr std::uint64_t of_files = execute | rewriting;  ///< the others are rights to folders
constexpr std::uint64_t tcp = 0b11, signals_and_abstract_sockets = 0b11;
}  // namespace right

struct RulesetAttributes {
    std::uint64_t files, network, scope;
};
struct [[gnu::packed]] PathBeneath {
    std::uint64_t rights;
    std::int32_t descriptor;
};
constexpr int rule_of_path = 1;
constexpr std::uint32_t ask_for_version = 1;

long create_ruleset(const RulesetAttributes* attributes, std::size_t size, std::uint32_t flags) {
    return ::syscall(SYS_landlock_create_ruleset, attributes, size, flags);
}

RulesetAttributes known_to(long version) {
    const auto since = [version](long first, std::uint64_t rights) { return version >= first ? rights : 0; };
    return {
        .files = right::of_version_1 | since(2, right::refer) | since(3, right::truncate),
        .network = since(4, right::tcp),
        .scope = since(6, right::signals_and_abstract_sockets)};
}

/// An older kernel takes no more than it knows.
std::size_t size_of_attributes(long version) {
    return version >= 6 ? sizeof(RulesetAttributes) : version >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
}

class Ruleset {
public:
    Ruleset() {
        const long version = create_ruleset(nullptr, 0, ask_for_version);
        if (version < 1) return;
        const RulesetAttributes known = known_to(version);
        rights_ = known.files;
        ruleset_ = capture::FileDescriptor(static_cast<int>(create_ruleset(&known, size_of_attributes(version), 0)));
    }

    /// To a file, or a folder and all below it. What is not there needs no rights.
    void allow(const fs::path& path, std::uint64_t rights) {
        const capture::FileDescriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
        if (!file.is_open()) return;
        struct stat status {};
        ::fstat(file.get(), &status);
        const std::uint64_t possible = S_ISDIR(status.st_mode) ? rights : rights & right::of_files;
        const PathBeneath rule{possible & rights_, file.get()};
        // Refused for pipes, which need none.
        ::syscall(SYS_landlock_add_rule, ruleset_.get(), rule_of_path, &rule, 0);
    }

    void enforce() {
        if (!ruleset_.is_open() || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
        ::syscall(SYS_landlock_restrict_self, ruleset_.get(), 0);
    }

private:
    capture::FileDescriptor ruleset_;
    std::uint64_t rights_ = 0;
};

/// Where it is, or would be made.
fs::path folder_of(fs::path path) {
    std::error_code error;
    path = fs::weakly_canonical(fs::absolute(path, error), error);
    do path = path.parent_path();
    while (!fs::is_directory(path, error) && path.has_relative_path());
    return path;
}

/// A file is replaced by one that is made beside it.
void allow_output(Ruleset& ruleset, const std::string& path) {
    std::error_code error;
    ruleset.allow(path, fs::is_directory(path, error) ? right::making : right::rewriting);
    if (!fs::exists(path, error) || fs::is_regular_file(path, error)) ruleset.allow(folder_of(path), right::making);
}

}  // namespace

void confine(const Access& access) {
    Ruleset ruleset;
    for (const char* system : {"/usr", "/lib", "/lib64", "/etc", "/proc", "/sys", "/var/cache/fontconfig"})
        ruleset.allow(system, right::reading);
    ruleset.allow("/dev", right::reading | right::write_file);
    std::error_code error;
    for (const fs::path& temporary : {fs::temp_directory_path(error), fs::path("/var/tmp")})
        ruleset.allow(temporary, right::making);
    for (const std::string& input : access.inputs) ruleset.allow(input == "-" ? "/dev/stdin" : input, right::reading);
    for (const std::string& output : access.outputs)
        if (!output.empty() && output != "-") allow_output(ruleset, output);
    ruleset.enforce();
}

}  // namespace fabricscope::cli
