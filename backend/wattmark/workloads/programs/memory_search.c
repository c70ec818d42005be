/* Search in memory: lottery tickets that hold a drawn number.
 *
 * usage: memory_search THREADS SECONDS MIB. Each thread has MIB mebibytes of tickets (64-bit numbers). One search reads
 * 64 KiB of them from a random place on and counts those with the drawn number. Prints "work SEARCHES in second N".
 */
#include <stdint.h>

#include "threads.h"

enum { TICKETS = 65536 / sizeof(uint64_t) };

static size_t tickets_per_thread;

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13; /* xorshift64, Marsaglia 2003 */
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static uint64_t *buy_tickets(uint64_t *state)
{
    uint64_t *tickets = malloc(tickets_per_thread * sizeof *tickets);
    if (tickets == NULL) {
        fprintf(stderr, "there is no memory for %zu tickets per thread\n", tickets_per_thread);
        exit(1);
    }
    for (size_t i = 0; i < tickets_per_thread; i++) tickets[i] = draw(state);
    return tickets;
}

static void worker_main(struct worker *worker)
{
    static volatile uint64_t sink; /* keeps the compiler from leaving the work out */
    uint64_t state = 88172645463325252u + (uint64_t)worker->index;
    uint64_t *tickets = buy_tickets(&state);
    while (!atomic_load_explicit(&stop_now, memory_order_relaxed)) {
        const uint64_t drawn = draw(&state), *from = tickets + draw(&state) % (tickets_per_thread - TICKETS);
        uint64_t winners = 0;
        for (int i = 0; i < TICKETS; i++) winners += from[i] == drawn;
        sink += winners;
        atomic_fetch_add_explicit(&worker->done, 1, memory_order_relaxed);
    }
    free(tickets);
}

int main(int argc, char **argv)
{
    const long threads = number(argc, argv, 1, 1, 4096), seconds = number(argc, argv, 2, 1, 1000000);
    tickets_per_thread = (size_t)number(argc, argv, 3, 1, 1048576) * 1048576 / sizeof(uint64_t);
    return work(threads, seconds);
}
