// SPDX-License-Identifier: GPL-2.0-or-later
#include <utility>

#include "analyzer/engine/smcr/observer.h"
#include "analyzer/report/smcr_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;

class SmcrFrames final : public FrameListener, public Observer {
public:
    explicit SmcrFrames(TellSession tell) : tell_(std::move(tell)) {}

    void listen(engine::Observers& observers) override { observers.smcr = this; }
    void on_facts(const FrameFacts& facts) override {
        if (facts.connection != 0) tell_(facts.frame, facts.connection);
    }

private:
    TellSession tell_;
};

}  // namespace

std::unique_ptr<FrameListener> smcr_frames(TellSession tell) { return std::make_unique<SmcrFrames>(std::move(tell)); }

}  // namespace fabricscope::report
