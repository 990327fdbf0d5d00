// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/ids.h"

#include <algorithm>
#include <iterator>

#include "analyzer/engine/finding.h"
#include "analyzer/observations/observation.h"

namespace fabricscope::cli {

std::vector<Word> rule_ids() {
    std::vector<Word> words;
    for (const engine::Rule* rule : engine::rules()) words.push_back({rule->id, rule->sentence});
    return words;
}

std::vector<Word> all_ids() {
    std::vector<Word> words;
    for (const observations::Kind* kind : observations::catalogue()) words.push_back({kind->id, kind->title});
    std::ranges::move(rule_ids(), std::back_inserter(words));
    return words;
}

std::vector<std::string> texts_of(const std::vector<Word>& words) {
    std::vector<std::string> texts;
    for (const Word& word : words) texts.push_back(word.text);
    return texts;
}

}  // namespace fabricscope::cli
