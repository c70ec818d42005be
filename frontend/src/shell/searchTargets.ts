/** Finding what somebody means by a few letters. */

export interface Target {
  kind: string
  label: string
  note: string
  to: string
}

/** Targets that contain every word; those whose name begins with the text come first. */
export function search(targets: readonly Target[], text: string, limit: number): Target[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = (target: Target): number => (target.label.toLowerCase().startsWith(words.join(" ")) ? 0 : 1)
  return targets
    .filter((target) => {
      const hay = `${target.kind} ${target.label} ${target.note}`.toLowerCase()
      return words.every((word) => hay.includes(word))
    })
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, limit)
}
