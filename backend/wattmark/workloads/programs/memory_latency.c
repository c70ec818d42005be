/* Loads that wait for each other: how long one access takes in a working set of a given size.
 *
 * usage: memory_latency KIB SECONDS. One thread follows a random cycle through all 64-byte lines of the working set, so
 * that each load needs the one before. Prints "work LOADS in second N"; 1 s / LOADS is the latency.
 */
#include <stdint.h>

#include "threads.h"

enum { LINE = 64, LOADS = 4096 };

struct line {
    struct line *next;
    char pad[LINE - sizeof(struct line *)];
};

static struct line *lines;
static size_t line_count;

/* Make one cycle through all lines in random order (Sattolo 1986). */
static void tie_cycle(void)
{
    uint64_t state = 88172645463325252u;
    size_t *order = malloc(line_count * sizeof *order);
    if (order == NULL) exit(1);
    for (size_t i = 0; i < line_count; i++) order[i] = i;
    for (size_t i = line_count - 1; i > 0; i--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const size_t other = state % i, kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; i < line_count; i++) lines[order[i]].next = &lines[order[(i + 1) % line_count]];
    free(order);
}

static void worker_main(struct worker *worker)
{
    struct line *at = lines;
    while (!atomic_load_explicit(&stop_now, memory_order_relaxed)) {
        for (int i = 0; i < LOADS; i++) at = at->next;
        __asm__ volatile("" : : "r"(at)); /* keeps the compiler from leaving the loads out */
        atomic_fetch_add_explicit(&worker->done, LOADS, memory_order_relaxed);
    }
}

int main(int argc, char **argv)
{
    line_count = (size_t)number(argc, argv, 1, 1, 1073741824) * 1024 / LINE;
    const long seconds = number(argc, argv, 2, 1, 1000000);
    lines = aligned_alloc(LINE, line_count * sizeof *lines);
    if (lines == NULL) {
        fprintf(stderr, "there is no memory for %zu lines\n", line_count);
        return 1;
    }
    tie_cycle();
    return work(1, seconds);
}
