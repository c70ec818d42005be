import { describe, expect, it } from "vitest"
import { offered, ofWork, preferred, summaries, workKey, works, type MemoryChoice } from "@/pages/memory/memoryChoices"
import { levelsOf } from "@/pages/memory/levels"
import { flatten } from "@/pages/run/facts"
import { exportQuery } from "@/pages/runs/exportQuery"
import { FACETS, filterQuery, groupOf, rowsRequest, type Facet, type RunFilter } from "@/pages/runs/filter"
import { tagsOf } from "@/pages/runs/tags"
import { glance, kindOf, qualityNote, saidAbove, type RunRow } from "@/pages/runs/verdicts"

const row = (over: Partial<RunRow>): RunRow =>
  ({
    run_id: "r1",
    server: "s5000",
    configuration: "fbd2",
    configuration_title: "2 FB-DIMM",
    workload: "rsa2048-sign",
    level: "4 processes",
    meter: "wall-a",
    status: "complete",
    simulated: false,
    source: "measured",
    kind: "measured",
    quality: "open",
    state: { key: "sound", words: "OK" },
    failed_rules: [],
    not_ranked: {},
    inclusion: null,
    reason: null,
    dimm_count: 2,
    power: { value: 225, unit: "W", U95: null },
    ...over,
  }) as RunRow

describe("how a run stands", () => {
  it("is said in the words of the service; the mark is told by its key", () => {
    expect(glance({ key: "marked", words: "Power sources disagree" })).toEqual({
      tone: "warn",
      word: "Power sources disagree",
    })
    expect(glance({ key: "withheld", words: "No power: 21 s lost" })).toEqual({
      tone: "warn",
      word: "No power: 21 s lost",
    })
    expect(glance({ key: "sound", words: "OK" }).tone).toBe("ok")
    expect(glance({ key: "unchecked", words: "Not checked" }).tone).toBe("none")
    expect(glance({ key: "failed", words: "Failed" }).tone).toBe("bad")
  })

  it("has its reason above the figures where no list of failed checks says it", () => {
    expect(saidAbove({ key: "withheld", reason: "Repeat the run." })).toBe(true)
    expect(saidAbove({ key: "aborted", reason: "The lamp fell." })).toBe(true)
    expect(saidAbove({ key: "aborted", reason: null })).toBe(false)
    expect(saidAbove({ key: "barred", reason: "Other programs" })).toBe(false)
  })

  it("says by which figures a run is not ranked, each cause once, and whose choice ranks it", () => {
    const why = "too many bad readings (rule bad-samples)"
    const barred = row({
      state: { key: "barred", words: "Bad samples", reason: "12 % are bad.", ranked: [] },
      not_ranked: { efficiency: why, power: why },
    })
    expect(qualityNote(barred)).toBe(`12 % are bad.\nNot ranked by work per joule, full-load power: ${why}`)
    const inclusion = {
      by: "K. Berg",
      reason: "Checked.",
      rules: ["bad-samples"],
      at: "2026-11-23T08:00:00+00:00",
      beside: [],
    }
    const chosen = row({
      state: { key: "override", words: "Ranked by override", reason: "Ranked by …", ranked: [] },
      inclusion,
    })
    expect(qualityNote(chosen)).toBe("Ranked by override of K. Berg: Checked.")
    const stopped: RunRow["state"] = { key: "aborted", words: "Stopped", reason: "The lamp fell.", ranked: [] }
    expect(qualityNote(row({ state: stopped, not_ranked: { power: "aborted" } }))).toBe("The lamp fell.")
    expect(qualityNote(row({}))).toBe("")
  })

  it("calls a simulated figure simulated wherever it comes from", () => {
    expect(kindOf(row({ simulated: true, source: "imported: x" }))).toBe("simulated")
    expect(kindOf(row({ source: "imported: MLPerf" }))).toBe("imported")
    expect(kindOf(row({}))).toBe("measured")
  })
})

const none: RunFilter = {
  text: "",
  lab: [],
  ...(Object.fromEntries(FACETS.map((facet) => [facet, ""])) as Record<Facet, string>),
}

describe("the filter of runs", () => {
  it("asks only for what is chosen, server and configuration apart", () => {
    expect(filterQuery(none)).toEqual({})
    const filter = { ...none, text: " r740 ", lab: ["A"], configuration: "node-01 (A)/8 x 4/b", kind: "measured" }
    expect(filterQuery(filter)).toEqual({
      text: "r740",
      lab: ["A"],
      server: "node-01 (A)",
      configuration: "8 x 4/b",
      kind: "measured",
    })
    expect(filterQuery({ ...none, campaign: "c1", tag: "winter" })).toEqual({ campaign_id: "c1", tag: "winter" })
  })

  it("asks for a page, sorted and grouped only by what the service knows", () => {
    expect(rowsRequest(none, "lab", "nothing", 1)).toEqual({ sort: "-created", offset: 0, limit: 200 })
    expect(rowsRequest(none, "power", "campaign", 2)).toEqual({
      sort: "power",
      group: "campaign",
      offset: 200,
      limit: 200,
    })
    expect(rowsRequest(none, "power", "none", 1)).not.toHaveProperty("group")
  })

  it("counts the tags of the chosen runs", () => {
    const annotations = new Map([["c", { run_id: "c", tags: ["winter", "bios 1.4"], note: "Fan 3 was loud." }]])
    expect(tagsOf(["a", "c"], annotations)).toEqual([
      { value: "bios 1.4", count: 1 },
      { value: "winter", count: 1 },
    ])
  })

  it("groups by what is known and by nothing else", () => {
    const names = new Map([["other/fbd2", "other · 2 FB-DIMM"]])
    expect(groupOf("configuration", names)!(row({ server: "other" }))).toBe("other · 2 FB-DIMM")
    expect(groupOf("workload", names)!(row({}))).toBe("rsa2048-sign, 4 processes")
    expect(groupOf("campaign", names)!(row({ campaign_id: null }))).toBe("no campaign")
    expect(groupOf("none", names)).toBeNull()
  })
})

describe("what the memory page can show", () => {
  const choice = (server: string, counts: number[], level = "100 %", workload = "rsa"): MemoryChoice => ({
    server,
    workload,
    level,
    counts,
  })
  /** In the order of the service: those with most counts first. */
  const choices = [
    choice("a", [2, 4, 8]),
    choice("a", [2, 4], "16 GB/s", "stream"),
    choice("a", [2, 4], "2 GB/s", "stream"),
    choice("b", [2, 4]),
    choice("b", [2, 4], "16 GB/s", "stream"),
    choice("c", [4]),
  ]
  const nothing = { server: "", workload: "", level: "" }

  it("lists the load levels of a server with more than one count, low ones first", () => {
    const single = choice("a", [2], "32 GB/s", "stream")
    expect(levelsOf([...choices, single], "a", "stream")).toEqual(["2 GB/s", "16 GB/s"])
  })

  it("shows first what was measured at the most counts, of what the address names", () => {
    expect(preferred(choices, nothing)).toBe(choices[0])
    expect(preferred(choices, { ...nothing, server: "b" })).toBe(choices[3])
    expect(preferred(choices, { ...nothing, workload: "stream", level: "16 GB/s" })).toBe(choices[1])
    expect(preferred(choices, { ...nothing, server: "nobody" })).toBeUndefined()
  })

  it("offers a server with one count where the address names it, and nowhere else", () => {
    expect(preferred(choices, { ...nothing, server: "c" })).toBe(choices[5])
    expect(offered(choices, nothing).map(({ server }) => server)).not.toContain("c")
    expect(offered(choices, choices[5]!).map(({ server }) => server)).toContain("c")
    expect(preferred([choices[5]!], nothing)).toBeUndefined()
  })

  it("offers each workload and level once, with its servers", () => {
    expect(works(choices, nothing).map(({ workload, level, servers }) => [workload, level, servers])).toEqual([
      ["rsa", "100 %", 2],
      ["stream", "16 GB/s", 2],
      ["stream", "2 GB/s", 1],
    ])
  })

  it("keeps the server when another workload is chosen, if it ran it", () => {
    expect(ofWork(choices, workKey(choices[1]!), "b")).toBe(choices[4])
    expect(ofWork(choices, workKey(choices[2]!), "b")).toBe(choices[2])
  })

  it("sums populations up by DIMM count", () => {
    const point = (configuration: string, count: number, power_w: number) => ({
      run_id: configuration + power_w,
      configuration,
      title: count === 8 ? "8 FB-DIMMs" : "",
      count,
      memory_gib: count,
      power: { value: power_w, unit: "W", U95: null },
      efficiency: null,
      throughput: null,
      channels: {},
      overrides: [],
      sources_disagree: false,
      simulated: false,
      traceable: true,
    })
    const made = summaries([point("fbd8", 8, 262), point("fbd2", 2, 224), point("fbd2", 2, 226)])
    expect(made.map((summary) => [summary.configuration, summary.title, summary.runs, summary.meanPowerW])).toEqual([
      ["fbd2", "fbd2", 2, 225],
      ["fbd8", "8 FB-DIMMs", 1, 262],
    ])
  })
})

describe("full disclosure", () => {
  it("shows nested facts, and excludes only what is empty", () => {
    const rows = flatten({
      argv: ["openssl", "speed"],
      seed: 2137680264,
      versions: { openssl_lib: "3.0.15", none: null },
      host: { name: null, clock: {} },
      psus: ["psu1", "psu2"],
      meters: [{ name: "wall-a", simulated: true }],
      nothing: [],
      zero: 0,
    })
    expect(rows.map((row) => [row.depth, row.name, row.text])).toEqual([
      [0, "argv", "openssl speed"],
      [0, "seed", "2137680264"],
      [0, "versions", ""],
      [1, "openssl lib", "3.0.15"],
      [0, "psus", "psu1, psu2"],
      [0, "meters", ""],
      [1, "1", ""],
      [2, "name", "wall-a"],
      [2, "simulated", "yes"],
      [0, "zero", "0"],
    ])
  })
})

describe("the export of the list", () => {
  const filter: RunFilter = { ...none, text: "fbd", quality: "sound" }

  it("holds what the filter shows", () => {
    expect(exportQuery(filter, 3, [])).toEqual({ text: "fbd", quality: "sound" })
    expect(exportQuery(filter, 2, ["a", "b"])).toEqual({ text: "fbd", quality: "sound" })
    expect(exportQuery({ ...filter, text: "", quality: "", configuration: "s5000/fbd2" }, 3, [])).toEqual({
      server: "s5000",
      configuration: "fbd2",
    })
    expect(exportQuery({ ...filter, text: "", campaign: "c1" }, 3, [])).toEqual({ quality: "sound", campaign_id: "c1" })
  })

  it("holds what is selected, as far as an address can name it", () => {
    expect(exportQuery(filter, 3, ["a", "b"])).toEqual({ run_ids: "a,b" })
    expect(exportQuery(filter, 2222, Array.from({ length: 501 }, String))).toBeNull()
  })
})
