/** What is marked in an output: one figure, and counts of errors. */

export interface Marking {
  line: number
  begin: number
  end: number
}

export interface Piece {
  text: string
  /** Where it stands, if it is a number that can be marked. */
  number: Marking | null
}

export const MOST_LINES = 300
const NUMBER = /(?<![\w.,])\d[\d.,]*(?:[eE][-+]?\d+)?(?<![.,])/g

/** The lines of an output as it is cut by the service too: a carriage return ends one. */
export const linesOf = (output: string): string[] => output.replace(/\r*\n|\r/g, "\n").split("\n")

/** Cut a line into numbers and what stands between them. */
export function piecesOf(text: string, line: number): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const match of text.matchAll(NUMBER)) {
    const begin = match.index
    const end = begin + match[0].length
    if (begin > at) pieces.push({ text: text.slice(at, begin), number: null })
    pieces.push({ text: match[0], number: { line, begin, end } })
    at = end
  }
  if (at < text.length || !pieces.length) pieces.push({ text: text.slice(at), number: null })
  return pieces
}

export const same = (a: Marking | null, b: Marking | null): boolean =>
  a !== null && b !== null && a.line === b.line && a.begin === b.begin

/** Mark a number, or take its mark away. */
export const toggled = (markings: readonly Marking[], marking: Marking): Marking[] =>
  markings.some((each) => same(each, marking))
    ? markings.filter((each) => !same(each, marking))
    : [...markings, marking]
