import { describe, expect, it } from "vitest"
import { secondFigures } from "@/pages/run/secondFigures"
import type { Result } from "@/pages/runs/verdicts"

const figures = (over: object) => secondFigures({ unit: "signs", ...over } as Result)
const quantity = (value: number, unit: string, U95: number | null = null) => ({ value, unit, U95 })

describe("second figures", () => {
  it("are none where nothing is known", () => {
    expect(figures({ idle_subtracted: null, delay_product: null, cost: null, nominal: null })).toEqual([])
  })

  it("read with a prefix instead of zeros", () => {
    // 245 W at 6240 signs/s: 39.26 mJ and 160.3 us each, so 6.292 uJ.s and 1.0084 nJ.s2.
    const edp = quantity(245 / 6240 ** 2, "J s")
    const ed2p = quantity(245 / 6240 ** 3, "J s2")
    const [figure] = figures({ delay_product: { work: 1, unit: "signs", time_s: 1 / 6240, edp, ed2p } })
    expect(figure!.text).toBe("6.29\u00a0µJ·s")
    expect(figure!.notes).toEqual(["Energy × delay²: 1.01\u00a0nJ·s²", "Per sign, whole server"])
  })

  it("promise a ± only where there is one", () => {
    const above = (idle?: number, power?: number, efficiency?: number) => ({
      idle: quantity(127.5, "W", idle),
      power: quantity(92.5, "W", power),
      efficiency: quantity(1.4, "signs/J", efficiency),
    })
    const [without] = figures({ idle_subtracted: above() })
    expect(without!.notes.join()).not.toContain("±")
    const [withInterval] = figures({ idle_subtracted: above(4.5, 4.1, 0.06) })
    expect(withInterval!.text).toBe("1.400 ± 0.060\u00a0signs/J")
    expect(withInterval!.notes[1]).toBe("Idle-subtracted power: 92.5 ± 4.1\u00a0W")
    expect(withInterval!.notes[0]).toBe("Idle: 127.5 ± 4.5\u00a0W")
  })

  it("name the energy of a role for what it is", () => {
    // 300 W of 800 W for 120 s, and 1000 prompt tokens a second.
    const prefill = {
      role: "prefill",
      meters: ["p"],
      power: quantity(300, "W", 3),
      energy: { value: 36_000, U95: 360 },
      share_pct: 37.5,
      per_work: quantity(0.3, "J/tokens", 0.003),
      work: "prompt tokens",
    }
    const router = { ...prefill, role: "router", per_work: null, work: "" }
    const [first, second] = figures({ unit: "tokens", role_energies: [prefill, router] })
    expect(first!.label).toBe("Energy of the hosts: prefill")
    expect(first!.text).toBe("36.00 ± 0.36\u00a0kJ")
    expect(first!.notes.slice(0, 2)).toEqual([
      "37.5\u00a0% of the whole deployment",
      "300.0 ± 3.0\u00a0mJ/token by prompt tokens",
    ])
    expect(second!.notes).toHaveLength(2)
  })

  it("call nominal what nobody measured", () => {
    const [figure] = figures({ nominal: { tdp_w: 160, efficiency: quantity(39, "signs/J"), text: "Not measured." } })
    expect(figure).toMatchObject({ nominal: true, label: "Nominal performance per watt" })
  })
})
