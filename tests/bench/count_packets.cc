// SPDX-License-Identifier: GPL-2.0-or-later
// count_packets FILE: the least that a program can do with a capture, for comparison. Written as libpcap's
// manual has it.
#include <pcap/pcap.h>

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    char message[PCAP_ERRBUF_SIZE];
    pcap_t* capture = pcap_open_offline(argv[1], message);
    if (capture == nullptr) {
        std::fprintf(stderr, "%s\n", message);
        return 1;
    }
    unsigned long packets = 0;
    pcap_loop(
        capture, -1,
        [](u_char* count, const pcap_pkthdr*, const u_char*) { ++*reinterpret_cast<unsigned long*>(count); },
        reinterpret_cast<u_char*>(&packets));
    pcap_close(capture);
    std::printf("%lu packets\n", packets);
}
