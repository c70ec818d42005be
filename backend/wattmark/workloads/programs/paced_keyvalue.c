/* A key-value store in memory: 4,096 requests at random keys to a unit, one in twenty of them a write, at a rate.
 *
 * usage: paced_keyvalue THREADS UNITS_IN_10_S SECONDS MIB. All threads share one hash table of MIB mebibytes, half full,
 * with linear probing. The value of a key follows from the key; one that does not ends the program. Share of writes as
 * in workload B of YCSB (Cooper and others 2010), keys drawn evenly.
 */
#include "paced.h"

enum { REQUESTS = 4096, WRITE_EVERY = 20 };

struct slot {
    atomic_ullong key; /* 0: empty */
    atomic_ullong value;
};

static struct slot *table;
static size_t slots, keys;
static long threads;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u; /* SplitMix64, Steele and others 2014 */
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The slot of a key; an empty one is taken for it. */
static struct slot *slot_of(uint64_t key)
{
    for (size_t at = mix(key) % slots;; at = at + 1 == slots ? 0 : at + 1) {
        unsigned long long there = atomic_load_explicit(&table[at].key, memory_order_relaxed);
        if (there == 0 && atomic_compare_exchange_strong(&table[at].key, &there, key)) return &table[at];
        if (there == key) return &table[at];
    }
}

static void *prepare_worker(long index)
{
    for (uint64_t key = (uint64_t)index + 1; key <= keys; key += (uint64_t)threads)
        atomic_store_explicit(&slot_of(key)->value, mix(~key), memory_order_relaxed);
    return NULL;
}

static void do_unit(void *state, unsigned long unit)
{
    uint64_t seed = seed_of(unit);
    (void)state;
    for (int i = 0; i < REQUESTS; i++) {
        const uint64_t key = 1 + draw(&seed) % keys;
        struct slot *slot = slot_of(key);
        if (atomic_load_explicit(&slot->value, memory_order_relaxed) != mix(~key))
            fail("a key has another value than it was stored with");
        if (i % WRITE_EVERY == 0) atomic_store_explicit(&slot->value, mix(~key), memory_order_relaxed);
    }
}

int main(int argc, char **argv)
{
    threads = number(argc, argv, 1, 1, 4096);
    slots = (size_t)number(argc, argv, PACED_ARGUMENTS + 1, 1, 16777216) * 1048576 / sizeof *table;
    keys = slots / 2;
    table = calloc(slots, sizeof *table);
    if (table == NULL) fail("there is not enough memory for the table");
    return paced(argc, argv);
}
