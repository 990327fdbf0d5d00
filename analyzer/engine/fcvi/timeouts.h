// SPDX-License-Identifier: GPL-2.0-or-later
// Responses that are due within FCVI_ULP_TIMEOUT (ISO/IEC 14165-331, 8.3), on the clock of the frames.
#pragma once

#include <map>

#include "analyzer/engine/fcvi/connections.h"
#include "analyzer/engine/fcvi/judge.h"
#include "analyzer/engine/fcvi/logins.h"

namespace fabricscope::engine::fcvi {

class Timeouts {
public:
    Timeouts(
        const Options& options, Judge& judge, Model& model, Exchanges& exchanges, Connections& connections,
        const Logins& logins)
        : options_(options),
          judge_(judge),
          model_(model),
          exchanges_(exchanges),
          connections_(connections),
          logins_(logins) {}

    /// From FCVI_CONNECT_RQST to RESP3.
    void expect_setup(const Arrival& a);
    /// From FCVI_CONNECT_RESP1 to RESP2: twice the time.
    void expect_response2(const Arrival& a);
    void expect_message_response(const Arrival& a);
    void expect_disconnect_response(const Arrival& a);

    /// FCVI_ULP_TIMEOUT between the frame's ports, if it is known.
    std::optional<Time> patience(const FrameSeen& seen) const { return logins_.r_a_tov(seen); }
    /// Looks at what should have come by now.
    void pass(Time now);
    /// The Exchange has been aborted, or has carried another IU.
    void look_at_overdue();
    /// The Exchange will be forgotten, or the capture has ended: what has come was in time.
    void settle(const Exchange& exchange);
    /// That what did not come was not sent nobody has shown.
    void finish();

private:
    enum class Awaited : std::uint8_t { response2, response3, message_response, disconnect_response };
    struct Expectation {
        Awaited awaited;
        std::uint32_t exchange;  ///< Exchange::number
        std::uint64_t begun;     ///< first frame of the Exchange, so that a later one is told from it
        std::uint64_t frame;     ///< since which it is due
    };

    void expect(const Arrival& a, Awaited awaited, int times);
    static std::uint8_t bit_of(Awaited awaited) {
        return static_cast<std::uint8_t>(1U << static_cast<unsigned>(awaited));
    }
    bool came(const Exchange& exchange, Awaited awaited);
    void judge(const Expectation& expectation);
    bool is_known_to_lack(const Exchange& exchange, Awaited awaited);
    void note_patience(const Exchange& exchange);
    void judge_late(const Expectation& expectation, const Exchange& exchange, const char* text);

    const Options& options_;
    Judge& judge_;
    Model& model_;
    Exchanges& exchanges_;
    Connections& connections_;
    const Logins& logins_;
    std::multimap<Time, Expectation> due_;
    /// Not seen in time. Whether it came, and the capture missed it, only the one who waits for it shows.
    std::vector<Expectation> overdue_;
};

}  // namespace fabricscope::engine::fcvi
