/** Feeds of a meter, as they are ticked: a server as a whole, or single supplies of it. */

import type { Schemas } from "@/api/client"

type Feed = Schemas["Feed"]

/** Tell whether feeds name a supply of a server; null: the server as a whole. */
export function isFed(feeds: readonly Feed[], server: string, psu: string | null): boolean {
  return feeds.some((feed) => feed.server === server && (psu === null ? !feed.psus : Boolean(feed.psus?.includes(psu))))
}

/** Feeds with a supply of a server added or taken away; the whole server and single supplies exclude each other. */
export function withFeed(feeds: readonly Feed[], server: string, psu: string | null, on: boolean): Feed[] {
  const others = feeds.filter((feed) => feed.server !== server)
  if (psu === null) return on ? [...others, { server }] : others
  const named = feeds
    .flatMap((feed) => (feed.server === server ? (feed.psus ?? []) : []))
    .filter((supply) => supply !== psu)
  const psus = on ? [...named, psu] : named
  return psus.length ? [...others, { server, psus }] : others
}

/**
 * What of a server can be ticked. With several supplies a meter must name those that it measures, so the server as a
 * whole (null) is offered only while a meter still says so.
 */
export function tickable(server: Schemas["Server"], feeds: readonly Feed[]): (string | null)[] {
  const supplies = suppliesOf(server)
  return supplies.length < 2 || isFed(feeds, server.id, null) ? [null, ...supplies] : supplies
}

/** Meters that feed nothing yet and count towards a server. */
export const freeMeters = (meters: readonly Schemas["Meter"][]): Schemas["Meter"][] =>
  meters.filter((meter) => meter.role !== "secondary" && !meter.feeds?.length)

/** The supplies that the configurations of a server name, each once. */
export function suppliesOf(server: Schemas["Server"]): string[] {
  return [...new Set(server.configurations.flatMap((configuration) => (configuration.psus ?? []).map((psu) => psu.id)))]
}
