// SPDX-License-Identifier: GPL-2.0-or-later
// Octets as edits of a capture that is known to be good, which Wireshark's dissection engine with our plugin then goes
// through as a window does: frame after frame, and then some of them again, as if they were clicked.
#include "plugins/shell/wireshark_compat.h"

#include <epan/column.h>
#include <epan/epan.h>
#include <epan/epan_dissect.h>
#include <epan/frame_data.h>
#include <epan/timestamp.h>
#include <wsutil/filesystem.h>
#include <wsutil/privileges.h>

#include <unistd.h>

#include <cstdlib>
#include <deque>

#include "capture/wiretap_file.h"
#include "capture/wiretap_link_type.h"
#include "tests/fuzz/edits.h"

extern "C" void plugin_register();
/// What libwireshark leaves at the end of the process is not ours.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace {

using namespace fabricscope;

struct OneFrame {
    traffic::Octets octets;
    wtap_rec record{};
    frame_data data{};
};

/// A file that has been opened.
class Dissection {
public:
    explicit Dissection(const traffic::Recording& recording) {
        traffic::for_each_frame(recording, [&](const capture::Frame& frame) { add(frame); });
        static const packet_provider_funcs functions = [] {
            packet_provider_funcs made{};
            made.get_frame_ts = &Dissection::time_of;
            return made;
        }();
        session_ = epan_new(reinterpret_cast<packet_provider_data*>(this), &functions);  // it is handed on only
        build_column_format_array(&columns_, prefs.num_cols, TRUE);
    }
    Dissection(const Dissection&) = delete;
    Dissection& operator=(const Dissection&) = delete;
    ~Dissection() {
        epan_free(session_);
        col_cleanup(&columns_);
        for (OneFrame& frame : frames_) {
            frame_data_destroy(&frame.data);
            wtap_rec_cleanup(&frame.record);
        }
    }

    /// As the list of packets is made.
    void first_pass() {
        nstime_t elapsed{};
        std::uint32_t octets = 0;
        const frame_data* before = nullptr;
        for (OneFrame& frame : frames_) {
            frame_data_set_before_dissect(&frame.data, &elapsed, &reference_, before);
            dissect(frame, false);
            frame_data_set_after_dissect(&frame.data, &octets);
            before = &frame.data;
        }
        postseq_cleanup_all_protocols();
    }

    /// As when the frame is clicked. By its place, from 0.
    void show(std::size_t place) { dissect(frames_[place], true); }

    std::size_t frames() const { return frames_.size(); }

private:
    static const nstime_t* time_of(packet_provider_data* dissection, guint32 number) {
        std::deque<OneFrame>& frames = reinterpret_cast<Dissection*>(dissection)->frames_;
        return number >= 1 && number <= frames.size() ? &frames[number - 1].data.abs_ts : nullptr;
    }

    void add(const capture::Frame& frame) {
        OneFrame& made = frames_.emplace_back();
        made.octets.assign(frame.data.begin(), frame.data.end());
        wtap_rec_init(&made.record);
        made.record.rec_type = REC_TYPE_PACKET;
        made.record.presence_flags = WTAP_HAS_TS | WTAP_HAS_CAP_LEN | WTAP_HAS_INTERFACE_ID;
        made.record.ts = {frame.time / capture::second, static_cast<int>(frame.time % capture::second)};
        wtap_packet_header& header = made.record.rec_header.packet_header;
        header.caplen = static_cast<guint32>(frame.data.size());
        header.len = frame.wire_length;
        header.pkt_encap = capture::encapsulation_of(frame.link);
        header.interface_id = frame.interface;
        frame_data_init(&made.data, static_cast<guint32>(frame.number), &made.record, 0, 0);
    }

    void dissect(OneFrame& frame, bool shown) {
        tvbuff_t* octets = tvb_new_real_data(
            frame.octets.data(), static_cast<guint>(frame.octets.size()),
            static_cast<gint>(frame.record.rec_header.packet_header.len));
        epan_dissect_t* dissection = epan_dissect_new(session_, TRUE, shown);
        epan_dissect_run_with_taps(dissection, 0, &frame.record, octets, &frame.data, &columns_);
        if (shown) epan_dissect_fill_in_columns(dissection, FALSE, TRUE);
        epan_dissect_free(dissection);
    }

    std::deque<OneFrame> frames_;
    const frame_data* reference_ = nullptr;
    column_info columns_{};
    epan_t* session_ = nullptr;
};

/// Wireshark heeds no variables of root's environment. Who has started it, it looks once.
void start_as_nobody() {
    constexpr ::uid_t nobody = 65534;
    const bool is_root = ::getuid() == 0;
    if (is_root && (::setresgid(nobody, nobody, 0) != 0 || ::setresuid(nobody, nobody, 0) != 0)) std::abort();
    init_process_policies();
    if (is_root && (::setresuid(0, 0, 0) != 0 || ::setresgid(0, 0, 0) != 0)) std::abort();
}

/// As Wireshark starts. Its memory comes from malloc(), so that a sanitizer watches it; what it calls a bug of a
/// dissector aborts; and no lists of makers and services are read, which it does for each file.
bool start() {
    ::setenv("WIRESHARK_DATA_DIR", "/nonexistent", 1);
    ::setenv("WIRESHARK_DEBUG_WMEM_OVERRIDE", "simple", 1);
    ::setenv("WIRESHARK_ABORT_ON_DISSECTOR_BUG", "1", 1);
    start_as_nobody();
    g_free(configuration_init("fuzz_plugin", nullptr));
    timestamp_set_type(TS_RELATIVE);
    timestamp_set_precision(TS_PREC_AUTO);
    timestamp_set_seconds_type(TS_SECONDS_DEFAULT);
    capture::prepare_wiretap();
    plugin_register();
    if (!epan_init(nullptr, nullptr, FALSE)) std::abort();
    epan_load_settings();
    prefs_apply_all();
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool started = start();
    static const std::vector<traffic::Recording> samples = fuzz::short_samples();
    const traffic::Recording recording = fuzz::edited_sample(samples, {data, size});
    Dissection dissection(recording);
    dissection.first_pass();
    fuzz::Script clicks({data, size});
    constexpr std::size_t most_clicks = 32;
    for (std::size_t i = 0; i < most_clicks && dissection.frames() != 0; ++i)
        dissection.show(clicks.octet() % dissection.frames());
    return started ? 0 : 1;
}
