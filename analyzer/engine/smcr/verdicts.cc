// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

std::string to_string(Subject subject) {
    return (subject.kind == Subject::Kind::connection ? "smcr-" : "lg-") + std::to_string(subject.id);
}

}  // namespace fabricscope::engine::smcr
