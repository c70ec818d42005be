/** A page whose script does not arrive is opened afresh once the service answers: after a lost connection, or a new version. */

import { watch, type WatchHandle } from "vue"
import { START_LOCATION, type Router } from "vue-router"
import { report } from "@/components/toasts"
import { onFleet } from "@/lib/fleet"
import { stream } from "@/live"
import { t } from "@/strings"

export function watchLostPages(router: Router): void {
  let waiting: WatchHandle | undefined
  router.afterEach((_to, _from, failure) => {
    if (!failure) waiting?.stop()
  })
  router.onError((_error, to, from) => {
    // What fails on a fresh load would fail again.
    if (from === START_LOCATION) return
    const open = (): void => location.assign(router.resolve(to).href)
    if (onFleet || stream.connection.value === "live") return open()
    report({ cause: t.shell.pageLost, remedy: t.shell.pageLostRemedy, detail: "", field: null })
    waiting?.stop()
    waiting = watch(stream.connection, (now) => now === "live" && open())
  })
}
