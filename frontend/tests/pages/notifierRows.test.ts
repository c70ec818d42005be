import { describe, expect, it } from "vitest"
import type { Notifier } from "@/api/notices"
import { countsOf, eventsOf, problemOf, TONES } from "@/pages/alarms/notifierRows"
import { noticeWords as words } from "@/strings/notices"

const EVERYTHING = Object.keys(words.events) as Notifier["events"]
const notifier = (changes: Partial<Notifier>): Notifier => ({
  name: "phone",
  by: "ntfy",
  target: "https://ntfy.lab",
  events: EVERYTHING,
  state: "on",
  waiting: 0,
  sent: 0,
  not_sent: 0,
  ...changes,
})

describe("who is told, in words", () => {
  it("names some events, and all of them in one word", () => {
    expect(eventsOf(notifier({}))).toBe("Tells of: everything.")
    expect(eventsOf(notifier({ events: ["alarm", "meter-lost", "alarm"] }))).toBe("Tells of: alarm, meter lost.")
  })

  it("counts what was sent, what waits and what was not sent", () => {
    const last = "2026-02-01T12:00:00+00:00"
    expect(countsOf(notifier({}))).toBe("No message has been sent yet.")
    expect(countsOf(notifier({ sent: 1, last, waiting: 1, not_sent: 2 }))).toMatch(
      /^1 message sent, the last at .*\. 1 message waits\. 2 messages not sent\.$/,
    )
  })

  it("says what is wrong with one, what to do and since when", () => {
    const away = notifier({
      state: "failing",
      problem: "It is away.",
      remedy: "Look.",
      since: "2026-02-01T12:00:00+00:00",
    })
    expect(problemOf(away)).toMatch(/^It is away\. Look\. Since /)
    expect(problemOf(notifier({}))).toBe("")
    expect(TONES.failing).not.toBe(TONES.on)
  })
})
