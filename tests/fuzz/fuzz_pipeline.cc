// SPDX-License-Identifier: GPL-2.0-or-later
// Any octets as a capture file: read as the program reads it, analysed, and reported in every form.
#include "tests/fuzz/pipeline.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fabricscope::fuzz::run_pipeline({data, size});
    return 0;
}
