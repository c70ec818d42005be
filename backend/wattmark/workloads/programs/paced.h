/* Units of work that are started at a rate, in open loop, by as many threads as asked for.
 *
 * Unit k is due k / rate after the begin. Whoever is free takes the next unit, waits until it is due and does it; one
 * that is due already is done at once. A rate beyond what the machine can do so shows the most that it can do, and a
 * rate below is held however long single units take, as long as threads are free.
 *
 * A program defines `prepare_worker` and `do_unit`, and calls `paced` from main. Its first three arguments are
 * THREADS, UNITS (asked for in 10 s) and SECONDS. It prints "work COUNT in second N", as threads.h does.
 */
#ifndef WATTMARK_PACED_H
#define WATTMARK_PACED_H

#include <stdint.h>

#include "threads.h"

enum { PACED_ARGUMENTS = 3 };

static void *prepare_worker(long index);
static void do_unit(void *state, unsigned long unit);

static double paced_units_per_s, paced_run_s;
static atomic_ulong paced_next;
static struct timespec paced_begin;
static pthread_barrier_t paced_prepared, paced_started;

/* A failure of the work itself: the exit status tells, and standard error why. */
static void fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static inline void *room_for(size_t bytes)
{
    void *room = NULL;
    if (posix_memalign(&room, 4096, bytes) != 0) fail("there is not enough memory for the work");
    return room;
}

static inline uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13; /* xorshift64, Marsaglia 2003 */
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static inline uint64_t seed_of(unsigned long number)
{
    return (number + 1) * 0x9e3779b97f4a7c15u; /* never 0, which xorshift would keep */
}

static void wait_until(double due_s)
{
    struct timespec now, due = paced_begin;
    due.tv_sec += (time_t)due_s;
    due.tv_nsec += (long)(1e9 * (due_s - (double)(time_t)due_s));
    if (due.tv_nsec >= 1000000000) {
        due.tv_nsec -= 1000000000;
        due.tv_sec++;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > due.tv_sec || (now.tv_sec == due.tv_sec && now.tv_nsec >= due.tv_nsec)) return;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0) { }
}

static void worker_main(struct worker *worker)
{
    void *state = prepare_worker(worker->index);
    pthread_barrier_wait(&paced_prepared);
    pthread_barrier_wait(&paced_started);
    for (;;) {
        const unsigned long unit = atomic_fetch_add_explicit(&paced_next, 1, memory_order_relaxed);
        const double due_s = (double)unit / paced_units_per_s;
        if (due_s >= paced_run_s) return;
        wait_until(due_s);
        if (atomic_load_explicit(&stop_now, memory_order_relaxed)) return;
        do_unit(state, unit);
        atomic_fetch_add_explicit(&worker->done, 1, memory_order_relaxed);
    }
}

/* The clock of the units starts when every thread is prepared, so that none is late at the begin. */
static void begin_units(void)
{
    pthread_barrier_wait(&paced_prepared);
    clock_gettime(CLOCK_MONOTONIC, &paced_begin);
    pthread_barrier_wait(&paced_started);
}

static int paced(int argc, char **argv)
{
    const long threads = number(argc, argv, 1, 1, 4096);
    paced_units_per_s = (double)number(argc, argv, 2, 1, 1000000000) / 10;
    paced_run_s = (double)number(argc, argv, 3, 1, 1000000);
    pthread_barrier_init(&paced_prepared, NULL, (unsigned)threads + 1);
    pthread_barrier_init(&paced_started, NULL, (unsigned)threads + 1);
    return work_from(threads, (long)paced_run_s, begin_units);
}

#endif
