// SPDX-License-Identifier: GPL-2.0-or-later
// A small format for tests of what replay does whatever the protocol: a word is its number, its speaker's handle, a
// reference to the listener's handle, and a reserved octet.
#pragma once

#include "replay/engine/comparison.h"
#include "replay/engine/script.h"

namespace fabricscope::test {

struct Word {
    std::uint16_t number = 0;
    std::uint8_t own = 0;   ///< handle of who says it
    std::uint8_t peer = 0;  ///< handle of who hears it
    std::uint8_t mood = 0;  ///< left to implementations
    std::uint8_t reserved = 0;
};

}  // namespace fabricscope::test

namespace fabricscope::layout {
template <>
inline constexpr auto layout_of<test::Word> = layout<test::Word>(
    "Word", "Test 1", octets(0, 6), field<&test::Word::number>(at(0), "test.number", "Number"),
    field<&test::Word::own>(at(2), "test.own", "Own handle", hex),
    field<&test::Word::peer>(at(3), "test.peer", "Peer's handle", hex, clause("Test 1.2")),
    field<&test::Word::mood>(at(4), "test.mood", "Mood"),
    field<&test::Word::reserved>(at(5), "test.reserved", "Reserved", layout::reserved));
}  // namespace fabricscope::layout

namespace fabricscope::test {

inline std::vector<replay::FieldAt> fields_of_words(ByteView octets) {
    std::vector<replay::FieldAt> fields;
    replay::FieldCollector collect(fields);
    for (std::size_t i = 0; (i + 1) * layout::size_of<Word> <= octets.size(); ++i)
        collect.part(
            Word{}, i * layout::size_of<Word>,
            {.index = octets.size() > layout::size_of<Word> ? static_cast<int>(i) : -1});
    return fields;
}

inline constexpr std::array word_rules{
    replay::FieldRule{"test.own", replay::Treatment::introduces, "handle", replay::Owner::sender},
    replay::FieldRule{"test.peer", replay::Treatment::refers, "handle", replay::Owner::receiver},
    replay::FieldRule{"test.mood", replay::Treatment::policy}};
inline constexpr replay::MessageFormat words{"Words", "Test 1", fields_of_words, word_rules};

inline replay::Octets octets_of(const Word& word) {
    replay::Octets octets(layout::size_of<Word>);
    layout::build_into(word, std::span(octets));
    return octets;
}

inline replay::Message said(replay::Side from, const char* name, replay::Time time, const Word& word) {
    return {
        .format = &words,
        .from = from,
        .name = name,
        .channel = "line",
        .time = time,
        .frame = static_cast<std::uint64_t>(time),
        .octets = octets_of(word)};
}

}  // namespace fabricscope::test
