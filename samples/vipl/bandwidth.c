/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bandwidth of RDMA: the server tells where its memory is, the client writes or reads it several times over.
 *
 *     vipl-bandwidth DEVICE server
 *     vipl-bandwidth DEVICE PEER write|read [COUNT [SIZE]]    (PEER: a name or an address)
 *
 * Written data are checked by the server, read ones by the client: each SIZE octets are those of their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint.h"

enum { buffer_size = 1 << 20, message_offset = buffer_size, first_rdma_slot = 2, most_open = 16 };

/* What the server tells the client, and the client when it is done. Both are of one kind of machine. */
struct message {
    VIP_UINT64 address;
    VIP_UINT32 handle, count, size, written;
};

static void exchange(struct endpoint *end, struct message message) {
    memcpy(end->data + message_offset, &message, sizeof message);
    post_send(end, describe(end, 0, message_offset, sizeof message));
    sent(end);
}

static struct message await(struct endpoint *end) {
    struct message message;
    received(end);
    memcpy(&message, end->data + message_offset + sizeof message, sizeof message);
    return message;
}

/* Message i stands at the place of i modulo as many as there is room for, so the last ones are there at the end. */
static size_t place(unsigned i, size_t size) { return i % (buffer_size / size) * size; }

static void check_all(struct endpoint *end, unsigned count, size_t size) {
    const unsigned room = (unsigned)(buffer_size / size), first = count > room ? count - room : 0;
    unsigned i;
    for (i = first; i < count; ++i) check(end->data + place(i, size), size, i);
}

static void serve(struct endpoint *end) {
    struct message memory = {0}, result;
    memory.address = (VIP_UINT64)(uintptr_t)end->data;
    memory.handle = end->handle;
    fill(end->data, buffer_size, 0);
    exchange(end, memory);
    result = await(end);
    if (result.written) check_all(end, result.count, result.size);
    printf("%u messages of %u bytes %s\n", (unsigned)result.count, (unsigned)result.size,
           result.written ? "came as they were sent" : "were read");
}

static void transfer(struct endpoint *end, int writes, unsigned count, size_t size) {
    const VIP_UINT16 operation = writes ? VIP_CONTROL_OP_RDMAWRITE : VIP_CONTROL_OP_RDMAREAD;
    const struct message memory = await(end);
    struct message result = {0};
    const double begin = seconds();
    unsigned posted = 0, done = 0;
    while (done < count) {
        for (; posted < count && posted - done < most_open; ++posted) {
            const size_t offset = place(posted, size);
            if (writes) fill(end->data + offset, size, posted);
            post_send(end, describe_rdma(end, first_rdma_slot + posted % most_open, operation, offset, size,
                                         memory.address + offset, memory.handle));
        }
        sent(end);
        ++done;
    }
    printf("RDMA %s: %u times %lu bytes, %.1f MB/s\n", writes ? "write" : "read", count, (unsigned long)size,
           (double)count * (double)size / (seconds() - begin) / 1e6);
    if (!writes) {
        const size_t all = (count < buffer_size / size ? count : buffer_size / size) * size;
        check(end->data, all, 0);
    }
    result.count = count;
    result.size = (VIP_UINT32)size;
    result.written = (VIP_UINT32)writes;
    exchange(end, result);
}

int main(int argc, char **argv) {
    struct endpoint end;
    const int is_server = argc > 2 && strcmp(argv[2], "server") == 0;
    const unsigned count = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 100;
    const size_t size = argc > 5 ? strtoul(argv[5], NULL, 10) : 65536;
    if (argc < 3 || (!is_server && argc < 4) || count == 0 || size == 0 || size > 65536) {
        fprintf(stderr, "usage: %s DEVICE server | %s DEVICE PEER write|read [COUNT [SIZE]]\n", argv[0], argv[0]);
        return 2;
    }
    /* Reliable Reception: a Write is done when it is in the other end's memory. */
    open_endpoint(&end, argv[1], VIP_SERVICE_RELIABLE_RECEPTION, buffer_size + 2 * sizeof(struct message));
    post_receive(&end, describe(&end, 1, message_offset + sizeof(struct message), sizeof(struct message)));
    connect_endpoint(&end, is_server ? NULL : argv[2], "vipl-bandwidth");
    if (is_server) serve(&end);
    else transfer(&end, strcmp(argv[3], "write") == 0, count, size);
    close_endpoint(&end, is_server);
    return EXIT_SUCCESS;
}
