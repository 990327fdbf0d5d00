/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * VIPL, the Virtual Interface Provider Library, on FCoE: the C binding of the VI Architecture Developer's Guide 1.0
 * (VI-DG), chapters 3 to 5. Names, types, order of values and meaning of the calls are the guide's. Compile and link
 * with `pkg-config --cflags --libs fabricscope-vipl`; libfabricscope-vipl(3) has an overview.
 *
 * Where the guide leaves something to the Provider, this one does the following.
 *
 * DeviceName of VipOpenNic: a network interface, which becomes an N_Port, point to point with the one at the other end
 * of the link; that needs CAP_NET_RAW. Or "emulated:SCENARIO": a link to the server of a scenario of
 * `fabricscope synth` (its name, or a file), inside of this process. Behind commas there may be options, as in
 * "eth0,address=192.0.2.10,vlan=100":
 *
 *   address=IP          own host address; else the interface's first IPv4 or IPv6 address, or one made of its MAC
 *   port-name=HEX       Port_Name (16 hexadecimal digits); else made of the interface's MAC
 *   version=iso|1.0     of FC-VI: ISO/IEC 14165-331 (the default), or draft revision 1.0
 *   class=2|3           of service of Messages; 3 is the default
 *   vlan=N              1 to 4094; else the frames are not tagged
 *   pipeline=N          of VIs without a QoS: see VIP_FCVI_PIPELINE; 3 is the default
 *   r-a-tov=MS          R_A_TOV in milliseconds; 10000 is the default. E_D_TOV is a fifth of it
 *   id=HEX,peer=IP@HEX  N_Port_IDs of both ports (6 hexadecimal digits): they count as logged in
 *   record=FILE         a capture file for all frames
 *
 * "VINICn" (VI-DG 6.5; VINIC is VINIC0) is what the environment variable FABRICSCOPE_VINICn says.
 *
 * HostAddress: 16 octets, an IPv6 address, or an IPv4 address behind 12 octets of zero (ISO/IEC 14165-331, 7.2).
 * All calls are thread-safe; handlers are called by threads of the library, one for each queue (VI-DG 3.5.12).
 */
#ifndef FABRICSCOPE_VIPL_H
#define FABRICSCOPE_VIPL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VIP_API __attribute__((visibility("default")))
#else
#define VIP_API
#endif

/* ---- generic types (4.1) ---- */

typedef void* VIP_PVOID;
typedef int VIP_BOOLEAN;
typedef char VIP_CHAR;
typedef unsigned char VIP_UCHAR;
typedef unsigned short VIP_USHORT;
typedef unsigned long VIP_ULONG;
typedef uint64_t VIP_UINT64;
typedef uint32_t VIP_UINT32;
typedef uint16_t VIP_UINT16;
typedef uint8_t VIP_UINT8;

#define VIP_TRUE (1)
#define VIP_FALSE (0)

/* Of a descriptor's address, in octets (5.1). */
#define VIP_DESCRIPTOR_ALIGNMENT 64
/* A timeout that never ends (3.3.1); timeouts are in milliseconds. */
#define VIP_INFINITE (~(VIP_ULONG)0)

/* Handles say nothing to anybody but the library. NULL is none. */
typedef VIP_PVOID VIP_NIC_HANDLE;
typedef VIP_PVOID VIP_VI_HANDLE;
typedef VIP_PVOID VIP_CQ_HANDLE;
typedef VIP_PVOID VIP_CONN_HANDLE;
typedef VIP_PVOID VIP_PROTECTION_HANDLE;
/* But for this one: it stands in descriptors, and is told to the remote end (5.2 to 5.4). */
typedef VIP_UINT32 VIP_MEM_HANDLE;

/* ---- return codes (4.2) ---- */

typedef enum {
    VIP_SUCCESS,
    VIP_NOT_DONE,
    VIP_INVALID_PARAMETER,
    VIP_ERROR_RESOURCE,
    VIP_TIMEOUT,
    VIP_REJECT,
    VIP_INVALID_RELIABILITY_LEVEL,
    VIP_INVALID_MTU,
    VIP_INVALID_QOS,
    VIP_INVALID_PTAG,
    VIP_INVALID_RDMAREAD,
    VIP_DESCRIPTOR_ERROR,
    VIP_INVALID_STATE,
    VIP_ERROR_NAMESERVICE,
    VIP_NO_MATCH,
    VIP_NOT_REACHABLE
} VIP_RETURN;

/* ---- descriptors (4.3, 5): little-endian, as this library's host is ---- */

typedef union {
    VIP_UINT64 AddressBits;
    VIP_PVOID Address;
} VIP_PVOID64;

typedef struct {
    VIP_PVOID64 Next; /* the library's */
    VIP_MEM_HANDLE NextHandle;
    VIP_UINT16 SegCount; /* behind this one; an address segment counts */
    VIP_UINT16 Control;
    VIP_UINT32 Reserved; /* 0 */
    VIP_UINT32 ImmediateData;
    VIP_UINT32 Length; /* sum of the data segments, in octets; when done: octets that were moved */
    VIP_UINT32 Status;
} VIP_CONTROL_SEGMENT;

/* Of RDMA, the first one: where in the remote end's memory. */
typedef struct {
    VIP_PVOID64 Data;
    VIP_MEM_HANDLE Handle;
    VIP_UINT32 Reserved; /* 0 */
} VIP_ADDRESS_SEGMENT;

typedef struct {
    VIP_PVOID64 Data;
    VIP_MEM_HANDLE Handle;
    VIP_UINT32 Length; /* octets; 0 is allowed */
} VIP_DATA_SEGMENT;

typedef union {
    VIP_ADDRESS_SEGMENT Remote;
    VIP_DATA_SEGMENT Local;
} VIP_DESCRIPTOR_SEGMENT;

/* A descriptor may have up to MaxSegmentsPerDesc segments, whatever is declared here. */
typedef struct _VIP_DESCRIPTOR {
    VIP_CONTROL_SEGMENT CS;
    VIP_DESCRIPTOR_SEGMENT DS[2];
} VIP_DESCRIPTOR;

#define VIP_CONTROL_OP_SENDRECV 0x0000
#define VIP_CONTROL_OP_RDMAWRITE 0x0001
#define VIP_CONTROL_OP_RDMAREAD 0x0002
#define VIP_CONTROL_OP_RESERVED 0x0003
#define VIP_CONTROL_OP_MASK 0x0003
#define VIP_CONTROL_IMMEDIATE 0x0004
#define VIP_CONTROL_QFENCE 0x0008
#define VIP_CONTROL_RESERVED 0xFFF0

#define VIP_STATUS_DONE 0x00000001
#define VIP_STATUS_FORMAT_ERROR 0x00000002
#define VIP_STATUS_PROTECTION_ERROR 0x00000004
#define VIP_STATUS_LENGTH_ERROR 0x00000008
#define VIP_STATUS_PARTIAL_ERROR 0x00000010
#define VIP_STATUS_DESC_FLUSHED_ERROR 0x00000020
#define VIP_STATUS_TRANSPORT_ERROR 0x00000040
#define VIP_STATUS_RDMA_PROT_ERROR 0x00000080
#define VIP_STATUS_REMOTE_DESC_ERROR 0x00000100
#define VIP_STATUS_ERROR_MASK 0x000001FE
#define VIP_STATUS_OP_SEND 0x00000000
#define VIP_STATUS_OP_RECEIVE 0x00010000
#define VIP_STATUS_OP_RDMA_WRITE 0x00020000
#define VIP_STATUS_OP_REMOTE_RDMA_WRITE 0x00030000
#define VIP_STATUS_OP_RDMA_READ 0x00040000
#define VIP_STATUS_OP_MASK 0x00070000
#define VIP_STATUS_IMMEDIATE 0x00080000
#define VIP_STATUS_RESERVED 0xFFF0FE00

/* ---- asynchronous errors (4.4) ---- */

typedef enum _VIP_RESOURCE_CODE {
    VIP_RESOURCE_NIC,
    VIP_RESOURCE_VI,
    VIP_RESOURCE_CQ,
    VIP_RESOURCE_DESCRIPTOR
} VIP_RESOURCE_CODE;

typedef enum _VIP_ERROR_CODE {
    VIP_ERROR_POST_DESC,
    VIP_ERROR_CONN_LOST,
    VIP_ERROR_RECVQ_EMPTY,
    VIP_ERROR_VI_OVERRUN,
    VIP_ERROR_RDMAW_PROT,
    VIP_ERROR_RDMAW_DATA,
    VIP_ERROR_RDMAW_ABORT,
    VIP_ERROR_RDMAR_PROT,
    VIP_ERROR_COMP_PROT,
    VIP_ERROR_RDMA_TRANSPORT,
    VIP_ERROR_CATASTROPHIC
} VIP_ERROR_CODE;

typedef struct {
    VIP_NIC_HANDLE NicHandle;
    VIP_VI_HANDLE ViHandle;
    VIP_CQ_HANDLE CQHandle;
    VIP_DESCRIPTOR* DescriptorPtr;
    VIP_ULONG OpCode; /* as in a status, shifted to bit 0: VIP_STATUS_OP_... >> 16 */
    VIP_RESOURCE_CODE ResourceCode;
    VIP_ERROR_CODE ErrorCode;
} VIP_ERROR_DESCRIPTOR;

/* ---- attributes (4.5 to 4.7) and states (4.8) ---- */

/* One of these bits; of what a NIC supports, any of them. */
typedef VIP_USHORT VIP_RELIABILITY_LEVEL;
#define VIP_SERVICE_UNRELIABLE 0x01
#define VIP_SERVICE_RELIABLE_DELIVERY 0x02
#define VIP_SERVICE_RELIABLE_RECEPTION 0x04

/* The guide does not define what this is. Here: NULL, or VIP_FCVI_PIPELINE(N), with FCVI_PIPELINE_DEPTH N, 0 to 2^31:
 * at most N Messages and one more are open (ISO/IEC 14165-331, 7.3). It must be equal at both ends. */
typedef VIP_PVOID VIP_QOS;
#define VIP_FCVI_PIPELINE(N) ((VIP_QOS)((uintptr_t)(N) + 1))

typedef struct {
    VIP_CHAR Name[64];
    VIP_ULONG HardwareVersion;
    VIP_ULONG ProviderVersion;
    VIP_UINT16 NicAddressLen;
    const VIP_UINT8* LocalNicAddress; /* until the NIC is closed */
    VIP_BOOLEAN ThreadSafe;
    VIP_UINT16 MaxDiscriminatorLen;
    VIP_ULONG MaxRegisterBytes;
    VIP_ULONG MaxRegisterRegions;
    VIP_ULONG MaxRegisterBlockBytes;
    VIP_ULONG MaxVI;
    VIP_ULONG MaxDescriptorsPerQueue;
    VIP_ULONG MaxSegmentsPerDesc;
    VIP_ULONG MaxCQ;
    VIP_ULONG MaxCQEntries;
    VIP_ULONG MaxTransferSize;
    VIP_ULONG NativeMTU;
    VIP_ULONG MaxPtags;
    VIP_RELIABILITY_LEVEL ReliabilityLevelSupport;
    VIP_RELIABILITY_LEVEL RDMAReadSupport;
} VIP_NIC_ATTRIBUTES;

typedef struct {
    VIP_RELIABILITY_LEVEL ReliabilityLevel;
    VIP_ULONG MaxTransferSize; /* octets of one Message; must be equal at both ends */
    VIP_QOS QoS;
    VIP_PROTECTION_HANDLE Ptag; /* NULL in what is told of a remote end */
    VIP_BOOLEAN EnableRdmaWrite;
    VIP_BOOLEAN EnableRdmaRead;
} VIP_VI_ATTRIBUTES;

typedef struct {
    VIP_PROTECTION_HANDLE Ptag;
    VIP_BOOLEAN EnableRdmaWrite;
    VIP_BOOLEAN EnableRdmaRead;
} VIP_MEM_ATTRIBUTES;

typedef enum { VIP_STATE_IDLE, VIP_STATE_CONNECTED, VIP_STATE_CONNECT_PENDING, VIP_STATE_ERROR } VIP_VI_STATE;

/* ---- network addresses (4.9) ---- */

/* HostAddress holds the host's octets and, behind them, those of the discriminator. Room for what is returned in it:
 * sizeof(VIP_NET_ADDRESS) + NicAddressLen + MaxDiscriminatorLen. */
typedef struct {
    VIP_UINT16 HostAddressLen;
    VIP_UINT16 DiscriminatorLen;
    VIP_UINT8 HostAddress[1];
} VIP_NET_ADDRESS;

#define VIP_SMI_AUTODISCOVERY ((VIP_ULONG)1)
typedef struct {
    VIP_ULONG NumberOfHops;
    VIP_NET_ADDRESS** ADAddrArray;
    VIP_ULONG NumAdAddrs; /* in: elements of the array; out: hosts */
} VIP_AUTODISCOVERY_LIST;

/* ---- handlers (3.5.9 to 3.5.11, 3.8.1) ---- */

typedef void (*VIP_DESCRIPTOR_HANDLER)(
    VIP_PVOID Context, VIP_NIC_HANDLE NicHandle, VIP_VI_HANDLE ViHandle, VIP_DESCRIPTOR* DescriptorPtr);
typedef void (*VIP_CQ_HANDLER)(
    VIP_PVOID Context, VIP_NIC_HANDLE NicHandle, VIP_VI_HANDLE ViHandle, VIP_BOOLEAN RecvQueue);
typedef void (*VIP_ERROR_HANDLER)(VIP_PVOID Context, VIP_ERROR_DESCRIPTOR* ErrorDesc);

/* ---- hardware connection (3.1) ---- */

VIP_API VIP_RETURN VipOpenNic(const VIP_CHAR* DeviceName, VIP_NIC_HANDLE* NicHandle);
/* Ends all connections, waits for the answers (R_A_TOV at most), and frees what the handle has been used for. */
VIP_API VIP_RETURN VipCloseNic(VIP_NIC_HANDLE NicHandle);

/* ---- VIs (3.2) ---- */

VIP_API VIP_RETURN VipCreateVi(
    VIP_NIC_HANDLE NicHandle, VIP_VI_ATTRIBUTES* ViAttribs, VIP_CQ_HANDLE SendCQHandle, VIP_CQ_HANDLE RecvCQHandle,
    VIP_VI_HANDLE* ViHandle);
VIP_API VIP_RETURN VipDestroyVi(VIP_VI_HANDLE ViHandle);

/* ---- connections (3.3) ----
 * A call that blocks and whose VI is disconnected by another thread returns VIP_ERROR_RESOURCE: the guide has no code.
 */

VIP_API VIP_RETURN VipConnectWait(
    VIP_NIC_HANDLE NicHandle, VIP_NET_ADDRESS* LocalAddr, VIP_ULONG Timeout, VIP_NET_ADDRESS* RemoteAddr,
    VIP_VI_ATTRIBUTES* RemoteViAttribs, VIP_CONN_HANDLE* ConnHandle);
VIP_API VIP_RETURN VipConnectAccept(VIP_CONN_HANDLE ConnHandle, VIP_VI_HANDLE ViHandle);
VIP_API VIP_RETURN VipConnectReject(VIP_CONN_HANDLE ConnHandle);
VIP_API VIP_RETURN VipConnectRequest(
    VIP_VI_HANDLE ViHandle, VIP_NET_ADDRESS* LocalAddr, VIP_NET_ADDRESS* RemoteAddr, VIP_ULONG Timeout,
    VIP_VI_ATTRIBUTES* RemoteViAttribs);
VIP_API VIP_RETURN VipDisconnect(VIP_VI_HANDLE ViHandle);
VIP_API VIP_RETURN VipConnectPeerRequest(
    VIP_VI_HANDLE ViHandle, VIP_NET_ADDRESS* LocalAddr, VIP_NET_ADDRESS* RemoteAddr, VIP_ULONG Timeout);
VIP_API VIP_RETURN VipConnectPeerDone(VIP_VI_HANDLE ViHandle, VIP_VI_ATTRIBUTES* RemoteViAttribs);
VIP_API VIP_RETURN VipConnectPeerWait(VIP_VI_HANDLE ViHandle, VIP_VI_ATTRIBUTES* RemoteViAttribs);

/* ---- memory (3.4) ----
 * Registered memory must stay where it is until it is deregistered. Access is checked to the octet, not to the page. */

VIP_API VIP_RETURN VipCreatePtag(VIP_NIC_HANDLE NicHandle, VIP_PROTECTION_HANDLE* Ptag);
VIP_API VIP_RETURN VipDestroyPtag(VIP_NIC_HANDLE NicHandle, VIP_PROTECTION_HANDLE Ptag);
VIP_API VIP_RETURN VipRegisterMem(
    VIP_NIC_HANDLE NicHandle, VIP_PVOID VirtualAddress, VIP_ULONG Length, VIP_MEM_ATTRIBUTES* MemAttribs,
    VIP_MEM_HANDLE* MemoryHandle);
VIP_API VIP_RETURN VipDeregisterMem(VIP_NIC_HANDLE NicHandle, VIP_PVOID VirtualAddress, VIP_MEM_HANDLE MemoryHandle);

/* ---- transfers (3.5) ---- */

VIP_API VIP_RETURN VipPostSend(VIP_VI_HANDLE ViHandle, VIP_DESCRIPTOR* DescriptorPtr, VIP_MEM_HANDLE MemoryHandle);
VIP_API VIP_RETURN VipSendDone(VIP_VI_HANDLE ViHandle, VIP_DESCRIPTOR** DescriptorPtr);
VIP_API VIP_RETURN VipSendWait(VIP_VI_HANDLE ViHandle, VIP_ULONG TimeOut, VIP_DESCRIPTOR** DescriptorPtr);
VIP_API VIP_RETURN VipPostRecv(VIP_VI_HANDLE ViHandle, VIP_DESCRIPTOR* DescriptorPtr, VIP_MEM_HANDLE MemoryHandle);
VIP_API VIP_RETURN VipRecvDone(VIP_VI_HANDLE ViHandle, VIP_DESCRIPTOR** DescriptorPtr);
VIP_API VIP_RETURN VipRecvWait(VIP_VI_HANDLE ViHandle, VIP_ULONG TimeOut, VIP_DESCRIPTOR** DescriptorPtr);
VIP_API VIP_RETURN VipCQDone(VIP_CQ_HANDLE CQHandle, VIP_VI_HANDLE* ViHandle, VIP_BOOLEAN* RecvQueue);
VIP_API VIP_RETURN
VipCQWait(VIP_CQ_HANDLE CQHandle, VIP_ULONG Timeout, VIP_VI_HANDLE* ViHandle, VIP_BOOLEAN* RecvQueue);
VIP_API VIP_RETURN VipSendNotify(VIP_VI_HANDLE ViHandle, VIP_PVOID Context, VIP_DESCRIPTOR_HANDLER Handler);
VIP_API VIP_RETURN VipRecvNotify(VIP_VI_HANDLE ViHandle, VIP_PVOID Context, VIP_DESCRIPTOR_HANDLER Handler);
VIP_API VIP_RETURN VipCQNotify(VIP_CQ_HANDLE CQHandle, VIP_PVOID Context, VIP_CQ_HANDLER Handler);

/* ---- completion queues (3.6) ---- */

VIP_API VIP_RETURN VipCreateCQ(VIP_NIC_HANDLE NicHandle, VIP_ULONG EntryCount, VIP_CQ_HANDLE* CQHandle);
VIP_API VIP_RETURN VipDestroyCQ(VIP_CQ_HANDLE CQHandle);
VIP_API VIP_RETURN VipResizeCQ(VIP_CQ_HANDLE CQHandle, VIP_ULONG EntryCount);

/* ---- queries (3.7) ---- */

VIP_API VIP_RETURN VipQueryNic(VIP_NIC_HANDLE NicHandle, VIP_NIC_ATTRIBUTES* NicAttribs);
VIP_API VIP_RETURN VipSetViAttributes(VIP_VI_HANDLE ViHandle, VIP_VI_ATTRIBUTES* ViAttribs);
VIP_API VIP_RETURN VipQueryVi(
    VIP_VI_HANDLE ViHandle, VIP_VI_STATE* State, VIP_VI_ATTRIBUTES* ViAttribs, VIP_BOOLEAN* ViSendQEmpty,
    VIP_BOOLEAN* ViRecvQEmpty);
VIP_API VIP_RETURN VipSetMemAttributes(
    VIP_NIC_HANDLE NicHandle, VIP_PVOID Address, VIP_MEM_HANDLE MemHandle, VIP_MEM_ATTRIBUTES* MemAttribs);
VIP_API VIP_RETURN
VipQueryMem(VIP_NIC_HANDLE NicHandle, VIP_PVOID Address, VIP_MEM_HANDLE MemHandle, VIP_MEM_ATTRIBUTES* MemAttribs);
/* VIP_SMI_AUTODISCOVERY, with a VIP_AUTODISCOVERY_LIST: the hosts that the port has got to know. */
VIP_API VIP_RETURN VipQuerySystemManagementInfo(VIP_NIC_HANDLE NicHandle, VIP_ULONG InfoType, VIP_PVOID SysManInfo);

/* ---- errors (3.8) ---- */

/* A NULL Handler: errors are told on stderr. Errors of a VI are told to the NIC handle that it was created with. */
VIP_API VIP_RETURN VipErrorCallback(VIP_NIC_HANDLE NicHandle, VIP_PVOID Context, VIP_ERROR_HANDLER Handler);

/* ---- names (3.9) ----
 * NSInitInfo: the name of a file as /etc/hosts is, or NULL for that one. Addresses in their usual form are names of
 * themselves. */

VIP_API VIP_RETURN VipNSInit(VIP_NIC_HANDLE NicHandle, VIP_PVOID NSInitInfo);
VIP_API VIP_RETURN
VipNSGetHostByName(VIP_NIC_HANDLE NicHandle, VIP_CHAR* Name, VIP_NET_ADDRESS* Address, VIP_ULONG NameIndex);
VIP_API VIP_RETURN
VipNSGetHostByAddr(VIP_NIC_HANDLE NicHandle, VIP_NET_ADDRESS* Address, VIP_CHAR* Name, VIP_ULONG* NameLen);
VIP_API VIP_RETURN VipNSShutdown(VIP_NIC_HANDLE NicHandle);

#ifdef __cplusplus
}
#endif

#endif
