/* Shifts the wall clock that a process sees, by the seconds in the file that CHAOS_SKEW names: loaded before the C
   library's own. The monotonic clock is left alone, as it is when somebody sets a machine's clock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile double *shift;
static int (*real_gettime)(clockid_t, struct timespec *);

static void __attribute__((constructor)) begin(void) {
    real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    const char *path = getenv("CHAOS_SKEW");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file >= 0) {
        void *page = mmap(NULL, sizeof(double), PROT_READ, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) shift = page;
        close(file);
    }
}

int clock_gettime(clockid_t which, struct timespec *at) {
    if (!real_gettime) real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real_gettime(which, at);
    if (result == 0 && shift && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        at->tv_sec += (time_t)*shift;
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    (void)zone;
    if (at) { at->tv_sec = now.tv_sec; at->tv_usec = now.tv_nsec / 1000; }
    return result;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
