/** Send a file unchanged and report progress; the browser reads it from the disk piece by piece. */

import { ApiProblem, asProblem } from "@/api/client"
import { t } from "@/strings"

export type Progress = (fraction: number) => void

/** The part of `XMLHttpRequest` that sending needs; fetch reports no upload progress. */
export interface Request {
  readonly status: number
  readonly statusText: string
  readonly responseText: string
  readonly upload: { onprogress: ((event: ProgressEvent) => void) | null }
  onload: (() => void) | null
  onerror: (() => void) | null
  open(method: string, url: string): void
  send(body: Blob): void
}

/** Send a file and return the response; throws an `ApiProblem`. */
export function sendFile<T>(
  url: string,
  file: Blob,
  progress: Progress,
  request: Request = new XMLHttpRequest() as Request,
): Promise<T> {
  return new Promise((resolve, reject) => {
    request.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 0)
    request.onerror = () => reject(new ApiProblem({ ...t.problem.unreachable, detail: url }, 0))
    request.onload = () => {
      const answer = read(request.responseText)
      if (request.status < 300) resolve(answer as T)
      else reject(new ApiProblem(asProblem(answer, { ...statusOf(request), url }), request.status))
    }
    request.open("POST", url)
    request.send(file)
  })
}

const statusOf = ({ status, statusText }: Request) => ({ status, statusText })

function read(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
