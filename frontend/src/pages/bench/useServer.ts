/** What the bench view says of one server: its watts now, what is wrong with them, and its run under way. */

import { computed } from "vue"
import { fmt } from "@/format"
import { latest, live, stream, useNow } from "@/live"
import { phaseLeft, phaseProgress } from "@/live/campaign"
import { wallMeters, wallNow } from "@/live/wall"
import { benchWords as words } from "@/strings/bench"
import { liveWords } from "@/strings/live"

/** A stream that is silent for longer has stopped [s]. */
const SILENT_S = 3

/** `server` undefined: whatever a reference meter reads, of a bench whose meters measure no server. */
export function useServer(server: () => string | undefined) {
  const now = useNow()
  const meters = computed(() => wallMeters(live.heads.value, server()))
  const wall = computed(() => {
    void live.revision.value
    const at = Math.max(now.value, live.now())
    return wallNow(meters.value, (key) => latest(key, at))
  })
  /** A part of what a server draws is not shown as if it were all. */
  const watts = computed(() => (wall.value.missing.length ? null : wall.value.value))
  const silentS = computed(() => {
    void now.value
    const silence = (Date.now() - stream.heardMs.value) / 1000
    return silence > SILENT_S ? silence : null
  })
  const trouble = computed(() => {
    if (silentS.value !== null) return words.silent(fmt.age(silentS.value))
    const [missing] = wall.value.missing
    if (missing) return words.notWhole(missing.source, missing.reason)
    if (wall.value.fresh) return null
    return wall.value.ageS === null ? liveWords.state.waiting : words.stale(fmt.age(wall.value.ageS))
  })
  const run = computed(() => live.campaign.value?.under_way.find((member) => member.server === server()) ?? null)
  const left = computed(() => (run.value ? phaseLeft(run.value, now.value) : null))
  const progress = computed(() => (run.value ? phaseProgress(run.value, now.value) : null))
  const leftText = computed(() =>
    left.value === null ? "" : left.value > 0 ? words.left(fmt.duration(Math.ceil(left.value))) : words.longer,
  )
  return { meters, wall, watts, trouble, run, progress, leftText }
}
