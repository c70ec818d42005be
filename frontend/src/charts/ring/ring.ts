/** Laboratories of a ring comparison as rows of its figure and its table. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import { fmt } from "@/format"
import { fleetWords } from "@/strings/fleet"

export type Ring = Schemas["RingOut"]
export type RingLab = Schemas["RingLab"]

const TONES: Record<NonNullable<RingLab["signal"]>, Tone> = {
  satisfactory: "ok",
  "warning signal": "warn",
  "action signal": "bad",
}

/** The verdict on a laboratory as icon and word; one without a score is not judged. */
export const verdictOf = ({ signal }: Pick<RingLab, "signal">): { tone: Tone; word: string } =>
  signal ? { tone: TONES[signal], word: signal } : { tone: "none", word: fleetWords.ring.notJudged }

/** Its score with its name, En or else z; empty: it has none. */
export function scoreText({ en, z }: Pick<RingLab, "en" | "z">): string {
  if (en !== null) return `En ${fmt.fixed(en, 2)}`
  return z === null ? "" : `z ${fmt.fixed(z, 2)}`
}

/** The value with its ± as a text, with the digits that the ± allows. */
export const valueText = (lab: RingLab, unit: string): string => fmt.measuredText(lab.value.value, lab.value.U95, unit)

/** Range of the figure's axis: all values, their intervals and the band. */
export function extent({ labs, reference }: Pick<Ring, "labs" | "reference">): [number, number] {
  const ends = labs.flatMap(({ value: { value, U95 } }) => [value - (U95 ?? 0), value + (U95 ?? 0)])
  if (reference) ends.push(reference.value - reference.U95, reference.value + reference.U95)
  return [Math.min(...ends), Math.max(...ends)]
}
