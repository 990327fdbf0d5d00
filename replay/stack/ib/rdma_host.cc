// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/ib/rdma_host.h"

#include "protocols/ib/mad.h"

namespace fabricscope::stack {

void RdmaHost::on_frame(Time now, std::size_t /*port*/, ByteView frame) {
    adapter_.on_packet(now, capture::decode(ethernet_frame(frame)));
    work(now);
}

void RdmaHost::on_timer(Time now) {
    adapter_.on_timer(now);
    cm_.on_timer(now);
    if (consumer_wakeup() <= now) on_consumer_timer(now);
    work(now);
}

void RdmaHost::work(Time now) {
    while (!adapter_.completions().empty() || !cm_.events().empty()) {
        if (!adapter_.completions().empty()) {
            Completion completion = std::move(adapter_.completions().front());
            adapter_.completions().pop_front();
            if (completion.qpn == ib::gsi_qpn) cm_.on_datagram(now, completion);
            else on_completion(now, std::move(completion));
        } else {
            const CmEvent event = std::move(cm_.events().front());
            cm_.events().pop_front();
            on_cm_event(now, event);
        }
    }
}

void RdmaHost::take_frames(std::vector<OutgoingFrame>& frames) {
    adapter_.send_due_acks();
    adapter_.take_back(frames);
    frames.swap(frames_);
}

}  // namespace fabricscope::stack
