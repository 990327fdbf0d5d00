/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ping-pong: Messages there and back, one at a time; what comes back is checked, and the time told.
 *
 *     vipl-pingpong DEVICE server [COUNT [SIZE]]
 *     vipl-pingpong DEVICE PEER   [COUNT [SIZE [DISCRIMINATOR]]]    (PEER: a name or an address)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint.h"

enum { send_slot, receive_slot };

int main(int argc, char **argv) {
    struct endpoint end;
    const int is_server = argc > 2 && strcmp(argv[2], "server") == 0;
    const unsigned count = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1000;
    const size_t size = argc > 4 ? strtoul(argv[4], NULL, 10) : 64;
    unsigned i;
    double begin;
    if (argc < 3 || count == 0 || size == 0 || size > 65536) {
        fprintf(stderr, "usage: %s DEVICE server|PEER [COUNT [SIZE [DISCRIMINATOR]]]\n", argv[0]);
        return 2;
    }
    open_endpoint(&end, argv[1], VIP_SERVICE_RELIABLE_DELIVERY, 2 * size);
    post_receive(&end, describe(&end, receive_slot, size, size));
    connect_endpoint(&end, is_server ? NULL : argv[2], argc > 5 ? argv[5] : "vipl-pingpong");
    begin = seconds();
    for (i = 0; i < count; ++i) {
        if (!is_server) {
            fill(end.data, size, i);
            post_send(&end, describe(&end, send_slot, 0, size));
            sent(&end);
        }
        if (received(&end)->CS.Length != size) must(VIP_DESCRIPTOR_ERROR, "VipRecvWait");
        check(end.data + size, size, i);
        if (is_server) memcpy(end.data, end.data + size, size);
        if (i + 1 != count) post_receive(&end, describe(&end, receive_slot, size, size));
        if (is_server) {
            post_send(&end, describe(&end, send_slot, 0, size));
            sent(&end);
        }
    }
    if (!is_server)
        printf("%u times %lu bytes there and back: %.1f us each\n", count, (unsigned long)size,
               (seconds() - begin) / count * 1e6);
    close_endpoint(&end, is_server);
    return EXIT_SUCCESS;
}
