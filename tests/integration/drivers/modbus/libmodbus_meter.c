/* A meter on libmodbus, independent of pymodbus. Usage: libmodbus_meter tcp PORT | rtu DEVICE UNIT
 * Standard input, one command a line: "i ADDRESS WORD" sets an input register, "h ADDRESS WORD" a holding register,
 * "ramp ADDRESS" adds 1.0 to the float at that input register after each request, "go" starts to serve.
 * Says "port N" or "ready" when it serves. */
#include <arpa/inet.h>
#include <modbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static modbus_mapping_t *map;
static int ramp = -1;

static void configure(void)
{
    char line[64], what[8];
    unsigned address, word;
    while (fgets(line, sizeof line, stdin) && strncmp(line, "go", 2)) {
        if (sscanf(line, "ramp %u", &address) == 1)
            ramp = (int)address;
        else if (sscanf(line, "%7s %u %u", what, &address, &word) == 3)
            (*what == 'i' ? map->tab_input_registers : map->tab_registers)[address & 0xffff] = (uint16_t)word;
    }
}

static void climb(void)
{
    if (ramp < 0)
        return;
    uint16_t *r = map->tab_input_registers + ramp;
    uint32_t bits = ((uint32_t)r[0] << 16) | r[1];
    float value;
    memcpy(&value, &bits, 4);
    value += 1.0f;
    memcpy(&bits, &value, 4);
    r[0] = (uint16_t)(bits >> 16);
    r[1] = (uint16_t)bits;
}

static void serve(modbus_t *ctx)
{
    uint8_t query[MODBUS_TCP_MAX_ADU_LENGTH];
    int length;
    while ((length = modbus_receive(ctx, query)) >= 0) {
        if (length == 0)
            continue;
        modbus_reply(ctx, query, length, map);
        climb();
    }
}

int main(int argc, char **argv)
{
    map = modbus_mapping_new(0, 0, 65536, 65536);
    configure();
    if (argc == 4) {
        modbus_t *ctx = modbus_new_rtu(argv[2], 9600, 'N', 8, 1);
        modbus_set_slave(ctx, atoi(argv[3]));
        if (modbus_connect(ctx) < 0)
            return 1;
        puts("ready");
        fflush(stdout);
        for (;;)
            serve(ctx);
    }
    modbus_t *ctx = modbus_new_tcp("127.0.0.1", atoi(argv[2]));
    int listener = modbus_tcp_listen(ctx, 4);
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    if (listener < 0 || getsockname(listener, (struct sockaddr *)&bound, &size) < 0)
        return 1;
    printf("port %d\n", ntohs(bound.sin_port));
    fflush(stdout);
    while (modbus_tcp_accept(ctx, &listener) >= 0) {
        serve(ctx);
        modbus_close(ctx);
    }
    return 1;
}
