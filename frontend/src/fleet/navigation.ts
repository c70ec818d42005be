/** The pages of a fleet in the order of the rail, with their keys after `g`. */

import { GitCompareArrows, MemoryStick, Rows3, Target } from "@lucide/vue"
import type { Page } from "@/shell/navigation"
import { t } from "@/strings"
import { fleetWords as words } from "@/strings/fleet"

export const PAGES: readonly Page[] = [
  { to: "/runs", label: t.nav.runs, icon: Rows3, key: "r", group: "measure" },
  { to: "/compare", label: t.nav.compare, icon: GitCompareArrows, key: "c", group: "results" },
  { to: "/memory", label: t.nav.memory, icon: MemoryStick, key: "m", group: "results" },
  { to: "/ring", label: words.ring.nav, icon: Target, key: "i", group: "lab" },
]
