// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/source.h"

namespace fabricscope::capture {

bool Source::next_batch(Batch& batch) {
    batch.frames.clear();
    batch.octets.clear();
    std::vector<std::size_t> offsets;
    Frame frame;
    bool more = true;
    while (batch.frames.size() < Batch::most_frames && batch.octets.size() < Batch::most_octets &&
           (more = next(frame))) {
        offsets.push_back(batch.octets.size());
        batch.frames.push_back(frame);
        batch.octets.insert(batch.octets.end(), frame.data.begin(), frame.data.end());
    }
    for (std::size_t i = 0; i < batch.frames.size(); ++i)
        batch.frames[i].data = ByteView(batch.octets).subspan(offsets[i], batch.frames[i].data.size());
    return more;
}

}  // namespace fabricscope::capture
