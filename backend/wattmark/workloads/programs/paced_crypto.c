/* Encrypt by ChaCha20 (RFC 8439) and digest by SHA-256 (FIPS 180-4), a message of 64 KiB to a unit, at a rate.
 *
 * usage: paced_crypto THREADS UNITS_IN_10_S SECONDS. Portable C, so that the instructions are those of whole numbers on
 * every processor. Before the begin both are held against the test vectors of their standards.
 */
#include <string.h>

#include "paced.h"

enum { MESSAGE = 65536 };

static uint32_t left(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static uint32_t right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void quarter(uint32_t *s, int a, int b, int c, int d)
{
    s[a] += s[b], s[d] = left(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = left(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = left(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = left(s[b] ^ s[c], 7);
}

/* One block of key stream, as 16 words in the byte order of RFC 8439 on a little-endian machine. */
static void chacha20(uint32_t out[16], const uint32_t key[8], uint32_t counter, const uint32_t nonce[3])
{
    uint32_t first[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    memcpy(first + 4, key, 32);
    first[12] = counter;
    memcpy(first + 13, nonce, 12);
    memcpy(out, first, sizeof first);
    for (int i = 0; i < 10; i++) {
        quarter(out, 0, 4, 8, 12), quarter(out, 1, 5, 9, 13), quarter(out, 2, 6, 10, 14), quarter(out, 3, 7, 11, 15);
        quarter(out, 0, 5, 10, 15), quarter(out, 1, 6, 11, 12), quarter(out, 2, 7, 8, 13), quarter(out, 3, 4, 9, 14);
    }
    for (int i = 0; i < 16; i++) out[i] += first[i];
}

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void sha256_block(uint32_t h[8], const unsigned char *block)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
               (right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t e = right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25);
        const uint32_t a = right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22);
        const uint32_t t = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + K[i] + w[i];
        const uint32_t u = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t;
        s[0] = t + u;
    }
    for (int i = 0; i < 8; i++) h[i] += s[i];
}

/* The digest of a message of at most 55 bytes, or of whole blocks. */
static void sha256(uint32_t h[8], const unsigned char *message, size_t length)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char last[64] = {0};
    memcpy(h, first, sizeof first);
    for (size_t at = 0; at + 64 <= length; at += 64) sha256_block(h, message + at);
    memcpy(last, message + length / 64 * 64, length % 64);
    last[length % 64] = 0x80;
    for (int i = 0; i < 8; i++) last[63 - i] = (unsigned char)(8 * (uint64_t)length >> 8 * i);
    sha256_block(h, last);
}

static void hold_against_the_standards(void)
{
    static const unsigned char stream[16] = {0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15,
                                             0x50, 0x0f, 0xdd, 0x1f, 0xa3, 0x20, 0x71, 0xc4};
    static const uint32_t abc[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                    0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    static const uint32_t nonce[3] = {0x09000000, 0x4a000000, 0};
    uint32_t key[8], out[16], h[8];
    for (int i = 0; i < 32; i++) ((unsigned char *)key)[i] = (unsigned char)i;
    chacha20(out, key, 1, nonce);
    if (memcmp(out, stream, sizeof stream) != 0) fail("ChaCha20 does not give the key stream of RFC 8439, 2.3.2");
    sha256(h, (const unsigned char *)"abc", 3);
    if (memcmp(h, abc, sizeof abc) != 0) fail("SHA-256 does not give the digest of \"abc\" of FIPS 180-4");
}

static void *prepare_worker(long index)
{
    uint32_t *message = room_for(MESSAGE);
    uint64_t state = seed_of((unsigned long)index);
    hold_against_the_standards();
    for (size_t i = 0; i < MESSAGE / sizeof *message; i++) message[i] = (uint32_t)draw(&state);
    return message;
}

/* The message is encrypted where it is, so that each unit works on what the one before left. */
static void do_unit(void *state, unsigned long unit)
{
    uint32_t *message = state, key[8] = {0}, nonce[3] = {0}, stream[16], h[8];
    memcpy(key, &unit, sizeof unit);
    for (uint32_t block = 0; block < MESSAGE / sizeof stream; block++) {
        chacha20(stream, key, block, nonce);
        for (int i = 0; i < 16; i++) message[16 * block + (uint32_t)i] ^= stream[i];
    }
    sha256(h, (const unsigned char *)message, MESSAGE);
    message[0] ^= h[0]; /* the next unit needs it, so that the compiler leaves no work out */
}

int main(int argc, char **argv)
{
    return paced(argc, argv);
}
