/* A system that fails: LD_PRELOAD it, and the FAULT_AT-th call that changes files (1 is the first
 * one) ends the process (FAULT=kill) or fails with FAULT's number, as do all later calls that need
 * space. FAULT_LOG gets a line for each call. With FAULT_THREADS no thread can be made. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int calls;

static void logged(int number, const char *name) {
  const char *path = getenv("FAULT_LOG");
  if (!path)
    return;
  static int (*open_)(const char *, int, ...);
  static ssize_t (*write_)(int, const void *, size_t);
  if (!open_) {
    open_ = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    write_ = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  }
  char line[64];
  int length = snprintf(line, sizeof line, "%d %s\n", number, name);
  int fd = open_(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (fd >= 0) {
    if (write_(fd, line, (size_t)length) < 0)
      abort();
    close(fd);
  }
}

/* Returns whether this call fails; errno is set then. */
static int fails(const char *name, int uses_space) {
  const char *at = getenv("FAULT_AT"), *fault = getenv("FAULT");
  int number = atomic_fetch_add(&calls, 1) + 1, wanted = at ? atoi(at) : 0;
  logged(number, name);
  if (!wanted || !fault || number < wanted)
    return 0;
  if (!strcmp(fault, "kill")) {
    if (number == wanted)
      kill(getpid(), SIGKILL);
    return 0;
  }
  if (number > wanted && !uses_space)
    return 0;
  errno = atoi(fault);
  return 1;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size) {
  REAL(write);
  return fd > 2 && fails("write", 1) ? -1 : real(fd, data, size);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  return fd > 2 && fails("writev", 1) ? -1 : real(fd, parts, count);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  REAL(pwrite64);
  return fails("pwrite", 1) ? -1 : real(fd, data, size, at);
}
int ftruncate64(int fd, off64_t size) {
  REAL(ftruncate64);
  return fails("ftruncate", 1) ? -1 : real(fd, size);
}
int fsync(int fd) {
  REAL(fsync);
  return fails("fsync", 0) ? -1 : real(fd);
}
int rename(const char *from, const char *to) {
  REAL(rename);
  return fails("rename", 0) ? -1 : real(from, to);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  REAL(renameat2);
  return fails("renameat2", 0) ? -1 : real(from_folder, from, to_folder, to, flags);
}
int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  return fails("mkdir", 1) ? -1 : real(path, mode);
}
int unlink(const char *path) {
  REAL(unlink);
  return fails("unlink", 0) ? -1 : real(path);
}
int unlinkat(int folder, const char *path, int flags) {
  REAL(unlinkat);
  return fails("unlinkat", 0) ? -1 : real(folder, path, flags);
}
int rmdir(const char *path) {
  REAL(rmdir);
  return fails("rmdir", 0) ? -1 : real(path);
}
int remove(const char *path) {
  REAL(remove);
  return fails("remove", 0) ? -1 : real(path);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
  REAL(pthread_create);
  return getenv("FAULT_THREADS") ? EAGAIN : real(thread, attributes, run, argument);
}
static int opened(const char *path, int flags, mode_t mode, const char *name) {
  int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
  return (flags & O_CREAT) && fails("open", 1) ? -1 : real(path, flags, mode);
}
static mode_t mode_of(int flags, va_list list) {
  return flags & O_CREAT ? va_arg(list, mode_t) : 0;
}
#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...) {                                                     \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    mode_t mode = mode_of(flags, list);                                                            \
    va_end(list);                                                                                  \
    return opened(path, flags, mode, #name);                                                       \
  }
OPEN(open)
OPEN(open64)
