/**
 * A sound, and a notification where the browser allows one, when a campaign waits for an operator or has failed.
 *
 * Off until switched on; browsers let a page make a sound only after a click or a key, so that one wakes it.
 */

import { readonly, shallowRef, watch } from "vue"
import { remember, remembered } from "@/lib/remembered"
import { operatorWords as words } from "@/strings/operator"
import { live } from "."

/** Where the choice is kept. */
const KEY = "wattmark.bell"
/** Two tones, a fourth apart, played three times: heard through fans, and no alarm of a building. */
const TONES_HZ = [660, 880]
const [TONE_S, PAUSE_S, TIMES, LOUDNESS] = [0.18, 0.5, 3, 0.25]

const wanted = shallowRef(remembered(KEY) === "on")
/** Whether the browser lets this page make a sound by now. */
const audible = shallowRef(false)
let audio: AudioContext | null = null
let watching = false

export const bell = { wanted: readonly(wanted), audible: readonly(audible) }

/** Switch it; called from a click, which the browser asks for before any sound. */
export async function switchBell(on: boolean): Promise<void> {
  wanted.value = on
  remember(KEY, on ? "on" : null)
  if (!on) return
  await wake()
  play([TONES_HZ[0]!], 1)
  if ("Notification" in window && Notification.permission === "default") await Notification.requestPermission()
}

/** Follow the campaign from now on, whichever page is shown. */
export function startBell(): void {
  if (watching) return
  watching = true
  for (const gesture of ["pointerdown", "keydown"] as const)
    addEventListener(gesture, () => wanted.value && !audible.value && void wake(), { passive: true })
  watch(
    () => call(live.campaign.value),
    (now, before) => now && now.key !== before?.key && wanted.value && ring(now),
  )
}

interface Call {
  key: string
  title: string
  text: string
}

/** Reason for calling an operator; null while none is needed. */
export function call(campaign: typeof live.campaign.value): Call | null {
  if (campaign?.state === "waiting-for-operator")
    return { key: `${campaign.campaign_id} ${campaign.message}`, title: words.called, text: campaign.message ?? "" }
  if (campaign?.state === "failed")
    return { key: `${campaign.campaign_id} failed`, title: words.failed, text: campaign.message ?? "" }
  return null
}

function ring({ key, title, text }: Call): void {
  play(TONES_HZ, TIMES)
  if ("Notification" in window && Notification.permission === "granted") {
    try {
      new Notification(title, { body: text, tag: key, icon: "/mark.svg" })
    } catch {
      // Some browsers of phones know notifications but let only a service worker show them; the tone is heard.
    }
  }
}

async function wake(): Promise<void> {
  audio ??= new AudioContext()
  if (audio.state !== "running") await audio.resume()
  audible.value = audio.state === "running"
}

function play(tones: readonly number[], times: number): void {
  if (!audio || audio.state !== "running") return
  for (let turn = 0; turn < times; turn++)
    tones.forEach((hz, i) =>
      tone(audio!, hz, audio!.currentTime + turn * (tones.length * TONE_S + PAUSE_S) + i * TONE_S),
    )
}

function tone(context: AudioContext, hz: number, at: number): void {
  const [source, volume] = [context.createOscillator(), context.createGain()]
  source.frequency.value = hz
  // A tone that begins and ends at once clicks.
  volume.gain.setValueAtTime(0, at)
  volume.gain.linearRampToValueAtTime(LOUDNESS, at + 0.02)
  volume.gain.linearRampToValueAtTime(0, at + TONE_S)
  source.connect(volume).connect(context.destination)
  source.start(at)
  source.stop(at + TONE_S)
}
