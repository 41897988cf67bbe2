// SPDX-License-Identifier: Apache-2.0

// For tests: loaded before the C library (LD_PRELOAD), makes the n-th call of a function fail.
//
// DSDOCTOR_FAULT is "CALL N FAULT": FAULT is an errno, or `short` (one byte only), or `SIGTERM`
// (sent before the call); with `+` after N, all calls from the N-th on fail. Calls are counted from
// the program's `main` on. When the fault occurs, the file named by DSDOCTOR_FAULT_SEEN is created.

#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// Global, because the replaced functions read them, and must not allocate.
const char* call = "";              // NOLINT(*-avoid-non-const-global-variables)
const char* seen = nullptr;         // NOLINT(*-avoid-non-const-global-variables)
long number = 0;                    // NOLINT(*-avoid-non-const-global-variables)
int fault = 0;                      // NOLINT(*-avoid-non-const-global-variables)
bool is_short = false;              // NOLINT(*-avoid-non-const-global-variables)
bool is_signal = false;             // NOLINT(*-avoid-non-const-global-variables)
bool from_then_on = false;          // NOLINT(*-avoid-non-const-global-variables)
pid_t process = 0;                  // NOLINT(*-avoid-non-const-global-variables)
std::atomic<bool> in_main{false};   // NOLINT(*-avoid-non-const-global-variables)
std::atomic<long> calls_so_far{0};  // NOLINT(*-avoid-non-const-global-variables)

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Reports whether this call of the function must fail.
bool is_due(const char* name) {
  if (!in_main || std::strcmp(name, call) != 0) return false;
  const long count = ++calls_so_far;
  if (count != number && !(from_then_on && count > number)) return false;
  if (::syscall(SYS_getpid) != process) return false;  // a child of ours before exec
  const auto file = ::syscall(SYS_openat, AT_FDCWD, seen, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ::syscall(SYS_close, file);
  if (is_signal) ::kill(process, SIGTERM);
  errno = fault;
  return true;
}

using Main = int(int, char**, char**);
Main* program_main = nullptr;  // NOLINT(*-avoid-non-const-global-variables)

int counted_main(int count, char** words, char** environment) {
  // "CALL N FAULT"; strtok_r modifies it
  char* const text = std::getenv("DSDOCTOR_FAULT");
  seen = std::getenv("DSDOCTOR_FAULT_SEEN");
  if (text != nullptr && seen != nullptr) {
    char* rest = nullptr;
    call = ::strtok_r(text, " ", &rest);
    char* const times = ::strtok_r(nullptr, " ", &rest);
    from_then_on = std::strchr(times, '+') != nullptr;
    number = std::atol(times);
    is_short = std::strcmp(rest, "short") == 0;
    is_signal = std::strcmp(rest, "SIGTERM") == 0;
    fault = std::atoi(rest);
    process = ::getpid();
    ::unsetenv("LD_PRELOAD");  // not for its child processes
    in_main = true;
  }
  const int result = program_main(count, words, environment);
  in_main = false;
  return result;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
#define REPLACED(result, name, parameters, arguments)             \
  extern "C" result name parameters {                             \
    static auto* const original = next<result parameters>(#name); \
    if (is_due(#name)) return static_cast<result>(-1);            \
    return original arguments;                                    \
  }
// for `short`, `length` becomes one byte
#define TRANSFERRING(name, parameters, arguments, length)          \
  extern "C" ssize_t name parameters {                             \
    static auto* const original = next<ssize_t parameters>(#name); \
    if (is_due(#name)) {                                           \
      if (!is_short) return -1;                                    \
      (length) = std::min<decltype(length)>(length, 1);            \
    }                                                              \
    return original arguments;                                     \
  }
// for functions that return the error instead of setting errno
#define RETURNING(name, parameters, arguments)                 \
  extern "C" int name parameters {                             \
    static auto* const original = next<int parameters>(#name); \
    if (is_due(#name)) return fault;                           \
    return original arguments;                                 \
  }

extern "C" int __libc_start_main(Main* main, int count, char** words, void (*init)(),
                                 void (*fini)(), void (*loader)(), void* stack) {
  static auto* const original =
      next<int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main");
  program_main = main;
  return original(&counted_main, count, words, init, fini, loader, stack);
}

TRANSFERRING(read, (int file, void* to, size_t size), (file, to, size), size)
TRANSFERRING(write, (int file, const void* from, size_t size), (file, from, size), size)
TRANSFERRING(writev, (int file, const iovec* from, int count), (file, from, count), count)
TRANSFERRING(recv, (int file, void* to, size_t size, int flags), (file, to, size, flags), size)
TRANSFERRING(send, (int file, const void* from, size_t size, int flags), (file, from, size, flags),
             size)
REPLACED(int, fsync, (int file), (file))
REPLACED(int, rename, (const char* from, const char* to), (from, to))
REPLACED(int, unlink, (const char* path), (path))
REPLACED(int, poll, (pollfd * files, nfds_t count, int wait), (files, count, wait))
REPLACED(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
REPLACED(int, connect, (int file, const sockaddr* to, socklen_t size), (file, to, size))
REPLACED(int, pipe2, (int* ends, int flags), (ends, flags))
REPLACED(pid_t, waitpid, (pid_t which, int* status, int options), (which, status, options))
REPLACED(int, getsockopt, (int file, int level, int name, void* value, socklen_t* size),
         (file, level, name, value, size))
RETURNING(getaddrinfo,
          (const char* node, const char* service, const addrinfo* hints, addrinfo** result),
          (node, service, hints, result))
RETURNING(posix_spawn,
          (pid_t * pid, const char* path, const posix_spawn_file_actions_t* actions,
           const posix_spawnattr_t* attributes, char* const* words, char* const* variables),
          (pid, path, actions, attributes, words, variables))
RETURNING(pthread_create,
          (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* value),
          (thread, attributes, run, value))

extern "C" int close(int file) {
  static auto* const original = next<int(int)>("close");
  const bool due = is_due("close");
  const int result = original(file);
  if (!due) return result;
  errno = fault;  // closed, but reports a failure
  return -1;
}

extern "C" FILE* fopen64(const char* path, const char* mode) {
  static auto* const original = next<FILE*(const char*, const char*)>("fopen64");
  return is_due("fopen") ? nullptr : original(path, mode);
}
extern "C" FILE* fopen(const char* path, const char* mode) {
  static auto* const original = next<FILE*(const char*, const char*)>("fopen");
  return is_due("fopen") ? nullptr : original(path, mode);
}
extern "C" int open(const char* path, int flags, ...) {
  static auto* const original = next<int(const char*, int, ...)>("open");
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0U;
  va_end(more);
  return is_due("open") ? -1 : original(path, flags, mode);
}
extern "C" int stat(const char* path, struct stat* info) {
  static auto* const original = next<int(const char*, struct stat*)>("stat");
  return is_due("stat") ? -1 : original(path, info);
}

// glibc's functions by their internal names: dlsym allocates itself.
extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_calloc(size_t count, size_t size);
extern "C" void* __libc_realloc(void* old, size_t size);
extern "C" void* malloc(size_t size) { return is_due("malloc") ? nullptr : __libc_malloc(size); }
extern "C" void* calloc(size_t count, size_t size) {
  return is_due("malloc") ? nullptr : __libc_calloc(count, size);
}
extern "C" void* realloc(void* old, size_t size) {
  return is_due("malloc") ? nullptr : __libc_realloc(old, size);
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
