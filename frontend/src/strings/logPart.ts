/** Words of the part of a log that counts. */

const about = (watts: string | null): string => (watts === null ? "" : `, about ${watts} W`)

export const logPartWords = {
  title: "Part of the log that counts",
  text: "A log does not say when the work began and ended. Move the two handles, or write the edges, so that idle time at its ends does not count.",
  begin: "Begin of the part",
  end: "End of the part",
  from: "From",
  to: "To",
  fromHint: "Seconds from the start, or such as 2025-12-31T14:30:00; empty: the start",
  toHint: "The same; empty: the end of the log",
  all: "Take the whole log",
  readBefore: "The table shows what was read before the edges were changed. Read the file again to see the part.",
  unplaced: "The service places these edges. Read the file again to see which part counts.",
  noPower: "The log has no power to draw.",
  at: (seconds: string): string => `${seconds} s`,
  watts: (watts: string): string => `${watts} W`,
  traceLabel: (low: string, high: string): string => `Power of the log, from ${low} W to ${high} W`,
  part: (begin: string, end: string, length: string, watts: string | null): string =>
    `${begin} s to ${end} s of ${length} s will count${about(watts)}.`,
  whole: (length: string, watts: string | null): string => `The whole log will count: ${length} s${about(watts)}.`,
}
