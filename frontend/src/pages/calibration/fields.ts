/** Numbers as people type them. */

/** Read a number with either decimal sign; null for an empty field, undefined for anything that is not a number. */
export function typedNumber(text: string): number | null | undefined {
  const plain = text
    .trim()
    .replaceAll(/[\s\u202f\u00a0]/g, "")
    .replace(",", ".")
  if (!plain) return null
  const value = Number(plain)
  return Number.isFinite(value) ? value : undefined
}
