// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/wiretap_source.h"

#include <wiretap/wtap.h>
#include <wsutil/buffer.h>
#include <wsutil/wslog.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "capture/wiretap_link_type.h"

namespace fabricscope::capture {
namespace {

/// Wireshark also shows files that are no captures.
bool is_capture(int encapsulation) {
    switch (encapsulation) {
        case WTAP_ENCAP_MIME:
        case WTAP_ENCAP_JSON:
        case WTAP_ENCAP_MP4:
        case WTAP_ENCAP_RFC7468:
        case WTAP_ENCAP_RUBY_MARSHAL: return false;
        default: return true;
    }
}

/// Wiretap's error code and the details it may add, which are ours to free.
struct Problem {
    int code = 0;
    gchar* details = nullptr;

    std::string take_text() {
        std::string text = code == WTAP_ERR_SHORT_READ ? "truncated file: it ends in the middle of a record"
                                                       : wtap_strerror(code);
        if (details != nullptr) text.append(" (").append(details).append(")");
        g_free(std::exchange(details, nullptr));
        return text;
    }
};

struct Close {
    void operator()(wtap* file) const { wtap_close(file); }
};
using Handle = std::unique_ptr<wtap, Close>;

class WiretapSource final : public Source {
public:
    WiretapSource(std::string path, Handle file) : path_(std::move(path)), file_(std::move(file)) {
        wtap_rec_init(&record_);
        ws_buffer_init(&octets_, WTAP_MAX_PACKET_SIZE_STANDARD);
        add_described_interfaces();
    }
    WiretapSource(const WiretapSource&) = delete;
    WiretapSource& operator=(const WiretapSource&) = delete;
    ~WiretapSource() override {
        ws_buffer_free(&octets_);
        wtap_rec_cleanup(&record_);
    }

    bool next(Frame& frame) override {
        do {
            if (!read()) return false;
            ++count_;  // Wireshark numbers records of every kind
        } while (record_.rec_type != REC_TYPE_PACKET);
        const wtap_packet_header& header = record_.rec_header.packet_header;
        const Time time = time_of(record_.ts.secs, record_.ts.nsecs);
        frame = {count_,
                 time,
                 header.len,
                 {ws_buffer_start_ptr(&octets_), header.caplen},
                 link_type_of(header),
                 interface_of(header)};
        return true;
    }

    std::vector<Error> errors() const override { return error_ ? std::vector{*error_} : std::vector<Error>{}; }

    std::uint32_t interface_count() const override {
        return std::max(1U, static_cast<std::uint32_t>(interfaces_.size()));
    }

private:
    bool read() {
        if (ended_) return false;
        wtap_rec_reset(&record_);  // frees what belonged to the last one
        Problem problem;
        gint64 offset;
        if (wtap_read(file_.get(), &record_, &octets_, &problem.code, &problem.details, &offset)) return true;
        ended_ = true;
        const auto offset_reached = static_cast<std::uint64_t>(wtap_read_so_far(file_.get()));
        if (problem.code != 0) error_ = {path_, count_ + 1, offset_reached, problem.take_text()};
        else if (offset_reached == 0) error_ = {path_, 0, 0, "the file is empty"};  // which passes for an ERF file
        return false;
    }

    void add_described_interfaces() {
        wtapng_iface_descriptions_t* descriptions = wtap_file_get_idb_info(file_.get());
        for (guint i = 0; i < descriptions->interface_data->len; ++i) interface_of(0, i);
        g_free(descriptions);
    }

    std::uint32_t interface_of(const wtap_packet_header& header) {
        if ((record_.presence_flags & WTAP_HAS_INTERFACE_ID) == 0) return 0;
        const bool sectioned = (record_.presence_flags & WTAP_HAS_SECTION_NUMBER) != 0;
        return interface_of(sectioned ? record_.section_number : 0, header.interface_id);
    }

    std::uint32_t interface_of(unsigned section, std::uint32_t id) {
        const auto next_free = static_cast<std::uint32_t>(interfaces_.size());
        return interfaces_.try_emplace({section, id}, next_free).first->second;
    }

    std::string path_;
    Handle file_;
    wtap_rec record_;
    Buffer octets_;
    std::uint64_t count_ = 0;
    /// Each section of a pcapng file counts its interfaces from 0.
    std::map<std::pair<unsigned, std::uint32_t>, std::uint32_t> interfaces_;
    bool ended_ = false;
    std::optional<Error> error_;
};

}  // namespace

OpenResult open_with_wiretap(const std::string& path) {
    static std::once_flag initialised;
    std::call_once(initialised, [] {
        ws_log_init("fabricscope", nullptr);  // without it every debug message is shown
        wtap_init(false);
    });

    Problem problem;
    Handle file(wtap_open_offline(path.c_str(), WTAP_TYPE_AUTO, &problem.code, &problem.details, false));
    if (!file) return {nullptr, {path, 0, std::nullopt, problem.take_text()}};
    if (!is_capture(wtap_file_encap(file.get()))) return {nullptr, {path, 0, std::nullopt, "not a capture file"}};
    return {std::make_unique<WiretapSource>(path, std::move(file)), {}};
}

}  // namespace fabricscope::capture
