/** Numbers as people type them. */

/** A positive number with either decimal sign; null for anything else. */
export function positive(text: string): number | null {
  const value = Number(text.trim().replace(",", "."))
  return text.trim() && Number.isFinite(value) && value > 0 ? value : null
}
