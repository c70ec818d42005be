/** Labels in a figure that must not overlap. */

export interface Label {
  key: string
  x: number
  y: number
  width: number
}

/**
 * Labels that have room, in the order of their weight: one that would lie on another, or on a marker that is not its
 * own, is left to the table.
 */
export function withRoom<L extends Label>(labels: readonly L[], markers: readonly Label[], lineHeight: number): L[] {
  const placed: L[] = []
  for (const label of labels) {
    const others = [...placed, ...markers.filter((marker) => marker.key !== label.key)]
    const free = others.every(
      (other) =>
        label.x + label.width <= other.x ||
        other.x + other.width <= label.x ||
        Math.abs(label.y - other.y) >= lineHeight,
    )
    if (free) placed.push(label)
  }
  return placed
}

/** Labels beside lines, moved down until none overlap. */
export function spaced<L extends { y: number }>(labels: readonly L[], lineHeight: number): L[] {
  let free = -Infinity
  return [...labels]
    .sort((a, b) => a.y - b.y)
    .map((label) => {
      const y = Math.max(label.y, free)
      free = y + lineHeight
      return { ...label, y }
    })
}
