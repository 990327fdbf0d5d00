// SPDX-License-Identifier: GPL-2.0-or-later
// Speaks Wireshark's extcap interface (doc/extcap of Wireshark): which interfaces there are, what their dialogs ask
// for, and their frames.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <string_view>

#include "extcap/interfaces.h"

namespace {

using namespace fabricscope::extcap;
using Type = Argument::Type;

constexpr int done = 0, failed = 1, wrong_usage = 2;

/// "--name value", "--name=value" and "--name".
Values values_in(int argc, char** argv) {
    Values values;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (!word.starts_with("--")) continue;
        const std::size_t equals = word.find('=');
        const std::string name(word.substr(2, equals == std::string_view::npos ? equals : equals - 2));
        std::string& value = values[name];
        if (equals != std::string_view::npos) value = word.substr(equals + 1);
        else if (i + 1 < argc && !std::string_view(argv[i + 1]).starts_with("--")) value = argv[++i];
    }
    return values;
}

/// Braces end an entry.
std::string plain(std::string text) {
    std::ranges::replace(text, '{', '(');
    std::ranges::replace(text, '}', ')');
    return text;
}

int list_interfaces() {
    fmt::print("extcap {{version={}}}\n", FABRICSCOPE_VERSION);
    for (const Interface& interface : interfaces())
        fmt::print("interface {{value={}}}{{display={}}}\n", interface.name, plain(interface.title));
    return done;
}

/// What comes is pcapng, which says itself what its frames are.
int list_link_types(const Interface& interface) {
    fmt::print("dlt {{number=147}}{{name={}}}{{display=As the frames are}}\n", interface.name);
    return done;
}

const char* name_of(Type type) {
    switch (type) {
        case Type::text: return "string";
        case Type::percent: return "double";
        case Type::file: return "fileselect";
        case Type::choice: break;
    }
    return "selector";
}

int list_arguments(const Interface& interface) {
    std::size_t number = 0;
    for (const Argument& argument : interface.arguments) {
        fmt::print(
            "arg {{number={}}}{{call=--{}}}{{display={}}}{{tooltip={}}}{{type={}}}", number, argument.name,
            plain(argument.title), plain(argument.tooltip), name_of(argument.type));
        if (argument.type == Type::percent) fmt::print("{{range=0,100}}");
        if (*argument.value != '\0') fmt::print("{{default={}}}", argument.value);
        if (*argument.group != '\0') fmt::print("{{group={}}}", argument.group);
        if (argument.type == Type::file) fmt::print("{{mustexist=true}}");
        fmt::print("{{required={}}}\n", argument.required);
        if (argument.choices != nullptr)
            for (const auto& [value, title] : argument.choices())
                fmt::print(
                    "value {{arg={}}}{{value={}}}{{display={}}}{{default={}}}\n", number, value, plain(title),
                    value == argument.value);
        ++number;
    }
    return done;
}

std::string missing_in(const Interface& interface, const Values& values) {
    for (const Argument& argument : interface.arguments) {
        const auto value = values.find(argument.name);
        const bool is_there = value != values.end() ? !value->second.empty() : *argument.value != '\0';
        if (argument.required && !is_there) return std::string(argument.title) + " is missing.";
    }
    return {};
}

int capture(const Interface& interface, Values values) {
    std::string problem = missing_in(interface, values);
    for (const Argument& argument : interface.arguments) values.try_emplace(argument.name, argument.value);
    const int fifo = problem.empty() ? ::open(values["fifo"].c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fifo >= 0) {
        ::dup2(fifo, STDOUT_FILENO);
        problem = interface.capture(interface.name, values);
    } else if (problem.empty()) {
        problem = values["fifo"] + ": cannot be written to.";
    }
    if (problem.empty()) return done;
    std::cerr << problem << '\n';
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    // Wireshark goes away when it likes.
    std::signal(SIGPIPE, SIG_DFL);
    const Values values = values_in(argc, argv);
    if (values.contains("extcap-interfaces")) return list_interfaces();
    if (values.contains("version")) {
        fmt::print("fabricscope-extcap {}\n", FABRICSCOPE_VERSION);
        return done;
    }
    const auto chosen = values.find("extcap-interface");
    const std::vector<Interface> all = interfaces();
    const auto interface = chosen != values.end() ? std::ranges::find(all, chosen->second, &Interface::name)
                                                  : all.end();
    if (interface != all.end()) {
        if (values.contains("extcap-dlts")) return list_link_types(*interface);
        if (values.contains("extcap-config")) return list_arguments(*interface);
        if (values.contains("capture")) return capture(*interface, values);
    }
    std::cerr << "fabricscope-extcap is started by Wireshark: fabricscope-extcap --extcap-interfaces lists its "
                 "interfaces.\n";
    return wrong_usage;
}
