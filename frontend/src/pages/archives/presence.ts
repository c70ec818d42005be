/** Relation of an archive's runs to the local data, and the effect of an import. */

import type { ArchiveContent, FoundRun, Restoration } from "@/api/archives"
import type { Tone } from "@/components/StatusMark.vue"
import { archiveWords as words } from "@/strings/archives"

export type State = FoundRun["state"]
const TONES: Record<State, Tone> = { new: "idle", "already here": "ok", "in the trash": "warn", contradicts: "bad" }

export const presence = (state: State): { tone: Tone; word: string } => ({
  tone: TONES[state],
  word: words.states[state],
})

export const newRuns = <Run extends Pick<FoundRun, "state">>(runs: readonly Run[]): Run[] =>
  runs.filter((run) => run.state === "new")

/** Why an archive cannot be imported, or need not be; null: it can. */
export function hindrance({
  runs,
  audits,
  figures,
}: Pick<ArchiveContent, "runs" | "audits" | "figures">): string | null {
  if (runs.some((run) => run.state === "contradicts" || run.state === "in the trash")) return words.contradicts
  return newRuns(runs).length || audits || figures ? null : words.nothingNew
}

/** Who vouches for an archive, in words; one whose signature is wrong is refused before it gets here. */
export function vouched(signer: ArchiveContent["signer"]): { tone: Tone; word: string; earlier: string | null } {
  const earlier = signer.earlier.length && signer.state !== "own key" ? words.signedEarlier(signer.earlier) : null
  const good = signer.state === "own key" || signer.state === "known key"
  return { tone: good ? "ok" : earlier ? "warn" : "none", word: words.signed[signer.state], earlier }
}

/** Another build names itself in a result and its notes; the figures can be the same all the same. */
const BUILD = new Set(["software", "notes"])

export function became(run: Restoration["runs"][number]): { tone: Tone; word: string } {
  if (run.state === "already here") return { tone: "none", word: words.hereAlready }
  if (!run.differences.length) return { tone: "ok", word: words.same }
  const figures = run.differences.filter((field) => !BUILD.has(field))
  return figures.length ? { tone: "warn", word: words.differs(figures) } : { tone: "ok", word: words.sameFigures }
}
