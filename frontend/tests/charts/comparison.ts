import type { Compare, Group } from "@/charts/compare/points"

/** Groups and comparisons as the service sends them. */
export const interval = (value: number, half: number) => ({
  value,
  low: value - half,
  high: value + half,
  U95: half,
  u: half / 2,
  dof: 9,
  complete: true,
})

export function group(key: string, efficiency: number | null, over: Partial<Group> = {}): Group {
  return {
    key,
    title: key,
    name: key,
    server: "s",
    lab: "",
    configuration: key,
    dimm_count: 4,
    kind: "measured",
    workload: "w",
    level: "l",
    runs: [],
    program_versions: [],
    n: 3,
    efficiency: efficiency === null ? null : interval(efficiency, 0.2),
    power_w: interval(240, 2),
    throughput: interval(5400, 10),
    efficiency_unit: "signs/J",
    throughput_unit: "signs/s",
    steady: true,
    full_load: true,
    traceable: true,
    sources_disagree: false,
    rank_low: null,
    rank_high: null,
    source: "measured",
    refusal: null,
    remarks: [],
    not_ranked: {},
    inclusions: {},
    efficiency_budget: [],
    unranked: {},
    facts: { cpu: null, tags: [] },
    ...over,
  }
}

export function compare(groups: Group[], over: Partial<Compare> = {}): Compare {
  return {
    workload: "w",
    level: "l",
    title: "W",
    efficiency_unit: "signs/J",
    throughput_unit: "signs/s",
    direction: "higher",
    compared_by: "efficiency",
    claim: "",
    smallest_difference_pct: 2,
    baseline: "a",
    best: null,
    first_place: [],
    groups,
    pairs: [],
    against_best: [],
    at_another_load: [],
    other_pairs: [],
    best_settings: [],
    statement: "",
    ...over,
  }
}
