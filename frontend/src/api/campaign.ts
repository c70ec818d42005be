/** Orders to a campaign that only its own dialogs give. */

import { useMutation } from "@tanstack/vue-query"
import { api, body } from "./client"

/** Go on with a campaign at its first unfinished run. */
export function useResumeCampaign() {
  return useMutation({
    mutationFn: (campaign: string) => body(api.POST("/api/campaign/resume", { body: { campaign_id: campaign } })),
  })
}
