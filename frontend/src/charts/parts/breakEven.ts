/** Data of the break-even figure: two straight lines of watts, and the counts at which they may meet. */

import type { Line, Meeting } from "@/parts/line"
import type { CountedWords } from "@/strings/parts"
import { lineParts, type LineParts, type Steps } from "./partsGeometry"

const counts = (line: Line): number[] => line.points.map((point) => point.count)

/** Counts shown: all measured ones, and the crossing; an interval far beyond does not compress them. */
export function reach(meeting: Meeting, lines: readonly Line[]): [number, number] {
  const measured = lines.flatMap(counts)
  const [first, last] = [Math.min(...measured), Math.max(...measured)]
  const crossing = meeting.crossing?.count
  const far = Math.max(2 * last, crossing?.value ?? 0)
  const ends = crossing ? [crossing.low ?? 0, crossing.value, crossing.high ?? far] : []
  return [Math.max(0, Math.min(first, ...ends)), Math.min(far, Math.max(last, ...ends))]
}

export interface DrawnLine {
  server: string
  part: string
  title: string
  parts: LineParts
  /** Power at the highest count shown, where its name is drawn [W]. */
  endW: number
  band: Steps
}

/** Both lines over what is shown, cut where its own counts end. */
export function drawnLines(meeting: Meeting, lines: readonly Line[]): DrawnLine[] {
  const [first, last] = reach(meeting, lines)
  return (meeting.lines ?? []).flatMap(({ server, part, title, watts_per_part, watts_without_parts }) => {
    const line = lines.find((candidate) => candidate.server === server && candidate.part === part)
    if (!line) return []
    const watts = (count: number): number => watts_without_parts + watts_per_part.value * count
    const ends = [first, last].map((n): Steps[number] => [n, watts(n), watts(n), watts(n)])
    const parts = lineParts(ends, counts(line))
    return [{ server, part, title, parts, endW: watts(last), band: line.line }]
  })
}

/** Ends of the crossing's interval within what is shown; an end that the data do not bound lies at its edge. */
export function crossingSpan(meeting: Meeting, [first, last]: [number, number]): [number, number] | null {
  const crossing = meeting.crossing?.count
  if (!crossing) return null
  return [Math.max(first, crossing.low ?? first), Math.min(last, crossing.high ?? last)]
}

/** What the figure shows: that both draw the same where they meet, only where they do; what is dashed, if anything. */
export function noteOf(meeting: Meeting, lines: readonly DrawnLine[], words: CountedWords): string {
  const dashed = lines.some(({ parts }) => parts.extrapolated.length > 0)
  return [meeting.crossing ? words.meet : words.apart, ...(dashed ? [words.dashedNote] : [])].join(" ")
}
