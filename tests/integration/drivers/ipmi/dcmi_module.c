/* ipmi_sim plug-in for tests: answers the DCMI power reading with the bytes that a file spells in hexadecimal.
 * An empty file answers completion code 0xC1, "code XX" the completion code XX. */
#include <OpenIPMI/mcserv.h>
#include <OpenIPMI/serv.h>
#include <stdio.h>

static char path[512];

static void dcmi(lmc_data_t *mc, msg_t *msg, unsigned char *answer, unsigned int *length, void *data)
{
    FILE *file = fopen(path, "r");
    unsigned byte;
    (void)mc;
    (void)data;
    answer[0] = 0xc1;
    *length = 1;
    if (!file || msg->cmd != 0x02)
        goto out;
    if (fscanf(file, "code %x", &byte) == 1) {
        answer[0] = byte;
        goto out;
    }
    rewind(file);
    while (*length < 32 && fscanf(file, "%2x", &byte) == 1) {
        answer[0] = 0;
        answer[(*length)++] = byte;
    }
out:
    if (file)
        fclose(file);
}

void ipmi_sim_module_print_version(sys_data_t *sys, char *options)
{
    (void)sys;
    (void)options;
}

int ipmi_sim_module_init(sys_data_t *sys, const char *options)
{
    (void)sys;
    snprintf(path, sizeof path, "%s", options);
    ipmi_emu_register_group_extension_handler(0xdc, dcmi, NULL);
    return 0;
}
