import { describe, expect, it } from "vitest"
import { fmt } from "@/format"
import { actionsOf } from "@/shell/searchActions"
import { PAGES } from "@/shell/navigation"
import { search, targetsOf, type Known, type Target } from "@/shell/searchTargets"

const targets: Target[] = [
  { kind: "Run", label: "2 FB-DIMM, rsa2048-sign", note: "20261119-001", to: "/runs/1" },
  { kind: "Page", label: "Runs", note: "", to: "/runs" },
  { kind: "Server", label: "S5000", note: "2 FB-DIMM, 4 FB-DIMM", to: "/servers/s5000" },
]

describe("search", () => {
  it("wants every word, anywhere", () => {
    expect(search(targets, "fb-dimm server", 9).map((target) => target.to)).toEqual(["/servers/s5000"])
    expect(search(targets, "001", 9).map((target) => target.to)).toEqual(["/runs/1"])
  })

  it("does not hide a comparison behind a hundred runs", () => {
    const runs = Array.from({ length: 100 }, (_, i) => ({ kind: "Run", label: `r${i}, 80 %`, note: "", to: `/r${i}` }))
    const comparison = { kind: "Compare", label: "rsa, 80 %", note: "", to: "/compare" }
    const matches = search([...runs, comparison], "80 %", 12)
    expect(matches).toHaveLength(12)
    expect(matches.map((target) => target.to)).toContain("/compare")
  })

  it("puts names that begin with the text first and stops at the limit", () => {
    expect(search(targets, "run", 9)[0]!.to).toBe("/runs")
    expect(search(targets, "", 2)).toHaveLength(2)
  })
})

const content = {
  runs: [
    {
      run_id: "b",
      campaign_id: "c1",
      created: "2026-11-22T11:00:00Z",
      configuration: "fbd-4",
      workload: "w",
      level: "1",
    },
    {
      run_id: "a",
      campaign_id: "c1",
      created: "2026-11-22T10:00:00Z",
      configuration: "fbd-2",
      workload: "w",
      level: "1",
    },
    {
      run_id: "x",
      campaign_id: null,
      created: "2026-11-20T10:00:00Z",
      configuration: "old",
      workload: "w",
      level: "1",
    },
  ],
  bench: {
    plans: [{ name: "night", workloads: ["w"] }],
    servers: [{ id: "s1", title: "S5000", configurations: [{ id: "fbdimm-4", title: "2 FB-DIMMs" }] }],
    meters: [{ id: "wall", title: "Eastron SDM230" }],
  },
  choices: [{ workload: "w", level: "1", title: "RSA", measured: 3, published: 1 }],
  workloads: [{ id: "pgbench", title: "PostgreSQL" }],
  tables: [
    {
      id: "t1",
      title: "Table 1",
      source: "Article",
      columns: ["System", "Power"],
      rows: [
        ["Sun T2000", 188],
        ["Sun T2000", 190],
        [null, 2],
      ],
    },
  ],
} as unknown as Known

describe("what the search knows", () => {
  const to = targetsOf(content).map((target) => target.to)

  it("is every page, also those that no rail shows", () => {
    expect(to).toEqual(expect.arrayContaining([...PAGES.map((page) => page.to), "/start", "/plans/new"]))
  })

  it("is every plan, server, meter, run, campaign, workload and published table, each at its address", () => {
    const things = ["/plans/night", "/servers/s1", "/meters?at=wall", "/runs/a", "/runs/b", "/runs/x", "/runs?q=c1"]
    const work = ["/compare?workload=w&level=1", "/plans/new?workload=pgbench", "/library/t1"]
    expect(to).toEqual(expect.arrayContaining([...things, ...work]))
    expect(to.filter((address) => address === "/runs?q=c1")).toHaveLength(1)
    expect(new Set(to).size).toBe(to.length)
  })

  it("calls a campaign by when its first run began", () => {
    const matches = search(targetsOf(content), "campaign c1", 9)
    expect(matches.map((target) => target.label)).toEqual([`Campaign started ${fmt.dateTime("2026-11-22T10:00:00Z")}`])
  })

  it("finds a configuration by its id and by its title, and leads to its runs", () => {
    const to = "/runs?configuration=s1%2Ffbdimm-4"
    expect(search(targetsOf(content), "fbdimm-4", 9).map((target) => target.to)).toContain(to)
    expect(search(targetsOf(content), "s5000 fb-dimms", 9)[0]!.to).toBe(to)
  })

  it("finds a published system once, whatever the number of its rows", () => {
    const systems = search(targetsOf(content), "T2000", 9)
    expect(systems).toHaveLength(1)
    expect(systems[0]).toMatchObject({ label: "Sun T2000", note: "Table 1", to: "/library/t1?system=Sun+T2000" })
  })

  it("has nothing of what has not come yet", () => {
    const empty = { runs: [], bench: undefined, choices: [], workloads: [], tables: [] }
    expect(targetsOf(empty)).toHaveLength(PAGES.length + 3)
  })
})

describe("what the search can do", () => {
  const first = (text: string) =>
    search(
      actionsOf([{ name: "night shift" }], () => {}),
      text,
      9,
    )[0]

  it("is found by the words of the review: export csv, dark, start plan", () => {
    expect(first("export csv")!.label).toBe("Export all runs as CSV")
    expect(first("dark")!.act).toBeTypeOf("function")
    expect(first("start plan")!.to).toBe("/plans/night%20shift?start=1")
    expect(first("new server")!.to).toBe("/servers?edit=new")
  })

  it("shows the shortcuts by what the shell gives it", () => {
    let shown = 0
    search(
      actionsOf([], () => shown++),
      "shortcuts",
      9,
    )[0]!.act!()
    expect(shown).toBe(1)
  })
})
