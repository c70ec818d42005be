import { mount } from "@vue/test-utils"
import { describe, expect, it } from "vitest"
import type { Schemas } from "@/api/client"
import { alarmSpan } from "@/pages/run/alarms"
import { tracesSvg } from "@/charts/traces/svg"
import RunAlarms from "@/pages/run/RunAlarms.vue"

const ALARM: Schemas["Alarm"] = {
  number: 3,
  source: "wall",
  channel: "power",
  side: "high",
  limit: 300,
  unit: "W",
  run_must_keep: true,
  begin_ns: 5e9,
  seen_ns: 8e9,
  end_ns: null,
  worst: 320,
  simulated: true,
}

describe("alarms in the window of a run", () => {
  it("last until a reading was back, else as far as readings tell", () => {
    expect(alarmSpan(ALARM)).toEqual({ begin: 5, end: 8, grave: true })
    expect(alarmSpan({ ...ALARM, end_ns: 9e9, run_must_keep: false })).toEqual({ begin: 5, end: 9, grave: false })
  })

  it("stand in words with their units, and lead to their place in the traces", async () => {
    const page = mount(RunAlarms, { props: { alarms: [ALARM], excluded: 2 } })
    expect(page.text()).toContain("Excludes the run from comparisons")
    expect(page.text()).toMatch(/wall, power: above 300\S*\sW, worst value 320\S*\sW\s*simulated/)
    expect(page.text()).toContain("end unknown")
    expect(page.text()).toContain("2 more were not recorded")
    await page.get("button").trigger("click")
    expect(page.emitted("look")).toEqual([[{ begin: 0, end: 13 }]])
  })

  it("show the first five until more are asked for, and nothing where there are none", async () => {
    const many = Array.from({ length: 7 }, (_, number) => ({ ...ALARM, number }))
    const page = mount(RunAlarms, { props: { alarms: many, excluded: 0 } })
    expect(page.findAll("li")).toHaveLength(5)
    await page.findAll("button").at(-1)!.trigger("click")
    expect(page.findAll("li")).toHaveLength(7)
    expect(
      mount(RunAlarms, { props: { alarms: [], excluded: 0 } })
        .find("section")
        .exists(),
    ).toBe(false)
  })

  it("leave with the figure, those that runs must keep thicker and above the others", () => {
    const lane = { id: "power", title: "Power", units: ["W"], series: [] }
    const [grave, other] = [alarmSpan(ALARM), alarmSpan({ ...ALARM, run_must_keep: false })]
    const overlays = { phases: [], window: null, excluded: [], alarms: [grave, other] }
    const bars = tracesSvg([lane], { begin: 0, end: 10 }, overlays, "Run").match(
      /height="\d+" fill="var\(--status-\w+\)"/g,
    )
    expect(bars).toEqual(['height="3" fill="var(--status-warn)"', 'height="6" fill="var(--status-bad)"'])
  })
})
