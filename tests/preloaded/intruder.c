/* SPDX-License-Identifier: GPL-2.0-or-later
 * What code that got into the program would try when it has read its captures; each line on standard error says how
 * that ended: "intruder: read: Permission denied". INTRUDER_READ and INTRUDER_WRITE name files.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char* what, int failed) {
    fprintf(stderr, "intruder: %s: %s\n", what, failed ? strerror(errno) : "done");
}

static void start_a_program(void) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        execl("/bin/true", "true", (char*)NULL);
        _exit(errno);
    }
    waitpid(child, &status, 0);
    errno = WEXITSTATUS(status);
    tell("start", errno != 0);
}

static void connect_to_somebody(void) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in nobody = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    tell("connect", connect(descriptor, (const struct sockaddr*)&nobody, sizeof nobody) != 0);
    close(descriptor);
}

__attribute__((destructor)) static void intrude(void) {
    const char *readable = getenv("INTRUDER_READ"), *writable = getenv("INTRUDER_WRITE");
    if (readable == NULL || writable == NULL) return;
    tell("read", open(readable, O_RDONLY | O_CLOEXEC) < 0);
    tell("write", open(writable, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0);
    tell("signal", kill(getppid(), 0) != 0);
    start_a_program();
    connect_to_somebody();
}
