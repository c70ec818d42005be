import type { Tone } from "@/components/StatusMark.vue"
import type { LiveState } from "@/live"

const TONES: Record<LiveState, Tone> = { ok: "ok", frozen: "warn", stale: "stale", lost: "lost", waiting: "idle" }

/** Tone of a live channel's state. */
export const stateTone = (state: LiveState): Tone => TONES[state]
