/* Scan memory: a = b + 3 c over 1 MiB of each of three arrays to a unit, at a rate.
 *
 * usage: paced_scan THREADS UNITS_IN_10_S SECONDS MIB. Each thread has three arrays of MIB mebibytes together and goes
 * through them from begin to end, again and again; 2 MiB are read and 1 MiB is written to a unit, as in the triad of
 * STREAM (McCalpin 1995). The result is a constant, which is checked.
 */
#include "paced.h"

enum { PIECE = 1048576 / sizeof(double) };

struct arrays {
    double *a, *b, *c;
    size_t pieces, next;
};

static long mib;

static void *prepare_worker(long index)
{
    struct arrays *of = room_for(sizeof *of);
    (void)index;
    of->pieces = (size_t)mib / 3;
    of->next = 0;
    const size_t count = of->pieces * PIECE;
    of->a = room_for(count * sizeof(double));
    of->b = room_for(count * sizeof(double));
    of->c = room_for(count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        of->a[i] = 0;
        of->b[i] = 1;
        of->c[i] = 2;
    }
    return of;
}

static void do_unit(void *state, unsigned long unit)
{
    struct arrays *of = state;
    const size_t begin = of->next * PIECE, end = begin + PIECE;
    double *restrict a = of->a;
    const double *restrict b = of->b, *restrict c = of->c;
    (void)unit;
    for (size_t i = begin; i < end; i++) a[i] = b[i] + 3 * c[i];
    if (a[begin] != 7 || a[end - 1] != 7) fail("a sum in memory is not the one that was computed");
    of->next = (of->next + 1) % of->pieces;
}

int main(int argc, char **argv)
{
    mib = number(argc, argv, PACED_ARGUMENTS + 1, 3, 16777216);
    return paced(argc, argv);
}
