import { describe, expect, it } from "vitest"
import * as defaults from "@/api/defaults"
import { asNumber, asSeconds, durationText, record } from "@/pages/plans/codec"
import { changedFields, PLAN_FIELDS, SHAPE, toForm, toPlan, type Known, type PlanEntry } from "@/pages/plans/planForm"

/** A plan that says everything; no value is the default. */
const FULL: Required<PlanEntry> = {
  name: "night",
  title: "All of it",
  configurations: ["a/one", "b/two"],
  workloads: ["openssl.rsa1024-sign", "web.wrk"],
  levels: ["all", "sweep", 4],
  workload_levels: { "web.wrk": [10, 20] },
  graduated: {
    workloads: ["web.wrk"],
    percent: [100, 50],
    calibrate: 2,
    offer: 900,
    active_idle: false,
    idle_once_s: 1200,
  },
  exclude: [
    { configuration: "a/one", level: "sweep" },
    { workload: "web.wrk", level: 4 },
  ],
  settings: {
    governor: ["performance"],
    energy_preference: ["balance_power", "power"],
    turbo: ["on", "off"],
    smt: ["off"],
    deepest_c_state: ["C1E"],
    power_cap_w: [100, 125.5],
    gpu_power_cap_w: [300],
  },
  repeats: 4,
  repeat_until: { efficiency_ci_pct: 0.5, at_most: 12 },
  between_repeats: "re-seat",
  repeat_failed: 0,
  order: "up-and-down",
  seed: 77,
  together: true,
  stop: { gain_below_pct: 1.5, over_levels: 3 },
  time_budget_s: 28_800,
  quiet: { at_most_s: 120 } as Required<PlanEntry>["quiet"],
  idle_s: 31.5,
  idle_after_s: 12,
  sync_pattern: true,
  sync_pulses_s: [3, 4.5, 5],
  ramp_s: 7,
  settle_s: 45,
  settle: { over_s: 90, at_least_s: 60, at_most_s: 1200 } as Required<PlanEntry>["settle"],
  measure_s: 0.1 + 0.2,
  hold_s: 4,
  cool_down_s: 61,
  cool_down: { until_c: 41.5, channel: "bmc/cpu1_temp", at_most_s: 1800 },
  limits: { max_power_w: 400, max_temperature_c: 85 },
  schedule: { calendar: "Mon..Fri 02:00", missed: "skip" },
  reference: { since: "2026-11-30" },
  full_load_limit_pct: null,
}

/** What a service may hold: every field alone, explicit defaults, nulls and empty lists too. */
const KNOWN: Known[] = [
  FULL,
  { name: "small", configurations: ["a/one"], workloads: ["web.wrk"] },
  { ...FULL, exclude: [], workload_levels: {}, limits: null, settle: null, time_budget_s: null, repeat_until: null },
  { name: "d", configurations: ["a/one"], workloads: ["x"], cool_down_s: 0, together: false, full_load_limit_pct: 95 },
  ...PLAN_FIELDS.map((field) => ({ name: "p", configurations: ["a/one"], workloads: ["x"], [field]: FULL[field] })),
]

/** Another value for each field, as a person would set it. */
const TOUCHED: { [Field in keyof PlanEntry]-?: (form: ReturnType<typeof toForm>) => void } = {
  name: (form) => (form.name = "other"),
  title: (form) => (form.title = "Other"),
  configurations: (form) => (form.configurations = ["c/three"]),
  workloads: (form) => (form.workloads = ["7zip"]),
  levels: (form) => (form.levels = "1, 2"),
  workload_levels: (form) => (form.workload_levels = { x: "3" }),
  graduated: (form) => (form.graduated.on = !form.graduated.on),
  exclude: (form) => (form.exclude = [{ configuration: "", workload: "x", level: "" }]),
  settings: (form) => (form.settings.on = !form.settings.on),
  repeats: (form) => (form.repeats = "9"),
  between_repeats: (form) => (form.between_repeats = "reboot"),
  repeat_until: (form) => (form.repeat_until.on = !form.repeat_until.on),
  repeat_failed: (form) => (form.repeat_failed = "5"),
  order: (form) => (form.order = "random"),
  seed: (form) => (form.seed = "3"),
  together: (form) => (form.together = !form.together),
  stop: (form) => (form.stop.on = !form.stop.on),
  time_budget_s: (form) => (form.time_budget_s = "2 h"),
  quiet: (form) => (form.quiet.on = !form.quiet.on),
  idle_s: (form) => (form.idle_s = "77"),
  idle_after_s: (form) => (form.idle_after_s = "77"),
  sync_pattern: (form) => (form.sync_pattern = !form.sync_pattern),
  sync_pulses_s: (form) => (form.sync_pulses_s = "1 2 3"),
  ramp_s: (form) => (form.ramp_s = "77"),
  settle_s: (form) => (form.settle_s = "77"),
  settle: (form) => (form.settle.on = !form.settle.on),
  measure_s: (form) => (form.measure_s = "77"),
  hold_s: (form) => (form.hold_s = "77"),
  cool_down_s: (form) => (form.cool_down_s = "77"),
  cool_down: (form) => (form.cool_down.on = !form.cool_down.on),
  limits: (form) => (form.limits.on = !form.limits.on),
  schedule: (form) => (form.schedule.on = !form.schedule.on),
  reference: (form) => (form.reference.on = !form.reference.on),
  full_load_limit_pct: (form) => (form.full_load_limit_pct.value += "1"),
}

describe("a plan and its form", () => {
  it.each(KNOWN)("give back what was loaded, where nothing was touched (%#)", (plan) => {
    const form = JSON.parse(JSON.stringify(toForm(plan))) as ReturnType<typeof toForm>
    expect(toPlan(form, plan)).toEqual(plan)
    expect(changedFields(form, toForm(plan))).toEqual([])
  })

  it("hold every field both ways without the help of what was loaded", () => {
    expect(toPlan(toForm(FULL), {})).toEqual(FULL)
  })

  it.each(PLAN_FIELDS)("change %s and nothing else", (field) => {
    for (const plan of KNOWN) {
      const form = toForm(plan)
      TOUCHED[field](form)
      const { [field]: now, ...rest } = toPlan(form, plan)
      const { [field]: before, ...others } = plan
      expect(now).not.toEqual(before ?? "nothing")
      expect(rest).toEqual(others)
    }
  })

  it("exclude what a new plan does not say, and what was cleared", () => {
    expect(toPlan(toForm({}), {})).toEqual({ name: "", configurations: [], workloads: [] })
    const form = toForm(FULL)
    Object.assign(form, { time_budget_s: " ", measure_s: "", levels: "", exclude: [], title: "" })
    form.limits.on = false
    const plan = toPlan(form, FULL)
    for (const field of ["time_budget_s", "measure_s", "levels", "title", "limits"])
      expect(plan).not.toHaveProperty(field)
    expect(plan.exclude).toEqual([])
  })

  it("show a setting of one value and of several alike", () => {
    const one = { ...FULL, settings: { turbo: "off", power_cap_w: 100 } } as Known
    const form = toForm(one)
    expect([form.settings.turbo, form.settings.power_cap_w, form.settings.smt]).toEqual(["off", "100", ""])
    expect(toPlan(form, one)).toEqual(one)
    Object.assign(form.settings, { power_cap_w: "100, 125 150", deepest_c_state: "C1E, haltpoll idle" })
    expect(toPlan(form, one).settings).toEqual({
      turbo: ["off"],
      power_cap_w: [100, 125, 150],
      deepest_c_state: ["C1E", "haltpoll idle"],
    })
  })

  it("send what is not a number as it was typed, for the service to judge", () => {
    const form = { ...toForm(FULL), repeats: "three", measure_s: "4 days", levels: "all, most" }
    const plan = toPlan(form, FULL)
    expect([plan.repeats, plan.measure_s, plan.levels]).toEqual(["three", "4 days", ["all", "most"]])
  })
})

describe("numbers in fields", () => {
  it("write durations as a person does and read them back exactly", () => {
    for (const seconds of [0, 0.1, 1, 59, 60, 61.5, 90, 240, 3600, 5400, 86_400, 1 / 3]) {
      expect(asSeconds(durationText(seconds))).toBe(seconds)
    }
    expect([240, 5400, 7200, 0, 61].map(durationText)).toEqual(["4 min", "90 min", "2 h", "0 s", "61 s"])
    expect([asSeconds("1.5 min"), asSeconds("90"), asSeconds("2h"), asSeconds("")]).toEqual([90, 90, 7200, undefined])
  })

  it("take no number for what is none", () => {
    expect([asNumber("1e3"), asNumber(" 2 "), asNumber(""), asNumber("1,5"), asNumber("Infinity")]).toEqual([
      1000,
      2,
      undefined,
      "1,5",
      "Infinity",
    ])
  })
})

describe("what the form of a new plan shows", () => {
  /** Fields with a value, rules opened: "settle.over_s". A limit unless there is none begins switched on. */
  const filled = (form: object): string[] =>
    Object.entries(form).flatMap(([name, value]) => {
      if (name === "on") return []
      if (typeof value === "object" && !Array.isArray(value)) return filled(value).map((inner) => `${name}.${inner}`)
      return value === "" || value === false || value.length === 0 ? [] : [name]
    })
  const RULES: Record<string, object> = {
    graduated: defaults.Graduated,
    repeat_until: defaults.RepeatRule,
    stop: defaults.StopRule,
    quiet: defaults.QuietRule,
    settle: defaults.SettleRule,
    cool_down: defaults.CoolDownRule,
    schedule: defaults.Schedule,
  }

  it("comes from the service, each of it", () => {
    for (const path of filled(toForm({}))) {
      const [field, inner] = path.split(".")
      const source = inner && inner !== "value" ? [RULES[field!], inner] : [defaults.Plan, field]
      const of = (source[0] as Record<string, { default?: unknown; examples?: unknown[] }>)[source[1] as string]
      expect(of?.default ?? of?.examples?.[0], path).toBeDefined()
    }
  })

  it("is nothing, where the service says nothing", () => {
    const { full_load_limit_pct: _, ...fields } = SHAPE
    const rules = Object.keys(RULES)
    const plain = Object.fromEntries(Object.entries(fields).filter(([name]) => !rules.includes(name)))
    expect(filled(record({}, plain).write({}))).toEqual([])
  })

  it("is read back as what the service said", () => {
    const read = record(defaults.Plan, SHAPE).read(toForm({})) as Record<string, unknown>
    for (const [field, schema] of Object.entries(defaults.Plan)) {
      if (!("default" in schema) || schema.default === "") continue
      expect(read[field], field).toEqual(schema.default)
    }
  })
})
