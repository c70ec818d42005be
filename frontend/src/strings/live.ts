/** Words of the live page. */

export const liveWords = {
  span: "Time shown",
  spans: [
    { value: "60", label: "1 min" },
    { value: "120", label: "2 min" },
    { value: "600", label: "10 min" },
    { value: "3600", label: "1 h" },
  ],
  pause: "Hold",
  resume: "Follow",
  connecting: "Connecting to the meters",
  emptyTitle: "No meter is connected yet",
  emptyText:
    "This page shows every meter and BMC as it reads: watts at the wall beside the server's own sensors, and the campaign that runs.",
  emptySteps: [
    {
      text: "Describe servers, meters and plans in a bench file, then check it:",
      command: "wattmark bench check bench.yaml",
    },
    { text: "Start the service with it:", command: "wattmark serve --bench bench.yaml" },
    { text: "Or see everything at work with simulated meters:", command: "wattmark demo" },
  ],
  unassigned: "Meters that no server claims",
  serviceHost: "Host of the service",
  more: (n: number): string => `All ${n} channels`,
  fewer: "Fewer",
  underTest: (configuration: string): string => `under test: ${configuration}`,
  range: (range: string): string => `range ${range}`,
  state: { ok: "In order", stale: "Stale", lost: "Lost", waiting: "Waiting" },
  staleFor: (age: string): string => `stale, ${age}`,
  silent: (span: string): string => `No reading in the last ${span}.`,
  traceLabel: (channel: string, span: string): string => `${channel}, last ${span}`,
}
