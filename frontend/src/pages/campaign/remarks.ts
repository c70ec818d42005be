/** Remarks of a run table: what several runs have in common is said once, under the table. */

export interface Noted {
  order: number
  text: string
}

export interface SharedRemark {
  /** How the rows refer to it: a, b, c. */
  letter: string
  /** As the first of the runs has it. */
  text: string
  orders: number[]
  /** Whether the others say the very same, or with other figures. */
  alike: boolean
}

/** Two remarks that differ in their figures alone say the same. */
const shapeOf = (text: string): string => text.replaceAll(/\d[\d.,\u2009]*/g, "#")
const FIRST_LETTER = "a".codePointAt(0)!
const LETTERS = 26
const letterAt = (place: number): string =>
  (place >= LETTERS ? letterAt(Math.floor(place / LETTERS) - 1) : "") +
  String.fromCodePoint(FIRST_LETTER + (place % LETTERS))

/** The remarks of two and more runs, in the order of the table. */
export function sharedRemarks(notes: readonly Noted[]): SharedRemark[] {
  const byShape = new Map<string, Noted[]>()
  for (const note of notes) {
    if (!note.text) continue
    const shape = shapeOf(note.text)
    byShape.set(shape, [...(byShape.get(shape) ?? []), note])
  }
  return [...byShape.values()]
    .filter((alike) => alike.length > 1)
    .map((alike, place) => ({
      letter: letterAt(place),
      text: alike[0]!.text,
      orders: alike.map((note) => note.order),
      alike: alike.every((note) => note.text === alike[0]!.text),
    }))
}

/** Places of a table in words: "1 to 3, 5"; they count from one. */
export function placesOf(orders: readonly number[]): string {
  const sorted = [...orders].sort((a, b) => a - b)
  const runs: [number, number][] = []
  for (const order of sorted) {
    const last = runs.at(-1)
    if (last && order === last[1] + 1) last[1] = order
    else runs.push([order, order])
  }
  return runs
    .map(([first, last]) =>
      first === last
        ? String(first + 1)
        : last === first + 1
          ? `${first + 1}, ${last + 1}`
          : `${first + 1} to ${last + 1}`,
    )
    .join(", ")
}
