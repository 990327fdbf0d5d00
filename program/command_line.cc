// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <utility>

#include "program/new_file.h"
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
    std::vector<Word> words;
    for (const std::string& value : values) words.push_back({value, ""});
    offers([words] { return words; });
    return check([values](const std::string& value) {
        const bool known = std::ranges::find(values, value) != values.end();
        return known ? ""
                     : fmt::format("{} is none of {}{}", value, fmt::join(values, ", "), suggestion(value, values));
    });
}

const Option& Option::positive() const {
    return check([](const std::string& value) {
        double number = 0;
        const bool is_positive = CLI::detail::lexical_cast(value, number) && number > 0 && std::isfinite(number);
        return is_positive ? std::string() : value + " is no number above 0";
    });
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

const Option& Option::reads() const {
    parsing_->files[option_] = FileUse::read;
    return *this;
}

const Option& Option::writes() const {
    parsing_->files[option_] = FileUse::written;
    return *this;
}

const Option& Option::offers(Offer offer) const {
    parsing_->offers[option_] = std::move(offer);
    return *this;
}

bool Option::given() const { return option_->count() != 0; }

namespace {

constexpr const char* json_name = "--json";

/// CLI11 takes -1 for the largest number, and takes what is larger for that, too.
std::string why_no_count(const std::string& value) {
    std::uint64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    if (error == std::errc::result_out_of_range) return value + " is too large";
    return error == std::errc() && rest == end ? std::string() : value + " is no whole number";
}

/// Why the command must not begin: its outputs cannot be written. Empty if they can.
std::string why_not_begin(const CLI::App& command, const Parsing& parsing) {
    std::vector<std::string> inputs;
    std::vector<OutputFile> outputs;
    for (const CLI::Option* option : command.get_options()) {
        const auto use = parsing.files.find(option);
        if (use == parsing.files.end()) continue;
        for (const std::string& file : option->results()) {
            if (use->second == FileUse::read) inputs.push_back(file);
            else outputs.push_back({option->get_name(), file});
        }
    }
    return why_not_written(outputs, inputs);
}

}  // namespace

template <class T> Option Command::option(const char* names, T& value, const std::string& description) const {
    CLI::Option* option = command_->add_option(names, value, description);
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
        if (names[0] == '-')
            option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::optional<std::uint64_t>>)
        option->check(why_no_count);
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

Option Command::json_option(std::string& file) const {
    return option(json_name, file, "Write JSON, to a file or to standard output")
        .value_optional()
        .writes()
        .placeholder("[OUT]");
}

void Command::on_run(std::function<int()> run) const {
    command_->callback([run = std::move(run), command = command_, parsing = parsing_] {
        const std::string reason = why_not_begin(*command, *parsing);
        parsing->status = reason.empty() ? run() : refuse(reason);
    });
}

void missing_argument(const std::string& name) { throw CLI::RequiredError(name); }

namespace {

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

/// Whether the word behind `--json` is a capture, as the first one in `--json a.pcap b.pcap`: it is there, and does not
/// begin as JSON does.
bool is_capture(const std::string& word) {
    if (!std::filesystem::is_regular_file(word)) return false;
    std::ifstream file(word, std::ios::binary);
    const int first = file.peek();
    return first != '{' && first != '[' && !file.eof();  // a list: of --each
}

/// The words with `--json` behind those that it must not take: nothing, if it takes none.
std::optional<std::vector<std::string>> without_taking(std::vector<std::string> words) {
    const auto json = std::ranges::find(words, json_name);
    const auto is_option = [](const std::string& word) { return word.size() > 1 && word.front() == '-'; };
    if (json == words.end() || json + 1 == words.end() || is_option(*(json + 1))) return std::nullopt;
    std::rotate(json, json + 1, std::find_if(json + 1, words.end(), is_option));
    return words;
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
        parse_options(words);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return program_->exit(error);
        complain(complaint_about(words, error.what()));
        return wrong_usage;
    }
    return parsing_.status;
}

/// What `--json` takes, as it may stand without a file: no capture, and not the only word that can be one.
void CommandLine::parse_options(std::vector<std::string> words) const {
    const auto parse = [&] { program_->parse(std::vector<std::string>(words.rbegin(), words.rend())); };
    auto otherwise = without_taking(words);
    const auto json = std::ranges::find(words, json_name);
    if (otherwise && is_capture(*(json + 1))) words = *std::exchange(otherwise, std::nullopt);
    try {
        parse();
    } catch (const CLI::RequiredError&) {
        if (!otherwise) throw;
        words = *otherwise;
        parse();
    }
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
    words.push_back({"help", "Say what a command does"});
    std::ranges::move(options_of(*program_), std::back_inserter(words));
    return words;
}

std::vector<Word> CommandLine::values_of(const CLI::Option& option) const {
    const auto offer = parsing_.offers.find(&option);
    return offer != parsing_.offers.end() ? offer->second() : std::vector<Word>();
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
