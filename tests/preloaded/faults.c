// SPDX-License-Identifier: GPL-2.0-or-later
// To be preloaded: fails what seldom fails. The environment says what.
//
//   FAULTS_ALLOCATION=N  the N-th allocation of the process fails, from 1
//   FAULTS_FROM=N        it and all that follow
//   FAULTS_COUNT=FILE    the number of allocations is written there at the end
//   FAULTS_READ=N        the N-th read of a regular file that is no library's fails with EIO, and all that follow
//   FAULTS_PIECES=N      such reads deliver at most N octets
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// glibc's own, under the names by which replacements may call them.
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* old, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

static atomic_ulong allocations, reads;
static unsigned long failing_allocation, failing_from, failing_read, piece;
static const char* count_file;

static unsigned long number(const char* name) {
    const char* text = getenv(name);
    return text != NULL ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void configure(void) {
    failing_allocation = number("FAULTS_ALLOCATION");
    failing_from = number("FAULTS_FROM");
    failing_read = number("FAULTS_READ");
    piece = number("FAULTS_PIECES");
    count_file = getenv("FAULTS_COUNT");
    allocations = 0;  // the linker's and constructors' before us are not the program's
}

__attribute__((destructor)) static void tell_count(void) {
    if (count_file == NULL) return;
    const int file = open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0) return;
    dprintf(file, "%lu\n", atomic_load(&allocations));
    close(file);
}

static int allocation_fails(void) {
    const unsigned long now = atomic_fetch_add(&allocations, 1) + 1;
    if (now != failing_allocation && (failing_from == 0 || now < failing_from)) return 0;
    errno = ENOMEM;
    return 1;
}

void* malloc(size_t size) { return allocation_fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return allocation_fails() ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return allocation_fails() ? NULL : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return allocation_fails() ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, size_t alignment, size_t size) {
    void* const octets = memalign(alignment, size);
    if (octets == NULL) return ENOMEM;
    *result = octets;
    return 0;
}

// ---- reads -----------------------------------------------------------------------------------------

static int is_data(int fd) {
    struct stat status;
    char link[64], path[PATH_MAX];
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = '\0';
    return strncmp(path, "/usr/", 5) != 0 && strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/etc/", 5) != 0;
}

/// How many of `wanted` octets a read may deliver; -1 with errno: it fails.
static ssize_t allowed(int fd, size_t wanted) {
    if ((failing_read == 0 && piece == 0) || !is_data(fd)) return (ssize_t)wanted;
    if (failing_read != 0 && atomic_fetch_add(&reads, 1) + 1 >= failing_read) {
        errno = EIO;
        return -1;
    }
    return piece != 0 && wanted > piece ? (ssize_t)piece : (ssize_t)wanted;
}

static void* next_of(const char* name) { return dlsym(RTLD_NEXT, name); }

ssize_t read(int fd, void* to, size_t octets) {
    static ssize_t (*real)(int, void*, size_t);
    if (real == NULL) real = (ssize_t(*)(int, void*, size_t))next_of("read");
    const ssize_t most = allowed(fd, octets);
    return most < 0 ? -1 : real(fd, to, (size_t)most);
}

ssize_t pread(int fd, void* to, size_t octets, off_t offset) {
    static ssize_t (*real)(int, void*, size_t, off_t);
    if (real == NULL) real = (ssize_t(*)(int, void*, size_t, off_t))next_of("pread");
    const ssize_t most = allowed(fd, octets);
    return most < 0 ? -1 : real(fd, to, (size_t)most, offset);
}
ssize_t pread64(int fd, void* to, size_t octets, off64_t offset) { return pread(fd, to, octets, offset); }

/// stdio goes on until it has all; a piece would be the end of the file.
size_t fread(void* to, size_t size, size_t count, FILE* file) {
    static size_t (*real)(void*, size_t, size_t, FILE*);
    if (real == NULL) real = (size_t(*)(void*, size_t, size_t, FILE*))next_of("fread");
    if (failing_read != 0 && allowed(fileno(file), size * count) < 0) {
        file->_flags |= 0x20;  // _IO_ERR_SEEN, for ferror()
        return 0;
    }
    return real(to, size, count, file);
}
