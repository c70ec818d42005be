"""What public captures of BMCs list of memory and processors; each figure was read in the capture by hand.

Sources, licences and what was left out of each capture: inventories/README.md.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.redfish.inventory import Inventory, read_inventory
from wattmark_drivers.settings import MeterSettings

from .conftest import PASSWORD, USER, Service

FOLDER = Path(__file__).parent / "inventories"
MEMORY = "/redfish/v1/Systems/1/Memory"


def settings(service: Service, chassis: str = "", *, password: str = PASSWORD) -> MeterSettings:
    url = f"redfish+http://127.0.0.1:{service.port}/{chassis}"
    return MeterSettings("bmc", "redfish.bmc", url, username=USER, password=lambda: password, timeout_s=5.0)


async def read(service: Service, capture: str, chassis: str = "") -> Inventory:
    service.documents = json.loads((FOLDER / f"{capture}.json").read_text("utf-8"))
    root = service.documents["/redfish/v1/"]
    root["Links"] = {"Sessions": {"@odata.id": "/redfish/v1/SessionService/Sessions"}}
    return await read_inventory(settings(service, chassis))


@pytest.mark.parametrize(
    ("capture", "slots", "filled", "gib", "kind", "first", "bios", "processors"),
    [
        ("hpe-dl325", 16, 4, 64, ("DDR4", "RDIMM", 3200, 1, "HMA82GR7CJR4N-XN"),
         ("PROC 1 DIMM 1", "socket 1, controller 3, channel 3, slot 1"), "A43 v2.52 (10/29/2021)",
         [("Proc 1", "AMD EPYC 7302P 16-Core Processor", 16, 32)]),
        # MemorySummary says 244 GiB, which is 16 x 15625 MiB: the part number is that of a module of 16 GiB.
        ("gigabyte-h262", 16, 16, 256, ("DDR4", None, 3200, None, "M393A2K43DB2-CWE"),
         ("DIMM_P0_A0", None), "C27", []),
        ("intel-s2600bpb", 6, 6, 48, ("DDR4", "RDIMM", 2133, 2, "HMA41GR7MFR8N-TFT1"), ("CPU1_DIMM_A1", None), None,
         [("CPU 1", "Intel Xeon processor", 4, 4), ("CPU 2", "Intel Xeon processor", 4, 4)]),
        ("dmtf-rackmount1", 4, 3, 96, ("DDR4", "RDIMM", None, 2, None),
         ("DIMM Slot 1", "socket 1, controller 1, channel 1, slot 1"), "P79 v1.45 (12/06/2017)", []),
        ("quoted-dell-idrac9", 1, 1, 8, ("DDR4", "RDIMM", 2666, 1, "PARTNUM-XN"), ("DIMM A1", None), None, []),
    ],
)  # fmt: skip
async def test_a_machine_lists_its_modules(service, capture, slots, filled, gib, kind, first, bios, processors):
    inventory = await read(service, capture)
    modules = [slot for slot in inventory.slots if slot.capacity_gib is not None]
    assert (len(inventory.slots), len(modules)) == (slots, filled)
    assert sum(module.capacity_gib or 0 for module in modules) == gib
    module = modules[0]
    assert (module.device_type, module.module_type, module.speed_mts, module.ranks, module.part) == kind
    assert (module.name, module.place) == first
    assert inventory.bios == bios
    assert [(p.socket, p.model, p.cores, p.threads) for p in inventory.processors] == processors
    assert service.closed == 1, "the session of the read is closed"
    assert not service.tokens


async def test_filled_slots_of_a_dl325_are_the_four_that_are_there(service):
    inventory = await read(service, "hpe-dl325", "1")
    filled = [slot.name for slot in inventory.slots if slot.capacity_gib]
    assert filled == ["PROC 1 DIMM 1", "PROC 1 DIMM 3", "PROC 1 DIMM 14", "PROC 1 DIMM 16"]


async def test_no_serial_number_is_read(service):
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.documents[f"{MEMORY}/proc1dimm1"] |= {"SerialNumber": "438AD388", "AssetTag": "rack-7"}
    service.open_to_all = True
    text = repr(await read_inventory(settings(service)))
    assert "438AD388" not in text
    assert "rack-7" not in text


async def test_a_member_that_cannot_be_read_is_no_empty_slot(service):
    service.answers[f"{MEMORY}/proc1dimm3"] = (500, b"{}", {})
    with pytest.raises(DriverError):
        await read(service, "hpe-dl325")


async def test_a_list_that_is_shorter_than_its_count_is_not_whole(service):
    short = {"Members": [{"@odata.id": f"{MEMORY}/proc1dimm1"}], "Members@odata.count": 16}
    service.answers[MEMORY] = (200, json.dumps(short).encode(), {})
    with pytest.raises(BadReply, match="counts 16 entries of Memory and lists 1"):
        await read(service, "hpe-dl325")


async def test_a_list_of_several_pages_is_read_to_its_end(service):
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.open_to_all = True
    whole = service.documents[MEMORY]["Members"]
    service.documents[MEMORY] = {
        "Members": whole[:10], "Members@odata.count": 16, "Members@odata.nextLink": f"{MEMORY}?page=2"
    }  # fmt: skip
    service.documents[f"{MEMORY}?page=2"] = {"Members": whole[10:], "Members@odata.count": 16}
    assert len((await read_inventory(settings(service))).slots) == 16


async def test_a_page_that_cannot_be_read_is_no_end_of_the_list(service):
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.open_to_all = True
    whole = service.documents[MEMORY]["Members"]
    service.documents[MEMORY] = {"Members": whole[:10], "Members@odata.nextLink": f"{MEMORY}?page=2"}
    with pytest.raises(DriverError, match="page=2"):
        await read_inventory(settings(service))
    service.documents[MEMORY]["Members@odata.nextLink"] = "https://elsewhere.example/page"
    with pytest.raises(BadReply, match=r"does not say where .*/Memory goes on"):
        await read_inventory(settings(service))


async def test_a_member_that_is_listed_twice_is_one(service):
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.open_to_all = True
    members = service.documents[MEMORY]["Members"]
    members += [members[0], {"@odata.id": f"{MEMORY}/proc1dimm2/"}]
    assert len((await read_inventory(settings(service))).slots) == 16
    service.documents[MEMORY]["Members@odata.count"] = 18
    with pytest.raises(BadReply, match="counts 18 entries of Memory and lists 16"):
        await read_inventory(settings(service))


async def test_pages_that_lead_to_one_another_end(service):
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.open_to_all = True
    service.documents[MEMORY]["Members@odata.nextLink"] = MEMORY
    assert len((await read_inventory(settings(service))).slots) == 16


async def test_an_inventory_that_is_too_long_is_not_read_to_its_end(service):
    """Each answer of a module is as long as the client takes: 1 MiB; the 17th would be more than 16 MiB together."""
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.open_to_all = True
    members = [{"@odata.id": f"{MEMORY}/{n}"} for n in range(100)]
    service.documents[MEMORY] = {"Members": members}
    service.documents |= {f"{MEMORY}/{n}": {"Description": "x" * ((1 << 20) - 100)} for n in range(100)}
    with pytest.raises(BadReply, match="more than 16 MiB for its inventory"):
        await read_inventory(settings(service))
    assert sum(path.startswith(f"{MEMORY}/") for path in service.asked) in (16, 17)


async def test_processors_that_cannot_be_read_do_not_cost_the_memory(service):
    service.answers["/redfish/v1/Systems/1/Processors"] = (500, b"{}", {})
    inventory = await read(service, "hpe-dl325")
    assert (len(inventory.slots), inventory.processors) == (16, ())


def with_second_server(service: Service, **of_it: object) -> str:
    """Add a second computer system to the DL325; return its path."""
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.open_to_all = True
    other = "/redfish/v1/Systems/QSBP74100021"
    service.documents["/redfish/v1/Systems"] = {
        "Members": [{"@odata.id": "/redfish/v1/Systems/1"}, {"@odata.id": other}]
    }
    service.documents[other] = {"@odata.id": other, "Id": "QSBP74100021", **of_it}
    return other


OTHER = "/redfish/v1/Systems/QSBP74100021"


@pytest.mark.parametrize("part", ["Memory", "Processors"])
async def test_several_servers_need_the_chassis_of_one(service, part):
    """The one that lists its memory need not be the one whose power is measured."""
    links = {"Chassis": [{"@odata.id": "/redfish/v1/Chassis/Node2"}]}
    with_second_server(service, **{part: {"@odata.id": f"{OTHER}/{part}"}}, Links=links)
    service.documents["/redfish/v1/Chassis"]["Members"].append({"@odata.id": "/redfish/v1/Chassis/Node2"})
    service.documents["/redfish/v1/Chassis/Node2"] = {"@odata.id": "/redfish/v1/Chassis/Node2", "Id": "Node2"}
    with pytest.raises(ConfigurationError, match="The BMC has 2 servers, and which") as refusal:
        await read_inventory(settings(service))
    assert "They are in the chassis 1, Node2. Add the chassis of the server to the address" in str(refusal.value)
    assert "QSBP74100021" not in str(refusal.value), "which some makers make of the serial number"
    assert len((await read_inventory(settings(service, "1"))).slots) == 16


@pytest.mark.parametrize(
    ("of_it", "processors"),
    [
        ({}, []),  # no memory and no processor, as the Capabilities of some services
        # DSP0268, SystemType: what runs on the server, or is a card in it
        ({"SystemType": "DPU", "Memory": {"@odata.id": f"{OTHER}/Memory"}}, []),
        ({"SystemType": "Virtual", "Memory": {"@odata.id": f"{OTHER}/Memory"}}, []),
        ({"SystemType": "OS", "Processors": {"@odata.id": f"{OTHER}/Processors"}}, []),
        # HGX_Baseboard_0 of NVIDIA beside the server: eight GPUs with their memory
        ({"SystemType": "Physical", **{part: {"@odata.id": f"{OTHER}/{part}"} for part in ("Memory", "Processors")}},
         8 * ["GPU"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("chassis", ["", "1"])
async def test_what_cannot_be_the_server_is_none_of_several(service, of_it, processors, chassis):
    with_second_server(service, **of_it)
    service.documents["/redfish/v1/Chassis/1"]["Links"]["ComputerSystems"].append({"@odata.id": OTHER})
    members = {f"{OTHER}/Processors/{n}": {"ProcessorType": kind} for n, kind in enumerate(processors)}
    service.documents |= members
    service.documents[f"{OTHER}/Processors"] = {"Members": [{"@odata.id": path} for path in members]}
    service.documents[f"{OTHER}/Memory"] = {"Members": []}
    assert len((await read_inventory(settings(service, chassis))).slots) == 16


async def test_a_board_of_gpus_with_a_cpu_can_be_the_server(service):
    """Of a GB200 the CPUs are on the board of the GPUs."""
    with_second_server(service, Processors={"@odata.id": f"{OTHER}/Processors"})
    for name, kind in (("GPU_0", "GPU"), ("CPU_0", "CPU")):
        service.documents[f"{OTHER}/Processors/{name}"] = {"ProcessorType": kind}
    listed = [{"@odata.id": f"{OTHER}/Processors/{name}"} for name in ("GPU_0", "CPU_0")]
    service.documents[f"{OTHER}/Processors"] = {"Members": listed}
    with pytest.raises(ConfigurationError, match="The BMC has 2 servers"):
        await read_inventory(settings(service))


async def test_the_only_server_is_meant_also_by_a_chassis_without_one(service):
    """The power of many servers is in a chassis of its own, of supplies or of a sensor, which holds no system."""
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.open_to_all = True
    service.documents["/redfish/v1/Chassis"]["Members"].append({"@odata.id": "/redfish/v1/Chassis/total_power"})
    service.documents["/redfish/v1/Chassis/total_power"] = {"@odata.id": "/redfish/v1/Chassis/total_power"}
    assert len((await read_inventory(settings(service, "total_power"))).slots) == 16
    del service.documents["/redfish/v1/Systems/1"]["Links"]
    service.documents["/redfish/v1/Chassis/1"]["Links"] = {}
    assert len((await read_inventory(settings(service))).slots) == 16


async def test_a_server_that_this_user_may_not_see_is_one_too(service):
    other = with_second_server(service)
    service.answers[other] = (403, b"{}", {})
    with pytest.raises(ConfigurationError, match="The BMC has 2 servers"):
        await read_inventory(settings(service))


async def test_a_chassis_of_several_servers_is_none_of_one(service):
    other = with_second_server(service, Memory={"@odata.id": f"{OTHER}/Memory"})
    service.documents["/redfish/v1/Chassis/1"]["Links"]["ComputerSystems"].append({"@odata.id": other})
    with pytest.raises(ConfigurationError, match="chassis 1 holds 2 servers"):
        await read_inventory(settings(service, "1"))


NOTHING = dict.fromkeys(("BaseModuleType", "Manufacturer", "OperatingSpeedMhz", "PartNumber", "RankCount"))
"""The members of the Memory schema (DSP0268) that are of a module, all null; MemoryType and MemoryDeviceType stay."""


@pytest.mark.parametrize(
    ("change", "unknown", "filled"),
    [
        ({"CapacityMiB": None}, True, True),  # DSP0268 allows null
        ({"CapacityMiB": ...}, True, True),
        ({"CapacityMiB": ..., "Status": ...}, True, True),
        ({"CapacityMiB": None, "Status": {"State": "Disabled"}}, True, True),
        ({"CapacityMiB": ..., "Status": {"State": "Absent"}}, False, False),
        ({"Status": {"State": "Absent"}}, False, False),
        ({"CapacityMiB": 0}, True, True),  # its maker and part number are those of a module
        # nothing of a module, but of what the slot takes
        ({"CapacityMiB": None, **NOTHING}, False, False),
        ({"CapacityMiB": 0, **NOTHING}, False, False),
        ({"CapacityMiB": None, **NOTHING, "Status": {"State": None, "Health": None}}, False, False),
        ({"CapacityMiB": None, **NOTHING, "Manufacturer": "NO DIMM", "PartNumber": "N/A", "OperatingSpeedMhz": 0},
         False, False),
        ({"CapacityMiB": None, **NOTHING, "PartNumber": "HMA82GR7CJR4N-XN"}, True, True),
        ({}, False, True),
    ],
)  # fmt: skip
async def test_only_what_is_absent_or_without_a_fact_of_a_module_is_an_empty_slot(service, change, unknown, filled):
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.open_to_all = True
    module = service.documents[f"{MEMORY}/proc1dimm1"]
    module |= {name: value for name, value in change.items() if value is not ...}
    for name in [name for name, value in change.items() if value is ...]:
        del module[name]
    slot = (await read_inventory(settings(service))).slots[0]
    assert (slot.size_unknown, slot.size_unknown or slot.capacity_gib == 16.0) == (unknown, filled)


async def test_the_type_of_persistent_memory_is_read(service):
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.open_to_all = True
    service.documents[f"{MEMORY}/proc1dimm1"] |= {"MemoryType": "IntelOptane", "CapacityMiB": 129408}
    first, second, *_ = (await read_inventory(settings(service))).slots
    assert (first.memory_type, first.capacity_gib, second.memory_type) == ("IntelOptane", 126.375, "DRAM")


async def test_memory_of_an_accelerator_is_in_no_slot(service):
    service.documents = json.loads((FOLDER / "hpe-dl325.json").read_text("utf-8"))
    service.open_to_all = True
    service.documents[f"{MEMORY}/proc1dimm16"]["MemoryDeviceType"] = "HBM2"
    assert len((await read_inventory(settings(service))).slots) == 15


async def test_every_refusal_has_its_error(service):
    with pytest.raises(AuthenticationFailed):
        await read_inventory(settings(service, password="wrong"))
    with pytest.raises(ConnectionFailed, match="lists no memory of the server"):
        await read_inventory(settings(service))  # DMTF's chassis without a computer system
    ipmi = MeterSettings("bmc", "ipmi.bmc", "ipmi://127.0.0.1:623", username=USER, password=lambda: PASSWORD)
    with pytest.raises(ConfigurationError, match="not reached by Redfish"):
        await read_inventory(ipmi)
