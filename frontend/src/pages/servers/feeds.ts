/** Who feeds what: from a meter's feeds ("server/psu", or "server/all PSUs") to lines between boxes. */

import type { Schemas } from "@/api/client"

type Meter = Pick<Schemas["MeterOut"], "id" | "feeds">

export interface FeedLine {
  meter: string
  /** Index of the supply that the line ends at. */
  supply: number
}

const ALL = "all PSUs"

/** Supplies of a server: those of its configurations, then those that only a meter names. */
export function supplies(server: Schemas["ServerOut"], meters: readonly Meter[]): string[] {
  const described = [...new Set(server.configurations.flatMap((configuration) => configuration.psus))]
  const named = meters.flatMap((meter) => feedNames(meter, server.id)).filter((feed) => feed !== ALL)
  const unknown = named.filter((feed) => !described.some((supply) => isNamed(supply, feed)))
  return [...described, ...new Set(unknown)]
}

export function feedLines(server: string, meters: readonly Meter[], all: readonly string[]): FeedLine[] {
  return meters.flatMap((meter) =>
    feedNames(meter, server).flatMap((feed) =>
      all.flatMap((supply, i) => (feed === ALL || isNamed(supply, feed) ? { meter: meter.id, supply: i } : [])),
    ),
  )
}

function feedNames(meter: Meter, server: string): string[] {
  return meter.feeds.filter((feed) => feed.startsWith(`${server}/`)).map((feed) => feed.slice(server.length + 1))
}

/** A configuration writes a supply with its rating: "psu1 450 W". */
const isNamed = (supply: string, feed: string): boolean => supply === feed || supply.startsWith(`${feed} `)
