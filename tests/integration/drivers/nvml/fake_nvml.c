/* A stand-in for libnvidia-ml.so.1 with the public signatures of the NVML API reference: two GPUs and a MIG instance.
 * fake_nvml_set("energy", 0, value, error) plants what a question to device 0 gives; an error other than 0 is returned. */
#include <stdio.h>
#include <string.h>

typedef int nvmlReturn_t;
typedef struct device { char uuid[64]; unsigned int index; int mig; } *nvmlDevice_t;
typedef struct { unsigned int gpu, memory; } nvmlUtilization_t;
typedef struct { unsigned long long total, free, used; } nvmlMemory_t;
typedef union { double d; unsigned int ui; unsigned long ul; unsigned long long ull; long long sll; int si; } nvmlValue_t;
typedef struct {
    unsigned int fieldId, scopeId;
    long long timestamp, latencyUsec;
    int valueType;
    nvmlReturn_t nvmlReturn;
    nvmlValue_t value;
} nvmlFieldValue_t;
typedef struct { unsigned int version; int sensorType; int temperature; } nvmlTemperature_t;

enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6 };

static struct device devices[] = {
    {"GPU-11111111-2222-3333-4444-555555555555", 0, 0},
    {"GPU-66666666-7777-8888-9999-000000000000", 1, 0},
    {"GPU-aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", 2, 1},
};
static struct { char name[32]; unsigned int device; unsigned long long value; int error; } planted[128];
static int count, opened;

void fake_nvml_reset(void) { count = 0; opened = 0; }
int fake_nvml_opened(void) { return opened; }

void fake_nvml_set(const char *name, unsigned int device, unsigned long long value, int error)
{
    int i;
    for (i = 0; i < count; i++)
        if (planted[i].device == device && !strcmp(planted[i].name, name))
            break;
    if (i == count)
        count++;
    snprintf(planted[i].name, sizeof planted[i].name, "%s", name);
    planted[i].device = device;
    planted[i].value = value;
    planted[i].error = error;
}

static nvmlReturn_t look(const char *name, unsigned int device, unsigned long long *value)
{
    int i;
    for (i = 0; i < count; i++)
        if (planted[i].device == device && !strcmp(planted[i].name, name)) {
            *value = planted[i].value;
            return planted[i].error;
        }
    return NOT_SUPPORTED;
}

static nvmlReturn_t ask(nvmlDevice_t device, const char *name, unsigned long long *value)
{
    if (!opened)
        return UNINITIALIZED;
    return look(name, device->index, value);
}

#define QUESTION(function, name, type)                              \
    nvmlReturn_t function(nvmlDevice_t device, type *out)           \
    {                                                               \
        unsigned long long value = 0;                               \
        nvmlReturn_t code = ask(device, name, &value);              \
        *out = (type)value;                                         \
        return code;                                                \
    }
QUESTION(nvmlDeviceGetTotalEnergyConsumption, "energy", unsigned long long)
QUESTION(nvmlDeviceGetEnforcedPowerLimit, "enforced_limit", unsigned int)
QUESTION(nvmlDeviceGetPowerManagementDefaultLimit, "default_limit", unsigned int)
QUESTION(nvmlDeviceGetPowerUsage, "power_usage", unsigned int)
QUESTION(nvmlDeviceGetCurrentClocksThrottleReasons, "clock_limits", unsigned long long)
#ifndef OLD_DRIVER
QUESTION(nvmlDeviceGetCurrentClocksEventReasons, "clock_limits", unsigned long long)

nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t *out)
{
    unsigned long long value = 0;
    nvmlReturn_t code = ask(device, "temperature", &value);
    if (out->version != 0x100000C || out->sensorType != 0)
        return INVALID_ARGUMENT;
    out->temperature = (int)value;
    return code;
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int number, nvmlFieldValue_t *out)
{
    for (int i = 0; i < number; i++) {
        unsigned long long value = 0, type = 1;
        const char *name = out[i].fieldId == 185 ? "power_average" : out[i].fieldId == 186 ? "power_instant" : "?";
        out[i].nvmlReturn = ask(device, name, &value);
        look("field_type", device->index, &type);
        out[i].valueType = (int)type;
        out[i].value.ull = value;
    }
    return opened ? SUCCESS : UNINITIALIZED;
}
#endif

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned int *out)
{
    unsigned long long value = 0;
    nvmlReturn_t code = ask(device, "temperature", &value);
    *out = (unsigned int)value;
    return sensor ? INVALID_ARGUMENT : code;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int clock, unsigned int *out)
{
    unsigned long long value = 0;
    nvmlReturn_t code = ask(device, clock == 1 ? "clock_sm" : clock == 2 ? "clock_memory" : "?", &value);
    *out = (unsigned int)value;
    return code;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *out)
{
    unsigned long long gpu = 0, memory = 0;
    nvmlReturn_t code = ask(device, "utilisation_gpu", &gpu);
    look("utilisation_memory", device->index, &memory);
    out->gpu = (unsigned int)gpu;
    out->memory = (unsigned int)memory;
    return code;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *out)
{
    unsigned long long used = 0, total = 0;
    nvmlReturn_t code = ask(device, "memory_used", &used);
    look("memory_total", device->index, &total);
    out->total = total;
    out->used = used;
    out->free = total - used;
    return code;
}

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
    unsigned long long value = 0;
    nvmlReturn_t code = look("init", 0, &value);
    (void)flags;
    if (code != NOT_SUPPORTED && code != SUCCESS)
        return code;
    opened++;
    return SUCCESS;
}

nvmlReturn_t nvmlShutdown(void)
{
    if (!opened)
        return UNINITIALIZED;
    opened--;
    return SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t code) { (void)code; return "an error of the library"; }

nvmlReturn_t nvmlSystemGetDriverVersion(char *out, unsigned int length)
{
    snprintf(out, length, "580.95.05");
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *out) { *out = 2; return opened ? SUCCESS : UNINITIALIZED; }

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *out)
{
    if (index >= 2)
        return INVALID_ARGUMENT;
    *out = &devices[index];
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *out)
{
    for (unsigned int i = 0; i < 3; i++)
        if (!strcmp(uuid, devices[i].uuid)) {
            *out = &devices[i];
            return SUCCESS;
        }
    return NOT_FOUND;
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned int *out)
{
    *out = (unsigned int)device->mig;
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *out, unsigned int length)
{
    snprintf(out, length, "%s", device->uuid);
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *out, unsigned int length)
{
    snprintf(out, length, device->index ? "NVIDIA \xff\xfe" : "NVIDIA Test GPU");
    return SUCCESS;
}
