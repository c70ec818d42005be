/* Preloaded into ipmi_sim: its monotonic clock runs FAST times as fast, so that two idle minutes pass in two seconds.
 * Only what its event loop uses is replaced. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <sys/epoll.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *out)
{
    static int (*real)(clockid_t, struct timespec *);
    static long long first;
    long long now;
    int code;
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    code = real(id, out);
    if (id != CLOCK_MONOTONIC || code)
        return code;
    now = out->tv_sec * 1000000000LL + out->tv_nsec;
    if (!first)
        first = now;
    now = first + (now - first) * FAST;
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
