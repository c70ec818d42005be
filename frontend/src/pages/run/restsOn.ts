/** What one meter's power rests on, as a tone, a sentence and a link. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import { onFleet } from "@/lib/fleet"
import { calibration } from "@/strings/calibration"

export interface RestsOn {
  tone: Tone
  text: string
  /** Address of the certificate that served or was refused; empty: it is not here. */
  link: string
}

const TONES = { certificate: "ok", specification: "idle", none: "warn" } as const

export function restsOn(meter: Schemas["MeterCalibration"]): RestsOn {
  const words = calibration.rests
  // A certificate lies with the lab that used it.
  const link =
    meter.certificate_id && !onFleet ? `/calibration/certificates/${encodeURIComponent(meter.certificate_id)}` : ""
  const tone = TONES[meter.basis]
  if (meter.basis !== "certificate" || !meter.certificate_id) {
    return { tone, text: meter.basis === "none" ? words.none : words.specification, link }
  }
  const text = words.certificate(meter.certificate_id, meter.certificate_version ?? 1)
  return { tone, text: meter.as_found ? `${text}, ${calibration.asFoundUsed}` : text, link }
}
