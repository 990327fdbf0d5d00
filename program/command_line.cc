// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <optional>
#include <utility>

#include "program/output.h"
#include "program/status.h"
#include "program/suggestion.h"

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
    return check([values](const std::string& value) {
        const bool known = std::ranges::find(values, value) != values.end();
        return known ? ""
                     : fmt::format("{} is none of {}{}", value, fmt::join(values, ", "), suggestion(value, values));
    });
}

const Option& Option::positive() const {
    option_->check(CLI::PositiveNumber);
    return *this;
}

const Option& Option::between(double least, double most) const {
    return check([=](const std::string& value) -> std::string {
        double number = 0;
        const bool is_between = CLI::detail::lexical_cast(value, number) && number >= least && number <= most;
        return is_between ? std::string() : fmt::format("{} is not between {} and {}", value, least, most);
    });
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

const Option& Option::offers(Offer offer) const {
    parsing_->offers[option_] = std::move(offer);
    return *this;
}

bool Option::given() const { return option_->count() != 0; }

template <class T> Option Command::option(const char* names, T& value, const std::string& description) const {
    CLI::Option* option = command_->add_option(names, value, description);
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
        if (names[0] == '-')
            option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return {option, *parsing_};
}
template Option Command::option(const char*, std::string&, const std::string&) const;
template Option Command::option(const char*, std::vector<std::string>&, const std::string&) const;
template Option Command::option(const char*, double&, const std::string&) const;
template Option Command::option(const char*, std::uint64_t&, const std::string&) const;
template Option Command::option(const char*, std::optional<std::uint64_t>&, const std::string&) const;

Option Command::flag(const char* names, bool& value, const std::string& description) const {
    return {command_->add_flag(names, value, description), *parsing_};
}

void Command::on_run(std::function<int()> run) const {
    command_->callback([run = std::move(run), parsing = parsing_] { parsing->status = run(); });
}

void missing_argument(const std::string& name) { throw CLI::RequiredError(name); }

namespace {

/// What a placeholder names, "client|server" or "error,warning,note,ID"; nothing in "FILE".
std::vector<Word> values_in(const std::string& placeholder) {
    std::vector<Word> words;
    std::string value;
    const auto is_value = [](char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-'; };
    for (const char c : placeholder + ',') {
        if (c != ',' && c != '|') {
            value += c;
            continue;
        }
        if (!value.empty() && std::ranges::all_of(value, is_value)) words.push_back({value, ""});
        value.clear();
    }
    return placeholder.find_first_of(",|") != std::string::npos ? words : std::vector<Word>();
}

std::vector<Word> options_of(const CLI::App& command) {
    std::vector<Word> words;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) words.push_back({"--" + name, option->get_description()});
    return words;
}

/// The one whose value the last word is to be; nullptr if it is none's.
const CLI::Option* option_before(const CLI::App& command, const std::vector<std::string>& words) {
    const std::string& before = words[words.size() - 2];
    if (!before.starts_with('-')) return nullptr;
    const CLI::Option* option = command.get_option_no_throw(before);
    return option != nullptr && option->get_expected_max() != 0 ? option : nullptr;
}

/// As the shells' scripts call it (program/completion), with the words up to the cursor.
constexpr const char* completion_command = "__complete";

}  // namespace

CommandLine::CommandLine(const char* description, const char* name, const char* version)
    : program_(std::make_unique<CLI::App>(description, name)), version_(version) {
    program_->require_subcommand(1);
    program_->footer("fabricscope help COMMAND says what a command does, and lists its options.");
    program_->set_version_flag("--version", version_, "Print the version and exit");
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const char* name, const char* description) {
    return {program_->add_subcommand(name, description), parsing_};
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
    if (words.front() == completion_command) {
        for (const Word& word : completions({words.begin() + 1, words.end()}))
            std::cout << word.text << '\t' << word.meaning << '\n';
        return done;
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
    return parsing_.status;
}

std::vector<Word> CommandLine::completions(const std::vector<std::string>& words) const {
    if (words.size() < 2 || words.front() == "help") return commands_and_options();
    const auto all = program_->get_subcommands([&](const CLI::App* one) { return one->get_name() == words.front(); });
    if (all.empty()) return {};
    const CLI::App& command = *all.front();
    if (words.back().starts_with('-')) return options_of(command);
    if (const CLI::Option* option = option_before(command, words)) return values_of(*option);
    std::vector<Word> found;
    for (const CLI::Option* option : command.get_options([](const CLI::Option* one) { return one->get_positional(); }))
        std::ranges::move(values_of(*option), std::back_inserter(found));
    return found;
}

std::vector<Word> CommandLine::commands_and_options() const {
    std::vector<Word> words;
    for (const CLI::App* command : program_->get_subcommands({}))
        words.push_back({command->get_name(), command->get_description()});
    std::ranges::move(options_of(*program_), std::back_inserter(words));
    return words;
}

std::vector<Word> CommandLine::values_of(const CLI::Option& option) const {
    const auto offer = parsing_.offers.find(&option);
    return offer != parsing_.offers.end() ? offer->second() : values_in(option.get_option_text());
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
    for (const Word& option : options_of(*command)) names.push_back(option.text);
    std::string text = what;
    for (const std::string& word : words) {
        const std::string option = word.substr(0, word.find('='));
        const bool is_known = std::ranges::find(names, option) != names.end();
        if (!is_known && option.starts_with(chosen.empty() ? "-" : "--")) {
            text = "no option " + option + suggestion(option, names);
            break;
        }
    }
    while (text.ends_with('\n')) text.pop_back();
    return text + "; fabricscope " + (chosen.empty() ? "--help" : "help " + command->get_name()) + " says more";
}

}  // namespace fabricscope::cli
