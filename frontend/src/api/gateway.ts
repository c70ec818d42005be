/** What the gateway speaks to other programs, and who asks it. */

import { useQuery } from "@tanstack/vue-query"
import { api, body, type Schemas } from "./client"

export type SpeakerOut = Schemas["SpeakerOut"]
export type AskerOut = Schemas["AskerOut"]
export type Protocol = SpeakerOut["protocol"]

const LOOK_EVERY_MS = 2_000

export function useGateway() {
  return useQuery({
    queryKey: ["gateway"],
    queryFn: ({ signal }) => body(api.GET("/api/gateway", { signal })),
    refetchInterval: LOOK_EVERY_MS,
  })
}
