// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <utility>

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

const Option& Option::one_word_each() const {
    option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return *this;
}

const Option& Option::value_optional() const {
    option_->expected(0, 1);
    return *this;
}

const Option& Option::excludes(const Option& other) const {
    option_->excludes(other.option_);
    return *this;
}

bool Option::given() const { return option_->count() != 0; }

template <class T> Option Command::option(const char* names, T& value, const std::string& description) const {
    return Option(command_->add_option(names, value, description));
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

CommandLine::CommandLine(const char* description, const char* name, const char* version)
    : program_(std::make_unique<CLI::App>(description, name)), version_(version) {
    program_->require_subcommand(1);
    program_->set_version_flag("--version", version_, "Print the version and exit");
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const char* name, const char* description) {
    return {program_->add_subcommand(name, description), status_};
}

int CommandLine::run(int argc, char** argv) {
    for (CLI::App* command : program_->get_subcommands({}))
        command->set_version_flag("--version", version_, "Print the version and exit");
    try {
        program_->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program_->exit(error) == 0 ? done : wrong_usage;
    }
    return status_;
}

}  // namespace fabricscope::cli
