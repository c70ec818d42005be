/** The user of these pages and their rights; the service enforces them, the pages only announce them. */

import { shallowRef } from "vue"
import type { Schemas } from "@/api/client"
import { onFleet } from "./fleet"
import { t } from "@/strings"

export type Session = Schemas["SessionOut"]
export type Role = Schemas["Role"]

const RANK: Record<Role, number> = { viewer: 0, operator: 1, admin: 2 }

/** Null until the service has answered. */
export const who = shallowRef<Session | null>(null)

/** Whether a session includes a role; yes until it is known, since the service refuses what it must. */
export function may(session: Session | null, role: Role): boolean {
  return !session?.role || RANK[session.role] >= RANK[role]
}

/** Why something may not be done, for the title of its disabled button. */
export const refusal = (session: Session | null, role: Role): string | undefined =>
  may(session, role) ? undefined : t.shell.needsRole(t.shell.roles[role], session?.name ?? "")

/** Where to go after signing in: a path of these pages, never an address elsewhere. */
export function afterSignIn(next: unknown): string {
  return typeof next === "string" && /^\/(?![/\\])/.test(next) ? next : onFleet ? "/" : "/live"
}
