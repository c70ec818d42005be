import { describe, expect, it } from "vitest"
import { leveled, loadsOf, withLoads } from "@/pages/plans/loads"
import { toForm, toPlan } from "@/pages/plans/planForm"
import type { Workload } from "@/pages/plans/workloads"

const workload = (id: string, level: object | null): Workload => ({ id, level }) as unknown as Workload
const RATED = workload("web.by-rate", { asks_per_s: 5, sweep: [50, 100] })
const SWEPT = workload("openssl.rsa2048-sign", { asks_per_s: null, sweep: [1, 2, 4] })
const ALONE = workload("7zip.compress", null)
const KNOWN = { name: "p", configurations: ["s/c"], workloads: ["web.by-rate", "openssl.rsa2048-sign"] }
const form = toForm(KNOWN)

describe("the loads of a plan", () => {
  it("are full load, until levels are chosen: shares where the rate can be set, else the sweep", () => {
    expect(loadsOf(form, [RATED, SWEPT])).toBe("full")
    const chosen = withLoads(form, "levels", [RATED, SWEPT])
    expect(loadsOf(chosen, [RATED, SWEPT])).toBe("levels")
    expect(toPlan(chosen, KNOWN)).toEqual({
      ...KNOWN,
      graduated: {
        workloads: ["web.by-rate"],
        percent: [100, 90, 80, 70, 60, 50, 40, 30, 20, 10],
        calibrate: 3,
        active_idle: true,
      },
      workload_levels: { "openssl.rsa2048-sign": ["sweep", "all"] },
    })
    expect(toPlan(withLoads(chosen, "full", [RATED, SWEPT]), KNOWN)).toEqual(KNOWN)
  })

  it("name no workload where all of them are graduated", () => {
    expect(leveled([RATED])).toEqual({ graduated: { workloads: [] } })
    expect(leveled([ALONE])).toEqual({})
    expect(loadsOf(withLoads(form, "levels", [ALONE]), [ALONE])).toBe("full")
  })

  it("are values of one's own as soon as one of them is changed", () => {
    const chosen = withLoads(form, "levels", [RATED])
    expect(loadsOf({ ...chosen, graduated: { ...chosen.graduated, percent: "100, 50" } }, [RATED])).toBeNull()
    expect(loadsOf({ ...form, levels: "1, 4" }, [RATED])).toBeNull()
  })
})
