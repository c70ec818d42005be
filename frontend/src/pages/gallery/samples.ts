/** A board with two channels, one of them half filled. */

import type { Module } from "@/lib/slots"

const filled = { type: "FB-DIMM", capacity_gib: 1, speed_mts: 667, ranks: 2, vendor: null }

export const GALLERY_MODULES: Module[] = [
  { slot: "DIMM_A1", channel: "A", ...filled },
  { slot: "DIMM_A2", channel: "A", ...filled },
  { slot: "DIMM_B1", channel: "B", ...filled },
  { slot: "DIMM_B2", channel: "B" },
]
