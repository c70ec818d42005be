/* Sort 16,384 random 64-bit numbers by the C library's qsort, an array to a unit, at a rate.
 *
 * usage: paced_sort THREADS UNITS_IN_10_S SECONDS. Every array is new, and is looked through after it was sorted.
 */
#include "paced.h"

enum { NUMBERS = 16384 };

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void *prepare_worker(long index)
{
    (void)index;
    return room_for(NUMBERS * sizeof(uint64_t));
}

static void do_unit(void *state, unsigned long unit)
{
    uint64_t *numbers = state, seed = seed_of(unit);
    for (int i = 0; i < NUMBERS; i++) numbers[i] = draw(&seed);
    qsort(numbers, NUMBERS, sizeof *numbers, by_size);
    for (int i = 1; i < NUMBERS; i++)
        if (numbers[i - 1] > numbers[i]) fail("a sorted array is not in order");
}

int main(int argc, char **argv)
{
    return paced(argc, argv);
}
