/**
 * What is live now: one snapshot, then deltas.
 *
 * Sample arrays stay outside Vue. Pages watch `revision`, which moves at most once a frame, and `heads`, which changes
 * only when the service lists other channels.
 */

import { shallowRef, type ShallowRef } from "vue"
import type { Schemas } from "@/api/client"
import { Track } from "./track"

export type LiveSnapshot = Schemas["LiveSnapshot"]
type LiveSamples = Schemas["LiveSamples"]
export type LiveUpdate = Schemas["LiveUpdate"]
export type Campaign = Schemas["CampaignOut"]

/** What a channel is, without its samples. */
export type ChannelHead = Omit<Schemas["LiveChannel"], Exclude<keyof LiveSamples, "source" | "channel">> & {
  key: string
}

export const channelKey = (of: { source: string; channel: string }): string => `${of.source}/${of.channel}`

type Schedule = (callback: () => void) => void

export class LiveStore {
  readonly heads: ShallowRef<readonly ChannelHead[]> = shallowRef([])
  readonly campaign: ShallowRef<Campaign | null> = shallowRef(null)
  /** Why samples are not written to disk, in the service's words; null while they are. */
  readonly alarm: ShallowRef<string | null> = shallowRef(null)
  readonly revision: ShallowRef<number> = shallowRef(0)
  /** Batches that this page lost because it was too slow. */
  readonly dropped: ShallowRef<number> = shallowRef(0)
  private readonly tracks = new Map<string, Track>()
  private skewS = 0
  private scheduled = false

  /** `clock` gives the browser's time [Unix s], `schedule` calls back before the next frame. */
  constructor(
    private readonly clock: () => number,
    private readonly schedule: Schedule,
  ) {}

  /** Time of the service [Unix s]: ages are computed by its clock, not by the browser's. */
  now(): number {
    return this.clock() + this.skewS
  }

  track(key: string): Track | undefined {
    return this.tracks.get(key)
  }

  applySnapshot(snapshot: LiveSnapshot): void {
    this.skewS = snapshot.now_s - this.clock()
    const keys = new Set(snapshot.channels.map(channelKey))
    for (const key of this.tracks.keys()) if (!keys.has(key)) this.tracks.delete(key)
    for (const channel of snapshot.channels) this.load(channel)
    this.heads.value = snapshot.channels.map(head)
    this.campaign.value = snapshot.campaign
    this.alarm.value = snapshot.alarm ?? null
    this.changed()
  }

  applyUpdate(update: LiveUpdate): void {
    this.skewS = update.now_s - this.clock()
    for (const samples of update.channels) {
      const track = this.tracks.get(channelKey(samples))
      if (!track) continue
      track.append(samples.t_s, samples.value)
      track.state = samples.state
      track.problem = samples.problem ?? null
    }
    this.alarm.value = update.alarm ?? null
    if (update.dropped) this.dropped.value += update.dropped
    this.changed()
  }

  applyCampaign(campaign: Campaign): void {
    this.campaign.value = campaign
  }

  /** Apply the response to a command sent when `before` was shown; newer events of the stream take precedence. */
  applyAnswer(campaign: Campaign, before: Campaign | null): void {
    if (this.campaign.value === before) this.applyCampaign(campaign)
  }

  private load(channel: Schemas["LiveChannel"]): void {
    const key = channelKey(channel)
    let track = this.tracks.get(key)
    if (!track || track.periodS !== channel.period_s) this.tracks.set(key, (track = new Track(channel.period_s)))
    track.replaceFrom(channel.t_s, channel.value)
    track.state = channel.state
    track.problem = channel.problem ?? null
  }

  private changed(): void {
    if (this.scheduled) return
    this.scheduled = true
    this.schedule(() => {
      this.scheduled = false
      this.revision.value += 1
    })
  }
}

function head(channel: Schemas["LiveChannel"]): ChannelHead {
  const { t_s, value, state, problem, ...rest } = channel
  return { ...rest, key: channelKey(rest) }
}
