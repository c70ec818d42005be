import { VueQueryPlugin } from "@tanstack/vue-query"
import { mount } from "@vue/test-utils"
import { afterEach, describe, expect, it, vi } from "vitest"
import { nextTick } from "vue"
import type { Schemas } from "@/api/client"
import { api } from "@/api/client"
import { dismiss, toasts } from "@/components/toasts"
import NotesList from "@/pages/compare/NotesList.vue"
import { claims, type Ranking } from "@/pages/run/ranking"
import RunRanking from "@/pages/run/RunRanking.vue"

const CHOICE = "Ranked by override of K. Berg although rule bad-samples failed: Checked"
const WHY = "Too many bad readings (rule bad-samples). 12 % of the samples are bad. Repeat the run."
const ranking = (over: Partial<Ranking>): Ranking => ({
  claim: "efficiency",
  title: "work per joule",
  ranked: false,
  cause: "too many bad readings (rule bad-samples)",
  why_not: WHY,
  inclusion: null,
  ...over,
})
const run = (over: object): Schemas["RunOut"] =>
  ({
    result: { run_id: "r1", inclusion: null },
    ranking: [ranking({ claim: "throughput", ranked: true, why_not: null }), ranking({})],
    includable: ["bad-samples"],
    ...over,
  }) as unknown as Schemas["RunOut"]
const page = (over: object = {}) =>
  mount(RunRanking, { props: { run: run(over) }, global: { plugins: [VueQueryPlugin] }, attachTo: document.body })

afterEach(() => {
  for (const { id } of toasts.value) dismiss(id)
  document.body.innerHTML = ""
  vi.restoreAllMocks()
})

describe("what a run is ranked by", () => {
  it("is said as the service says it: ranked, not ranked and why, or by whose choice", () => {
    const chosen = ranking({ claim: "power", ranked: true, why_not: null, inclusion: CHOICE })
    const shown = claims([ranking({ claim: "throughput", ranked: true, why_not: null }), ranking({}), chosen])
    expect(shown.map(({ word, note }) => [word, note])).toEqual([
      ["Ranked", null],
      ["Not ranked", "too many bad readings (rule bad-samples)"],
      ["Ranked by override", `${CHOICE}.`],
    ])
  })

  it("offers to rank a run only where the service says that a rule can be lifted", () => {
    expect(page().text()).toContain("Rank anyway")
    expect(page({ includable: [] }).text()).not.toContain("Rank anyway")
    const inclusion = {
      by: "K. Berg",
      reason: "Checked",
      rules: ["bad-samples"],
      at: "2026-11-23T08:00:00+00:00",
      beside: [],
    }
    expect(page({ result: { run_id: "r1", inclusion } }).text()).toContain("Withdraw")
  })

  it("asks for a name and a reason, and sends them with the rules that are ticked", async () => {
    const put = vi.spyOn(api, "PUT").mockResolvedValue({ data: {}, response: new Response() } as never)
    await page().get("button").trigger("click")
    await nextTick()
    const form = document.querySelector<HTMLFormElement>("#signed")!
    form.dispatchEvent(new Event("submit"))
    await nextTick()
    expect(put).not.toHaveBeenCalled()
    const [by, reason] = [...form.querySelectorAll<HTMLInputElement>("input:not([type=checkbox])")]
    for (const [field, value] of [
      [by!, "K. Berg"],
      [reason!, "Checked"],
    ] as const) {
      field.value = value
      field.dispatchEvent(new Event("input"))
    }
    await nextTick()
    form.dispatchEvent(new Event("submit"))
    await vi.waitFor(() => expect(toasts.value.map((toast) => toast.text)).toEqual(["The run is ranked"]))
    expect(put).toHaveBeenCalledOnce()
    expect(put.mock.calls[0]).toEqual([
      "/api/annotations/{run_id}/inclusion",
      { params: { path: { run_id: "r1" } }, body: { by: "K. Berg", reason: "Checked", rules: ["bad-samples"] } },
    ])
  })
})

describe("what a comparison does not rank", () => {
  it("is listed with the reason of the figure that is compared by", () => {
    const group = (over: object) => ({
      key: "a",
      title: "A",
      kind: "measured",
      source: "measured",
      name: "A",
      efficiency: { value: 1 },
      power_w: null,
      refusal: null,
      remarks: [],
      not_ranked: { power: "unsteady (rule drift)" },
      ...over,
    })
    const groups = [
      group({}),
      group({ key: "b", name: "B", efficiency: null, refusal: "No run can be ranked.", not_ranked: {} }),
    ]
    const words = (compared_by: string) =>
      mount(NotesList, { props: { compare: { compared_by, groups }, groups } as never }).text()
    expect(words("power")).toContain("A: unsteady (rule drift)")
    expect(words("efficiency")).not.toContain("unsteady")
    expect(words("efficiency")).toContain("B: No run can be ranked.")
  })
})
