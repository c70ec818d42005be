/* Threads that work until time is up, and a line of progress for each second: "work AMOUNT in second N". */
#ifndef WATTMARK_THREADS_H
#define WATTMARK_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct worker {
    pthread_t thread;
    long index;
    atomic_ulong done;
    char pad[64]; /* one cache line between the counters of two threads */
};

static atomic_int stop_now;

static void worker_main(struct worker *worker);

static void *start_worker(void *given)
{
    worker_main(given);
    return NULL;
}

/* Print the work of each second, at absolute times, so that the lines do not drift. */
static void report(struct worker *workers, long count, long seconds)
{
    struct timespec due;
    unsigned long before = 0;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (long second = 0; second < seconds; second++) {
        unsigned long sum = 0;
        due.tv_sec++;
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0) { }
        for (long i = 0; i < count; i++) sum += atomic_load(&workers[i].done);
        printf("work %lu in second %ld\n", sum - before, second + 1);
        fflush(stdout);
        before = sum;
    }
}

static long number(int argc, char **argv, int at, long low, long high)
{
    char *end = NULL;
    long value = at < argc ? strtol(argv[at], &end, 10) : low - 1;
    if (end == NULL || *end != '\0' || value < low || value > high) {
        fprintf(stderr, "%s: argument %d must be a whole number from %ld to %ld\n", argv[0], at, low, high);
        exit(2);
    }
    return value;
}

/* Run `count` threads for `seconds`, reporting from when `started` returns; NULL: at once. */
static int work_from(long count, long seconds, void (*started)(void))
{
    struct worker *workers = calloc((size_t)count, sizeof *workers);
    if (workers == NULL) return 1;
    for (long i = 0; i < count; i++) {
        workers[i].index = i;
        if (pthread_create(&workers[i].thread, NULL, start_worker, &workers[i]) != 0) {
            fprintf(stderr, "thread %ld of %ld cannot be started\n", i + 1, count);
            return 1;
        }
    }
    if (started != NULL) started();
    report(workers, count, seconds);
    atomic_store(&stop_now, 1);
    for (long i = 0; i < count; i++) pthread_join(workers[i].thread, NULL);
    free(workers);
    return 0;
}

static inline int work(long count, long seconds)
{
    return work_from(count, seconds, NULL);
}

#endif
