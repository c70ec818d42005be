/* Preloaded into ipmi_sim: its monotonic clock goes as far as a test allows and then stands still, so that the order of
 * what happens does not depend on how busy the machine is. It goes FAST times as fast, in steps that skip no tick.
 * Only what its event loop uses is replaced. BMC_CLOCK names the file of the two numbers that it shares with the test. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>

#define LONGEST_STEP_NS 200000000LL

static volatile long long *shared; /* allowed and passed [ns] */

static void share(void)
{
    int file = open(getenv("BMC_CLOCK"), O_RDWR);
    void *map = mmap(NULL, 2 * sizeof(long long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED)
        abort();
    shared = map;
}

int clock_gettime(clockid_t id, struct timespec *out)
{
    static int (*real)(clockid_t, struct timespec *);
    static long long first, last;
    long long now, step;
    int code;
    if (!real) {
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
        share();
    }
    code = real(id, out);
    if (id != CLOCK_MONOTONIC || code)
        return code;
    now = out->tv_sec * 1000000000LL + out->tv_nsec;
    if (!first)
        first = last = now;
    step = (now - last) * FAST;
    last = now;
    if (step > LONGEST_STEP_NS)
        step = LONGEST_STEP_NS;
    if (step > shared[0] - shared[1])
        step = shared[0] - shared[1];
    if (step > 0)
        shared[1] += step;
    now = first + shared[1];
    out->tv_sec = now / 1000000000LL;
    out->tv_nsec = now % 1000000000LL;
    return 0;
}

int epoll_pwait(int poll, struct epoll_event *events, int most, int timeout_ms, const sigset_t *mask)
{
    static int (*real)(int, struct epoll_event *, int, int, const sigset_t *);
    if (!real)
        real = (int (*)(int, struct epoll_event *, int, int, const sigset_t *))dlsym(RTLD_NEXT, "epoll_pwait");
    return real(poll, events, most, timeout_ms > 0 ? timeout_ms / FAST + 1 : timeout_ms, mask);
}
