import { shallowMount } from "@vue/test-utils"
import { expect, it } from "vitest"
import type { Meeting } from "@/parts/line"
import BreakEven from "@/parts/BreakEven.vue"
import { memoryWords } from "@/strings/memory"

const meeting: Meeting = {
  kind: "DIMM",
  server: "a",
  part: "1 GiB FB-DIMM",
  against: "b",
  against_part: "2 GiB RDIMM",
  equal_power: null,
  statement: "Both draw the same at 6 DIMMs.",
  lines: [],
  crossing: { count: { value: 6, low: 5, high: 7, U95: 1 }, first_whole: 6, extrapolated: false },
  slope_difference: { value: 2, low: 1, high: 3, U95: 1, u: 0.5, dof: 8, complete: true },
  simulated: false,
  workload: "rsa",
  level: "all",
}
const standsOut = (change: Partial<Meeting>): boolean =>
  shallowMount(BreakEven, {
    props: {
      words: memoryWords,
      others: [],
      meeting: { ...meeting, ...change },
      query: { error: null, refetch: () => undefined },
      shown: [],
      names: ["a", "b"],
      nameOf: ({ server }) => server,
      modelValue: "b",
    },
  })
    .find("p.font-medium")
    .exists()

it("stands out only where the place is bounded and the slopes differ", () => {
  const { crossing, slope_difference: more } = meeting
  expect(standsOut({})).toBe(true)
  expect(standsOut({ slope_difference: { ...more!, low: -1 } })).toBe(false)
  expect(standsOut({ slope_difference: { ...more!, value: -2, low: -3, high: -1 } })).toBe(true)
  expect(standsOut({ slope_difference: null })).toBe(false)
  expect(standsOut({ crossing: { ...crossing!, count: { value: 6, low: 5, high: null, U95: null } } })).toBe(false)
  expect(standsOut({ crossing: { ...crossing!, extrapolated: true } })).toBe(false)
  expect(standsOut({ crossing: null })).toBe(false)
})
