/** Configurations keep their marker and colour on every page: a shape first, a colour second. */

export const SHAPES = ["circle", "square", "triangle", "diamond", "cross", "down", "hexagon", "star"] as const
export type Shape = (typeof SHAPES)[number]

export interface Identity {
  shape: Shape
  colour: string
}

/**
 * Give each key its identity: first what the bench lists, in its order, then the others by name.
 * The ninth starts over with the shapes moved on by one against the colours, so that no pair repeats among 56.
 */
export function identities(benchKeys: readonly string[], otherKeys: readonly string[]): Map<string, Identity> {
  const rest = [...new Set(otherKeys)].filter((key) => !benchKeys.includes(key)).sort()
  const all = [...new Set(benchKeys), ...rest]
  return new Map(all.map((key, index) => [key, identityAt(index)]))
}

/** Keep what is known and give further keys the identities that come next. */
export function extended(existing: ReadonlyMap<string, Identity>, keys: readonly string[]): Map<string, Identity> {
  const rest = [...new Set(keys)].filter((key) => !existing.has(key)).sort()
  return new Map([...existing, ...rest.map((key, i) => [key, identityAt(existing.size + i)] as const)])
}

export function identityAt(index: number): Identity {
  const lap = Math.floor(index / SHAPES.length)
  return { shape: SHAPES[(index + lap) % SHAPES.length]!, colour: `var(--c-${(index % 8) + 1})` }
}

const polygon = (points: [number, number][]): string =>
  `M${points.map(([x, y]) => `${x.toFixed(3)} ${y.toFixed(3)}`).join("L")}Z`

const regular = (corners: number, turn: number, radius = 1): [number, number][] =>
  Array.from({ length: corners }, (_, i) => {
    const angle = turn + (2 * Math.PI * i) / corners
    return [radius * Math.cos(angle), radius * Math.sin(angle)]
  })

const star: [number, number][] = Array.from({ length: 10 }, (_, i) => {
  const angle = -Math.PI / 2 + (Math.PI * i) / 5
  const radius = i % 2 ? 0.55 : 1.2
  return [radius * Math.cos(angle), radius * Math.sin(angle)]
})

const arm = 0.36
const plus: [number, number][] = [
  [-arm, -1],
  [arm, -1],
  [arm, -arm],
  [1, -arm],
  [1, arm],
  [arm, arm],
  [arm, 1],
  [-arm, 1],
  [-arm, arm],
  [-1, arm],
  [-1, -arm],
  [-arm, -arm],
]

/** Outline of each shape in the unit circle; areas look alike. */
export const OUTLINES: Record<Shape, string> = {
  circle: "M-0.95 0A0.95 0.95 0 1 0 0.95 0A0.95 0.95 0 1 0 -0.95 0Z",
  square: polygon(regular(4, Math.PI / 4, 1.2)),
  triangle: polygon(regular(3, -Math.PI / 2, 1.25)),
  diamond: polygon(regular(4, 0, 1.25)),
  cross: polygon(plus),
  down: polygon(regular(3, Math.PI / 2, 1.25)),
  hexagon: polygon(regular(6, 0, 1.08)),
  star: polygon(star),
}
