// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/privileges.h"

#include <cap-ng.h>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <vector>

namespace fabricscope::cli {
namespace {

struct User {
    ::uid_t id;
    ::gid_t group;
};

std::optional<User> user_named(const std::string& name) {
    const ::passwd* entry = ::getpwnam(name.c_str());
    if (entry == nullptr) return std::nullopt;
    return User{entry->pw_uid, entry->pw_gid};
}

/// As sudo says; nobody if it was not sudo.
std::optional<User> caller_of_sudo() {
    const auto number = [](const char* variable) -> std::optional<unsigned> {
        const char* value = std::getenv(variable);
        if (value == nullptr) return std::nullopt;
        unsigned result = 0;
        const char* const end = value + std::strlen(value);
        const auto [rest, error] = std::from_chars(value, end, result);
        if (error != std::errc() || rest != end) return std::nullopt;
        return result;
    };
    const auto id = number("SUDO_UID"), group = number("SUDO_GID");
    if (!id || !group) return std::nullopt;
    return User{*id, *group};
}

std::string failure() { return fmt::format("cannot give up privileges: {}", std::strerror(errno)); }

/// Keeps of the capabilities only what `kept` says, if it has them.
std::string drop_capabilities(std::initializer_list<unsigned> kept) {
    std::vector<unsigned> had;
    for (const unsigned capability : kept)
        if (::capng_have_capability(CAPNG_PERMITTED, capability) != 0) had.push_back(capability);
    ::capng_clear(CAPNG_SELECT_ALL);
    for (const unsigned capability : had)
        ::capng_update(CAPNG_ADD, static_cast<::capng_type_t>(CAPNG_EFFECTIVE | CAPNG_PERMITTED), capability);
    return ::capng_apply(CAPNG_SELECT_CAPS) == 0 ? "" : failure();
}

std::string become(const User& user) {
    ::capng_clear(CAPNG_SELECT_BOTH);
    const auto flags = static_cast<::capng_flags_t>(CAPNG_INIT_SUPP_GRP | CAPNG_CLEAR_BOUNDING);
    const int error = ::capng_change_id(static_cast<int>(user.id), static_cast<int>(user.group), flags);
    return error == 0 ? "" : failure();
}

}  // namespace

void Privileges::add_option(const Command& command) {
    command
        .option(
            "-Z,--relinquish-privileges", user_,
            "Whose rights are kept once interfaces are open; by default, under sudo, those of its caller")
        .check([](const std::string& name) { return user_named(name) ? "" : fmt::format("there is no user {}", name); })
        .placeholder("USER");
}

std::string Privileges::relinquish() const {
    const std::optional<User> user = !user_.empty() ? user_named(user_) : caller_of_sudo();
    if (::geteuid() != 0) {
        if (!user_.empty() && user->id != ::geteuid()) return "-Z needs root";
        return drop_capabilities({});
    }
    if (user && user->id != 0) return become(*user);
    return drop_capabilities({CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER});
}

std::string Privileges::hint() const {
    const ::passwd* entry = ::getpwuid(::geteuid());
    const bool became = ::geteuid() != 0 && (!user_.empty() || caller_of_sudo());
    return became && entry != nullptr ? fmt::format(" (as {}; -Z root writes as root)", entry->pw_name) : "";
}

}  // namespace fabricscope::cli
