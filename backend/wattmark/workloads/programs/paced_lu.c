/* Solve 128 linear equations by LU decomposition with partial pivoting in double precision, a system to a unit, at a rate.
 *
 * usage: paced_lu THREADS UNITS_IN_10_S SECONDS. Every system is new and made for a solution of ones, which is checked.
 * One coefficient of each row and column outweighs the others, so that no system is near to having no solution; they
 * lie off the diagonal, so that rows have to be exchanged.
 */
#include <math.h>

#include "paced.h"

enum { N = 128, STEP = 37 };

struct system {
    double a[N][N], b[N];
};

static void *prepare_worker(long index)
{
    (void)index;
    return room_for(sizeof(struct system));
}

static void make(struct system *s, unsigned long unit)
{
    uint64_t seed = seed_of(unit);
    for (int i = 0; i < N; i++) {
        s->b[i] = 0;
        for (int j = 0; j < N; j++) {
            s->a[i][j] = (double)(int64_t)draw(&seed) * 0x1p-63 + (j == STEP * i % N ? N : 0);
            s->b[i] += s->a[i][j];
        }
    }
}

static void swap(double *x, double *y)
{
    const double was = *x;
    *x = *y;
    *y = was;
}

static void do_unit(void *state, unsigned long unit)
{
    struct system *s = state;
    make(s, unit);
    for (int k = 0; k < N; k++) {
        int pivot = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(s->a[i][k]) > fabs(s->a[pivot][k])) pivot = i;
        if (s->a[pivot][k] == 0) fail("a system of equations has no solution");
        if (pivot != k) {
            for (int j = k; j < N; j++) swap(&s->a[k][j], &s->a[pivot][j]);
            swap(&s->b[k], &s->b[pivot]);
        }
        for (int i = k + 1; i < N; i++) {
            const double factor = s->a[i][k] / s->a[k][k];
            for (int j = k + 1; j < N; j++) s->a[i][j] -= factor * s->a[k][j];
            s->b[i] -= factor * s->b[k];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++) s->b[i] -= s->a[i][j] * s->b[j];
        s->b[i] /= s->a[i][i];
    }
    for (int i = 0; i < N; i++)
        if (!(fabs(s->b[i] - 1) < 1e-6)) fail("a solution is not the one that its system was made for");
}

int main(int argc, char **argv)
{
    return paced(argc, argv);
}
