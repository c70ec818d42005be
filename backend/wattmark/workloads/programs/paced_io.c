/* Read and write a file past the page cache, half and half, an operation to a unit, at a rate.
 *
 * usage: paced_io THREADS UNITS_IN_10_S SECONDS sequential|random FILE, after paced_io create FILE MIB. Sequential: blocks
 * of 256 KiB, one after the other, read from the first half of the file and written to the second. Random: blocks of
 * 4 KiB anywhere. The page cache is bypassed (O_DIRECT), so that a disk works and not memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "paced.h"

enum { LARGE = 262144, SMALL = 4096 };

static int file, in_sequence;
static off_t size;

static void *prepare_worker(long index)
{
    uint64_t *block = room_for(LARGE), state = seed_of((unsigned long)index);
    for (size_t i = 0; i < LARGE / sizeof *block; i++) block[i] = draw(&state);
    return block;
}

static void refuse(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static void do_unit(void *state, unsigned long unit)
{
    const int writes = unit % 2 != 0;
    const size_t length = in_sequence ? LARGE : SMALL;
    uint64_t seed = seed_of(unit), blocks = (uint64_t)size / length;
    uint64_t block = in_sequence ? unit / 2 % (blocks / 2) + (writes ? blocks / 2 : 0) : draw(&seed) % blocks;
    const off_t at = (off_t)(block * length);
    const ssize_t moved = writes ? pwrite(file, state, length, at) : pread(file, state, length, at);
    if (moved < 0) refuse(writes ? "the file cannot be written" : "the file cannot be read");
    if ((size_t)moved != length) fail("the file was read or written in part only");
}

static int open_past_the_cache(const char *name, int flags)
{
    const int opened = open(name, flags | O_DIRECT | O_CLOEXEC, 0600);
    if (opened < 0) refuse(errno == EINVAL ? "the folder lies on no disk (its files need the page cache)" : name);
    return opened;
}

static int create(const char *name, long mib)
{
    unsigned char *piece = prepare_worker(0);
    file = open_past_the_cache(name, O_CREAT | O_TRUNC | O_RDWR);
    for (long i = 0; i < mib * (1048576 / LARGE); i++)
        if (write(file, piece, LARGE) != LARGE) refuse("the file cannot be written");
    if (fsync(file) != 0) refuse("the file cannot be written");
    return 0;
}

int main(int argc, char **argv)
{
    struct stat about;
    if (argc == 4 && strcmp(argv[1], "create") == 0) return create(argv[2], number(argc, argv, 3, 2, 16777216));
    if (argc != PACED_ARGUMENTS + 3) fail("usage: paced_io THREADS UNITS_IN_10_S SECONDS sequential|random FILE");
    in_sequence = strcmp(argv[PACED_ARGUMENTS + 1], "sequential") == 0;
    file = open_past_the_cache(argv[PACED_ARGUMENTS + 2], O_RDWR);
    if (fstat(file, &about) != 0) refuse("the file cannot be read");
    size = about.st_size;
    return paced(argc, argv);
}
