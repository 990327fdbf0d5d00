/* SPDX-License-Identifier: GPL-2.0-or-later
 * What both programs need: a NIC, one VI with registered memory, and a connection between a client and a server. */
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include <stddef.h>
#include <vipl.h>

struct endpoint {
    VIP_NIC_HANDLE nic;
    VIP_NIC_ATTRIBUTES attributes;
    VIP_PROTECTION_HANDLE ptag;
    VIP_VI_HANDLE vi;
    unsigned char* memory; /* descriptors first, then `size` octets of data */
    unsigned char* data;
    size_t size;
    VIP_MEM_HANDLE handle;
};

enum { descriptor_slots = 64 };

/* Ends the program with a message unless it is VIP_SUCCESS. */
void must(VIP_RETURN result, const char* call);
/* Opens the NIC and makes a VI; RDMA is allowed to the other end. */
void open_endpoint(struct endpoint* end, const char* device, VIP_RELIABILITY_LEVEL level, size_t size);
/* `peer` is a host's name or address; NULL: waits for one. Receives have to be posted before. */
void connect_endpoint(struct endpoint* end, const char* peer, const char* discriminator);
/* The server's end goes when the client has gone. */
void close_endpoint(struct endpoint* end, int is_server);

/* A descriptor in a slot, 0 to descriptor_slots - 1, with one data segment of the endpoint's memory. */
VIP_DESCRIPTOR* describe(struct endpoint* end, unsigned slot, size_t offset, size_t length);
/* The same, with the other end's memory. */
VIP_DESCRIPTOR* describe_rdma(
    struct endpoint* end, unsigned slot, VIP_UINT16 operation, size_t offset, size_t length, VIP_UINT64 remote,
    VIP_MEM_HANDLE remote_handle);
void post_send(struct endpoint* end, VIP_DESCRIPTOR* descriptor);
void post_receive(struct endpoint* end, VIP_DESCRIPTOR* descriptor);
/* What has been sent or received; ends the program if it has failed. */
VIP_DESCRIPTOR* sent(struct endpoint* end);
VIP_DESCRIPTOR* received(struct endpoint* end);

/* Octets that depend on a number, and whether they are those. */
void fill(unsigned char* octets, size_t length, unsigned number);
void check(const unsigned char* octets, size_t length, unsigned number);
double seconds(void);

#endif
