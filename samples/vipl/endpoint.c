/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _POSIX_C_SOURCE 200809L
#include "endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { patience = 30000, page = 4096, slot_size = 128, address_room = sizeof(VIP_NET_ADDRESS) + 256 };

void must(VIP_RETURN result, const char *call) {
    if (result == VIP_SUCCESS) return;
    fprintf(stderr, "%s returned %d\n", call, (int)result);
    exit(EXIT_FAILURE);
}

/* The other end has disconnected: that is what the server waits for. */
static void on_error(VIP_PVOID context, VIP_ERROR_DESCRIPTOR *error) {
    (void)context;
    if (error->ErrorCode != VIP_ERROR_CONN_LOST) fprintf(stderr, "asynchronous error %d\n", (int)error->ErrorCode);
}

void open_endpoint(struct endpoint *end, const char *device, VIP_RELIABILITY_LEVEL level, size_t size) {
    VIP_MEM_ATTRIBUTES memory_attributes = {0};
    VIP_VI_ATTRIBUTES vi_attributes = {0};
    void *memory = NULL;
    memset(end, 0, sizeof *end);
    must(VipOpenNic(device, &end->nic), "VipOpenNic");
    must(VipErrorCallback(end->nic, NULL, on_error), "VipErrorCallback");
    must(VipQueryNic(end->nic, &end->attributes), "VipQueryNic");
    must(VipCreatePtag(end->nic, &end->ptag), "VipCreatePtag");

    end->size = size;
    if (posix_memalign(&memory, page, descriptor_slots * slot_size + size) != 0) must(VIP_ERROR_RESOURCE, "malloc");
    end->memory = memory;
    end->data = end->memory + descriptor_slots * slot_size;
    memset(end->memory, 0, descriptor_slots * slot_size + size);
    memory_attributes.Ptag = end->ptag;
    memory_attributes.EnableRdmaWrite = memory_attributes.EnableRdmaRead = VIP_TRUE;
    must(VipRegisterMem(end->nic, end->memory, descriptor_slots * slot_size + size, &memory_attributes, &end->handle),
         "VipRegisterMem");

    vi_attributes.ReliabilityLevel = level;
    vi_attributes.MaxTransferSize = 65536;
    vi_attributes.Ptag = end->ptag;
    vi_attributes.EnableRdmaWrite = VIP_TRUE;
    vi_attributes.EnableRdmaRead = level == VIP_SERVICE_UNRELIABLE ? VIP_FALSE : VIP_TRUE;
    must(VipCreateVi(end->nic, &vi_attributes, NULL, NULL, &end->vi), "VipCreateVi");
}

static void set_discriminator(VIP_NET_ADDRESS *address, const char *discriminator) {
    address->DiscriminatorLen = 16;
    memset(address->HostAddress + address->HostAddressLen, 0, 16);
    memcpy(address->HostAddress + address->HostAddressLen, discriminator, strlen(discriminator));
}

void connect_endpoint(struct endpoint *end, const char *peer, const char *discriminator) {
    VIP_NET_ADDRESS *local = calloc(1, address_room), *remote = calloc(1, address_room);
    VIP_VI_ATTRIBUTES attributes;
    VIP_CONN_HANDLE connection;
    if (local == NULL || remote == NULL) must(VIP_ERROR_RESOURCE, "calloc");
    local->HostAddressLen = end->attributes.NicAddressLen;
    memcpy(local->HostAddress, end->attributes.LocalNicAddress, local->HostAddressLen);
    set_discriminator(local, discriminator);
    if (peer == NULL) {
        must(VipConnectWait(end->nic, local, VIP_INFINITE, remote, &attributes, &connection), "VipConnectWait");
        must(VipConnectAccept(connection, end->vi), "VipConnectAccept");
    } else {
        must(VipNSInit(end->nic, NULL), "VipNSInit");
        remote->HostAddressLen = end->attributes.NicAddressLen;
        must(VipNSGetHostByName(end->nic, (VIP_CHAR *)peer, remote, 0), "VipNSGetHostByName");
        set_discriminator(remote, discriminator);
        must(VipConnectRequest(end->vi, local, remote, patience, &attributes), "VipConnectRequest");
        must(VipNSShutdown(end->nic), "VipNSShutdown");
    }
    free(local);
    free(remote);
}

static VIP_VI_STATE state_of(struct endpoint *end) {
    VIP_VI_STATE state;
    VIP_VI_ATTRIBUTES attributes;
    VIP_BOOLEAN sends_empty, receives_empty;
    must(VipQueryVi(end->vi, &state, &attributes, &sends_empty, &receives_empty), "VipQueryVi");
    return state;
}

void close_endpoint(struct endpoint *end, int is_server) {
    VIP_DESCRIPTOR *flushed;
    const struct timespec moment = {0, 1000000};
    while (is_server && state_of(end) == VIP_STATE_CONNECTED) nanosleep(&moment, NULL);
    must(VipDisconnect(end->vi), "VipDisconnect");
    while (VipRecvDone(end->vi, &flushed), flushed != NULL) continue;
    must(VipDestroyVi(end->vi), "VipDestroyVi");
    must(VipDeregisterMem(end->nic, end->memory, end->handle), "VipDeregisterMem");
    must(VipDestroyPtag(end->nic, end->ptag), "VipDestroyPtag");
    must(VipCloseNic(end->nic), "VipCloseNic");
    free(end->memory);
}

VIP_DESCRIPTOR *describe(struct endpoint *end, unsigned slot, size_t offset, size_t length) {
    VIP_DESCRIPTOR *descriptor = (VIP_DESCRIPTOR *)(void *)(end->memory + slot * slot_size);
    memset(descriptor, 0, sizeof *descriptor);
    descriptor->CS.SegCount = 1;
    descriptor->CS.Control = VIP_CONTROL_OP_SENDRECV;
    descriptor->CS.Length = (VIP_UINT32)length;
    descriptor->DS[0].Local.Data.Address = end->data + offset;
    descriptor->DS[0].Local.Handle = end->handle;
    descriptor->DS[0].Local.Length = (VIP_UINT32)length;
    return descriptor;
}

VIP_DESCRIPTOR *describe_rdma(struct endpoint *end, unsigned slot, VIP_UINT16 operation, size_t offset, size_t length,
                              VIP_UINT64 remote, VIP_MEM_HANDLE remote_handle) {
    VIP_DESCRIPTOR *descriptor = describe(end, slot, offset, length);
    descriptor->CS.SegCount = 2;
    descriptor->CS.Control = operation;
    descriptor->DS[1] = descriptor->DS[0];
    descriptor->DS[0].Remote.Data.AddressBits = remote;
    descriptor->DS[0].Remote.Handle = remote_handle;
    descriptor->DS[0].Remote.Reserved = 0;
    return descriptor;
}

void post_send(struct endpoint *end, VIP_DESCRIPTOR *descriptor) {
    must(VipPostSend(end->vi, descriptor, end->handle), "VipPostSend");
}

void post_receive(struct endpoint *end, VIP_DESCRIPTOR *descriptor) {
    must(VipPostRecv(end->vi, descriptor, end->handle), "VipPostRecv");
}

static VIP_DESCRIPTOR *done(VIP_RETURN result, VIP_DESCRIPTOR *descriptor, const char *call) {
    if (result == VIP_DESCRIPTOR_ERROR && descriptor != NULL)
        fprintf(stderr, "a descriptor has status %08X\n", (unsigned)descriptor->CS.Status);
    must(result, call);
    return descriptor;
}

VIP_DESCRIPTOR *sent(struct endpoint *end) {
    VIP_DESCRIPTOR *descriptor = NULL;
    const VIP_RETURN result = VipSendWait(end->vi, patience, &descriptor);
    return done(result, descriptor, "VipSendWait");
}

VIP_DESCRIPTOR *received(struct endpoint *end) {
    VIP_DESCRIPTOR *descriptor = NULL;
    const VIP_RETURN result = VipRecvWait(end->vi, patience, &descriptor);
    return done(result, descriptor, "VipRecvWait");
}

static unsigned char octet(size_t i, unsigned number) { return (unsigned char)(i * 131 + (i >> 8) + number * 29 + 7); }

void fill(unsigned char *octets, size_t length, unsigned number) {
    size_t i;
    for (i = 0; i < length; ++i) octets[i] = octet(i, number);
}

void check(const unsigned char *octets, size_t length, unsigned number) {
    size_t i;
    for (i = 0; i < length; ++i)
        if (octets[i] != octet(i, number)) {
            fprintf(stderr, "message %u is not what was sent: octet %lu\n", number, (unsigned long)i);
            exit(EXIT_FAILURE);
        }
}

double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}
