/** Words of the live page. */

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const liveWords = {
  span: "Time shown",
  spans: [
    { value: "60", label: "1 min" },
    { value: "120", label: "2 min" },
    { value: "600", label: "10 min" },
    { value: "3600", label: "1 h" },
    { value: "86400", label: "1 day" },
  ],
  zoomed: (begin: string, end: string): string => `Held: ${begin} to ${end}.`,
  pastLost: "The past before this page was opened could not be read; it is asked for again.",
  figures: { wall: "At the wall", bmc: "By the BMC", supplies: "By the supplies" },
  ofWall: (share: string): string => `${share} of the wall`,
  notFresh: "not fresh",
  alarm: {
    title: "Alarms",
    word: { disconnected: "No connection", disk: "Disk", lost: "Lost", stale: "Stale", frozen: "Frozen" },
    disconnected: (age: string | null): string =>
      `The service does not answer${age ? `; the newest value here is ${age} old` : ""}. The page connects again by itself.`,
    disk: (problem: string): string => `Samples wait in memory: ${problem}`,
    lost: (source: string, problem: string | null, age: string | null): string =>
      [`${source} does not answer${age ? `, last reading ${age} ago` : ""}.`, problem].filter(Boolean).join(" "),
    frozen: (source: string, channels: readonly string[], problem: string | null): string =>
      [`${source} repeats a reading: ${channels.join(", ")}.`, problem].filter(Boolean).join(" "),
    stale: (source: string, channels: number, age: string | null): string =>
      `${source}: ${plural(channels, "channel has", "channels have")} no new reading${age ? ` for ${age}` : ""}.`,
  },
  limit: {
    word: "Limit",
    high: (limit: string): string => `above ${limit}`,
    low: (limit: string): string => `below ${limit}`,
    told: (source: string, channel: string, beyond: string, worst: string, begin: string, end: string | null): string =>
      `${source}, ${channel}: ${end ? "was " : ""}${beyond} ${end ? `from ${begin} to ${end}` : `since ${begin}`}, ${worst} at worst.`,
    all: "All alarms",
    earlier: (n: number): string => `${plural(n, "limit was", "limits were")} crossed before`,
  },
  pause: "Hold",
  resume: "Follow",
  connecting: "Connecting to the meters",
  emptyTitle: "No meter is connected yet",
  emptyText:
    "This page shows every meter and BMC as it reads: watts at the wall beside the server's own sensors, and the campaign that runs.",
  unassigned: "Meters that no server claims",
  serviceHost: "Host of the service",
  more: (n: number): string => `All ${n} channels`,
  fewer: "Fewer",
  underTest: (configuration: string): string => `under test: ${configuration}`,
  range: (range: string): string => `range ${range}`,
  state: { ok: "In order", frozen: "Frozen", stale: "Stale", lost: "Lost", waiting: "Waiting" },
  staleFor: (age: string): string => `stale, ${age}`,
  silent: (span: string): string => `No reading in the last ${span}.`,
  traceLabel: (channel: string, span: string): string => `${channel}, last ${span}`,
}
