/** Cut a text to a width [px] in a font, as a drawing needs it. */

let context: CanvasRenderingContext2D | null | undefined

export function fitText(text: string, width: number, font: string): string {
  if (context === undefined) context = document.createElement("canvas").getContext("2d")
  if (!context) return text
  context.font = font
  const measure = (part: string): number => context!.measureText(part).width
  if (measure(text) <= width) return text
  let [fits, tooLong] = [0, text.length]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (measure(`${text.slice(0, middle)}…`) <= width) fits = middle
    else tooLong = middle
  }
  return `${text.slice(0, fits).trimEnd()}…`
}
