/* Memory traffic at a chosen rate, and the latency of a load beside it.
 *
 * usage: memory_bandwidth KERNEL MB_PER_S SECONDS MIB CPUS. KERNEL is one of STREAM's (copy, scale, add, triad), or read,
 * read3 (three reads for a write) or write. All CPUs but one run it, each over arrays of its own of MIB mebibytes, at
 * MB_PER_S together or as fast as they can; the last one follows a chain of loads for a moment now and then. Prints
 * "work MB in second N, latency NS ns".
 *
 * Bytes are those that the kernel names, as STREAM counts them, 10^6 to the MB. Where the processor has stores that
 * bypass its caches they are used, so that no line is read only to be overwritten.
 */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "threads.h"

enum { LINE = 64, MOST_CPUS = 4096, BLOCK = 8192 /* doubles of each array between two looks at the clock */ };
enum { UNPACED = 10000000 }; /* MB/s, more than any machine has */
static const double START[4] = {0.0, 2.0, 3.0, 5.0}; /* what the arrays hold; the first is written */
static const double FACTOR = 0.42;
static const double LATE_S = 0.1; /* beyond this the rate cannot be held, and what was missed is not made up for */
static const double REST_S = 0.01; /* between two looks at the latency */
enum { CHASED = 2000, SETTLING = 200, CHAIN_MIB = 256, CACHES = 4 /* how often arrays and chain fill the cache */ };

static const struct kernel {
    const char *name;
    enum { COPY, SCALE, ADD, TRIAD, READ, READ3, WRITE } what;
    int reads, writes;
} KERNELS[] = {
    {"copy", COPY, 1, 1}, {"scale", SCALE, 1, 1}, {"add", ADD, 2, 1},     {"triad", TRIAD, 2, 1},
    {"read", READ, 1, 0}, {"read3", READ3, 3, 1}, {"write", WRITE, 0, 1},
};
static const struct kernel *kernel;
static double bytes_per_s; /* of one worker; 0: as fast as it can */
static size_t length;      /* doubles of one array */
static int cpus[MOST_CPUS];
static long workers_count;

static atomic_long ready;
static atomic_ulong chased_ns, chased; /* time and loads since the last report */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_until(double due_s)
{
    const struct timespec due = {(time_t)due_s, (long)(1e9 * (due_s - (double)(time_t)due_s))};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0) { }
}

static void stay_on(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    prctl(PR_SET_TIMERSLACK, 1000UL);
}

static void *pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "there is no memory for %zu bytes\n", bytes);
        exit(1);
    }
    madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

#ifdef __SSE2__
typedef __m128d pair;
#define LOAD(from) _mm_load_pd(from)
#define STORE(to, value) _mm_stream_pd(to, value)
#define BOTH(value) _mm_set1_pd(value)
#else
typedef double pair __attribute__((vector_size(16)));
#define LOAD(from) (*(const pair *)(from))
#define STORE(to, value) (*(pair *)(to) = (value))
#define BOTH(value) ((pair){(value), (value)})
#endif

/* Run the kernel over one block of the arrays; return what a reading kernel adds up. */
static double run_block(double *to, const double *b, const double *c, const double *d)
{
    const pair factor = BOTH(FACTOR);
    pair sum = BOTH(0.0), sum_2 = BOTH(0.0);
    switch (kernel->what) {
    case WRITE:
        for (int i = 0; i < BLOCK; i += 2) STORE(to + i, factor);
        break;
    case COPY:
        for (int i = 0; i < BLOCK; i += 2) STORE(to + i, LOAD(b + i));
        break;
    case ADD:
        for (int i = 0; i < BLOCK; i += 2) STORE(to + i, LOAD(b + i) + LOAD(c + i));
        break;
    case READ3:
        for (int i = 0; i < BLOCK; i += 2) STORE(to + i, LOAD(b + i) + LOAD(c + i) + LOAD(d + i));
        break;
    case SCALE:
        for (int i = 0; i < BLOCK; i += 2) STORE(to + i, factor * LOAD(b + i));
        break;
    case TRIAD:
        for (int i = 0; i < BLOCK; i += 2) STORE(to + i, LOAD(b + i) + factor * LOAD(c + i));
        break;
    case READ:
        for (int i = 0; i < BLOCK; i += 8) {
            sum += LOAD(b + i) + LOAD(b + i + 2);
            sum_2 += LOAD(b + i + 4) + LOAD(b + i + 6);
        }
    }
    sum += sum_2;
    return sum[0] + sum[1];
}

static double expected(void)
{
    const double b = START[1], c = START[2], d = START[3];
    switch (kernel->what) {
    case COPY: return b;
    case SCALE: return FACTOR * b;
    case ADD: return b + c;
    case TRIAD: return b + FACTOR * c;
    case READ: return BLOCK * b;
    case READ3: return b + c + d;
    case WRITE: return FACTOR;
    }
    return 0.0;
}

static void require(double value)
{
    if (fabs(value - expected()) <= 1e-9 * fabs(expected())) return;
    fprintf(stderr, "the kernel %s made %.17g where it should make %.17g\n", kernel->name, value, expected());
    exit(3);
}

static void worker_main(struct worker *worker)
{
    stay_on(cpus[worker->index]);
    double *arrays[4];
    for (int array = 0; array < 4; array++) {
        const int used = array == 0 ? kernel->writes : array <= kernel->reads;
        arrays[array] = pages(length * sizeof(double)); /* takes memory once it is written, near to who writes it */
        for (size_t i = 0; used && i < length; i++) arrays[array][i] = START[array];
    }
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < workers_count) sleep_until(now_s() + REST_S);
    const double block_bytes = (double)(kernel->reads + kernel->writes) * BLOCK * sizeof(double);
    const double step_s = bytes_per_s > 0 ? block_bytes / bytes_per_s : 0.0;
    double due_s = now_s() + step_s * (double)worker->index / (double)workers_count; /* not all at once */
    for (size_t at = 0; !atomic_load_explicit(&stop_now, memory_order_relaxed); at = at + BLOCK < length ? at + BLOCK : 0) {
        const double sum = run_block(arrays[0] + at, arrays[1] + at, arrays[2] + at, arrays[3] + at);
        if (!kernel->writes) require(sum);
        if (at == 0 && kernel->writes) {
#ifdef __SSE2__
            _mm_sfence();
#endif
            require(arrays[0][BLOCK / 2]);
        }
        atomic_fetch_add_explicit(&worker->done, (unsigned long)block_bytes, memory_order_relaxed);
        if (step_s == 0.0) continue;
        due_s += step_s;
        const double left_s = due_s - now_s();
        if (left_s > 0) sleep_until(due_s);
        else if (left_s < -LATE_S) due_s = now_s();
    }
}

struct line {
    struct line *next;
    char pad[LINE - sizeof(struct line *)];
};

/* Make one cycle through all lines in random order (Sattolo 1986). */
static struct line *tie_cycle(size_t count)
{
    uint64_t state = 88172645463325252u;
    struct line *lines = pages(count * sizeof *lines);
    uint32_t *order = malloc(count * sizeof *order);
    if (order == NULL) exit(1);
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (size_t i = count - 1; i > 0; i--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const size_t other = state % i;
        const uint32_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; i < count; i++) lines[order[i]].next = &lines[order[(i + 1) % count]];
    free(order);
    return lines;
}

/* Follow the chain now and then: often enough for a mean, and little enough to be no load of its own. */
static void *chase(void *chain)
{
    stay_on(cpus[workers_count]);
    const struct line *at = chain;
    while (!atomic_load_explicit(&stop_now, memory_order_relaxed)) {
        double begin_s = 0.0;
        for (int i = 0; i < SETTLING + CHASED; i++) {
            if (i == SETTLING) begin_s = now_s();
            at = at->next;
            __asm__ volatile("" : : "r"(at)); /* keeps the compiler from leaving the loads out */
        }
        const double end_s = now_s();
        atomic_fetch_add(&chased_ns, (unsigned long)(1e9 * (end_s - begin_s)));
        atomic_fetch_add(&chased, CHASED);
        sleep_until(end_s + REST_S);
    }
    return NULL;
}

static void report_each_second(struct worker *workers, long seconds)
{
    while (atomic_load(&ready) < workers_count) sleep_until(now_s() + REST_S);
    double due_s = now_s();
    unsigned long before = 0;
    for (long second = 1; second <= seconds; second++) {
        unsigned long bytes = 0;
        sleep_until(due_s += 1.0);
        for (long i = 0; i < workers_count; i++) bytes += atomic_load(&workers[i].done);
        const unsigned long ns = atomic_exchange(&chased_ns, 0), loads = atomic_exchange(&chased, 0);
        printf("work %.3f in second %ld, latency ", 1e-6 * (double)(bytes - before), second);
        if (loads > 0) printf("%.2f ns\n", (double)ns / (double)loads);
        else printf("unknown\n");
        fflush(stdout);
        before = bytes;
    }
}

/* Return the size of the last cache; 0 where the system does not say. The C library's own figure is not to be trusted. */
static size_t cache_bytes(void)
{
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
    size_t kib = 0;
    if (file == NULL) return 0;
    if (fscanf(file, "%zuK", &kib) != 1) kib = 0;
    fclose(file);
    return kib * 1024;
}

static void choose_cpus(long most)
{
    cpu_set_t allowed;
    long count = 0;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE && count < most; cpu++) {
        if (CPU_ISSET(cpu, &allowed)) cpus[count++] = cpu;
    }
    workers_count = count > 1 ? count - 1 : 1;
    if (count == 1) cpus[1] = cpus[0];
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS && argc > 1; i++) {
        if (strcmp(argv[1], KERNELS[i].name) == 0) kernel = &KERNELS[i];
    }
    if (kernel == NULL) {
        fprintf(stderr, "%s: argument 1 must be copy, scale, add, triad, read, read3 or write\n", argv[0]);
        return 2;
    }
    const long mb_per_s = number(argc, argv, 2, 1, UNPACED), seconds = number(argc, argv, 3, 1, 1000000);
    const long mib = number(argc, argv, 4, 1, 1048576);
    choose_cpus(number(argc, argv, 5, 1, MOST_CPUS - 1));
    bytes_per_s = mb_per_s == UNPACED ? 0.0 : 1e6 * (double)mb_per_s / (double)workers_count;
    const size_t arrays = (size_t)(kernel->reads + kernel->writes), bytes = (size_t)mib * 1048576;
    const size_t filling = CACHES * cache_bytes(), least = (size_t)CHAIN_MIB * 1048576;
    length = bytes / arrays / sizeof(double) / BLOCK * BLOCK;
    if (length == 0 || bytes * (size_t)workers_count < filling) {
        fprintf(stderr, "the arrays need %zu MiB for each CPU at least, to be larger than the caches\n",
                filling / (size_t)workers_count / 1048576 + arrays);
        return 2;
    }
    struct worker *workers = calloc((size_t)workers_count, sizeof *workers);
    pthread_t chaser;
    void *chain = tie_cycle((filling > least ? filling : least) / LINE);
    if (workers == NULL || pthread_create(&chaser, NULL, chase, chain) != 0) return 1;
    for (long i = 0; i < workers_count; i++) {
        workers[i].index = i;
        if (pthread_create(&workers[i].thread, NULL, start_worker, &workers[i]) != 0) {
            fprintf(stderr, "thread %ld of %ld cannot be started\n", i + 1, workers_count);
            return 1;
        }
    }
    report_each_second(workers, seconds);
    atomic_store(&stop_now, 1);
    for (long i = 0; i < workers_count; i++) pthread_join(workers[i].thread, NULL);
    pthread_join(chaser, NULL);
    return 0;
}
