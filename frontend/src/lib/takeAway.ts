/** Download a file from the service so that a refusal is shown as a message, not saved as a file. */

import { ApiProblem, asProblem } from "@/api/client"
import { copyText } from "@/lib/clipboard"
import { t } from "@/strings"

export type Fetch = (url: string) => Promise<Response>

export interface TakenFile {
  name: string
  content: Blob
  /** Of a figure with many rows, of which this file may hold one. */
  pages: number
}

/** Fetch a file with the name that the service gives it; throws an `ApiProblem`. */
export async function fetchFile(url: string, ask: Fetch = (address) => fetch(address)): Promise<TakenFile> {
  const response = await ask(url).catch((reason: unknown) => {
    throw new ApiProblem({ ...t.problem.unreachable, detail: String(reason) }, 0)
  })
  if (!response.ok) {
    const answer: unknown = await response.json().catch(() => undefined)
    throw new ApiProblem(asProblem(answer, response), response.status)
  }
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1]
  const pages = Number(response.headers.get("wattmark-pages") ?? 1)
  return { name: name ?? "wattmark", content: await response.blob(), pages }
}

/** Put the text of a file into the clipboard; throws an `ApiProblem`. */
export async function copyFile(url: string, ask?: Fetch): Promise<void> {
  const { content } = await fetchFile(url, ask)
  await copyText(await content.text())
}

/** Save a file through the browser's download. */
export function handOver({ name, content }: Pick<TakenFile, "name" | "content">): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
