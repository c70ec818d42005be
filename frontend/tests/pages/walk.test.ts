import { describe, expect, it } from "vitest"
import { freeMeters } from "@/inventory/feeding"
import { countsOf } from "@/inventory/population"
import { comparable } from "@/pages/campaign/comparable"
import { firstPlan } from "@/pages/plans/firstPlan"
import { newServer, serverEntry, withCounts, withSlots, type Configuration } from "@/pages/servers/drafts"

type Bench = Parameters<typeof firstPlan>[0]
const workload = (id: string, limited_by = "cpu", missing: string | null = null) =>
  ({ id, limited_by, missing, missing_parameters: [] }) as unknown as Parameters<typeof firstPlan>[1][number]

describe("DIMM counts to compare", () => {
  const module = { type: "FB-DIMM", capacity_gib: 2 } as const
  const board = withSlots(newServer().configurations[0]!, { A1: module, B1: module, C1: null, D1: null })
  const fitted = (configuration: Configuration) => Object.values(configuration.memory!.slots!).filter(Boolean).length

  it("are whole numbers, each once", () => {
    expect(countsOf("4, 8 8;16")).toEqual([4, 8, 16])
    expect(countsOf("")).toEqual([])
    for (const wrong of ["0", "four", "1.5", "65", "-2"]) expect(countsOf(wrong)).toBeNull()
  })

  it("make configurations that differ in their modules alone", () => {
    const made = withCounts(board, [2, 4, 8])
    expect(made.map(fitted)).toEqual([2, 4, 8])
    expect(made.map((configuration) => configuration.title)).toEqual([
      "2 × 2 GiB FB-DIMM",
      "4 × 2 GiB FB-DIMM",
      "8 × 2 GiB FB-DIMM",
    ])
    expect(made[0]!.memory!.slots).toEqual(board.memory!.slots)
    const ids = serverEntry({ ...newServer(), title: "S", configurations: made }, []).configurations.map(
      (configuration) => configuration.id,
    )
    expect(new Set(ids).size).toBe(3)
  })

  it("leave a board alone where there are none", () => {
    expect(withCounts(board, [])).toEqual([board])
  })
})

describe("the first plan", () => {
  const server = { id: "s", configurations: [{ id: "a" }, { id: "b" }] }
  const meter = { id: "m", feeds: [{ server: "s" }] }
  const bench = (over: object) => ({ servers: [server], meters: [meter], plans: [], ...over }) as unknown as Bench
  const usual = workload("openssl.rsa2048-sign")

  it("has a name, every configuration that a wall meter measures, and a usual workload", () => {
    const begun = firstPlan(bench({}), [workload("7zip"), usual])
    expect(begun).toEqual({ name: "first", configurations: ["s/a", "s/b"], workloads: [usual.id] })
  })

  it("excludes what is not measured: a secondary meter adds nothing", () => {
    expect(firstPlan(bench({ meters: [{ ...meter, role: "secondary" }] }), [usual]).configurations).toEqual([])
  })

  it("takes a workload that can run, bound by the CPU, where the usual one cannot", () => {
    const able = [workload("disk", "disk"), workload("openssl.rsa2048-sign", "cpu", "openssl"), workload("7zip")]
    expect(firstPlan(bench({}), able).workloads).toEqual(["7zip"])
    expect(firstPlan(bench({}), able, "disk").workloads).toEqual(["disk"])
  })

  it("is named by its maker once there are others", () => {
    expect(firstPlan(bench({ plans: [{ name: "night" }] }), [usual]).name).toBeUndefined()
  })
})

describe("what can feed a new server", () => {
  it("is a meter that counts and feeds nothing", () => {
    const meters = [
      { id: "a", feeds: [] },
      { id: "b", feeds: [{ server: "s" }] },
      { id: "c", role: "secondary" },
    ]
    expect(freeMeters(meters as unknown as Parameters<typeof freeMeters>[0]).map((meter) => meter.id)).toEqual(["a"])
  })
})

describe("what a campaign has made comparable", () => {
  type Run = Parameters<typeof comparable>[0][number]
  const run = (configuration: string, workload = "w", state = "complete") =>
    ({ server: "s", configuration, workload, level: "1", state }) as Run

  it("is what most configurations have run to the end", () => {
    const runs = [run("a", "v"), run("b", "v"), run("a"), run("b"), run("c"), run("d", "v", "failed")]
    expect(comparable(runs)).toEqual({ workload: "w", level: "1" })
  })

  it("is nothing while one configuration stands alone", () => {
    expect(comparable([run("a"), run("a"), run("b", "w", "failed")])).toBeNull()
  })
})
