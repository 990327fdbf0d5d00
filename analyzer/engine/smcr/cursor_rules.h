// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of cursors: their range and motion, the window, and what WRITEs must have placed (RFC 7609, 4.3 and 4.4).
#pragma once

#include "analyzer/engine/smcr/transfer.h"

namespace fabricscope::engine::smcr {

class CursorRules {
public:
    explicit CursorRules(Verdicts& verdicts) : verdicts_(verdicts) {}

    /// A CDC message that says something new.
    void on_cdc(const Transfer& t, const wire::Cdc& cdc, const Transfer::Motions& motions, bool writes_wait);
    void on_write(const Transfer& t, const Flow::Write& write);

private:
    bool judge_cursors(const Transfer& t, const wire::Cdc& cdc, const Motion& producer, const Motion& consumer);
    bool judge_motion(const Transfer& t, const Flow& flow, const Motion& motion, wire::Cursor cursor, const char* name);
    void judge_window(const Transfer& t, const Motion& producer);
    void judge_consumer(const Transfer& t, const Motion& consumer);
    void judge_coverage(const Transfer& t, const Motion& producer, bool writes_wait);
    static bool may_be_written_elsewhere(const Transfer& t);
    static void note_missing_writes(const Transfer& t, const Motion& producer);
    static void doubt_writes(const Transfer& t, std::uint64_t producer);

    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::smcr
