/** What is asked about a memory module. */

import { editorWords as words } from "@/strings/servers"
import type { FieldSpec } from "./entry"

const TYPES = ["FB-DIMM", "RDIMM", "UDIMM", "LRDIMM", "SO-DIMM", "CXL"]

export const MODULE_FIELDS: readonly FieldSpec[] = [
  { path: ["type"], label: words.type, kind: "choice", choices: TYPES.map((value) => ({ value, label: value })) },
  { path: ["capacity_gib"], label: words.capacity, kind: "number" },
  { path: ["speed_mts"], label: words.speed, kind: "number" },
  { path: ["ranks"], label: words.ranks, kind: "number" },
]
