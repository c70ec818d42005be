/** The check of a meter: watch what it reads for a while, and judge it. */

import { useMutation } from "@tanstack/vue-query"
import { api, body } from "./client"

export interface CheckOrder {
  meter: string
  seconds: number
  /** Stops waiting for the response; the meter is still polled as before. */
  signal: AbortSignal
}

export function useCheckMeter() {
  return useMutation({
    mutationFn: ({ meter, seconds, signal }: CheckOrder) =>
      body(api.POST("/api/meters/{name}/check", { params: { path: { name: meter }, query: { seconds } }, signal })),
  })
}
