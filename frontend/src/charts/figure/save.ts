/** Save a figure or its table as a file. Figures are always saved on white, with the light tokens. */

import interUrl from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url"
import { handOver } from "@/lib/takeAway"
import { tokenValue } from "../colours"

const FONT = "Inter, Helvetica, Arial, sans-serif"
const PNG_SCALE = 3

export type FigureCell = string | number | null

export interface FigureTable {
  columns: string[]
  rows: FigureCell[][]
}

/** Comma-separated values (RFC 4180); numbers with a decimal point and all their digits. */
export function toCsv(table: FigureTable): string {
  const lines = [table.columns, ...table.rows].map((row) => row.map(csvCell).join(","))
  return `${lines.join("\r\n")}\r\n`
}

function csvCell(cell: FigureCell): string {
  if (cell === null || (typeof cell === "number" && !Number.isFinite(cell))) return ""
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const MARGIN = 20
const TITLE = 44

/**
 * Turn a drawn `<svg>` into a separate file: tokens become colours, the font is named, the paper is white, and
 * title and note, which the page prints beside the figure, are in it.
 */
export function standaloneSvg(svg: SVGSVGElement, title: string, note: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const { width, height } = svg.viewBox.baseVal
  const [outerWidth, outerHeight] = [width + 2 * MARGIN, height + 2 * MARGIN + TITLE]
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg")
  copy.setAttribute("viewBox", `${-MARGIN} ${-MARGIN - TITLE} ${outerWidth} ${outerHeight}`)
  copy.setAttribute("width", String(outerWidth))
  copy.setAttribute("height", String(outerHeight))
  copy.prepend(line(title, -TITLE + 12, "600", "15", "--text-1"), line(note, -TITLE + 30, "400", "11", "--text-3"))
  copy.setAttribute("font-family", FONT)
  copy.removeAttribute("class")
  copy.removeAttribute("style")
  return onPaper(new XMLSerializer().serializeToString(copy))
}

function line(content: string, y: number, weight: string, size: string, token: string): SVGTextElement {
  const text = document.createElementNS("http://www.w3.org/2000/svg", "text")
  text.textContent = content
  text.setAttribute("y", String(y))
  text.setAttribute("font-size", size)
  text.setAttribute("font-weight", weight)
  text.setAttribute("fill", `var(${token})`)
  return text
}

/** Resolve `var(--token)` with the light theme and lay white paper under the figure. */
export function onPaper(svg: string): string {
  const paper = document.createElement("div")
  paper.dataset.theme = "light"
  paper.className = "paper"
  document.body.append(paper)
  const resolved = svg.replaceAll(/var\((--[\w-]+)\)/g, (_, token: string) => tokenValue(token, paper))
  paper.remove()
  const [x, y] = /viewBox="([-\d.]+) ([-\d.]+)/.exec(resolved)?.slice(1) ?? ["0", "0"]
  return resolved.replace(/(<svg\b[^>]*>)/, `$1<rect x="${x}" y="${y}" width="100%" height="100%" fill="#fff"/>`)
}

export function saveText(name: string, text: string, type: string): void {
  handOver({ name, content: new Blob([text], { type: `${type};charset=utf-8` }) })
}

/** Draw an SVG as PNG at three times its size, for slides and print. */
export async function toPng(svg: string): Promise<Blob> {
  const image = new Image()
  image.src = URL.createObjectURL(new Blob([await withFont(svg)], { type: "image/svg+xml" }))
  try {
    await image.decode()
    return await rasterise(image)
  } finally {
    URL.revokeObjectURL(image.src)
  }
}

async function rasterise(image: HTMLImageElement): Promise<Blob> {
  const canvas = document.createElement("canvas")
  canvas.width = image.width * PNG_SCALE
  canvas.height = image.height * PNG_SCALE
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser made no PNG"))), "image/png"),
  )
}

/** An image cannot use the fonts of its page, so the page's font is embedded. */
async function withFont(svg: string): Promise<string> {
  const bytes = new Uint8Array(await (await fetch(interUrl)).arrayBuffer())
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  const face = `@font-face{font-family:Inter;font-weight:100 900;src:url(data:font/woff2;base64,${btoa(binary)})}`
  return svg.replace(/(<svg\b[^>]*>)/, `$1<style>${face}</style>`)
}
