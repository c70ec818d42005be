import { describe, expect, it } from "vitest"
import { toForm, toPlan } from "@/pages/plans/planForm"
import { presetOf, withPreset } from "@/pages/plans/presets"

const form = toForm({ name: "p", configurations: ["s/c"], workloads: ["7zip"] })

describe("a preset of a plan", () => {
  it("sets lengths, repeats and order, and leaves the rest", () => {
    const chosen = withPreset(form, "publish")
    expect(presetOf(chosen)).toBe("publish")
    expect(chosen.order).toBe("random-blocks") // the default, which a plan leaves out
    expect(toPlan(chosen, { name: "p" })).toMatchObject({
      name: "p",
      configurations: ["s/c"],
      workloads: ["7zip"],
      idle_s: 60,
      settle_s: 60,
    })
  })

  it("for procurement has 20 min idle and 20 min loaded after 10 min of load, as CERN tender IT-4799 asks", () => {
    const plan = toPlan(withPreset(form, "procurement"), { name: "p" })
    expect(plan).toMatchObject({ idle_s: 1200, settle_s: 600, measure_s: 1200, repeats: 1 })
  })

  it("is recognised until one of its values is changed", () => {
    const chosen = withPreset(form, "look")
    expect(presetOf({ ...chosen, title: "A title" })).toBe("look")
    expect(presetOf({ ...chosen, repeats: "2" })).toBeNull()
  })
})
