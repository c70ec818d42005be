/** Words of the bench view and of the figures of a span, on the live page and there. */

export const benchWords = {
  minimum: "min",
  mean: "mean",
  maximum: "max",
  energy: "energy",
  last: (span: string): string => `Last ${span}`,
  since: (clock: string): string => `Since the mark at ${clock}`,
  covered: (span: string): string => `readings for ${span} of it`,
  clear: "Clear the mark",

  back: "Back to Live",
  server: "Server",
  whole: "Full screen",
  window: "Leave full screen",
  noWall: "No reference meter measures a server.",
  notWhole: (meter: string, reason: string): string => `Not known: ${meter} ${reason}`,
  noServers: "No meters connected yet.",
  now: "Wall power",
  sum: (parts: string): string => `sum of ${parts}`,
  left: (duration: string): string => `${duration} left`,
  longer: "ends soon",
  idle: "No campaign is running.",
  elsewhere: (server: string): string => `${server} is being measured.`,
  open: "Open this page on a phone",
  scan: "Scan it with a phone in the same network.",
  scanSignIn: "Scan it with a phone in the same network; it asks for a sign-in.",
  code: (address: string): string => `QR code of ${address}`,
  onlyLocal:
    "Other devices cannot reach this service: it listens on this machine alone. Start it with --host 0.0.0.0 to open this page on a phone.",
  stale: (age: string): string => `last reading ${age} ago`,
  silent: (age: string): string => `No data from the service for ${age}`,
}
