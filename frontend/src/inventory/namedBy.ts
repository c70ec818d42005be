/** What names a server or a configuration, and follows when it is renamed. */

import type { Entries } from "@/lib/edits"

/** How many entries of each kind follow. */
export interface Followers {
  meters: number
  bmcs: number
  plans: number
}

/** Count what names a server; with a configuration what names that one. */
export function namedBy(
  { meters = [], bmcs = [], plans = [] }: Entries["bench"],
  server: string,
  id?: string,
): Followers {
  const named = (reference: string): boolean =>
    id === undefined ? reference.startsWith(`${server}/`) : reference === `${server}/${id}`
  return {
    meters: id === undefined ? meters.filter((meter) => meter.feeds?.some((feed) => feed.server === server)).length : 0,
    bmcs: id === undefined ? bmcs.filter((bmc) => bmc.server === server).length : 0,
    plans: plans.filter((plan) => plan.configurations.some(named)).length,
  }
}
