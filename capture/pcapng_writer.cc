// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/pcapng_writer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "capture/pcapng_statistics.h"
#include "capture/wiretap_file.h"
#include "capture/wiretap_link_type.h"

namespace fabricscope::capture {
namespace {

constexpr guint8 nanosecond_resolution = 9;  // if_tsresol: 10^-9 s

void add_text(wtap_block_t block, guint option, const std::string& text) {
    if (!text.empty()) wtap_block_add_string_option(block, option, text.data(), text.size());
}

wtap_block_t section_header(const PcapngDescription& description) {
    wtap_block_t section = wtap_block_create(WTAP_BLOCK_SECTION);
    add_text(section, OPT_SHB_USERAPPL, description.application);
    for (const std::string& comment : description.comments) add_text(section, OPT_COMMENT, comment);
    return section;
}

wtap_block_t interface_block(const CaptureInterface& interface) {
    wtap_block_t block = wtap_block_create(WTAP_BLOCK_IF_ID_AND_INFO);
    auto* mandatory = static_cast<wtapng_if_descr_mandatory_t*>(wtap_block_get_mandatory_data(block));
    mandatory->wtap_encap = encapsulation_of(interface.link);
    mandatory->time_units_per_second = second;
    mandatory->tsprecision = WTAP_TSPREC_NSEC;
    mandatory->snap_len = interface.snap_length;
    add_text(block, OPT_IDB_NAME, interface.name);
    add_text(block, OPT_IDB_DESCRIPTION, interface.description);
    wtap_block_add_uint8_option(block, OPT_IDB_TSRESOL, nanosecond_resolution);
    return block;
}

}  // namespace

class PcapngWriter::File {
public:
    File(const std::string& path, const PcapngDescription& description) : path_(path) {
        prepare_wiretap();
        add(sections_, section_header(description));
        for (const CaptureInterface& interface : description.interfaces) {
            add(interfaces_.interface_data, interface_block(interface));
            encapsulations_.push_back(encapsulation_of(interface.link));
        }
        params_.encap = WTAP_ENCAP_PER_PACKET;
        params_.tsprec = WTAP_TSPREC_NSEC;
        params_.shb_hdrs = sections_;
        params_.idb_inf = &interfaces_;
        const int type = wtap_pcapng_file_type_subtype();
        dumper_ = path == "-"
                      ? wtap_dump_open_stdout(type, WTAP_UNCOMPRESSED, &params_, &problem_.code, &problem_.details)
                      : wtap_dump_open(
                            path.c_str(), type, WTAP_UNCOMPRESSED, &params_, &problem_.code, &problem_.details);
        if (dumper_ == nullptr) fail();
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        close();
        wtap_block_array_free(sections_);
        wtap_block_array_free(interfaces_.interface_data);
    }

    bool good() const { return dumper_ != nullptr && !error_; }

    void write(const Frame& frame, const std::vector<std::string>& comments) {
        if (!good()) return;
        record_.reset();
        record_.assign(frame.data);
        record_->rec_type = REC_TYPE_PACKET;
        record_->presence_flags = WTAP_HAS_TS | WTAP_HAS_CAP_LEN | WTAP_HAS_INTERFACE_ID;
        record_->ts.secs = frame.time / second;
        record_->ts.nsecs = static_cast<int>(frame.time % second);
        record_->tsprec = WTAP_TSPREC_NSEC;
        wtap_packet_header& header = record_->rec_header.packet_header;
        header.caplen = static_cast<guint32>(frame.data.size());
        header.len = frame.wire_length;
        header.interface_id = frame.interface;
        header.pkt_encap = encapsulations_.at(frame.interface);
        record_->block = wtap_block_create(WTAP_BLOCK_PACKET);
        record_->block_was_modified = true;
        for (const std::string& comment : comments) add_text(record_->block, OPT_COMMENT, comment);
        if (!record_.write(dumper_, problem_)) fail();
    }

    void add_statistics(std::uint32_t interface, Time time, std::uint64_t received, std::uint64_t dropped) {
        for (const std::uint32_t word : interface_statistics_block(interface, time, received, dropped))
            statistics_.push_back(word);
    }

    void flush() {
        if (dumper_ != nullptr && !error_ && !wtap_dump_flush(dumper_, &problem_.code)) fail();
    }

    std::optional<std::string> finish() {
        close();
        if (!error_ && !statistics_.empty()) append_statistics();
        return error_;
    }

private:
    static void add(GArray* array, wtap_block_t block) { g_array_append_val(array, block); }

    void fail() { error_ = path_ + ": " + problem_.take_text(); }

    void close() {
        wtap_dumper* const dumper = std::exchange(dumper_, nullptr);
        if (dumper != nullptr && !wtap_dump_close(dumper, nullptr, &problem_.code, &problem_.details)) fail();
    }

    /// Wiretap writes those only that it knew before the first frame.
    void append_statistics() {
        const auto close_file = [](std::FILE* file) { return file == stdout ? std::fflush(file) : std::fclose(file); };
        std::FILE* const file = path_ == "-" ? stdout : std::fopen(path_.c_str(), "ab");
        const bool written = file != nullptr &&
                             std::fwrite(statistics_.data(), sizeof statistics_[0], statistics_.size(), file) ==
                                 statistics_.size();
        const bool closed = file != nullptr && close_file(file) == 0;
        if (!written || !closed) error_ = path_ + ": " + std::strerror(errno);
        statistics_.clear();
    }

    std::string path_;
    std::vector<std::uint32_t> statistics_;  ///< blocks
    GArray* sections_ = g_array_new(false, false, sizeof(wtap_block_t));
    wtapng_iface_descriptions_t interfaces_{g_array_new(false, false, sizeof(wtap_block_t))};
    std::vector<int> encapsulations_;  ///< of the interfaces
    WiretapRecord record_;             ///< the one that is written
    wtap_dump_params params_{};
    wtap_dumper* dumper_ = nullptr;
    WiretapProblem problem_;
    std::optional<std::string> error_;
};

PcapngWriter::PcapngWriter(const std::string& path, const PcapngDescription& description)
    : file_(std::make_unique<File>(path, description)) {}

PcapngWriter::~PcapngWriter() = default;

bool PcapngWriter::good() const { return file_->good(); }

void PcapngWriter::write(const Frame& frame, const std::vector<std::string>& comments) {
    file_->write(frame, comments);
}

void PcapngWriter::add_statistics(std::uint32_t interface, Time time, std::uint64_t received, std::uint64_t dropped) {
    file_->add_statistics(interface, time, received, dropped);
}

void PcapngWriter::flush() { file_->flush(); }

std::optional<std::string> PcapngWriter::finish() { return file_->finish(); }

}  // namespace fabricscope::capture
