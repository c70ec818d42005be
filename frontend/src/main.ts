import "@/styles/app.css"
import { MutationCache, QueryCache, VueQueryPlugin } from "@tanstack/vue-query"
import { createApp, watch } from "vue"
import App from "./App.vue"
import { SESSION } from "./api/access"
import { ApiProblem } from "./api/client"
import { FreshClient } from "./api/freshClient"
import { keys } from "./api/queries"
import { startTheme } from "./lib/theme"
import { live, stream } from "./live"
import { FLEET, onFleet } from "./lib/fleet"
import { routerOf, routes } from "./router"
import { watchLostPages } from "./shell/lostPages"
import { watchSession } from "./shell/session"

startTheme()
/** Nobody is signed in any more: forget it, and let `watchSession` show the way in. */
const ended = (error: unknown): void => {
  if (error instanceof ApiProblem && error.status === 401) void client.invalidateQueries({ queryKey: SESSION })
}

/** How often to ask again, by the status of the answer; 0: there was none. */
const TRIES: Record<number, number> = { 0: 2, 503: 4 }
const client = new FreshClient({
  queryCache: new QueryCache({ onError: ended }),
  mutationCache: new MutationCache({ onError: ended }),
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: true,
      // Answers are replaced, never changed; sample arrays must not become reactive.
      shallow: true,
      // Silence is worth a second try, and a service that is busy will have time soon; other answers are answers.
      retry: (count, error) => error instanceof ApiProblem && count < (TRIES[error.status] ?? 0),
    },
  },
})

// A run that begins or ends makes every list and comparison stale.
watch(
  () => live.campaign.value?.runs.map((run) => `${run.run_id}:${run.state}`).join(),
  (now, before) => {
    if (before === undefined || now === before) return
    for (const key of [keys.runs, ["compare"], ["memory"], keys.bench]) void client.invalidateQueries({ queryKey: key })
  },
)

async function start(): Promise<void> {
  // The pages of the fleet are fetched only where they are shown.
  const fleet = onFleet ? await import("./fleet") : null
  const router = fleet ? routerOf(fleet.routes, FLEET) : routerOf(routes)
  if (!fleet) {
    addEventListener("pagehide", () => stream.stop())
    addEventListener("pageshow", (event) => event.persisted && stream.start())
  }
  router.beforeEach((to, from) => {
    if (to.path !== from.path) to.meta.ask?.(client, to.query)
  })
  watchSession(client, router)
  watchLostPages(router)
  createApp(fleet?.FleetApp ?? App)
    .use(router)
    .use(VueQueryPlugin, { queryClient: client })
    .mount("#app")
}
void start()
