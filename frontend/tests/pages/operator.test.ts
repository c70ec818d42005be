import { describe, expect, it } from "vitest"
import type { Schemas } from "@/api/client"
import { slotChanges, wholeBoard, type Module } from "@/lib/slots"
import { taskOf } from "@/pages/campaign/request"

const dimm = (slot: string, more: Partial<Module> = {}): Module => ({
  slot,
  channel: slot[0]!,
  type: "FB-DIMM",
  capacity_gib: 1,
  ...more,
})
const bay = (slot: string): Module => ({ slot, channel: slot[0]! })

const configuration = (id: string, modules: Module[], more: object = {}): Schemas["ConfigurationOut"] =>
  ({
    id,
    title: `Title of ${id}`,
    modules,
    cpu: "Xeon 5160",
    cpu_count: 1,
    psus: ["p1"],
    disks: [],
    firmware: {},
    ...more,
  }) as unknown as Schemas["ConfigurationOut"]
const server = (...configurations: Schemas["ConfigurationOut"][]) =>
  ({ id: "a", title: "Server A", configurations }) as Schemas["ServerOut"]
const request = (more: Partial<Schemas["OperatorRequest"]> = {}): Schemas["OperatorRequest"] => ({
  server: "a",
  configuration: "four",
  hands: "install",
  fitted: "two",
  ...more,
})

const two = [dimm("A1"), dimm("B1"), bay("A2"), bay("B2")]
const four = [dimm("A1"), dimm("B1"), dimm("A2"), dimm("B2", { capacity_gib: 2 })]

describe("slotChanges", () => {
  it("tells which slots to fill, to empty and to change, and leaves the others alone", () => {
    expect([...slotChanges(two, four)]).toEqual([
      ["A2", "fit"],
      ["B2", "fit"],
    ])
    expect([...slotChanges(four, two)]).toEqual([
      ["A2", "remove"],
      ["B2", "remove"],
    ])
    expect([...slotChanges(four, [dimm("B2")])]).toEqual([
      ["B2", "replace"],
      ["A1", "remove"],
      ["B1", "remove"],
      ["A2", "remove"],
    ])
  })

  it("draws slots that only the population before names, empty", () => {
    expect(wholeBoard(two, [dimm("A1")]).map(({ slot, type }) => [slot, type])).toEqual([
      ["A1", "FB-DIMM"],
      ["B1", undefined],
      ["A2", undefined],
      ["B2", undefined],
    ])
  })
})

describe("taskOf", () => {
  it("lists the steps from one population to the next, modules of a kind together", () => {
    const task = taskOf(request(), server(configuration("two", two), configuration("four", four)))
    expect(task.title).toBe("Set up Server A: Title of four")
    expect(task.now).toBe("It is in the configuration Title of two now.")
    expect(task.steps.map((step) => step.replaceAll("\u00a0", " "))).toEqual([
      "Switch Server A off and unplug it.",
      "Fit 1 × 1 GiB FB-DIMM: A2.",
      "Fit 1 × 2 GiB FB-DIMM: B2.",
      "Start Server A and wait until it is up.",
      "Press the button below.",
    ])
    expect(task.board?.changes.size).toBe(2)
    expect(task.button).toBe("Configuration installed: continue")
  })

  it("marks nothing where it is not known what is fitted, and lists every module", () => {
    const task = taskOf(request({ fitted: null }), server(configuration("two", two), configuration("four", four)))
    expect(task.now).toContain("not known")
    expect(task.board?.changes.size).toBe(0)
    expect(task.steps[1]).toMatch(/^Fit 3 × 1.GiB FB-DIMM: A1, B1, A2\.$/)
  })

  it("says that nothing changes where the server was measured in this configuration last", () => {
    const task = taskOf(request({ fitted: "four" }), server(configuration("four", four)))
    expect(task.now).toContain("Nothing changes")
    expect(task.steps).toEqual(["Press the button below."])
  })

  it("names what else differs", () => {
    const both = server(
      configuration("two", two),
      configuration("four", two, { psus: ["p1", "p2"], firmware: { c1e: "off" } }),
    )
    expect(taskOf(request(), both).also).toEqual(["Power supplies: p1 → p1, p2", "c1e: – → off"])
  })

  it("asks for a reboot, and for modules to be re-seated, in their own words", () => {
    const own = server(configuration("four", four))
    expect(taskOf(request({ hands: "reboot" }), own)).toMatchObject({
      title: "Reboot Server A",
      board: null,
      button: "Rebooted: continue",
    })
    expect(taskOf(request({ hands: "re-seat" }), own).steps).toContain(
      "Take every module out and put it back into its slot.",
    )
  })
})
