/* Fractals, half with whole numbers and half with floating-point numbers.
 *
 * usage: fractal THREADS SECONDS. One fractal is the Mandelbrot set on a grid of 64 x 64 points with at most 256 steps,
 * computed once in 64-bit fixed point (28 fractional bits) and once in double precision. Prints "work COUNT in second N".
 */
#include <stdint.h>

#include "threads.h"

enum { SIDE = 64, STEPS = 256, FRACTION_BITS = 28 };

static unsigned long whole_number_steps(void)
{
    const int64_t one = (int64_t)1 << FRACTION_BITS, four = 4 * one;
    unsigned long steps = 0;
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
            const int64_t re = -2 * one + 3 * one * column / SIDE, im = -3 * one / 2 + 3 * one * row / SIDE;
            int64_t x = 0, y = 0;
            for (int step = 0; step < STEPS; step++) {
                const int64_t xx = x * x >> FRACTION_BITS, yy = y * y >> FRACTION_BITS;
                if (xx + yy > four) break;
                y = (2 * x * y >> FRACTION_BITS) + im;
                x = xx - yy + re;
                steps++;
            }
        }
    }
    return steps;
}

static unsigned long floating_point_steps(void)
{
    unsigned long steps = 0;
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
            const double re = -2.0 + 3.0 * column / SIDE, im = -1.5 + 3.0 * row / SIDE;
            double x = 0, y = 0;
            for (int step = 0; step < STEPS; step++) {
                const double xx = x * x, yy = y * y;
                if (xx + yy > 4.0) break;
                y = 2 * x * y + im;
                x = xx - yy + re;
                steps++;
            }
        }
    }
    return steps;
}

static void worker_main(struct worker *worker)
{
    static volatile unsigned long sink; /* keeps the compiler from leaving the work out */
    while (!atomic_load_explicit(&stop_now, memory_order_relaxed)) {
        sink += whole_number_steps() + floating_point_steps();
        atomic_fetch_add_explicit(&worker->done, 1, memory_order_relaxed);
    }
}

int main(int argc, char **argv)
{
    const long threads = number(argc, argv, 1, 1, 4096), seconds = number(argc, argv, 2, 1, 1000000);
    return work(threads, seconds);
}
