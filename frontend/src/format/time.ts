/** Times and durations. Stamps arrive as UTC and are shown in the reader's zone, whose name is always at hand. */

import { NBSP, NONE, type NumberFormat } from "./number"

export interface TimeFormat {
  /** Wall time of a stamp [Unix s]: "14:03:22". */
  clock(seconds: number): string
  /** Wall time with milliseconds: "14:03:22.125". */
  clockMs(seconds: number): string
  /** Wall time of a stamp [Unix s], with its date where it is another day than that of `now`. */
  clockOn(seconds: number, now: number): string
  /** Date and time of an ISO stamp. */
  dateTime(iso: string | null | undefined): string
  /** Date and time to the minute, for lists; the year only where it is not this year. */
  shortDateTime(iso: string): string
  /** A calendar day as certificates state it, "2026-11-21"; no zone moves it. */
  calendarDay(day: string | null | undefined): string
  /** Day of a stamp [Unix s], for axes: day and month, with the year where asked. */
  day(seconds: number, year?: boolean): string
  /** A length of time, in the two largest units that matter: "1 min 35 s". */
  duration(seconds: number): string
  /** How old something is: "0.4 s", "12 s", "3 min". */
  age(seconds: number): string
  /** The reader's time zone, as "Europe/Berlin". */
  readonly zone: string
}

export function createTimeFormat(locale: string, numbers: NumberFormat, zone?: string): TimeFormat {
  const time = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZone: zone } as const
  const clock = new Intl.DateTimeFormat(locale, time)
  const clockMs = new Intl.DateTimeFormat(locale, { ...time, fractionalSecondDigits: 3 })
  const dateTime = new Intl.DateTimeFormat(locale, { ...time, year: "numeric", month: "short", day: "2-digit" })
  const minute = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone } as const
  const thisYear = new Intl.DateTimeFormat(locale, { ...minute, month: "short", day: "2-digit" })
  const otherYear = new Intl.DateTimeFormat(locale, { ...minute, year: "numeric", month: "short", day: "2-digit" })
  const calendar = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "2-digit", timeZone: "UTC" })
  const dayMonth = new Intl.DateTimeFormat(locale, { month: "short", day: "2-digit", timeZone: zone })
  const dayYear = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "2-digit", timeZone: zone })
  return {
    calendarDay: (day) => (day ? calendar.format(new Date(`${day.slice(0, 10)}T00:00:00Z`)) : NONE),
    day: (seconds, year = false) => (year ? dayYear : dayMonth).format(seconds * 1000),
    clock: (seconds) => clock.format(seconds * 1000),
    clockMs: (seconds) => clockMs.format(seconds * 1000),
    clockOn: (seconds, now) => {
      const sameDay = dayYear.format(seconds * 1000) === dayYear.format(now * 1000)
      return (sameDay ? clock : dateTime).format(seconds * 1000)
    },
    dateTime: (iso) => (iso ? dateTime.format(new Date(iso)) : NONE),
    shortDateTime: (iso) => {
      const date = new Date(iso)
      return (date.getFullYear() === new Date().getFullYear() ? thisYear : otherYear).format(date)
    },
    duration: (seconds) => duration(numbers, seconds),
    age: (seconds) => age(numbers, seconds),
    zone: clock.resolvedOptions().timeZone,
  }
}

function duration(numbers: NumberFormat, seconds: number): string {
  if (!Number.isFinite(seconds)) return NONE
  if (seconds < 10) return `${numbers.fixed(seconds, 1)}${NBSP}s`
  const whole = Math.round(seconds)
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  if (hours > 0) return `${hours}${NBSP}h${minutes ? ` ${minutes}${NBSP}min` : ""}`
  return minutes > 0 ? `${minutes}${NBSP}min${rest ? ` ${rest}${NBSP}s` : ""}` : `${rest}${NBSP}s`
}

function age(numbers: NumberFormat, seconds: number): string {
  const past = Math.max(0, seconds)
  if (past < 10) return `${numbers.fixed(past, 1)}${NBSP}s`
  if (past < 120) return `${Math.round(past)}${NBSP}s`
  if (past < 7200) return `${Math.round(past / 60)}${NBSP}min`
  return past < 172_800 ? `${Math.round(past / 3600)}${NBSP}h` : `${Math.round(past / 86_400)}${NBSP}d`
}
