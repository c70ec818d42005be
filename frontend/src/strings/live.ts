/** Words of the live page. */

import { en as t } from "./en"
import { plural } from "./plural"

export const liveWords = {
  span: "Time shown",
  spans: [
    { value: "60", label: "1 min" },
    { value: "120", label: "2 min" },
    { value: "600", label: "10 min" },
    { value: "3600", label: "1 h" },
    { value: "86400", label: "1 day" },
  ],
  zoomed: (begin: string, end: string): string => `Paused: ${begin} to ${end}.`,
  pastLost: "Earlier readings could not be loaded. Retrying.",
  ofWall: (share: string): string => `${share} of wall power`,
  supplies: (watts: string, share: string): string => `supplies ${watts}, ${share}`,
  mark: "Mark",
  markNote: "Minimum, mean, maximum and energy from now on",
  alarm: {
    title: "Alarms",
    word: { disconnected: "No connection", disk: "Disk", lost: "No answer", stale: "Stale", frozen: "Frozen" },
    disconnected: (age: string | null): string =>
      `The service does not answer${age ? `; the newest value here is ${age} old` : ""}. The page reconnects by itself.`,
    disk: (problem: string): string => `Samples cannot be saved and wait in memory: ${problem}`,
    lost: (source: string, problem: string | null, age: string | null): string =>
      [`${source} does not answer${age ? `, last reading ${age} ago` : ""}.`, problem].filter(Boolean).join(" "),
    frozen: (source: string, channels: readonly string[], problem: string | null): string =>
      [`${source} repeats the same reading: ${channels.join(", ")}.`, problem].filter(Boolean).join(" "),
    stale: (source: string, channels: number, age: string | null): string =>
      `${source}: ${plural(channels, "channel has", "channels have")} no new reading${age ? ` for ${age}` : ""}.`,
  },
  limit: {
    word: "Limit",
    ...t.limitSide,
    told: (source: string, channel: string, beyond: string, worst: string, begin: string, end: string | null): string =>
      `${source}, ${channel}: ${end ? "was " : ""}${beyond} ${end ? `from ${begin} to ${end}` : `since ${begin}`}, worst value ${worst}.`,
    all: "All alarms",
    earlier: (n: number): string => plural(n, "earlier alarm", "earlier alarms"),
  },
  pause: "Pause",
  resume: "Resume",
  connecting: "Connecting to the meters",
  emptyTitle: "No meters connected yet",
  emptyText: "This page shows the readings of every meter and BMC, and the running campaign. Connect a meter to begin.",
  unassigned: "Meters without a server",
  serviceHost: "Service host",
  more: (n: number): string => (n === 1 ? "Show 1 more channel" : `Show ${n} more channels`),
  fewer: "Hide channels",
  underTest: (configuration: string): string => `under test: ${configuration}`,
  range: (range: string): string => `range ${range}`,
  state: { ok: "OK", frozen: "Frozen", stale: "Stale", lost: "No answer", waiting: "Waiting" },
  staleFor: (age: string): string => `stale, ${age}`,
  silent: (span: string): string => `No reading in the last ${span}.`,
  traceLabel: (channel: string, span: string): string => `${channel}, last ${span}`,
}
