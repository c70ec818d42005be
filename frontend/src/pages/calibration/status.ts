/** Status of a meter, a certificate, a point and a check standard: an icon's tone, a word, and what to do. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import { calibration } from "@/strings/calibration"

export type MeterCalibration = Schemas["MeterCalibrationOut"]
export type CertificateSummary = Schemas["CertificateSummary"]
export type CertificateStatus = CertificateSummary["status"]
export type CheckState = Schemas["CheckStandardOut"]["state"]

export interface StatusMarkText {
  tone: Tone
  word: string
}

const STATUS_TONES: Record<CertificateStatus, Tone> = {
  valid: "ok",
  due: "stale",
  expired: "bad",
  "not yet valid": "warn",
  superseded: "idle",
  revoked: "bad",
  "out of range": "warn",
}

export const certificateStatus = (status: CertificateStatus): StatusMarkText => ({
  tone: STATUS_TONES[status],
  word: calibration.status[status],
})

/** Calibration status of a measurement made now; a certificate that does not serve counts as none. */
export function calibrationStatus(meter: MeterCalibration): StatusMarkText {
  if (meter.basis === "certificate") return certificateStatus(meter.status ?? "valid")
  return { tone: meter.basis === "specification" ? "idle" : "warn", word: calibration.basis[meter.basis] }
}

/** The next step of a meter's owner. */
export function todo(meter: MeterCalibration): string {
  const words = calibration.todo
  if (meter.status === "due") return words.due
  if (meter.status === "expired") return words.expired
  if (meter.basis === "certificate") return words.fine
  return meter.certificate_id ? words.refused : words[meter.basis]
}

const LOAD_TONES: Record<CheckState, Tone> = {
  "no readings": "idle",
  baseline: "running",
  "in control": "ok",
  warning: "warn",
  "out of control": "bad",
}

/** A cross-calibration that failed its own rules is not used, whatever its age. */
export function crossCalibrationStatus(of: Pick<Schemas["CrossCalibrationOut"], "good" | "expired">): StatusMarkText {
  if (!of.good) return { tone: "idle", word: calibration.crossNotUsed }
  return certificateStatus(of.expired ? "expired" : "valid")
}

export const checkStandardStatus = (state: CheckState): StatusMarkText => ({
  tone: LOAD_TONES[state],
  word: calibration.loadState[state],
})

type Outcome = NonNullable<Schemas["PointOut"]["conformity"]>
const OUTCOME_TONES: Record<Outcome, Tone> = {
  pass: "ok",
  "conditional pass": "stale",
  "conditional fail": "warn",
  fail: "bad",
}

export const outcomeStatus = (outcome: Outcome): StatusMarkText => ({
  tone: OUTCOME_TONES[outcome],
  word: calibration.outcome[outcome],
})
