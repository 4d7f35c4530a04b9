/* A disk that can be watched and made to fail, put between a test's worker process and the C library.
 *
 * Load it with LD_PRELOAD and MEMFORT_DISK_ROOT set to the store's directory. With MEMFORT_DISK_TRACE it records what
 * is done to the files there, with the data, so that the state of the disk after a power cut at any moment can be
 * rebuilt. The worker marks what it has acknowledged with disk_mark(), and arms a failure with disk_fail() or a lack
 * of space with disk_space(). The log's index (-shm) is mapped memory that SQLite rebuilds; it is left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESCRIPTORS 1024
enum { NONE = 0, WRITE = 1, SYNC = 2 };

static char names[DESCRIPTORS][256]; /* the path below the root of each open file that is watched; "" if none */
static char watched[DESCRIPTORS];
static int trace = -1, ready = 0;
static const char *root;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fail_kind, fail_after, fail_errno, fail_forever;
static long long space = -1; /* bytes left on the disk; -1 is no limit */

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);
static int (*real_fallocate)(int, off_t, off_t);

static void start(void) {
    if (ready) return;
    real_open = dlsym(RTLD_NEXT, "open64");
    real_close = dlsym(RTLD_NEXT, "close");
    real_write = dlsym(RTLD_NEXT, "write");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    real_rename = dlsym(RTLD_NEXT, "rename");
    real_fallocate = dlsym(RTLD_NEXT, "posix_fallocate64");
    root = getenv("MEMFORT_DISK_ROOT");
    const char *path = getenv("MEMFORT_DISK_TRACE");
    if (path) trace = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ready = 1;
}

/* The part of a path below the root, or NULL if it is not one of the store's files. The root itself is "". */
static const char *below(const char *path) {
    if (!root || !path) return NULL;
    size_t length = strlen(root);
    if (strncmp(path, root, length) != 0) return NULL;
    if (path[length] == 0) return path + length;
    if (path[length] != '/') return NULL;
    const char *name = path + length + 1;
    size_t end = strlen(name);
    if (end > 255 || (end > 4 && strcmp(name + end - 4, "-shm") == 0)) return NULL;
    return name;
}

/* One line of the trace: kind, name, a second name, a number, and data. */
static void record(char kind, const char *name, const char *other, int64_t number, const void *data, uint64_t size) {
    if (trace < 0) return;
    uint8_t head[1 + 1 + 1 + 8 + 8];
    uint8_t first = strlen(name), second = strlen(other);
    head[0] = kind;
    head[1] = first;
    head[2] = second;
    memcpy(head + 3, &number, 8);
    memcpy(head + 11, &size, 8);
    real_write(trace, head, sizeof head);
    real_write(trace, name, first);
    real_write(trace, other, second);
    if (size) real_write(trace, data, size);
}

void disk_mark(const char *text) {
    start();
    pthread_mutex_lock(&lock);
    record('m', "", "", 0, text, strlen(text));
    pthread_mutex_unlock(&lock);
}

/* Let the calls of a kind (1 writes, 2 syncs) fail after `after` more of them: one, or all from there on. */
void disk_fail(int kind, int after, int error, int forever) {
    fail_kind = kind;
    fail_after = after;
    fail_errno = error;
    fail_forever = forever;
}

void disk_space(long long bytes) { space = bytes; }

static int is_watched(int fd) { return fd >= 0 && fd < DESCRIPTORS && watched[fd]; }

static int fails(int kind) {
    if (fail_kind != kind) return 0;
    if (fail_after > 0) {
        fail_after--;
        return 0;
    }
    if (!fail_forever) fail_kind = NONE;
    errno = fail_errno;
    return 1;
}

/* Whether growing a file to `end` fits on the disk. */
static int fits(int fd, long long end) {
    struct stat about;
    if (space < 0 || fstat(fd, &about) != 0 || end <= about.st_size) return 1;
    if (end - about.st_size > space) {
        errno = ENOSPC;
        return 0;
    }
    space -= end - about.st_size;
    return 1;
}

static void gives_back(const char *path) {
    struct stat about;
    if (space >= 0 && below(path) && stat(path, &about) == 0) space += about.st_size;
}

static int opened(int fd, const char *path, int flags, int is_new) {
    const char *name = below(path);
    if (fd < 0 || fd >= DESCRIPTORS || !name) return fd;
    pthread_mutex_lock(&lock);
    watched[fd] = 1;
    strcpy(names[fd], name);
    if (is_new) record('c', name, "", 0, NULL, 0);
    if (flags & O_TRUNC) record('t', name, "", 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return fd;
}

static int open_any(const char *path, int flags, int mode) {
    start();
    struct stat about;
    int is_new = (flags & O_CREAT) && below(path) && stat(path, &about) != 0;
    return opened(real_open(path, flags, mode), path, flags, is_new);
}

#define MODE_OF(flags)                      \
    int mode = 0;                           \
    if ((flags) & (O_CREAT | O_TMPFILE)) {  \
        va_list rest;                       \
        va_start(rest, flags);              \
        mode = va_arg(rest, int);           \
        va_end(rest);                       \
    }

int open(const char *path, int flags, ...) { MODE_OF(flags) return open_any(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return open_any(path, flags, mode); }

int close(int fd) {
    start();
    if (is_watched(fd)) watched[fd] = 0;
    return real_close(fd);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) {
    start();
    if (!is_watched(fd)) return real_pwrite(fd, data, size, at);
    pthread_mutex_lock(&lock);
    ssize_t done = fails(WRITE) || !fits(fd, at + (long long)size) ? -1 : real_pwrite(fd, data, size, at);
    if (done > 0) record('w', names[fd], "", at, data, done);
    pthread_mutex_unlock(&lock);
    return done;
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }

ssize_t write(int fd, const void *data, size_t size) {
    start();
    if (!is_watched(fd)) return real_write(fd, data, size);
    off_t at = lseek(fd, 0, SEEK_CUR);
    pthread_mutex_lock(&lock);
    ssize_t done = fails(WRITE) || !fits(fd, at + (long long)size) ? -1 : real_write(fd, data, size);
    if (done > 0) record('w', names[fd], "", at, data, done);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate64(int fd, off_t size) {
    start();
    if (!is_watched(fd)) return real_ftruncate(fd, size);
    struct stat before;
    pthread_mutex_lock(&lock);
    int answer = fstat(fd, &before) || !fits(fd, size) ? -1 : real_ftruncate(fd, size);
    if (answer == 0) record('t', names[fd], "", size, NULL, 0);
    if (answer == 0 && space >= 0 && size < before.st_size) space += before.st_size - size;
    pthread_mutex_unlock(&lock);
    return answer;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int synced(int fd, int (*real)(int)) {
    if (!is_watched(fd)) return real(fd);
    pthread_mutex_lock(&lock);
    int answer = fails(SYNC) ? -1 : 0; /* the disk is simulated: nothing need really reach it, and tests run faster */
    if (answer == 0) record('s', names[fd], "", 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return answer;
}
int fsync(int fd) {
    start();
    return synced(fd, real_fsync);
}
int fdatasync(int fd) {
    start();
    return synced(fd, real_fdatasync);
}

int unlink(const char *path) {
    start();
    const char *name = below(path);
    pthread_mutex_lock(&lock);
    gives_back(path);
    int answer = real_unlink(path);
    if (answer == 0 && name) record('u', name, "", 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return answer;
}

int rename(const char *from, const char *to) {
    start();
    const char *name = below(from), *other = below(to);
    pthread_mutex_lock(&lock);
    int answer = real_rename(from, to);
    if (answer == 0 && name && other) record('r', name, other, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return answer;
}

int posix_fallocate64(int fd, off_t at, off_t size) {
    start();
    if (is_watched(fd) && !fits(fd, at + size)) return ENOSPC;
    return real_fallocate(fd, at, size);
}
int posix_fallocate(int fd, off_t at, off_t size) { return posix_fallocate64(fd, at, size); }
