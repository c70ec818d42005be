/** Quantities have colours, the same everywhere. Styles take the token, canvases its value in the current theme. */

const TOKENS: Record<string, string> = {
  power: "--q-power",
  energy: "--q-power",
  throughput: "--q-throughput",
  efficiency: "--q-efficiency",
  temperature: "--q-temperature",
  utilisation: "--q-utilisation",
}

export const quantityToken = (quantity: string): string => TOKENS[quantity] ?? "--q-other"
export const quantityColour = (quantity: string): string => `var(${quantityToken(quantity)})`

/** Value of a token in the theme of an element. */
export function tokenValue(token: string, element: Element = document.documentElement): string {
  return getComputedStyle(element).getPropertyValue(token).trim()
}

/** A `#rrggbb` colour with an opacity. */
export function withAlpha(hex: string, alpha: number): string {
  const byte = Math.round(alpha * 255)
  return `${hex}${byte.toString(16).padStart(2, "0")}`
}
