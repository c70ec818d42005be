/** Follows who is signed in: the live stream runs for them, and nobody else gets further than the sign-in page. */

import { QueryObserver, type QueryClient } from "@tanstack/vue-query"
import { watch } from "vue"
import type { Router } from "vue-router"
import { fetchSession, SESSION } from "@/api/access"
import { onFleet } from "@/lib/fleet"
import { who, type Session } from "@/lib/who"
import { stream } from "@/live"

export function watchSession(client: QueryClient, router: Router): void {
  const observer = new QueryObserver<Session>(client, { queryKey: SESSION, queryFn: fetchSession, staleTime: 60_000 })
  observer.subscribe(({ data }) => data && void follow(data, router))
  // A stream that was refused says nothing of why; the session does.
  watch(stream.connection, (now) => now === "lost" && void client.invalidateQueries({ queryKey: SESSION }))
}

async function follow(session: Session, router: Router): Promise<void> {
  const before = who.value
  who.value = session
  if (session.name && !before?.name && !onFleet) stream.start()
  if (session.name || !session.sign_in) return
  if (before?.name) stream.stop()
  await router.isReady()
  const { path, fullPath } = router.currentRoute.value
  if (path !== "/login") await router.replace({ path: "/login", query: { next: fullPath } })
}
