/** Live channels sorted the way a bench is looked at: by server, the figures that matter first. */

import type { ChannelHead } from "@/live"

export interface SourceGroup {
  source: string
  channels: ChannelHead[]
}

export interface ServerGroup {
  /** Null: channels of meters that no server claims. */
  server: string | null
  /** One channel per source that gets a trace and a big number. */
  tiles: ChannelHead[]
  /** Everything else, by source. */
  sensors: SourceGroup[]
}

const ROLE_ORDER = { wall: 0, witness: 1, bmc: 2, host: 3 } as const

export function liveGroups(heads: readonly ChannelHead[], serverOrder: readonly string[]): ServerGroup[] {
  const byServer = new Map<string | null, ChannelHead[]>()
  for (const head of heads) {
    const server = head.server ?? null
    byServer.set(server, [...(byServer.get(server) ?? []), head])
  }
  const place = (server: string | null): number => {
    const at = server === null ? -1 : serverOrder.indexOf(server)
    return at < 0 ? serverOrder.length : at
  }
  return [...byServer]
    .map(([server, channels]) => group(server, channels))
    .sort((a, b) => Number(a.server === null) - Number(b.server === null) || place(a.server) - place(b.server))
}

function group(server: string | null, channels: readonly ChannelHead[]): ServerGroup {
  const sources = bySource(channels)
  const tiles = sources.flatMap((one) => main(one.channels) ?? [])
  tiles.sort((a, b) => ROLE_ORDER[a.role] - ROLE_ORDER[b.role])
  const sensors = sources
    .map(({ source, channels: all }) => ({ source, channels: all.filter((channel) => !tiles.includes(channel)) }))
    .filter((one) => one.channels.length > 0)
  return { server, tiles, sensors }
}

function bySource(channels: readonly ChannelHead[]): SourceGroup[] {
  const found = new Map<string, ChannelHead[]>()
  for (const channel of channels) found.set(channel.source, [...(found.get(channel.source) ?? []), channel])
  return [...found].map(([source, all]) => ({ source, channels: all }))
}

/** The channel of a source that speaks for it: its power, or what keeps a host busy. */
function main(channels: readonly ChannelHead[]): ChannelHead | undefined {
  return channels.find((one) => one.quantity === "power") ?? channels.find((one) => one.quantity === "utilisation")
}
