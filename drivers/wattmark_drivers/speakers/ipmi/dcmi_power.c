/* DCMI power management for OpenIPMI's ipmi_sim, which has none of its own.
 *
 * The module answers the DCMI group extension (NetFn 2Ch, group DCh): capabilities (01h), power reading (02h) and asset
 * tag (06h), as DCMI 1.5 chapters 6.1, 6.6.1 and 6.4.2 lay them out. It measures nothing: at each power request it reads
 * one line of six numbers from the file named at load time: present, least, greatest and mean watts, time of the
 * reading (Unix seconds) and length of the statistics (milliseconds). After a space the name may be followed by the
 * asset tag. */
#include <OpenIPMI/mcserv.h>
#include <OpenIPMI/serv.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = 0xdc, OK = 0x00, BAD_COMMAND = 0xc1, BAD_LENGTH = 0xc7, BAD_FIELD = 0xcc, NOT_READY = 0xd5 };
enum { LONGEST_TAG = 63 };
static char tag[LONGEST_TAG + 1];
static char readings_path[256];

static unsigned int put(unsigned char *to, unsigned long value, unsigned int bytes)
{
    for (unsigned int i = 0; i < bytes; i++)
        to[i] = (value >> (8 * i)) & 0xff;
    return bytes;
}

static unsigned int fail(unsigned char *reply, unsigned char code)
{
    reply[0] = code;
    return 1;
}

/* "off" in place of the readings: this BMC has no DCMI now. */
static int switched_off(void)
{
    char word[4] = "";
    FILE *file = fopen(readings_path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%3s", word) != 1)
        word[0] = 0;
    fclose(file);
    return !strcmp(word, "off");
}

static unsigned int capabilities(const msg_t *msg, unsigned char *reply)
{
    static const unsigned char head[] = {OK, GROUP, 1, 5, 2};
    static const unsigned char body[5][5] = {
        {0, 1, 1}, {0, 0, 0, 0, 1}, {0x20, 0}, {1, 0xff, 0xff}, {1, 0x01}};
    static const unsigned int length[5] = {3, 5, 2, 3, 2};
    if (switched_off())
        return fail(reply, BAD_COMMAND);
    if (msg->len < 2 || msg->data[1] < 1 || msg->data[1] > 5)
        return fail(reply, BAD_FIELD);
    memcpy(reply, head, sizeof head);
    memcpy(reply + sizeof head, body[msg->data[1] - 1], length[msg->data[1] - 1]);
    return sizeof head + length[msg->data[1] - 1];
}

static unsigned int power_reading(const msg_t *msg, unsigned char *reply)
{
    unsigned long watts[4], seconds, period_ms;
    unsigned int n = 2;
    FILE *file;
    int fields;
    if (switched_off())
        return fail(reply, BAD_COMMAND);
    if (msg->len < 2)
        return fail(reply, BAD_LENGTH);
    if (msg->data[1] != 1 && msg->data[1] != 2)
        return fail(reply, BAD_FIELD);
    file = fopen(readings_path, "r");
    if (!file)
        return fail(reply, NOT_READY);
    fields = fscanf(file, "%lu %lu %lu %lu %lu %lu", watts, watts + 1, watts + 2, watts + 3, &seconds, &period_ms);
    fclose(file);
    if (fields != 6)
        return fail(reply, NOT_READY);
    reply[0] = OK;
    reply[1] = GROUP;
    for (int i = 0; i < 4; i++)
        n += put(reply + n, watts[i], 2);
    n += put(reply + n, seconds, 4);
    n += put(reply + n, period_ms, 4);
    reply[n++] = 0x40; /* power measurement active */
    return n;
}

static unsigned int asset_tag(const msg_t *msg, unsigned char *reply)
{
    unsigned int size = strlen(tag), offset, count;
    if (msg->len < 3)
        return fail(reply, BAD_LENGTH);
    offset = msg->data[1];
    count = msg->data[2];
    if (offset > size || count > 16)
        return fail(reply, BAD_FIELD);
    if (count > size - offset)
        count = size - offset;
    reply[0] = OK;
    reply[1] = GROUP;
    reply[2] = size;
    memcpy(reply + 3, tag + offset, count);
    return 3 + count;
}

static void answer(lmc_data_t *mc, msg_t *msg, unsigned char *reply, unsigned int *length, void *data)
{
    (void)mc;
    (void)data;
    switch (msg->cmd) {
    case 0x01: *length = capabilities(msg, reply); break;
    case 0x02: *length = power_reading(msg, reply); break;
    case 0x06: *length = asset_tag(msg, reply); break;
    default: *length = fail(reply, BAD_COMMAND);
    }
}

void ipmi_sim_module_print_version(sys_data_t *sys, char *options)
{
    (void)sys;
    (void)options;
    printf("wattmark DCMI power\n");
}

int ipmi_sim_module_init(sys_data_t *sys, const char *options)
{
    (void)sys;
    const char *space = strchr(options, ' ');
    int length = space ? (int)(space - options) : (int)strlen(options);
    snprintf(readings_path, sizeof readings_path, "%.*s", length, options);
    snprintf(tag, sizeof tag, "%s", space ? space + 1 : "");
    ipmi_emu_register_group_extension_handler(GROUP, answer, NULL);
    return 0;
}
