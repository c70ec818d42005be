/* Many Modbus TCP meters on libmodbus, each on a port of its own. Usage: modbus_meters COUNT
 * Power differs from request to request, as it does at a real meter. Prints the ports on one line and serves until standard input ends. libmodbus waits with select(), which cannot take
 * descriptors from 1024 on: at most 300 meters in one process. */
#include <arpa/inet.h>
#include <modbus.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define REGISTERS 0x10000
#define EVENTS 64

static int events;
static unsigned requests;

static void watch(int descriptor, int listens)
{
    struct epoll_event event = {.events = EPOLLIN};
    event.data.u64 = (uint64_t)descriptor << 1 | (uint64_t)listens;
    epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event);
}

static int listen_anywhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 8) ||
        getsockname(listener, (struct sockaddr *)&address, &size))
        exit(1);
    watch(listener, 1);
    return ntohs(address.sin_port);
}

static void greet(int listener)
{
    int one = 1, descriptor = accept(listener, NULL, NULL);
    if (descriptor < 0)
        return;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    watch(descriptor, 0);
}

static void put(modbus_mapping_t *map, int address, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    map->tab_input_registers[address] = (uint16_t)(bits >> 16);
    map->tab_input_registers[address + 1] = (uint16_t)bits;
}

int main(int argc, char **argv)
{
    events = epoll_create1(0);
    modbus_t *context = modbus_new_tcp("127.0.0.1", 1);
    modbus_mapping_t *map = modbus_mapping_new(0, 0, REGISTERS, REGISTERS);
    put(map, 0, 230.1f), put(map, 6, 2.72f), put(map, 12, 612.5f), put(map, 18, 625.9f), put(map, 24, 128.6f);
    put(map, 30, 0.98f), put(map, 70, 49.98f), put(map, 72, 1234.5f);
    for (int i = 0; argc == 2 && i < atoi(argv[1]); i++)
        printf("%d ", listen_anywhere());
    puts("");
    fflush(stdout);
    watch(STDIN_FILENO, 1);
    for (;;) {
        struct epoll_event due[EVENTS];
        int count = epoll_wait(events, due, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            int descriptor = (int)(due[i].data.u64 >> 1), length;
            uint8_t query[MODBUS_TCP_MAX_ADU_LENGTH];
            if (descriptor == STDIN_FILENO)
                return 0;
            if (due[i].data.u64 & 1) {
                greet(descriptor);
                continue;
            }
            modbus_set_socket(context, descriptor);
            length = modbus_receive(context, query);
            put(map, 12, 612.5f + (float)(requests++ % 64) / 8);
            if (length > 0)
                modbus_reply(context, query, length, map);
            else if (length < 0)
                close(descriptor);
        }
    }
}
