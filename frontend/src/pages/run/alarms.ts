/** Alarms in the window of a run, where they lie in its traces. */

import type { Schemas } from "@/api/client"
import type { AlarmSpan } from "@/charts/traces/overlays"

/** It lasted until a reading was back, else as far as readings tell. */
export const alarmSpan = (alarm: Schemas["Alarm"]): AlarmSpan => ({
  begin: alarm.begin_ns / 1e9,
  end: (alarm.end_ns ?? alarm.seen_ns) / 1e9,
  grave: alarm.run_must_keep,
})
