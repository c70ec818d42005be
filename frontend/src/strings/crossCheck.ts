/** Words of the cross-check: every source of power of a run against its wall meter. */

import { plural } from "./plural"

export const crossCheckWords = {
  title: "Cross-check of power sources",
  note: "Each source against the wall meter over the window. Bars are 95 % intervals of the comparison; bands are limits.",
  label: (sources: number, failed: number): string =>
    `${plural(sources, "source", "sources")} against the wall meter; ${failed ? `${failed} beyond the limit` : "all within their limits"}.`,
  difference: "Difference from the wall meter [%]",
  share: "Share of the power at the wall [%]",
  reference: "Wall meter",
  referenceText: (meter: string, power: string): string => `${meter}, ${power}`,
  source: "Source",
  measures: "Measures",
  power: "Mean power",
  differenceHead: "Difference",
  limit: "Limit",
  gain: "Gain",
  offset: "Offset",
  verdict: "Verdict",
  meaning: "Meaning",
  simulated: "simulated",
  lag: (seconds: string): string => `Shows a change ${seconds} later than the wall meter.`,
  line: "Wall power = offset + gain × source, over the idle and load levels of this run. It corrects nothing.",
  noInterval: "no ±",
  outcomes: { pass: "Within", fail: "Beyond", "not-checked": "Not checked" },
}
