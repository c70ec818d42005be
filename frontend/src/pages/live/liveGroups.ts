/** Live channels in reading order: by server, the figures that matter first. */

import { mainChannel } from "@/lib/channels"
import type { ChannelHead } from "@/live"

export interface SourceGroup {
  source: string
  channels: ChannelHead[]
}

export interface ServerGroup {
  /** Null: channels that no server claims. */
  server: string | null
  /** The machine that the service itself runs on. */
  host: boolean
  /** One channel per source that gets a trace and a big number. */
  tiles: ChannelHead[]
  /** Everything else, by source. */
  sensors: SourceGroup[]
}

const ROLE_ORDER = { wall: 0, secondary: 1, bmc: 2, host: 3 } as const

/** The operating system of the service's own machine ("host"), or of a server ("host.<server>"). */
export const isHost = (source: string): boolean => source === "host" || source.startsWith("host.")

export function liveGroups(heads: readonly ChannelHead[], serverOrder: readonly string[]): ServerGroup[] {
  const headsByGroup = new Map<string, ChannelHead[]>()
  for (const head of heads) {
    const key = JSON.stringify([head.server ?? null, !head.server && head.role === "host"])
    headsByGroup.set(key, [...(headsByGroup.get(key) ?? []), head])
  }
  const place = ({ server, host }: ServerGroup): number => {
    if (server === null) return serverOrder.length + (host ? 1 : 2)
    const at = serverOrder.indexOf(server)
    return at < 0 ? serverOrder.length : at
  }
  return [...headsByGroup.values()].map(group).sort((a, b) => place(a) - place(b))
}

function group(channels: readonly ChannelHead[]): ServerGroup {
  const server = channels[0]!.server ?? null
  const host = server === null && channels[0]!.role === "host"
  const sources = bySource(channels)
  const tiles = sources.flatMap((source) => mainChannel(source.channels) ?? [])
  tiles.sort((a, b) => ROLE_ORDER[a.role] - ROLE_ORDER[b.role])
  const sensors = sources
    .map(({ source, channels: all }) => ({ source, channels: all.filter((channel) => !tiles.includes(channel)) }))
    .filter((source) => source.channels.length > 0)
  return { server, host, tiles, sensors }
}

function bySource(channels: readonly ChannelHead[]): SourceGroup[] {
  const channelsBySource = new Map<string, ChannelHead[]>()
  for (const channel of channels)
    channelsBySource.set(channel.source, [...(channelsBySource.get(channel.source) ?? []), channel])
  return [...channelsBySource].map(([source, all]) => ({ source, channels: all }))
}
