"""Each contradiction between bench file, firmware and BMC is found and named, and each slot says what verified it."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.results.evaluate import evaluate
from wattmark.results.inventory.inventory import memory_inventory
from wattmark.results.inventory_part import MEMORY_SLOTS

from tests.stored_run import make_run

DECLARED, FIRMWARE, OUT_OF_BAND = "declared, not verified", "verified by firmware", "verified out of band"
MODULE = {"type": "RDIMM", "capacity_gib": 16.0, "speed_mts": 3200, "ranks": 2, "part": "M393A2K43DB2-CWE"}
FILLED = ("A1", "B1", "C1", "D1")
SLOTS = ("A1", "A2", "B1", "B2", "C1", "C2", "D1", "D2")


def population(**changes):
    """Four modules of 16 GiB in eight slots; ``changes`` are modules by slot, None for an empty one."""
    slots = {slot: deepcopy(MODULE) if slot in FILLED else None for slot in SLOTS}
    for slot, change in changes.items():
        slots[slot] = None if change is None else {**MODULE, **change}
    return slots


def dmi(slots, name="DIMM_{}"):
    """Print slots as dmidecode does."""
    return "\n".join(
        f"Memory Device\n\tSize: No Module Installed\n\tLocator: {name.format(slot)}\n\tForm Factor: DIMM\n"
        if module is None
        else f"Memory Device\n\tSize: {module['capacity_gib']:.0f} GB\n\tForm Factor: DIMM\n"
        f"\tLocator: {name.format(slot)}\n\tType: DDR4\n\tType Detail: {DETAIL[module['type']]}\n\tSpeed: 3200 MT/s\n"
        f"\tPart Number: {module['part']}\n\tRank: {module['ranks']}\n"
        f"\tConfigured Memory Speed: {module['speed_mts']} MT/s\n"
        for slot, module in slots.items()
    )


DETAIL = {
    "RDIMM": "Synchronous Registered (Buffered)",
    "LRDIMM": "Synchronous LRDIMM",
    "UDIMM": "Synchronous Unbuffered (Unregistered)",
}


def redfish(slots, **other):
    """List slots as a BMC does."""
    listed = [
        {"name": f"DIMM {slot}"}
        if module is None
        else {
            "name": f"DIMM {slot}", "capacity_gib": module["capacity_gib"], "device_type": "DDR4",
            "module_type": module["type"], "speed_mts": module["speed_mts"], "ranks": module["ranks"],
            "part": module["part"],
        }
        for slot, module in slots.items()
    ]  # fmt: skip
    return {"bmc": "b1", "slots": listed, **other}


@pytest.fixture
def run(record):
    def make(declared, firmware=None, bmc=None, **host):
        modules = [
            {"slot": slot, "type": None}
            if module is None
            else {"slot": slot, **{name: value for name, value in module.items() if name != "part"}}
            for slot, module in declared.items()
        ]
        snapshot = {"modules": modules, "declared": {"memory": {"slots": declared}}}
        facts = {"memory_slots": firmware, "out_of_band": bmc, **host}
        return record(configuration_snapshot=snapshot, disclosure={"host": facts})

    return make


def inventory_of(run):
    return memory_inventory(run, simulated=False)


@pytest.mark.parametrize(
    ("declared", "firmware", "texts"),
    [
        pytest.param(
            population(), population(D1=None),
            ["4 modules in the bench file, 3 in the server",
             "D1: RDIMM 16 GiB, 3200 MT/s in the bench file, nothing in the server"],
            id="missing DIMM",
        ),
        pytest.param(
            population(), population(B2={}),
            ["4 modules in the bench file, 5 in the server",
             "B2: nothing in the bench file, RDIMM 16 GiB, 3200 MT/s in the server"],
            id="one more",
        ),
        pytest.param(
            population(), population(B1={"capacity_gib": 32.0}), ["B1: 16 GiB in the bench file, 32 GiB in the server"],
            id="other size",
        ),
        pytest.param(
            population(), population(B1={"type": "LRDIMM"}), ["B1: RDIMM in the bench file, LRDIMM in the server"],
            id="other type",
        ),
        pytest.param(
            population(), population(**{key: {"speed_mts": 2933} for key in FILLED}),
            [f"{slot}: 3200 MT/s in the bench file, 2933 MT/s in the server" for slot in FILLED],
            id="other speed",
        ),
        pytest.param(
            population(), population(B1=None, B2={}),
            ["B1: RDIMM 16 GiB, 3200 MT/s in the bench file, in slot DIMM_B2 in the server"],
            id="other slot",
        ),
        pytest.param(
            population(), population(C1={"ranks": 1}), ["C1: 2 ranks in the bench file, 1 rank in the server"],
            id="wrong rank",
        ),
        pytest.param(
            population(), population(C1={"part": "HMA82GR7CJR4N-XN"}),
            ["C1: part M393A2K43DB2-CWE in the bench file, part HMA82GR7CJR4N-XN in the server"],
            id="wrong part",
        ),
        pytest.param(
            population(A1={"capacity_gib": 32.0}), population(B1={"capacity_gib": 32.0}),
            ["A1: 32 GiB in the bench file, 16 GiB in the server",
             "B1: 16 GiB in the bench file, 32 GiB in the server"],
            id="sizes swapped",
        ),
        pytest.param(
            population(B2={}), population(),
            ["5 modules in the bench file, 4 in the server",
             "B2: RDIMM 16 GiB, 3200 MT/s in the bench file, nothing in the server"],
            id="empty slot declared filled",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("source", ["firmware", "bmc"])
def test_a_contradiction_is_found_and_named(run, store, declared, firmware, texts, source):
    if source == "firmware":
        contradicted = run(declared, dmi(firmware), memory_slots_way="file")
    else:
        contradicted = run(declared, bmc=redfish(firmware))
        texts = [
            text.replace("in slot DIMM_B2 in the server", "in slot DIMM B2 by the BMC b1")
            .replace("in the server", "by the BMC b1")
            for text in texts
        ]  # fmt: skip
    inventory = inventory_of(contradicted)
    assert list(inventory.contradictions) == texts
    named = {text.partition(":")[0] for text in texts if ":" in text}
    verified = FIRMWARE if source == "firmware" else OUT_OF_BAND
    for slot in inventory.slots:
        moved = slot.slot == "B2" and any("in slot DIMM" in text for text in texts)
        assert slot.status == (DECLARED if slot.slot in named or moved else verified), slot
        assert bool(slot.contradictions) == (slot.slot in named)
    result = evaluate(contradicted, store)
    (verdict,) = (verdict for verdict in result.verdicts if verdict.rule == MEMORY_SLOTS)
    assert (verdict.outcome, verdict.value) == ("fail", float(len(texts)))
    assert all(text in verdict.text for text in texts)
    assert "Correct the bench file, or move the modules in the server." in verdict.text
    assert verdict.text in result.notes
    assert result.inventory == inventory


def test_firmware_against_bmc_is_found_and_named(run, store):
    both = run(population(), dmi(population()), redfish(population(B1={"capacity_gib": 32.0})))
    inventory = inventory_of(both)
    assert inventory.contradictions == ("DIMM_B1: 16 GiB by the firmware, 32 GiB by the BMC b1",)
    assert inventory.statement.startswith("The firmware and the BMC list different memory: DIMM_B1: 16 GiB by the firm")
    assert "bench file" not in inventory.statement, "the firmware agrees with it"
    assert {slot.slot: slot.status for slot in inventory.slots}["B1"] == DECLARED
    assert {slot.status for slot in inventory.slots if slot.slot != "B1"} == {FIRMWARE}
    (verdict,) = (verdict for verdict in evaluate(both, store).verdicts if verdict.rule == MEMORY_SLOTS)
    assert verdict.outcome == "fail"


def test_a_bmc_contradicts_what_the_firmware_does_not_report(run):
    text = dmi(population()).replace("\tRank: 2\n", "")
    other = population(C1={"ranks": 1})
    assert inventory_of(run(population(), text, redfish(other))).contradictions == (
        "C1: 2 ranks in the bench file, 1 rank by the BMC b1",
    )


def test_slots_that_a_bmc_calls_alike_are_all_there(run):
    listed = [{"name": "DIMM 0", "place": f"socket 1, channel {n}", "capacity_gib": 16.0} for n in range(4)]
    inventory = inventory_of(run(population(), bmc={"bmc": "b1", "slots": listed}))
    assert inventory.contradictions == ()
    assert inventory_of(run(population(), bmc={"bmc": "b1", "slots": listed[:3]})).contradictions != ()


def test_part_numbers_of_firmware_and_bmc_are_not_held_against_each_other(run):
    """HPE prints P11442-191 in one and HMA82GR7CJR4N-XN in the other, of one module."""
    bare = {slot: module and {k: v for k, v in module.items() if k != "part"} for slot, module in population().items()}
    own = population(**{key: {"part": "P11442-191"} for key in FILLED})
    assert inventory_of(run(bare, dmi(own), redfish(population()))).contradictions == ()


@pytest.mark.parametrize(
    ("firmware", "bmc", "way", "status"),
    [
        (dmi(population()), None, "the firmware's tables", FIRMWARE),
        (dmi(population()), redfish(population()), "the firmware's tables; Redfish of the BMC b1", FIRMWARE),
        (None, redfish(population()), "Redfish of the BMC b1", OUT_OF_BAND),
        (None, None, None, DECLARED),
        ("# No SMBIOS nor DMI entry point", redfish(population(**dict.fromkeys(FILLED))), None, DECLARED),
    ],
)
def test_every_slot_says_what_verified_it(run, firmware, bmc, way, status):
    inventory = inventory_of(run(population(), firmware, bmc))
    assert inventory.way == way
    assert {slot.status for slot in inventory.slots} == {status}
    assert [slot.declared for slot in inventory.slots][:2] == ["RDIMM 16 GiB, 3200 MT/s", "empty"]
    assert inventory.summary == f"8 {status}"


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("dmidecode", "the firmware's tables by dmidecode"),
        ("file", "the firmware's tables by the file of wattmark-inventory.service"),
        ("sudo", "the firmware's tables by sudo dmidecode"),
    ],
)
def test_the_way_is_named(run, way, words):
    assert inventory_of(run(population(), dmi(population()), memory_slots_way=way)).way == words


@pytest.mark.parametrize(
    ("declared", "board"),
    [
        ("A1", "DIMM_A1"),
        ("A1", "P1-DIMMA1"),
        ("DIMM_A1", "CPU1_DIMM_A1"),
        ("PROC_1_DIMM_3", "PROC 1 DIMM 3"),
        ("P0_CHANNEL_A_DIMM_1", "P0 CHANNEL A DIMM 1"),
        ("ONBOARD_DIMM_A1", "ONBOARD DIMM_A1"),
        ("DIMM.Socket.A1", "A1"),
    ],
)
def test_names_that_mean_one_slot(run, declared, board):
    (slot,) = inventory_of(run({declared: MODULE}, dmi({board: MODULE}, "{}"))).slots
    assert slot.status == FIRMWARE


@pytest.mark.parametrize(
    ("declared", "board"),
    [
        (("A1", "B1"), ("DIMM 1", "DIMM 2")),  # a number is no letter
        (("A1", "B1"), ("P1-DIMMA1", "P2-DIMMA1")),  # either could be A1
        (("slot-x", "slot-y"), ("", "")),
    ],
)
def test_names_that_fit_nothing_verify_no_slot_and_contradict_nothing(run, store, declared, board):
    text = "".join(dmi({name: MODULE}, "{}") for name in board)
    plain = run(dict.fromkeys(declared, MODULE), text)
    inventory = inventory_of(plain)
    assert inventory.contradictions == ()
    assert {slot.status for slot in inventory.slots} == {DECLARED}
    assert "The slots could not be paired with those of the bench file, and are not verified" in inventory.statement
    assert "and are not verified by the firmware, which calls them" in inventory.statement
    assert inventory.statement.startswith("By count and kind, the memory modules are those that the firmware lists.")
    (verdict,) = (verdict for verdict in evaluate(plain, store).verdicts if verdict.rule == MEMORY_SLOTS)
    assert (verdict.outcome, verdict.text) == ("not-checked", inventory.statement)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"capacity_gib": 32.0}, "2 x 16 GiB in the bench file, 1 x 16 GiB + 1 x 32 GiB in the server"),
        ({"speed_mts": 2933}, "2 x 3200 MT/s in the bench file, 1 x 2933 MT/s + 1 x 3200 MT/s in the server"),
        ({"ranks": 1}, "2 x 2 ranks in the bench file, 1 x 1 rank + 1 x 2 ranks in the server"),
        (
            {"part": "HMA82GR7CJR4N-XN"},
            "2 x part M393A2K43DB2-CWE in the bench file, "
            "1 x part HMA82GR7CJR4N-XN + 1 x part M393A2K43DB2-CWE in the server",
        ),
        ({"type": "UDIMM"}, "2 x RDIMM in the bench file, 1 x RDIMM + 1 x UDIMM in the server"),
    ],
)
def test_modules_are_compared_by_kind_where_no_name_fits(run, change, text):
    board = dmi({"DIMM 1": MODULE, "DIMM 2": {**MODULE, **change}}, "{}")
    assert inventory_of(run({"A1": MODULE, "B1": MODULE}, board)).contradictions == (text,)


@pytest.mark.parametrize(("own", "other", "same"), [(2666, 2667, True), (2667, 2666, True), (2666, 2933, False)])
def test_one_speed_has_two_roundings(run, own, other, same):
    declared, board = ({"A1": {**MODULE, "speed_mts": speed}} for speed in (own, other))
    assert (inventory_of(run(declared, dmi(board))).contradictions == ()) is same


def test_half_the_speed_by_a_bmc_verifies_nothing_and_contradicts_nothing(run):
    """DSP0268 on OperatingSpeedMhz: "in MHz or MT/s as appropriate"; DDR transfers twice in each period."""
    half = {"A1": {**MODULE, "speed_mts": 1600}}
    inventory = inventory_of(run({"A1": MODULE}, bmc=redfish(half)))
    assert inventory.contradictions == ()
    (slot,) = inventory.slots
    assert (slot.status, slot.verified) == (OUT_OF_BAND, ("size", "type", "ranks", "part"))
    assert slot.unverified == ("speed",)
    assert inventory.statement.endswith("Stated by the bench file alone: speed of 1 slot.")
    other = {"A1": {**MODULE, "speed_mts": 2400}}
    assert inventory_of(run({"A1": MODULE}, bmc=redfish(other))).contradictions == (
        "A1: 3200 MT/s in the bench file, 2400 MT/s by the BMC b1",
    )


@pytest.mark.parametrize("unit", ["MT/s", "MHz"])
def test_the_speed_of_a_firmware_is_in_transfers_whatever_its_unit_is_called(run, unit):
    """DSP0134, 7.18: Configured Memory Speed (20h) is in MT/s; a dmidecode before 3.2 prints MHz behind the number."""
    same, half = (
        dmi({"A1": {**MODULE, "speed_mts": speed}}).replace("MT/s", unit) for speed in (MODULE["speed_mts"], 1600)
    )
    inventory = inventory_of(run({"A1": MODULE}, same))
    assert (inventory.contradictions, inventory.slots[0].unverified) == ((), ())
    assert inventory_of(run({"A1": MODULE}, half)).contradictions == (
        "A1: 3200 MT/s in the bench file, 1600 MT/s in the server",
    )


def test_a_slot_says_which_attributes_were_verified(run):
    """SMBIOS 7.18.2, 7.18.3: Type 02h and Type Detail bit 2 are Unknown; the set speed and the ranks may be too."""
    text = dmi({"A1": MODULE}).replace("Synchronous Registered (Buffered)", "Unknown").replace("\tRank: 2\n", "")
    text = text.replace("Type: DDR4", "Type: Unknown").replace("Configured Memory Speed: 3200 MT/s", "Voltage: 1.2 V")
    (slot,) = inventory_of(run({"A1": MODULE}, text)).slots
    assert (slot.status, slot.verified, slot.unverified) == (FIRMWARE, ("size", "part"), ("type", "speed", "ranks"))
    inventory = inventory_of(run({"A1": MODULE}, text, redfish({"A1": MODULE})))
    (slot,) = inventory.slots
    assert (slot.status, slot.verified, slot.unverified) == (
        FIRMWARE,
        ("size", "part", "type out of band", "speed out of band", "ranks out of band"),
        (),
    )
    assert "alone" not in inventory.statement


@pytest.mark.parametrize(
    ("declared", "detail", "contradicted", "told"),
    [
        ("LRDIMM", "Synchronous Registered (Buffered)", False, False),  # bit 13 holds for an LRDIMM too
        ("LRDIMM", "Synchronous Registered (Buffered) LRDIMM", False, True),  # bits 13 and 15
        ("RDIMM", "Synchronous Registered (Buffered)", False, True),
        ("RDIMM", "Synchronous Registered (Buffered) LRDIMM", True, False),
        ("LRDIMM", "Synchronous Unbuffered (Unregistered)", True, False),
        ("UDIMM", "Synchronous Registered (Buffered)", True, False),
    ],
)
@pytest.mark.parametrize("name", ["DIMM_A1", "DIMM 1"])
def test_what_is_registered_may_be_an_lrdimm(run, declared, detail, contradicted, told, name):
    module = {**MODULE, "type": declared}
    text = dmi({"A1": MODULE}, name).replace(DETAIL["RDIMM"], detail)
    inventory = inventory_of(run({"A1": module}, text))
    assert bool(inventory.contradictions) is contradicted
    assert ("type" in inventory.slots[0].verified) is (told and name == "DIMM_A1")


def test_a_firmware_that_says_registered_does_not_contradict_a_bmc_that_says_lrdimm(run):
    lrdimm = {"A1": {**MODULE, "type": "LRDIMM"}}
    assert inventory_of(run(lrdimm, dmi({"A1": MODULE}), redfish(lrdimm))).contradictions == ()
    assert inventory_of(run(lrdimm, dmi({"A1": {**MODULE, "type": "UDIMM"}}), redfish(lrdimm))).contradictions != ()


PMEM = {"type": "PMem", "capacity_gib": 126.375}


def with_pmem(text, slot="A2", size="129408 MB"):
    """Put a module of Optane into a slot: 126.375 GiB are 129408 MiB."""
    device = (
        f"Memory Device\n\tSize: {size}\n\tForm Factor: DIMM\n\tLocator: DIMM_{slot}\n"
        "\tType: Logical non-volatile device\n\tType Detail: Synchronous Non-Volatile LRDIMM\n"
    )
    empty = f"Memory Device\n\tSize: No Module Installed\n\tLocator: DIMM_{slot}\n\tForm Factor: DIMM\n"
    assert empty in text
    return text.replace(empty, device)


@pytest.mark.parametrize(
    ("stated_gib", "size", "same"),
    [
        (126.375, "129408 MB", True),
        (126.4, "129408 MB", True),
        (126.0, "129408 MB", True),
        (127.0, "129408 MB", False),
        (126.3, "129408 MB", False),
        (126.375, "126 GB", True),
        (128.0, "129408 MB", True),  # sold as 128 GB
        (256.0, "258457 MB", True),  # 252.4 GiB, sold as 256 GB
        (512.0, "514560 MB", True),  # 502.5 GiB, sold as 512 GB
        (256.0, "129408 MB", False),
        (128.0, "125 GB", False),  # 97.7 % of it
        (130.0, "129408 MB", False),  # 97.2 % of it, and no module is sold by that
    ],
)
def test_capacities_of_persistent_memory_are_compared_as_they_are_rounded(run, stated_gib, size, same):
    declared = {**population(), "A2": {**PMEM, "capacity_gib": stated_gib}}
    inventory = inventory_of(run(declared, with_pmem(dmi(population()), size=size)))
    assert (inventory.contradictions == ()) is same


def test_capacities_of_dimms_are_compared_exactly(run):
    declared = {"A1": {**MODULE, "capacity_gib": 1.0}}
    text = dmi({"A1": MODULE}).replace("Size: 16 GB", "Size: 512 MB")
    assert inventory_of(run(declared, text)).contradictions == ("A1: 1 GiB in the bench file, 0.5 GiB in the server",)


def test_persistent_memory_is_in_its_slot_and_in_no_count_of_modules(run):
    inventory = inventory_of(run(population(), with_pmem(dmi(population()))))
    assert inventory.contradictions == ("A2: nothing in the bench file, PMem 126.375 GiB in the server",)
    listed = redfish(population())
    listed["slots"][1] |= {"capacity_gib": 126.375, "memory_type": "IntelOptane", "module_type": "LRDIMM"}
    assert inventory_of(run(population(), bmc=listed)).contradictions == (
        "A2: nothing in the bench file, PMem 126.375 GiB by the BMC b1",
    )
    declared = {**population(), "A2": PMEM}
    assert inventory_of(run(declared, bmc=listed)).contradictions == ()
    assert inventory_of(run(declared, with_pmem(dmi(population())), listed)).summary == "8 verified by firmware"


def test_persistent_memory_that_a_source_does_not_call_so_is_in_no_count(run):
    """DSP0268: BaseModuleType is the form of a module; MemoryType says what it is, and may be left out."""
    declared = {**population(), "A2": PMEM}
    listed = redfish(population())
    listed["slots"][1] |= {"capacity_gib": 126.375, "module_type": "LRDIMM"}
    inventory = inventory_of(run(declared, bmc=listed))
    assert inventory.contradictions == ()
    (slot,) = (slot for slot in inventory.slots if slot.slot == "A2")
    assert (slot.status, slot.verified, slot.unverified) == (OUT_OF_BAND, ("size",), ("type",))
    for slot in listed["slots"]:
        slot["memory_type"] = "DRAM"
    assert inventory_of(run(declared, bmc=listed)).contradictions == (
        "4 modules in the bench file, 5 by the BMC b1",
        "A2: PMem in the bench file, LRDIMM by the BMC b1",
    )
    unknown = with_pmem(dmi(population())).replace("Logical non-volatile device", "Unknown").replace("Non-Vol", "Vol")
    unknown = unknown.replace("Synchronous Volatile LRDIMM", "Unknown")
    assert inventory_of(run(declared, unknown)).contradictions == ()
    assert inventory_of(run(population(), unknown)).contradictions[0] == "4 modules in the bench file, 5 in the server"


def test_an_nvdimm_n_is_a_dimm(run):
    """It is DRAM that is backed up (JESD245; DSP0134, 7.18.6: 04h): it counts as one, and has the type of one."""
    backed_up = dmi(population()).replace("Type Detail: Synchronous", "Type Detail: Synchronous Non-Volatile", 1)
    for text in (backed_up, backed_up.replace("\tRank", "\tMemory Technology: NVDIMM-N\n\tRank", 1)):
        inventory = inventory_of(run(population(), text))
        assert (inventory.contradictions, inventory.summary) == ((), "8 verified by firmware")
    listed = redfish(population())
    listed["slots"][0]["memory_type"] = "NVDIMM_N"
    assert inventory_of(run(population(), bmc=listed)).summary == "8 verified out of band"


def unnamed(*modules):
    """Print modules in slots whose names fit no letter."""
    return dmi({f"DIMM {n}": module for n, module in enumerate(modules, 1)}, "{}")


def lettered(*modules):
    return {f"{letter}1": module for letter, module in zip("ABCDEFGH", modules, strict=False)}


LRDIMM = {**MODULE, "type": "LRDIMM"}
UDIMM = {**MODULE, "type": "UDIMM"}


def test_half_of_another_type_is_seen_where_no_name_fits(run):
    assert inventory_of(run(lettered(*4 * [MODULE], *4 * [UDIMM]), unnamed(*8 * [MODULE]))).contradictions == (
        "4 x RDIMM + 4 x UDIMM in the bench file, 8 x RDIMM in the server",
    )
    # what SMBIOS calls registered may be an LRDIMM, but what it calls an LRDIMM is no RDIMM
    mixed = lettered(*4 * [MODULE], *4 * [LRDIMM])
    assert inventory_of(run(mixed, unnamed(*8 * [MODULE]))).contradictions == ()
    assert inventory_of(run(mixed, unnamed(*8 * [LRDIMM]))).contradictions == (
        "4 x LRDIMM + 4 x RDIMM in the bench file, 8 x LRDIMM in the server",
    )


def test_persistent_memory_ends_no_check_where_no_name_fits(run):
    pmem = {**PMEM, "speed_mts": None, "ranks": None, "part": None}
    optane = (
        "Memory Device\n\tSize: 129408 MB\n\tForm Factor: DIMM\n\tLocator: DIMM 9\n"
        "\tType: Logical non-volatile device\n\tType Detail: Synchronous Non-Volatile LRDIMM\n"
    )
    declared = {**lettered(MODULE, MODULE), "C1": {name: value for name, value in pmem.items() if value}}
    assert inventory_of(run(declared, unnamed(MODULE, MODULE) + optane)).contradictions == ()
    slower = {**MODULE, "speed_mts": 2933}
    assert inventory_of(run(declared, unnamed(MODULE, slower) + optane)).contradictions == (
        "2 x 3200 MT/s in the bench file, 1 x 2933 MT/s + 1 x 3200 MT/s in the server",
    )
    assert inventory_of(run(declared, unnamed(MODULE, MODULE))).contradictions == (
        "3 modules with persistent memory in the bench file, 2 in the server",
    )


def test_attributes_that_agree_one_by_one_and_not_together_are_seen(run):
    """16 GiB with two ranks and 32 GiB with one are not 16 GiB with one and 32 GiB with two."""
    small, large = {**MODULE, "part": "N/A"}, {**MODULE, "capacity_gib": 32.0, "ranks": 1, "part": "N/A"}
    inventory = inventory_of(run(lettered(small, large), unnamed({**small, "ranks": 1}, {**large, "ranks": 2})))
    assert inventory.contradictions == (
        "1 x 16 GiB RDIMM 3200 MT/s 2 ranks + 1 x 32 GiB RDIMM 3200 MT/s 1 rank in the bench file, "
        "1 x 16 GiB RDIMM 3200 MT/s 1 rank + 1 x 32 GiB RDIMM 3200 MT/s 2 ranks in the server",
    )


def test_a_module_gives_way_to_one_that_fits_nothing_else(run):
    """The module of A1 fits in both B2 and C2, and that of B1 in B2 alone; whichever comes first must not take it."""
    declared = {
        "A1": {"type": "RDIMM", "capacity_gib": 16.0}, "B1": {**MODULE, "ranks": 2}, "B2": None, "C2": None
    }  # fmt: skip
    board = {"A1": None, "B1": None, "B2": {**MODULE, "ranks": 2}, "C2": {**MODULE, "ranks": 1}}
    assert inventory_of(run(declared, dmi(board))).contradictions == (
        "A1: RDIMM 16 GiB in the bench file, in slot DIMM_C2 in the server",
        "B1: RDIMM 16 GiB, 3200 MT/s in the bench file, in slot DIMM_B2 in the server",
    )


@pytest.mark.parametrize(
    "nothing",
    ["N/A", "Not Specified", "Unknown", "NO DIMM", "0x0000", "None", "To Be Filled By O.E.M.", "Part Num", "PartNum0",
     "Array1_PartNumber0", "[Empty]", "<BAD INDEX>", "Undefined", "00000000"],
)  # fmt: skip
def test_a_part_number_that_nobody_filled_in_verifies_and_contradicts_nothing(run, nothing):
    """DSP0134, 6.1.3: a string number of 0 is no string, for which dmidecode prints "Not Specified"."""
    empty, declared = {"A1": {**MODULE, "part": nothing}}, {"A1": MODULE}
    for inventory in (
        inventory_of(run(declared, dmi(empty))),
        inventory_of(run(declared, bmc=redfish(empty))),
        inventory_of(run(empty, dmi(declared))),
        inventory_of(run(empty, dmi(empty))),
    ):
        assert inventory.contradictions == ()
        assert "part" not in inventory.slots[0].verified
    assert inventory_of(run(declared, dmi(empty))).slots[0].unverified == ("part",)


def test_a_part_number_that_the_firmware_has_is_not_contradicted_by_the_bmc(run):
    """Some BMCs show the part number of the maker of the server."""
    vendor = population(**{slot: {"part": "P11442-191"} for slot in FILLED})
    inventory = inventory_of(run(population(), dmi(population()), redfish(vendor)))
    assert (inventory.contradictions, inventory.summary) == ((), "8 verified by firmware")
    assert inventory.slots[0].verified == ("size", "type", "speed", "ranks", "part")
    assert (
        "The BMC b1 shows other part numbers than the firmware, which has those of the bench file: A1 P11442-191, "
        "B1 P11442-191, C1 P11442-191, D1 P11442-191." in inventory.statement
    )
    alone = inventory_of(run(population(), bmc=redfish(vendor)))
    assert alone.contradictions[0] == "A1: part M393A2K43DB2-CWE in the bench file, part P11442-191 by the BMC b1"
    own = inventory_of(run(population(), dmi(vendor), redfish(population())))
    assert own.contradictions[0] == "A1: part M393A2K43DB2-CWE in the bench file, part P11442-191 in the server"


@pytest.mark.parametrize(
    ("own", "other", "words"),
    [
        ("M393A2K43DB2-CWE", "M393A2K43DB2-CWE    ", "part"),
        ("M393A2K43DB2", "M393A2K43DB2-CWE", "part by its first 12 characters"),
        ("HMA82GR7CJR4N-XN", "hma82gr7cjr4n-xn  T4 AC", "part by its first 16 characters"),
        ("M393A2K", "M393A2K43DB2-CWE", None),  # seven characters: it may be one of many
        ("M393A2K43DB2-CWE", "M393A2K43BB1-CTD", None),
    ],
)
def test_a_part_number_may_go_on(run, own, other, words):
    declared, board = ({"A1": {**MODULE, "part": part}} for part in (own, other))
    inventory = inventory_of(run(declared, dmi(board)))
    assert inventory.slots[0].verified == (("size", "type", "speed", "ranks", words) if words else ())
    assert bool(inventory.contradictions) is (words is None)


def test_a_nameless_slot_does_not_hide_a_module_that_was_moved(run):
    """A1 is empty there and A2 filled, whatever is in the slot that the firmware does not name."""
    declared = {"A1": MODULE, "A2": None, "B1": MODULE, "slot": MODULE}
    board = dmi({"A1": None, "A2": MODULE, "B1": MODULE}) + "\n" + dmi({"": MODULE}, "{}")
    assert inventory_of(run(declared, board)).contradictions == (
        "A1: RDIMM 16 GiB, 3200 MT/s in the bench file, in slot DIMM_A2 in the server",
    )
    other = dmi({"A1": None, "A2": None, "B1": MODULE}) + "\n" + dmi({"": MODULE}, "{}")
    contradictions = inventory_of(run(declared, other)).contradictions
    assert contradictions == (
        "3 modules in the bench file, 2 in the server",
        "A1: RDIMM 16 GiB, 3200 MT/s in the bench file, nothing in the server",
    )


def test_a_module_that_is_missed_may_be_in_the_nameless_slot(run):
    declared = {"A1": MODULE, "B1": MODULE}
    board = dmi({"B1": MODULE}) + "\n" + dmi({"": MODULE}, "{}")
    inventory = inventory_of(run(declared, board))
    assert inventory.contradictions == ()
    assert [slot.status for slot in inventory.slots] == [DECLARED, FIRMWARE]
    other = dmi({"B1": MODULE}) + "\n" + dmi({"": {**MODULE, "capacity_gib": 32.0}}, "{}")
    assert inventory_of(run(declared, other)).contradictions == (
        "A1: RDIMM 16 GiB, 3200 MT/s in the bench file, nothing in the server",
    )


def numbers(*filled, of):
    return {str(n): MODULE if n in filled else None for n in of}


@pytest.mark.parametrize(
    ("declared", "board", "paired"),
    [
        (numbers(1, 3, of=range(1, 5)), numbers(1, 3, of=range(1, 5)), True),
        (numbers(1, 3, of=(1, 3)), numbers(1, 3, of=range(1, 5)), True),  # the same numbers are filled
        (numbers(1, 3, of=range(1, 5)), numbers(0, 2, of=range(4)), True),  # one begins at 1, the other at 0
        (numbers(0, 2, of=range(4)), numbers(1, 3, of=range(1, 5)), True),
        (numbers(1, 2, of=range(1, 5)), numbers(0, 1, of=(0, 1)), True),
        (numbers(1, 2, of=(1, 2)), numbers(5, 6, of=range(5, 9)), False),
        (numbers(1, 3, of=(1, 3)), numbers(0, 2, of=range(8)), False),  # by its names two are in other slots
    ],
)
def test_numbers_alone_are_paired_where_both_sides_number_alike(run, declared, board, paired):
    inventory = inventory_of(run(declared, dmi(board, "DIMM {}")))
    assert inventory.contradictions == ()
    assert {slot.status for slot in inventory.slots} == {FIRMWARE if paired else DECLARED}
    assert ("could not be paired" in inventory.statement) is not paired


def at(*names, empty=()):
    return dict.fromkeys(names, MODULE) | dict.fromkeys(empty)


@pytest.mark.parametrize(
    ("declared", "board", "same"),
    [
        # all slots of both: A1 and A2 are A0 and A1
        (at("A1", "B1", empty=("A2", "B2")), at("A0", "B0", empty=("A1", "B1")), {"A1": "A0", "B1": "B0"}),
        (at("A2", "B2", empty=("A1", "B1")), at("A1", "B1", empty=("A0", "B0")), {"A2": "A1", "B2": "B1"}),
        # processors 1 and 2 are P0 and P1
        (at("P1-A1", empty=("P2-A1",)), at("P0_A1", empty=("P1_A1",)), {"P1-A1": "P0_A1"}),
        # both at once
        (at("P1-A1", "P2-A1"), at("P0_A0", "P1_A0"), {"P1-A1": "P0_A0", "P2-A1": "P1_A0"}),
        # the bench file names filled slots alone, as the board does: each channel has its module in the second slot
        (at("A1", "B1"), at("A1", "B1", empty=("A0", "B0")), {"A1": "A1", "B1": "B1"}),
        # or by another count, or they were moved: nothing tells
        (at("A1", "B1"), at("A0", "B0", empty=("A1", "B1")), {}),
    ],
)
def test_slots_counted_from_0_and_from_1_are_not_taken_for_each_other(run, declared, board, same):
    inventory = inventory_of(run(declared, dmi(board)))
    assert inventory.contradictions == ()
    verified = {slot.slot for slot in inventory.slots if slot.status == FIRMWARE and slot.declared != "empty"}
    assert verified == set(same)
    counted = "count slots or processors from different numbers, 0 and 1" in inventory.statement
    assert counted is (same != {"A1": "A1", "B1": "B1"})
    # a module less is missed in the slot that was paired with the one that lost it
    for slot, place in same.items():
        contradictions = inventory_of(run(declared, dmi({**board, place: None}))).contradictions
        assert f"{slot}: RDIMM 16 GiB, 3200 MT/s in the bench file, nothing in the server" in contradictions


def test_modules_under_the_same_numbers_of_another_count_are_in_other_slots(run):
    """1 to 8 are 0 to 7, so that modules in 2 and 4 of one side are not in 2 and 4 of the other."""
    declared, board = numbers(2, 4, of=range(1, 9)), numbers(2, 4, of=range(8))
    assert inventory_of(run(declared, dmi(board, "DIMM {}"))).contradictions == (
        "2: RDIMM 16 GiB, 3200 MT/s in the bench file, in slot DIMM_2 in the server",
        "4: RDIMM 16 GiB, 3200 MT/s in the bench file, in slot DIMM_4 in the server",
    )


def test_a_module_in_another_slot_is_found_by_number_too(run):
    declared, board = numbers(1, 3, of=range(1, 5)), numbers(1, 4, of=range(1, 5))
    assert inventory_of(run(declared, dmi(board, "DIMM {}"))).contradictions == (
        "3: RDIMM 16 GiB, 3200 MT/s in the bench file, in slot DIMM_4 in the server",
    )


def test_slots_that_a_bmc_calls_alike_are_paired_with_none(run):
    """The bench file has the numbers of the firmware's order, which need not be that of the BMC."""
    declared = {"DIMM_0": MODULE, "DIMM_0.2": {**MODULE, "capacity_gib": 32.0}}
    listed = redfish({"0": {**MODULE, "capacity_gib": 32.0}, "1": MODULE})
    for slot in listed["slots"]:
        slot["name"] = "DIMM 0"
    inventory = inventory_of(run(declared, bmc=listed))
    assert inventory.contradictions == ()
    assert {slot.status for slot in inventory.slots} == {DECLARED}


def test_a_slot_that_is_paired_with_none_is_named(run):
    declared = {"A1": MODULE, "slot": None}
    inventory = inventory_of(run(declared, dmi({"A1": MODULE, "B1": None})))
    assert "Not paired between the bench file and the firmware: slot of the bench file." in inventory.statement


def test_slots_that_one_source_of_two_does_not_name_are_named(run):
    """The firmware names the slots; the BMC calls three of four by one name."""
    declared = dict.fromkeys(FILLED, MODULE)
    listed = redfish(declared)
    for slot in listed["slots"][1:]:
        slot["name"] = "DIMM"
    inventory = inventory_of(run(declared, dmi(declared), listed))
    assert inventory.contradictions == ()
    assert (
        "Not paired between the bench file and the BMC b1: B1, C1, D1 of the bench file and DIMM, DIMM #2, DIMM #3 of "
        "the BMC b1." in inventory.statement
    )
    for slot in listed["slots"]:
        slot["name"] = "DIMM"
    inventory = inventory_of(run(declared, dmi(declared), listed))
    assert (
        "The slots of the BMC b1 could not be paired with those of the bench file: it calls them DIMM, DIMM #2, "
        "DIMM #3, DIMM #4." in inventory.statement
    )
    assert inventory.summary == "4 verified by firmware"


def test_a_module_whose_size_the_firmware_does_not_know_is_there(run):
    text = dmi(population()).replace("Size: 16 GB", "Size: Unknown", 1)
    inventory = inventory_of(run(population(), text))
    assert inventory.contradictions == ()
    assert [slot.status for slot in inventory.slots].count(DECLARED) == 1
    assert inventory_of(run(population(A1=None), text)).contradictions == (
        "3 modules in the bench file, 4 in the server",
        "A1: nothing in the bench file, RDIMM, 3200 MT/s in the server",
    )


def test_a_module_whose_size_a_bmc_does_not_state_is_there(run):
    listed = redfish(population())
    listed["slots"][0] |= {"capacity_gib": None, "size_unknown": True}
    inventory = inventory_of(run(population(), bmc=listed))
    assert inventory.contradictions == ()
    assert [slot.status for slot in inventory.slots] == [DECLARED] + 7 * [OUT_OF_BAND]
    assert inventory_of(run(population(), dmi(population()), listed)).summary == "8 verified by firmware"


def test_a_bmc_that_does_not_list_empty_slots_verifies_them_too(run):
    filled = {slot: module for slot, module in population().items() if module}
    inventory = inventory_of(run(population(), bmc=redfish(filled)))
    assert (inventory.contradictions, inventory.summary) == ((), "8 verified out of band")


def test_what_was_not_read_says_why_and_what_to_do(run):
    unread = run(
        population(), None, {"bmc": "b1", "problem": "The BMC refuses the password."}, memory_slots_unread="No file."
    )
    inventory = inventory_of(unread)
    assert inventory.statement == "No file. The BMC b1 was asked too. The BMC refuses the password."


def test_a_simulated_server_has_no_slots_of_its_own(run):
    inventory = memory_inventory(run(population(), dmi(population(D1=None))), simulated=True)
    assert (inventory.way, inventory.contradictions) == (None, ())
    assert inventory.statement == "A simulated server has no memory slots of its own."


def test_a_run_without_declared_slots_has_no_inventory(record):
    assert inventory_of(record()) is None


NAMES = st.text(alphabet="AB1 2-_DIMMslot", max_size=8)
MODULES = st.none() | st.fixed_dictionaries(
    {"type": st.sampled_from(["RDIMM", "UDIMM"]), "capacity_gib": st.sampled_from([8.0, 16.0]),
     "speed_mts": st.sampled_from([2666, 3200]), "ranks": st.sampled_from([1, 2]), "part": st.text("XY", max_size=2)}
)  # fmt: skip


@given(
    st.dictionaries(NAMES.filter(bool), MODULES, min_size=1, max_size=6), st.dictionaries(NAMES, MODULES, max_size=6)
)
def test_any_two_populations_are_compared_and_equal_ones_agree(slots, other):
    declared = [{"slot": slot, **({"type": None} if m is None else {k: v for k, v in m.items() if k != "part"})}
                for slot, m in slots.items()]  # fmt: skip
    snapshot = {"modules": declared, "declared": {"memory": {"slots": slots}}}
    for listed in (other, slots):
        host = {"memory_slots": dmi(listed, "{}")} if listed else {}
        inventory = memory_inventory(
            make_run(configuration_snapshot=snapshot, disclosure={"host": host}), simulated=False
        )
        assert [slot.slot for slot in inventory.slots] == list(slots)
    assert inventory.contradictions == ()
