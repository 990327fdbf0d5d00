// SPDX-License-Identifier: GPL-2.0-or-later
// Octets as edits of a capture that is known to be good, which is then analysed and reported.
#include "tests/fuzz/edits.h"
#include "tests/fuzz/pipeline.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fabricscope;
    static const std::vector<traffic::Recording> samples = fuzz::short_samples();
    const traffic::Recording recording = fuzz::edited_sample(samples, {data, size});
    engine::Options options = engine::following_all(static_cast<std::uint32_t>(recording.interfaces.size()));
    options.smcr_options.timelines = true;
    fuzz::StreamsInOrder streams;
    engine::Engine engine(options, {.smcr = &streams});
    traffic::for_each_frame(recording, [&](const capture::Frame& frame) { engine.on_frame(frame); });
    engine.finish();
    fuzz::check_and_report(engine, {}, fuzz::Extent::usual);
    return 0;
}
