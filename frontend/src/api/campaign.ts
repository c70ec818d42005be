/** What only the dialogs of the campaign page ask for and order. */

import { useMutation, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body } from "./client"

/** Go on with a campaign at its first unfinished run. */
export function useResumeCampaign() {
  return useMutation({
    mutationFn: (campaign: string) => body(api.POST("/api/campaign/resume", { body: { campaign_id: campaign } })),
  })
}

/** What a plan would do if it began now; asked anew whenever it is looked at, for its end moves with the clock. */
export function usePlan(name: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: computed(() => ["plans", toValue(name)]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/campaign/plans/{name}", { params: { path: { name: toValue(name) } }, signal })),
    staleTime: 0,
  })
}
