/** Figures shown side by side for a server: watts at the wall, by its BMC and by its supplies. */

import { mainPower } from "@/lib/channels"
import type { ChannelHead } from "@/live"
import { wallMeters } from "@/live/wall"

export interface ServerFigures {
  wall: ChannelHead[]
  bmc: ChannelHead[]
  supplies: ChannelHead[]
}

const SUPPLY = /psu|supply|\bps ?\d/i

export function serverFigures(heads: readonly ChannelHead[], server: string): ServerFigures | null {
  const powerHeads = heads.filter((head) => head.server === server && head.quantity === "power")
  const mains = (role: ChannelHead["role"]): ChannelHead[] => {
    const sources = new Set(powerHeads.filter((head) => head.role === role).map((head) => head.source))
    return [...sources].flatMap((source) => mainPower(powerHeads.filter((head) => head.source === source)) ?? [])
  }
  const meters = wallMeters(heads, server)
  const wall = meters.flatMap(({ head }) => head ?? [])
  const whole = wall.length === meters.length
  const figures = { wall: whole ? wall : [], bmc: mains("bmc"), supplies: [] as ChannelHead[] }
  const shown = new Set([...figures.wall, ...figures.bmc].map((head) => head.key))
  figures.supplies = powerHeads.filter((head) => !shown.has(head.key) && SUPPLY.test(`${head.channel} ${head.label}`))
  const kinds = [figures.wall, figures.bmc, figures.supplies].filter((group) => group.length).length
  return kinds > 1 ? figures : null
}
