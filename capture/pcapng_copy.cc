// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/pcapng_copy.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "capture/file_descriptor.h"
#include "capture/part_labels.h"
#include "capture/pcapng.h"
#include "capture/source.h"
#include "capture/unpack.h"
#include "capture/wiretap_file.h"

namespace fabricscope::capture {
namespace {

/// What ends the copying; `what()` says why.
struct CopyError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A capture as wiretap sees it: frames with everything that belongs to them.
class Input {
public:
    explicit Input(const std::string& path) : path_(path) {
        WiretapProblem problem;
        const auto unpacked = is_packed(path) ? std::make_unique<Unpacked>(path) : nullptr;
        file_ = open_wiretap_file(unpacked ? unpacked->path() : path, problem);
        if (!file_) throw CopyError(path + ": " + problem.take_text());
    }

    /// The next packet, which has to be `frame`; records of other kinds are left out.
    void read(const Frame& frame) {
        do {
            WiretapProblem problem;
            if (!record_.read(file_.get(), problem)) throw CopyError(path_ + ": " + problem.take_text());
        } while (record_->rec_type != REC_TYPE_PACKET);
        const wtap_packet_header& header = record_->rec_header.packet_header;
        if (header.len != frame.wire_length) throw CopyError(path_ + " has changed while it was read");
    }

    /// The latest packet.
    WiretapRecord& record() { return record_; }

    wtap* file() const { return file_.get(); }
    const std::string& path() const { return path_; }

    /// An interface of this capture, and what it is in the copy.
    struct Interface {
        int encapsulation = 0;
        std::uint32_t in_copy = 0;
    };
    void add(const Interface& interface) { interfaces_.push_back(interface); }

    /// To be called before the interfaces are added that reading the current record has brought to light: a section's
    /// interfaces are described at its beginning.
    void begin_section() {
        const std::size_t section = has(WTAP_HAS_SECTION_NUMBER) ? record_->section_number : 0;
        while (first_of_section_.size() <= section) first_of_section_.push_back(interfaces_.size());
    }

    /// Of the current record.
    const Interface& interface() const {
        const wtap_packet_header& header = record_->rec_header.packet_header;
        const std::size_t section = has(WTAP_HAS_SECTION_NUMBER) ? record_->section_number : 0;
        const std::size_t id = has(WTAP_HAS_INTERFACE_ID) ? header.interface_id : 0;
        const std::size_t index = first_of_section_[section] + id;
        if (index >= interfaces_.size() || interfaces_[index].encapsulation != header.pkt_encap)
            throw CopyError(path_ + ": a frame's interface is not described");
        return interfaces_[index];
    }

private:
    bool has(guint32 flag) const { return (record_->presence_flags & flag) != 0; }

    std::string path_;
    WiretapFile file_;
    WiretapRecord record_;
    std::vector<Interface> interfaces_;          ///< of all sections
    std::vector<std::size_t> first_of_section_;  ///< in interfaces_
};

bool has_comment(wtap_block_t block, const std::string& comment) {
    char* value = nullptr;
    for (guint i = 0; wtap_block_get_nth_string_option_value(block, OPT_COMMENT, i, &value) == WTAP_OPTTYPE_SUCCESS;
         ++i)
        if (comment == value) return true;
    return false;
}

struct DumperClose {
    void operator()(wtap_dumper* dumper) const {
        WiretapProblem problem;
        wtap_dump_close(dumper, nullptr, &problem.code, &problem.details);
    }
};

/// What describes the whole of a file: as `first` has it, which has to live as long, but for the program that wrote it.
class DumpParameters {
public:
    DumpParameters(const Input& first, const std::string& application) {
        wtap_dump_params_init_no_idbs(&params_, first.file());
        params_.encap = WTAP_ENCAP_PER_PACKET;
        for (guint i = 0; params_.shb_hdrs != nullptr && i < params_.shb_hdrs->len; ++i) {
            wtap_block_t header = g_array_index(params_.shb_hdrs, wtap_block_t, i);
            if (wtap_block_set_string_option_value(header, OPT_SHB_USERAPPL, application.data(), application.size()) !=
                WTAP_OPTTYPE_SUCCESS)
                wtap_block_add_string_option(header, OPT_SHB_USERAPPL, application.data(), application.size());
        }
    }
    DumpParameters(const DumpParameters&) = delete;
    DumpParameters& operator=(const DumpParameters&) = delete;
    ~DumpParameters() {
        g_free(params_.idb_inf);  // which the clean-up leaves to its caller
        wtap_dump_params_cleanup(&params_);
    }

    wtap_dump_params* operator->() { return &params_; }
    wtap_dump_params* get() { return &params_; }

private:
    wtap_dump_params params_{};
};

class Output {
public:
    /// Writes behind the first `size` octets of the file, which is made if it is not there. Takes over what describes
    /// the whole of `first`, which has to live as long, and the interfaces that are known by now.
    Output(
        const std::string& path, const std::string& application, const Input& first,
        const std::vector<wtap_block_t>& interfaces, std::uint64_t size)
        : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)), params_(first, application) {
        check(file_.get() >= 0 && ::ftruncate(file_.get(), static_cast<::off_t>(size)) == 0);
        const std::string beginning = octets_from_begin(std::min<std::uint64_t>(size, longest_header));
        open();
        for (wtap_block_t description : interfaces) add_interface(description);
        if (size != 0) put_back(beginning);
    }

    /// Wiretap counts time in nanoseconds: what it writes in finer units is another time.
    void add_interface(wtap_block_t description) {
        auto& units = *static_cast<wtapng_if_descr_mandatory_t*>(wtap_block_get_mandatory_data(description));
        if (units.time_units_per_second > static_cast<std::uint64_t>(second)) {
            units.time_units_per_second = second;
            units.tsprecision = WTAP_TSPREC_NSEC;
            wtap_block_set_uint8_option_value(description, OPT_IDB_TSRESOL, WTAP_TSPREC_NSEC);
        }
        WiretapProblem problem;
        if (!wtap_dump_add_idb(dumper_.get(), description, &problem.code, &problem.details)) fail(problem);
    }

    void write(WiretapRecord& record, std::uint32_t interface) {
        record->presence_flags &= ~static_cast<guint32>(WTAP_HAS_SECTION_NUMBER);
        record->presence_flags |= WTAP_HAS_INTERFACE_ID;
        record->section_number = 0;
        record->rec_header.packet_header.interface_id = interface;
        WiretapProblem problem;
        if (!record.write(dumper_.get(), problem)) fail(problem);
    }

    /// Returns the size of the file, when all is in it that has been written.
    std::uint64_t flush() {
        WiretapProblem problem;
        if (!wtap_dump_flush(dumper_.get(), &problem.code)) fail(problem);
        const ::off_t size = ::lseek(file_.get(), 0, SEEK_CUR);
        check(size >= 0);
        return static_cast<std::uint64_t>(size);
    }

    void close() {
        WiretapProblem problem;
        if (!wtap_dump_close(dumper_.release(), nullptr, &problem.code, &problem.details)) fail(problem);
    }

private:
    static constexpr std::uint64_t longest_header = 1 << 20;

    /// Wiretap makes an interface up where it is told of none, and does not write those that it is told of
    /// (`dont_copy_idbs`). They are added as they turn up; some readers know them only with the first frame.
    void open() {
        wtap_block_t nobody = wtap_block_create(WTAP_BLOCK_IF_ID_AND_INFO);
        wtapng_iface_descriptions_t one{g_array_new(false, false, sizeof(wtap_block_t))};
        g_array_append_val(one.interface_data, nobody);
        wtapng_iface_descriptions_t* const known = std::exchange(params_->idb_inf, &one);
        WiretapProblem problem;
        dumper_.reset(wtap_dump_fdopen(
            ::dup(file_.get()), wtap_pcapng_file_type_subtype(), WTAP_UNCOMPRESSED, params_.get(), &problem.code,
            &problem.details));
        params_->idb_inf = known;
        wtap_block_array_free(one.interface_data);
        if (!dumper_) fail(problem);
    }

    /// Wiretap begins at the beginning of the file, with a header: what it wrote over comes back, and it goes on behind
    /// the end. Its descriptor has its place in the file in common with ours.
    void put_back(const std::string& beginning) {
        const std::uint64_t header = flush();
        if (header > beginning.size()) throw CopyError(path_ + " is shorter than its header");
        check(::pwrite(file_.get(), beginning.data(), header, 0) == static_cast<::ssize_t>(header));
        check(::lseek(file_.get(), 0, SEEK_END) >= 0);
    }

    std::string octets_from_begin(std::uint64_t count) const {
        std::string octets(count, '\0');
        check(::pread(file_.get(), octets.data(), count, 0) == static_cast<::ssize_t>(count));
        return octets;
    }

    void check(bool done) const {
        if (!done) throw CopyError(path_ + ": " + std::strerror(errno));
    }

    [[noreturn]] void fail(WiretapProblem& problem) const { throw CopyError(path_ + ": " + problem.take_text()); }

    std::string path_;
    FileDescriptor file_;
    DumpParameters params_;
    std::unique_ptr<wtap_dumper, DumperClose> dumper_;
};

/// Reads the captures twice, side by side: as the analysis did, which gives the frames their numbers and
/// their order, and with everything that wiretap knows of them.
class Copier {
public:
    Copier(const std::vector<std::string>& captures, const Comments& comments) : comments_(comments) {
        std::vector<std::unique_ptr<Source>> sources;
        for (const std::string& path : captures) {
            inputs_.push_back(std::make_unique<Input>(path));
            OpenResult result = open(path);
            if (!result) throw CopyError(to_string(result.error));
            sources.push_back(std::move(result.source));
        }
        source_ = merge(std::move(sources));
    }

    void copy_to(const std::string& path, const std::string& application, PcapngCopy& result) {
        open_output(path, application, 0);
        copy_frames([&](const Frame& frame, WiretapRecord& record, const Input& input) {
            ++result.frames;
            result.comments += annotate(record, frame.number);
            outputs_.front()->write(record, input.interface().in_copy);
        });
        close();
    }

    /// Every part has the interfaces of all.
    void copy_to_parts(
        PartsProgress& progress, const PartOf& part_of, const std::string& application,
        const std::function<void(const PartsProgress& progress)>& note) {
        std::vector<std::string> captures;
        for (const auto& input : inputs_) captures.push_back(input->path());
        // What describes all interfaces before its first frame is read as the captures are: by time, and with copies of
        // frames on several interfaces known as such.
        for (const auto& input : inputs_) {
            input->begin_section();
            add_interfaces(*input);
        }
        skip(progress.frames);
        for (const PcapngPart& part : progress.parts) open_output(part.path, application, part.size);
        copy_frames([&](const Frame& frame, WiretapRecord& record, const Input& input) {
            const std::size_t index = part_of(frame);
            PcapngPart& part = progress.parts.at(index);
            ++part.frames;
            part.octets += frame.data.size();
            const Origin origin = inputs_.size() == 1 ? Origin{0, frame.number} : frame.origin;
            add_comment(record, label_text({frame.number, origin}, captures));
            outputs_[index]->write(record, input.interface().in_copy);
            if (++progress.frames % frames_between_notes != 0) return;
            flush(progress);
            note(progress);
        });
        flush(progress);
        close();
    }

private:
    static constexpr std::uint64_t frames_between_notes = 100'000;

    void open_output(const std::string& path, const std::string& application, std::uint64_t size) {
        outputs_.push_back(std::make_unique<Output>(path, application, *inputs_.front(), interfaces_, size));
    }

    /// Nothing if there is none any more.
    Input* next(Frame& frame) {
        if (!source_->next(frame)) return nullptr;
        Input& input = *inputs_[frame.origin.source];
        input.read(frame);
        input.begin_section();
        add_interfaces(input);
        return &input;
    }

    void skip(std::uint64_t frames) {
        Frame frame;
        for (std::uint64_t i = 0; i < frames; ++i)
            if (next(frame) == nullptr) throw CopyError("the captures have fewer frames than they had");
    }

    template <class Write> void copy_frames(const Write& write) {
        Frame frame;
        while (Input* const input = next(frame)) write(frame, input->record(), *input);
        for (const auto& input : inputs_) add_interfaces(*input);  // those without a frame
    }

    void flush(PartsProgress& progress) const {
        for (std::size_t i = 0; i < outputs_.size(); ++i) progress.parts[i].size = outputs_[i]->flush();
    }

    void close() const {
        for (const auto& output : outputs_) output->close();
    }

    /// Describes the interfaces that `input` has got since the last time.
    void add_interfaces(Input& input) {
        while (wtap_block_t description = wtap_get_next_interface_description(input.file())) {
            const auto* mandatory = static_cast<const wtapng_if_descr_mandatory_t*>(
                wtap_block_get_mandatory_data(description));
            input.add({mandatory->wtap_encap, static_cast<std::uint32_t>(interfaces_.size())});
            interfaces_.push_back(description);
            for (const auto& output : outputs_) output->add_interface(description);
        }
    }

    std::uint64_t annotate(WiretapRecord& record, std::uint64_t number) const {
        const auto entry = comments_.find(number);
        if (entry == comments_.end()) return 0;
        return static_cast<std::uint64_t>(std::ranges::count_if(
            entry->second, [&](const std::string& comment) { return add_comment(record, comment); }));
    }

    /// False if the frame has it already.
    static bool add_comment(WiretapRecord& record, const std::string& comment) {
        if (record->block == nullptr) record->block = wtap_block_create(WTAP_BLOCK_PACKET);
        if (has_comment(record->block, comment)) return false;
        wtap_block_add_string_option(record->block, OPT_COMMENT, comment.data(), comment.size());
        record->block_was_modified = true;
        return true;
    }

    const Comments& comments_;
    std::vector<std::unique_ptr<Input>> inputs_;
    std::vector<wtap_block_t> interfaces_;          ///< of all inputs, which own them
    std::vector<std::unique_ptr<Output>> outputs_;  ///< these use the first input
    std::unique_ptr<Source> source_;
};

}  // namespace

PcapngCopy copy_with_comments(
    const std::vector<std::string>& captures, const Comments& comments, const std::string& application,
    const std::string& out) {
    PcapngCopy result;
    try {
        Copier(captures, comments).copy_to(out, application, result);
    } catch (const CopyError& error) {
        result.error = error.what();
    }
    return result;
}

std::optional<std::string> copy_into_parts(
    const std::vector<std::string>& captures, PartsProgress& progress, const PartOf& part_of,
    const std::string& application, const std::function<void(const PartsProgress& progress)>& note) {
    try {
        Copier(captures, {}).copy_to_parts(progress, part_of, application, note);
    } catch (const CopyError& error) {
        return error.what();
    }
    return std::nullopt;
}

std::string application_of_pcapng(std::string_view octets) {
    constexpr std::size_t options_at = 24;  // behind type, length, byte-order magic, version and section length
    std::array<std::uint32_t, 3> head{};
    if (octets.size() < options_at) return {};
    std::memcpy(head.data(), octets.data(), sizeof head);
    if (head[0] != pcapng::section_header) return {};
    const bool swapped = head[2] != pcapng::byte_order_magic;
    const std::size_t length = swapped ? __builtin_bswap32(head[1]) : head[1];
    std::string application;
    pcapng::for_each_option(
        octets.substr(options_at, std::max(length, options_at) - options_at),
        [swapped](std::uint16_t number) { return swapped ? __builtin_bswap16(number) : number; },
        [&](std::uint16_t code, std::string_view value) {
            if (code == OPT_SHB_USERAPPL) application = value;
        });
    return application;
}

}  // namespace fabricscope::capture
