/** Positions of the rows of an interval figure, and the names of the groups above them. */

import type { Group, Point } from "./points"

export interface Row {
  point: Point
  top: number
  /** It has another row of its group above. */
  ruled: boolean
}

export interface Head {
  name: string
  top: number
}

const HEAD_PX = 28

/** Rows in their order, under the names of their groups in the order of the first row of each. */
export function intervalRows(
  points: readonly Point[],
  groupBy: ((group: Group) => string) | null,
  rowHeight: number,
  from: number,
): { rows: Row[]; heads: Head[]; height: number } {
  const byName = new Map<string, Point[]>()
  for (const point of points) {
    const name = groupBy?.(point.group) ?? ""
    byName.set(name, [...(byName.get(name) ?? []), point])
  }
  const [rows, heads]: [Row[], Head[]] = [[], []]
  let top = from
  for (const [name, members] of byName) {
    if (groupBy) {
      heads.push({ name, top })
      top += HEAD_PX
    }
    members.forEach((point, i) => {
      rows.push({ point, top, ruled: i > 0 })
      top += rowHeight
    })
  }
  return { rows, heads, height: top - from }
}
