import { beforeEach, describe, expect, it } from "vitest"
import { effectScope, nextTick } from "vue"
import type { Mistake } from "@/lib/edits"
import { keepDraft, readDraft } from "@/pages/plans/draft"
import { placed } from "@/pages/plans/mistakes"
import { PLAN_FIELDS, SHAPE, toForm, type PlanEntry } from "@/pages/plans/planForm"
import { fieldsOf, FIRST, SECTIONS } from "@/pages/plans/sections"
import { usePlanDraft } from "@/pages/plans/usePlanDraft"
import { facts, lacks, matching, type Workload } from "@/pages/plans/workloads"
import { planWords } from "@/strings/plans"

const KNOWN: PlanEntry = { name: "night", configurations: ["a/one"], workloads: ["x"], measure_s: 20 }
const source = () => ({ version: "v1", known: KNOWN, form: toForm(KNOWN) })

describe("the draft of a plan", () => {
  beforeEach(() => sessionStorage.clear())
  const open = (key = "night") => effectScope().run(() => usePlanDraft(source(), key))!

  it("is found again by the tab, with what it was filled from", async () => {
    const first = open()
    expect(first.dirty.value).toBe(false)
    first.state.form.measure_s = "1 min"
    await nextTick()
    const again = open()
    expect([again.restored.value, again.dirty.value, again.plan.value.measure_s]).toEqual([true, true, 60])
    expect(open("other").restored.value).toBe(false)
  })

  it("is gone once nothing differs, it is saved, or it is thrown away", async () => {
    const draft = open()
    draft.state.form.repeats = "5"
    await nextTick()
    draft.state.form.repeats = "3"
    await nextTick()
    expect(readDraft("night")).toBeNull()
    draft.state.form.repeats = "5"
    await nextTick()
    draft.fill("v2", { ...KNOWN, repeats: 5 })
    await nextTick()
    expect([draft.dirty.value, draft.state.version, readDraft("night")]).toEqual([false, "v2", null])
  })

  it("is not taken from pages that knew other fields", () => {
    const { form, ...rest } = source()
    const { idle_s: _, ...older } = form
    keepDraft("night", { ...rest, form: older as typeof form })
    expect(readDraft("night")).toBeNull()
  })
})

describe("a mistake of the whole plan", () => {
  const mistake = (message: string, path: Mistake["path"] = []): Mistake => ({ path, message, where: "", line: null })

  it("stands at the field that it names first", () => {
    const mistakes = placed([
      mistake("needs repeat_until.at_most to be at least repeats, 3"),
      mistake("needs an odd number of sync_pulses_s, so that they begin and end with idle"),
      mistake("is not allowed"),
      mistake("x", ["levels", 0]),
      mistake("elsewhere repeats", null),
    ])
    expect(mistakes.map((mistake) => mistake.path)).toEqual([
      ["repeat_until"],
      ["sync_pulses_s"],
      [],
      ["levels", 0],
      null,
    ])
  })
})

describe("the sections", () => {
  it("show every field of a plan once, each with a name", () => {
    const own = ["name", "title", "configurations", "workloads"]
    const shown = [...own, ...FIRST.map((field) => field.name), ...SECTIONS.flatMap(fieldsOf)]
    expect(shown.toSorted()).toEqual([...PLAN_FIELDS].toSorted())
    for (const field of shown) expect(planWords.fields).toHaveProperty(field)
  })

  it("show every field of every rule, each with a name", () => {
    const form = toForm({}) as unknown as Record<string, Record<string, unknown>>
    for (const item of SECTIONS.flatMap((section) => [...section.items])) {
      if (typeof item === "string" || !("fields" in item)) continue
      const fieldNames = item.fields.map((field) => field.name)
      // Which workloads are graduated is chosen from a list of its own.
      const ruleKeys = Object.keys(form[item.name]!).filter((name) => name !== "on" && name !== "workloads")
      expect(fieldNames.toSorted()).toEqual(ruleKeys.toSorted())
      for (const name of fieldNames) expect(planWords.fields[`${item.name}.${name}`]).toBeTruthy()
    }
    expect(Object.keys(SHAPE)).toHaveLength(34)
  })
})

describe("workloads", () => {
  const workload = (over: Partial<Workload>): Workload => ({
    id: "openssl.rsa1024-sign",
    title: "RSA 1024 bit signatures, OpenSSL",
    unit: "signs",
    limited_by: "cpu",
    level: { one: "process", many: "processes", full: 2, sweep: [1, 2], asks_per_s: null },
    origin: "catalogue",
    external: false,
    missing: null,
    missing_parameters: [],
    stands_for: ["rsa_1024"],
    source: "",
    ...over,
  })

  it("are found by all the words, wherever they stand", () => {
    const all = [
      workload({}),
      workload({ id: "pgbench", title: "Bank on PostgreSQL", unit: "transactions", stands_for: [] }),
    ]
    const ids = (typed: string) => matching(all, typed).map((workload) => workload.id)
    expect(ids("")).toHaveLength(2)
    expect(ids("RSA sign")).toEqual(["openssl.rsa1024-sign"])
    expect(ids("rsa postgresql")).toEqual([])
    expect(ids("cpu")).toHaveLength(2)
  })

  it("say unit, bound and level, and what they lack with the package that brings it", () => {
    expect(facts(workload({}))).toEqual(["signs/s", "limited by CPU", "by processes, all = 2"])
    expect(facts(workload({ level: null, external: true })).slice(2)).toEqual([
      "one level only",
      "started elsewhere, sends markers",
    ])
    expect(lacks(workload({}))).toEqual([])
    const bare = workload({
      missing: "pgbench is missing: apt-get install postgresql-contrib",
      missing_parameters: ["host: Where"],
    })
    expect(lacks(bare)).toEqual([bare.missing, "Set these values in the bench file first: host."])
  })
})
