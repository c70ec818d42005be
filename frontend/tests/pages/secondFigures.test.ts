import { describe, expect, it } from "vitest"
import { secondFigures } from "@/pages/run/secondFigures"
import type { Result } from "@/pages/runs/verdicts"

const BASE = { efficiency_unit: "signs/J", throughput_unit: "signs/s" }
const figures = (over: object) => secondFigures({ ...BASE, ...over } as Result)

describe("second figures", () => {
  it("are none where nothing is known", () => {
    expect(figures({ above_idle: null, delay_product: null, cost: null, nominal: null })).toEqual([])
  })

  it("read with a prefix instead of zeros", () => {
    // 245 W at 6240 signs/s: 39.26 mJ and 160.3 us each, so 6.292 uJ.s and 1.0084 nJ.s2.
    const product = { work: 1, unit: "signs", time_s: 1 / 6240, edp_js: 245 / 6240 ** 2, edp_u_js: null }
    const [found] = figures({ delay_product: { ...product, ed2p_js2: 245 / 6240 ** 3, ed2p_u_js2: null } })
    expect(found!.text).toBe("6.29\u00a0µJ·s")
    expect(found!.notes).toEqual(["Energy × delay²: 1.01\u00a0nJ·s²", "Per sign, made by the whole server"])
  })

  it("promise a ± only where there is one", () => {
    const idle = { idle_power_w: 127.5, power_w: 92.5, efficiency: 1.4, unit: "signs/J" }
    const [without] = figures({ above_idle: { ...idle, efficiency_U95: null } })
    expect(without!.notes.join()).not.toContain("±")
    const [known] = figures({ above_idle: { ...idle, efficiency_U95: 0.06, power_U95_w: 4.1, idle_power_U95_w: 4.5 } })
    expect(known!.text).toBe("1.400 ± 0.060\u00a0signs/J")
    expect(known!.notes[1]).toBe("Loaded less idle: 92.5 ± 4.1\u00a0W")
    expect(known!.notes[0]).toBe("Idle: 127.5 ± 4.5\u00a0W")
  })

  it("call nominal what nobody measured", () => {
    const [found] = figures({ nominal: { tdp_w: 160, efficiency: 39, unit: "signs/J", text: "Not measured." } })
    expect(found).toMatchObject({ nominal: true, label: "Nominal performance per watt" })
  })
})
