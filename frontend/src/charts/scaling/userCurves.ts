/** Levels by what one user gets and what a unit of work takes; the service has judged them against each other. */

import type { Schemas } from "@/api/client"
import type { Sweep } from "./sweepCurves"

export type Standing = Schemas["UserPoint"]["standing"]

export interface UserLevel {
  level: string
  rate: number
  energy: number
  /** 95 % interval; null: unknown. */
  interval: [number, number] | null
  standing: Standing
}

export interface UserCurve {
  key: string
  title: string
  simulated: boolean
  points: UserLevel[]
}

/** One curve per configuration whose workload reports the time per token, in the order of its levels. */
export function userCurves(sweeps: readonly Sweep[]): UserCurve[] {
  return sweeps
    .map(({ scaling: { key, title, simulated }, users = [] }) => ({
      key,
      title,
      simulated,
      points: users.map(({ level, rate, energy: { value, low, high }, standing }) => ({
        level,
        rate,
        energy: value,
        interval: low == null || high == null ? null : ([low, high] as [number, number]),
        standing,
      })),
    }))
    .filter((curve) => curve.points.length > 0)
}
