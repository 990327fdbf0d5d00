// SPDX-License-Identifier: GPL-2.0-or-later
// The command line: what each command says of itself and its options, parsed by CLI11. Only command_line.cc includes
// CLI11, whose headers take longer to compile than any command.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fabricscope::cli {

/// As files that we write name the program.
inline constexpr const char* application = "fabricscope " FABRICSCOPE_VERSION;

/// What a shell offers to complete a word with.
struct Word {
    std::string text;
    std::string meaning;  ///< for shells that show it; may be empty
};
using Offer = std::function<std::vector<Word>()>;

enum class FileUse : std::uint8_t { read, written };

/// What goes beyond the parser.
struct Parsing {
    int status = 0;  ///< that the command returned
    std::unordered_map<const CLI::Option*, Offer> offers;
    std::unordered_map<const CLI::Option*, FileUse> files;
};

/// An option or flag of a command. A handle: copies mean the same option.
class Option {
public:
    Option(CLI::Option* option, Parsing& parsing) : option_(option), parsing_(&parsing) {}

    /// What `--help` shows in place of the value: "FILE".
    const Option& placeholder(const std::string& text) const;
    const Option& required() const;
    const Option& one_of(const std::vector<std::string>& values) const;
    const Option& positive() const;
    /// Both included.
    const Option& between(double least, double most) const;
    /// `complaint` returns what is wrong with a value; empty if nothing is.
    const Option& check(std::function<std::string(const std::string& value)> complaint) const;
    /// Several values in one word: "smcr,fcvi".
    const Option& separated_by_commas() const;
    /// The option may stand without its value.
    const Option& value_optional() const;
    const Option& needs(const Option& other) const;
    const Option& excludes(const Option& other) const;
    /// Its values name files that the command reads, or writes: what is read is never written, and nothing twice.
    const Option& reads() const;
    const Option& writes() const;
    /// What completion offers for its value; otherwise what it is one_of(), or files.
    const Option& offers(Offer offer) const;

    /// Whether the user gave it; once the command runs.
    bool given() const;

private:
    CLI::Option* option_;
    Parsing* parsing_;
};

class Command {
public:
    Command(CLI::App* command, Parsing& parsing) : command_(command), parsing_(&parsing) {}

    /// `names`: "-o,--output", or "FILE" for a positional one. An option that holds several values may be repeated and
    /// takes one word each time, so that it swallows no file behind it. T: std::string, std::vector<std::string>,
    /// double, std::uint64_t or std::optional<std::uint64_t>. The value lives as long as the command line.
    template <class T> Option option(const char* names, T& value, const std::string& description) const;
    Option flag(const char* names, bool& value, const std::string& description) const;
    /// `--json [OUT]`. Without OUT, `file` stays empty: standard output.
    Option json_option(std::string& file) const;

    /// What the command does, and the exit status that it returns.
    void on_run(std::function<int()> run) const;

private:
    CLI::App* command_;
    Parsing* parsing_;
};

/// While a command runs: ends the program as if the parser had missed this argument.
[[noreturn]] void missing_argument(const std::string& name);

class CommandLine {
public:
    CommandLine(const char* description, const char* name, const char* version);
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    ~CommandLine();

    Command add_command(const char* name, const char* description);
    /// Parses the words and runs the command. The program's exit status.
    int run(int argc, char** argv);

private:
    int parse(std::vector<std::string> words);
    void parse_options(std::vector<std::string> words) const;
    /// For the last of these words, which may have been begun; nothing where file names are to come.
    std::vector<Word> completions(const std::vector<std::string>& words) const;
    std::vector<Word> commands_and_options() const;
    std::vector<Word> values_of(const CLI::Option& option) const;
    std::vector<std::string> command_names() const;
    /// What is wrong, and what may have been meant.
    std::string complaint_about(const std::vector<std::string>& words, const std::string& what) const;

    std::unique_ptr<CLI::App> program_;
    std::string version_;
    Parsing parsing_;
};

}  // namespace fabricscope::cli
