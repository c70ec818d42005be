/** A row of watts per part. */

import type { Schemas } from "@/api/client"

export interface SlopeRow {
  key: string
  title: string
  slope: Schemas["PartSlope"]
  /** Whether the page shows its line. */
  shown: boolean
}
