// SPDX-License-Identifier: GPL-2.0-or-later
// To be preloaded into fabricscope, tshark and sharkd. To start takes them longer than most captures; so it is done once, and
// each command goes on from there in a process of its own, as if it had just been started.
//
// Standard input is a socket of packets. First it is told by an octet that commands can come. Each of them is a packet: the
// descriptors for its standard input, output and error, and, each ended by a NUL, the folder to be in and its arguments. What
// comes back is its status, an int as waitpid(2) tells it. The program has to be started with as many arguments as any command
// has at most, and with the environment of all.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_octets = 1 << 18, descriptors = 3 };

static bool is_started;

static void* next(const char* name) {
    void* const function = dlsym(RTLD_NEXT, name);
    if (function == NULL) abort();
    return function;
}

void wtap_init(bool load_plugins) {
    if (!is_started) ((void (*)(bool))next("wtap_init"))(load_plugins);
}

bool epan_init(void* callback, void* data, bool load_plugins) {
    return is_started || ((bool (*)(void*, void*, bool))next("epan_init"))(callback, data, load_plugins);
}

// The order is that of main() of both programs, and it calls them once more.
static void start_wireshark(const char* program) {
    ((void (*)(void))next("init_process_policies"))();
    ((char* (*)(const char*, void*))next("configuration_init"))(program, NULL);
    wtap_init(true);
    if (!epan_init(NULL, NULL, true)) exit(2);
    is_started = true;
}

// A command's octets; 0: there are no more.
static size_t receive(char* octets, int files[descriptors]) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(descriptors * sizeof(int))];
    } control;
    struct iovec place = {octets, most_octets - 1};
    struct msghdr message = {.msg_iov = &place, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    const ssize_t count = recvmsg(STDIN_FILENO, &message, 0);
    if (count <= 0) return 0;
    if (CMSG_FIRSTHDR(&message) == NULL || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) exit(2);
    memcpy(files, CMSG_DATA(CMSG_FIRSTHDR(&message)), descriptors * sizeof(int));
    octets[count] = '\0';
    return (size_t)count;
}

// The text that follows another.
static char* behind(char* text) { return text + strlen(text) + 1; }

static void become(char* octets, const char* end, const int files[descriptors], int* argc, char* argv[]) {
    for (int i = 0; i < descriptors; ++i) {
        dup2(files[i], i);
        close(files[i]);
    }
    if (chdir(octets) != 0) exit(2);
    int arguments = 1;
    for (char* text = behind(octets); text < end; text = behind(text)) {
        if (arguments == *argc) exit(2);
        argv[arguments++] = text;
    }
    argv[arguments] = NULL;
    *argc = arguments;
    unsetenv("LD_PRELOAD");
    unsetenv("LD_BIND_NOW");
}

// Returns in the process of each command.
static void serve(int* argc, char* argv[]) {
    static char octets[most_octets];
    int files[descriptors], status;
    size_t count;
    if (send(STDIN_FILENO, "", 1, 0) != 1) exit(2);
    while ((count = receive(octets, files)) != 0) {
        const pid_t child = fork();
        if (child == 0) return become(octets, octets + count, files, argc, argv);
        for (int i = 0; i < descriptors; ++i) close(files[i]);
        if (child < 0 || waitpid(child, &status, 0) != child || send(STDIN_FILENO, &status, sizeof status, 0) < 0) exit(2);
    }
    _exit(0);
}

// At its end a process need not give back, page by page, what it shares with the one that has started.
void epan_cleanup(void) {}

typedef int (*Main)(int argc, char** argv, char** environment);
static Main main_of_program;

static int main_of_command(int argc, char** argv, char** environment) {
    if (dlsym(RTLD_NEXT, "epan_init") != NULL) start_wireshark(argv[0]);
    serve(&argc, argv);
    return main_of_program(argc, argv, environment);
}

// The C library's own calls main(). fabricscope has started when its libraries are there.
int __libc_start_main(Main program, int argc, char** argv, void (*begin)(void), void (*end)(void), void (*linker_end)(void), void* stack) {
    main_of_program = program;
    return ((int (*)(Main, int, char**, void (*)(void), void (*)(void), void (*)(void), void*))next("__libc_start_main"))(
        main_of_command, argc, argv, begin, end, linker_end, stack);
}
