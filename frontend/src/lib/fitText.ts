/** Cut a text to a width [px] in a font, as a drawing needs it. */
import { shallowRef } from "vue"

let context: CanvasRenderingContext2D | null | undefined
/** Counts the fonts that arrived after something was measured: until then a canvas measures with another one. */
const fontsArrived = shallowRef(0)

/** Width of a text in a font [px]; 0 where nothing can draw. */
export function textWidth(text: string, font: string): number {
  const drawing = measurer()
  if (!drawing) return 0
  void fontsArrived.value
  drawing.font = font
  return drawing.measureText(text).width
}

export function fitText(text: string, width: number, font: string): string {
  if (!measurer()) return text
  const measure = (part: string): number => textWidth(part, font)
  if (measure(text) <= width) return text
  let [fits, tooLong] = [0, text.length]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (measure(`${text.slice(0, middle)}…`) <= width) fits = middle
    else tooLong = middle
  }
  return `${text.slice(0, fits).trimEnd()}…`
}

function measurer(): CanvasRenderingContext2D | null {
  if (context === undefined) {
    context = document.createElement("canvas").getContext("2d")
    document.fonts?.addEventListener("loadingdone", () => fontsArrived.value++)
  }
  return context
}
