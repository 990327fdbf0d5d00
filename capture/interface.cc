// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/interface.h"

#include <pcap/pcap.h>
#include <sys/socket.h>

#include "capture/pcap_source.h"

namespace fabricscope::capture {

struct Interface::Handle {
    explicit Handle(pcap_t* the_pcap) : pcap(the_pcap) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { pcap_close(pcap); }

    pcap_t* pcap;
    bool nanoseconds = false;
};

namespace {

/// Frames have the time at which the kernel got them, as soon as one socket asks for it; otherwise that at which they
/// are handed over, which may be after their receiver has answered. No capture fails for it.
void have_arrivals_stamped(pcap_t* pcap) {
    const int yes = 1;
    ::setsockopt(pcap_fileno(pcap), SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
}

}  // namespace

Interface::Interface(std::string name, const InterfaceOptions& options) : name_(std::move(name)) {
    char message[PCAP_ERRBUF_SIZE] = "";
    pcap_t* const pcap = pcap_create(name_.c_str(), message);
    if (pcap == nullptr) throw InterfaceError(name_ + ": " + message);
    handle_ = std::make_unique<Handle>(pcap);
    const auto must_be_set = [&](int status) {
        if (status != 0) throw InterfaceError(problem(pcap_statustostr(status)));
    };
    must_be_set(pcap_set_snaplen(pcap, static_cast<int>(options.snap_length)));
    must_be_set(pcap_set_promisc(pcap, options.promiscuous ? 1 : 0));
    // Frames are handed over in blocks that hold as many as fit; immediate mode has a slot of the snap length for each.
    constexpr int most_wait_ms = 20;
    must_be_set(pcap_set_immediate_mode(pcap, options.immediate ? 1 : 0));
    must_be_set(pcap_set_timeout(pcap, most_wait_ms));
    must_be_set(pcap_set_buffer_size(pcap, options.buffer_mib << 20));
    handle_->nanoseconds = pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO) == 0;
    const int status = pcap_activate(pcap);
    if (status == PCAP_ERROR_PERM_DENIED)
        throw InterfaceError(name_ + ": raw frames need the privilege CAP_NET_RAW (run as root)");
    if (status == PCAP_ERROR_NO_SUCH_DEVICE) throw InterfaceError(name_ + ": there is no such interface");
    if (status < 0) throw InterfaceError(problem(pcap_statustostr(status)));
    have_arrivals_stamped(pcap);
    link_ = link_type_of(pcap_datalink(pcap));
    if (!options.own_frames && pcap_setdirection(pcap, PCAP_D_IN) != 0)
        throw InterfaceError(problem("incoming frames only"));
    if (!options.filter.empty()) set_filter(options.filter);
    if (pcap_setnonblock(pcap, 1, message) != 0) throw InterfaceError(name_ + ": " + message);
}

Interface::~Interface() = default;

std::string Interface::problem(const std::string& what) const {
    return name_ + ": " + what + ": " + pcap_geterr(handle_->pcap);
}

void Interface::set_filter(const std::string& filter) {
    bpf_program program{};
    if (pcap_compile(handle_->pcap, &program, filter.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0)
        throw FilterError(problem("the filter \"" + filter + "\""));
    const int status = pcap_setfilter(handle_->pcap, &program);
    pcap_freecode(&program);
    if (status != 0) throw FilterError(problem("the filter \"" + filter + "\""));
}

int Interface::descriptor() const { return pcap_get_selectable_fd(handle_->pcap); }

bool Interface::next(Frame& frame) {
    pcap_pkthdr* header = nullptr;
    const u_char* octets = nullptr;
    const int status = pcap_next_ex(handle_->pcap, &header, &octets);
    if (status < 0) throw InterfaceError(problem("reading"));
    if (status == 0) return false;
    const std::int64_t fraction = header->ts.tv_usec;
    frame = {++count_,    time_of(header->ts.tv_sec, handle_->nanoseconds ? fraction : fraction * microsecond),
             header->len, {octets, header->caplen},
             link_,       0};
    return true;
}

void Interface::send(ByteView frame) {
    if (pcap_inject(handle_->pcap, frame.data(), frame.size()) < 0) throw InterfaceError(problem("sending"));
}

Interface::Counts Interface::counts() const {
    pcap_stat statistics{};
    if (pcap_stats(handle_->pcap, &statistics) != 0) return {};
    return {.received = statistics.ps_recv, .dropped = statistics.ps_drop};
}

std::vector<InterfaceInfo> interfaces() {
    char message[PCAP_ERRBUF_SIZE] = "";
    pcap_if_t* list = nullptr;
    if (pcap_findalldevs(&list, message) != 0) throw InterfaceError(message);
    const std::unique_ptr<pcap_if_t, decltype(&pcap_freealldevs)> all(list, pcap_freealldevs);
    std::vector<InterfaceInfo> result;
    for (const pcap_if_t* one = list; one != nullptr; one = one->next)
        result.push_back({one->name, one->description != nullptr ? one->description : ""});
    return result;
}

}  // namespace fabricscope::capture
