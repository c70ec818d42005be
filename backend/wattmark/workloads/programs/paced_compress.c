/* Compress text by LZW (Welch 1984), a block of 32 KiB to a unit, at a rate.
 *
 * usage: paced_compress THREADS UNITS_IN_10_S SECONDS. The text is drawn word by word, short words more often. Before
 * the begin every block is expanded again and compared; each unit must give as many codes as it did then.
 */
#include <string.h>

#include "paced.h"

enum { BLOCK = 32768, BLOCKS = 16, SLOTS = 1 << 16, FIRST_CODE = 256 };

struct compressor {
    unsigned char text[BLOCKS][BLOCK];
    size_t codes[BLOCKS];
    uint32_t keys[SLOTS]; /* prefix and next byte, plus 1; 0: empty */
    uint16_t values[SLOTS];
    uint16_t out[BLOCK];
};

static void write_text(unsigned char *text, uint64_t *state)
{
    for (size_t at = 0; at < BLOCK;) {
        const size_t length = 1 + draw(state) % (1 + draw(state) % 9);
        uint64_t word = seed_of(draw(state) % (16u << length));
        for (size_t i = 0; i < length && at < BLOCK; i++) text[at++] = (unsigned char)('a' + draw(&word) % 26);
        if (at < BLOCK) text[at++] = ' ';
    }
}

static size_t compress_block(struct compressor *c, const unsigned char *text)
{
    uint32_t prefix = text[0], next = FIRST_CODE;
    size_t count = 0;
    memset(c->keys, 0, sizeof c->keys);
    for (size_t i = 1; i < BLOCK; i++) {
        const uint32_t key = (prefix << 8 | text[i]) + 1;
        uint32_t slot = key * 2654435761u >> 16;
        while (c->keys[slot] != 0 && c->keys[slot] != key) slot = (slot + 1) % SLOTS;
        if (c->keys[slot] == key) {
            prefix = c->values[slot];
            continue;
        }
        c->out[count++] = (uint16_t)prefix;
        c->keys[slot] = key;
        c->values[slot] = (uint16_t)next++;
        prefix = text[i];
    }
    c->out[count++] = (uint16_t)prefix;
    return count;
}

static void expand_and_compare(const struct compressor *c, size_t count, const unsigned char *text)
{
    /* code FIRST_CODE + i is the string of code i with the first byte of that of code i + 1: it stands where code i does */
    static _Thread_local size_t begin[BLOCK + 1];
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        begin[i] = at;
        if (c->out[i] < FIRST_CODE) {
            if (text[at++] != c->out[i]) fail("a compressed block does not expand to its text");
            continue;
        }
        const size_t of = c->out[i] - FIRST_CODE, length = begin[of + 1] - begin[of] + 1;
        if (at + length > BLOCK || memcmp(text + at, text + begin[of], length) != 0)
            fail("a compressed block does not expand to its text");
        at += length;
    }
    if (at != BLOCK) fail("a compressed block does not expand to all of its text");
}

static void *prepare_worker(long index)
{
    struct compressor *c = room_for(sizeof *c);
    uint64_t state = seed_of((unsigned long)index);
    for (int block = 0; block < BLOCKS; block++) {
        write_text(c->text[block], &state);
        c->codes[block] = compress_block(c, c->text[block]);
        expand_and_compare(c, c->codes[block], c->text[block]);
    }
    return c;
}

static void do_unit(void *state, unsigned long unit)
{
    struct compressor *c = state;
    const int block = (int)(unit % BLOCKS);
    if (compress_block(c, c->text[block]) != c->codes[block]) fail("a block was compressed to another size than before");
}

int main(int argc, char **argv)
{
    return paced(argc, argv);
}
