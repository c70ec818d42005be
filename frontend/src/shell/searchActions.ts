/** What the search offers to do. */

import { problemOf, type Schemas } from "@/api/client"
import { exportUrl } from "@/api/export"
import { report } from "@/components/toasts"
import { fetchFile, handOver } from "@/lib/takeAway"
import { chooseTheme, theme } from "@/lib/theme"
import { exportWords } from "@/strings/export"
import { searchWords as words } from "@/strings/search"
import type { Target } from "./searchTargets"

const FORMATS = ["csv", "xlsx", "tex", "md", "parquet"] as const

const toPage = (label: string, to: string, note = ""): Target => ({ kind: words.action, label, note, to })
const toDo = (label: string, note: string, act: () => void): Target => ({
  kind: words.action,
  label,
  note,
  to: `act:${label}`,
  act,
})

function take(format: string): void {
  void fetchFile(exportUrl("results", format))
    .then(handOver)
    .catch((reason: unknown) => report(problemOf(reason)))
}

/** Actions in the order in which a lab needs them; `help` shows the shortcuts. */
export function actionsOf(plans: readonly Pick<Schemas["PlanOut"], "name">[], help: () => void): Target[] {
  return [
    ...plans.map(({ name }) => toPage(words.startPlan(name), `/plans/${encodeURIComponent(name)}?start=1`)),
    toPage(words.newServer, "/servers?edit=new", words.newWords),
    toPage(words.newMeter, "/meters?edit=model", words.newWords),
    ...FORMATS.map((format) =>
      toDo(words.exportAs(exportWords.formats[format]!), words.exportWords, () => take(format)),
    ),
    theme.value === "dark"
      ? toDo(words.light, words.themeWords, () => chooseTheme("light"))
      : toDo(words.dark, words.themeWords, () => chooseTheme("dark")),
    toDo(words.print, words.printWords, () => window.print()),
    toDo(words.help, words.helpWords, help),
  ]
}
