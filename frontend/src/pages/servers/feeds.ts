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
  const known = [...new Set(server.configurations.flatMap((configuration) => configuration.psus))]
  const named = meters.flatMap((meter) => feedNames(meter, server.id)).filter((feed) => feed !== ALL)
  const unknown = named.filter((feed) => !known.some((supply) => isNamed(supply, feed)))
  return [...known, ...new Set(unknown)]
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

type Feed = Schemas["Feed"]

/** Tell whether feeds name a supply of a server; null: the server as a whole. */
export function isFed(feeds: readonly Feed[], server: string, psu: string | null): boolean {
  return feeds.some((feed) => feed.server === server && (psu === null ? !feed.psus : Boolean(feed.psus?.includes(psu))))
}

/** Feeds with a supply of a server added or taken away; the whole server and single supplies exclude each other. */
export function withFeed(feeds: readonly Feed[], server: string, psu: string | null, on: boolean): Feed[] {
  const others = feeds.filter((feed) => feed.server !== server)
  if (psu === null) return on ? [...others, { server }] : others
  const named = feeds.flatMap((feed) => (feed.server === server ? (feed.psus ?? []) : [])).filter((one) => one !== psu)
  const psus = on ? [...named, psu] : named
  return psus.length ? [...others, { server, psus }] : others
}
