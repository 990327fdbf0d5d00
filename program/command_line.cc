// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <optional>
#include <utility>

#include "program/output.h"
#include "program/status.h"

namespace fabricscope::cli {

const Option& Option::placeholder(const std::string& text) const {
    option_->option_text(text);
    return *this;
}

const Option& Option::required() const {
    option_->required();
    return *this;
}

const Option& Option::one_of(const std::vector<std::string>& values) const {
    option_->check(CLI::IsMember(values));
    return *this;
}

const Option& Option::positive() const {
    option_->check(CLI::PositiveNumber);
    return *this;
}

const Option& Option::between(double least, double most) const {
    option_->check(CLI::Range(least, most));
    return *this;
}

const Option& Option::check(std::function<std::string(const std::string&)> complaint) const {
    option_->check(std::move(complaint));
    return *this;
}

const Option& Option::separated_by_commas() const {
    option_->delimiter(',');
    return *this;
}

const Option& Option::value_optional() const {
    option_->expected(0, 1);
    return *this;
}

const Option& Option::needs(const Option& other) const {
    option_->needs(other.option_);
    return *this;
}

const Option& Option::excludes(const Option& other) const {
    option_->excludes(other.option_);
    return *this;
}

bool Option::given() const { return option_->count() != 0; }

template <class T> Option Command::option(const char* names, T& value, const std::string& description) const {
    CLI::Option* option = command_->add_option(names, value, description);
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
        if (names[0] == '-')
            option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return Option(option);
}
template Option Command::option(const char*, std::string&, const std::string&) const;
template Option Command::option(const char*, std::vector<std::string>&, const std::string&) const;
template Option Command::option(const char*, double&, const std::string&) const;
template Option Command::option(const char*, std::uint64_t&, const std::string&) const;
template Option Command::option(const char*, std::optional<std::uint64_t>&, const std::string&) const;

Option Command::flag(const char* names, bool& value, const std::string& description) const {
    return Option(command_->add_flag(names, value, description));
}

void Command::on_run(std::function<int()> run) const {
    command_->callback([run = std::move(run), status = status_] { *status = run(); });
}

void missing_argument(const std::string& name) { throw CLI::RequiredError(name); }

namespace {

/// How many letters to insert, leave out or change to make one of the other.
std::size_t distance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
        }
    }
    return row.back();
}

/// ", did you mean analyze?"; empty if nothing is like it.
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
    constexpr std::size_t most = 3;  // letters
    const auto away = [&](const std::string& name) { return distance(word, name); };
    const auto best = std::ranges::min_element(names, {}, away);
    const bool alike = best != names.end() && away(*best) <= std::min(most, word.size() / 2);
    return alike ? ", did you mean " + *best + "?" : "";
}

}  // namespace

CommandLine::CommandLine(const char* description, const char* name, const char* version)
    : program_(std::make_unique<CLI::App>(description, name)), version_(version) {
    program_->require_subcommand(1);
    program_->footer("fabricscope help COMMAND says what a command does, and lists its options.");
    program_->set_version_flag("--version", version_, "Print the version and exit");
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const char* name, const char* description) {
    return {program_->add_subcommand(name, description), status_};
}

int CommandLine::run(int argc, char** argv) {
    for (CLI::App* command : program_->get_subcommands({}))
        command->set_version_flag("--version", version_, "Print the version and exit");
    return parse({argv + std::min(argc, 1), argv + argc});
}

int CommandLine::parse(std::vector<std::string> words) {
    if (words.empty()) {
        std::cerr << program_->help();
        return wrong_usage;
    }
    if (words.front() == "help") {
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    const std::vector<std::string> names = command_names();
    const bool known = words.front().starts_with('-') || std::ranges::find(names, words.front()) != names.end();
    try {
        if (!known) throw CLI::ExtrasError({words.front()});
        program_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return program_->exit(error);
        complain(complaint_about(words, error.what()));
        return wrong_usage;
    }
    return status_;
}

std::vector<std::string> CommandLine::command_names() const {
    std::vector<std::string> names;
    for (const CLI::App* command : program_->get_subcommands({})) names.push_back(command->get_name());
    return names;
}

std::string CommandLine::complaint_about(const std::vector<std::string>& words, const std::string& what) const {
    const std::vector<CLI::App*> chosen = program_->get_subcommands();
    if (chosen.empty() && !words.front().starts_with('-'))
        return "no command " + words.front() + suggestion(words.front(), command_names()) +
               "; fabricscope --help lists them";
    const CLI::App* command = chosen.empty() ? program_.get() : chosen.front();
    std::vector<std::string> names;
    for (const CLI::Option* option : command->get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    std::string text = what;
    for (const std::string& word : words) {
        const std::string option = word.substr(0, word.find('='));
        if (option.starts_with("--") && std::ranges::find(names, option) == names.end()) {
            text = "no option " + option + suggestion(option, names);
            break;
        }
    }
    while (text.ends_with('\n')) text.pop_back();
    return text + "; fabricscope " + (chosen.empty() ? "--help" : "help " + command->get_name()) + " says more";
}

}  // namespace fabricscope::cli
