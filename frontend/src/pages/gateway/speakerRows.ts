/** One speaker of the gateway in words. */

import type { Protocol, SpeakerOut } from "@/api/gateway"
import type { Tone } from "@/components/StatusMark.vue"
import { fmt } from "@/format"
import { gatewayWords as words } from "@/strings/gateway"

const ABSENT: Record<NonNullable<SpeakerOut["absent"]>, Tone> = {
  waiting: "idle",
  stale: "stale",
  lost: "lost",
  "over-range": "bad",
  "not-accepted": "warn",
}

/** Whether it can be asked, and where it can, whether there is a power to give. */
export function standOf(speaker: SpeakerOut): { tone: Tone; word: string } {
  if (speaker.state === "failed") return { tone: "bad", word: words.states.failed }
  if (speaker.state === "waiting") return { tone: "idle", word: words.states.waiting }
  if (speaker.absent) return { tone: ABSENT[speaker.absent], word: words.absent[speaker.absent] }
  return { tone: "ok", word: words.states.open }
}

/** What is wrong and what to do; null: nothing is. What keeps it from being asked comes before what it cannot show. */
export function troubleOf(speaker: SpeakerOut): string | null {
  const since = speaker.since && words.since(fmt.dateTime(speaker.since))
  const [why, what] = speaker.problem ? [speaker.problem, speaker.remedy] : [speaker.reason, speaker.reason_remedy]
  return why ? [why, what, speaker.problem && since].filter(Boolean).join(" ") : null
}

export function whoMayAsk(speaker: SpeakerOut): string {
  const encrypted = speaker.encrypted ? [words.encrypted] : []
  if (speaker.protocol === "mqtt") return [words.whoMay.broker, ...encrypted].join(", ")
  const where = speaker.beyond_loopback ? words.whoMay.beyond : words.whoMay.here
  return [where, speaker.asks_password ? words.withPassword : words.withoutPassword, ...encrypted].join(", ")
}

export function askedOf(speaker: SpeakerOut): string {
  if (!speaker.requests && !speaker.refused) return words.nobody
  const asked = words.requests(fmt.fixed(speaker.requests, 0), speaker.requests === 1, speaker.askers.length)
  return speaker.refused ? `${asked} ${words.refused(fmt.fixed(speaker.refused, 0))}` : asked
}

/** What a client is told about the device, and whose registers or dialogue it has. */
export function deviceOf(speaker: SpeakerOut): string {
  const serial = speaker.serial && words.serial(speaker.serial)
  return [speaker.identity, serial, words.speaksAs(speaker.model)].filter(Boolean).join(", ")
}

/** What an entry needs beside its meter: the first port that it may have, and what opens it. */
const DOORS: Record<Protocol, { port?: number; login?: string; more?: string }> = {
  ipmi: { port: 6230, login: "user: monitor, password_file: bmc-password" },
  redfish: {
    port: 8443,
    login: "user: monitor, password_file: bmc-password",
    more: "certificate_file: cert.pem, key_file: key.pem",
  },
  snmp: { port: 1161, login: "password_file: community" },
  "modbus-tcp": { port: 5020 },
  mqtt: { more: 'url: "mqtt://broker.lab:1883/rack1", period_s: 10' },
  scpi: { port: 5025 },
  ptdaemon: { port: 8888 },
}
export const PROTOCOLS = Object.keys(words.protocols) as Protocol[]

/** What stands in the bench file to speak a meter or a server, at a port that no speaker of `names` has. */
export function entryOf(protocol: Protocol, what: string, names: readonly string[] = []): string {
  const { port, login, more } = DOORS[protocol]
  const taken = new Set(names.map((name) => Number(/:(\d+)$/.exec(name)?.[1])))
  let free = port
  while (free !== undefined && taken.has(free)) free += 1
  const fields = [`as: ${protocol}`, `what: ${what}`, free && `port: ${free}`, login, more]
  return `speak:\n  - {${fields.filter(Boolean).join(", ")}}`
}

export const asksPassword = (protocol: Protocol): boolean => DOORS[protocol].login !== undefined
