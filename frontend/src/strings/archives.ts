/** Words of archives and of the shared server. */

import { plural } from "./plural"
const runs = (count: number): string => plural(count, "run", "runs")

export const archiveWords = {
  note: "An archive holds runs and everything their results are based on, in one file. Others can read, recompute and restore it.",
  save: "Save as archive",
  saveAll: "Save all runs",
  saving: "Creating the archive",
  without: "Without notes",
  with: "With notes and tags",
  from: (lab: string): string => `from ${lab}`,
  tooMany: {
    cause: "Too many runs are selected for one archive.",
    remedy: "Select at most 500 runs, or save all runs.",
  },

  bringIn: "Import runs",
  bringInText:
    "Choose an archive from another wattmark. Every hash is checked, and you see the contents before anything is imported.",
  drop: "Drop an archive here, or",
  choose: "Choose a file",
  chooseAnother: "Choose another file",
  chooseFolder: "Choose a folder",
  looking: "Uploading the file to check it",
  checking: "Checking the hashes",
  importing: "Uploading the file to import it",
  recomputing: "Importing and recomputing the results",
  tooLarge: {
    cause: "The file is larger than 4 GiB.",
    remedy: "Run `wattmark restore FILE` on the appliance, or ask for an archive with fewer runs.",
  },

  of: (lab: string): string => `Archive of ${lab}`,
  writtenBy: (version: string, members: number): string =>
    `Written by wattmark ${version}. All ${members} files match their hashes.`,
  signature: "Signature",
  signed: {
    none: "None: nobody vouches for this archive",
    "own key": "Valid, by this appliance's own key",
    "known key": "Valid, by a key that signed earlier imports from this lab",
    "new key": "Valid, by a key that is new here: compare it with the one that the lab publishes",
  },
  signedEarlier: (keys: readonly string[]): string =>
    `Earlier imports from this lab were signed by ${keys.join(", ")}.`,
  published: (audits: number, figures: number): string =>
    `Also in it: ${[
      audits ? plural(audits, "audit", "audits") : "",
      figures ? plural(figures, "published result", "published results") : "",
    ]
      .filter(Boolean)
      .join(" and ")}.`,
  inIt: "Runs in the archive",
  nothingNew: "All its runs are already here. There is nothing to import.",
  contradicts: "Nothing can be imported while a run with the same ID is here with different content, or in the trash.",
  decisions: "Its results depend on these decisions, which an administrator must accept:",
  own: "These runs are from this lab: do not mark them as imported",
  import: (count: number): string => (count ? `Import ${runs(count)}` : "Import"),
  states: {
    new: "New",
    "already here": "Already here",
    "in the trash": "In the trash",
    contradicts: "ID used by another run",
  },
  state: "State",
  configuration: "Configuration",
  workload: "Workload",
  lab: "Lab",
  created: "Recorded",
  recorded: "Samples",
  noRuns: "The archive holds no runs.",

  imported: (count: number, lab: string): string => `${runs(count)} of ${lab} imported`,
  noneImported: (lab: string): string => `All runs of ${lab} were already here`,
  same: "recomputed: same result",
  sameFigures: "recomputed by another build: same figures",
  differs: (fields: readonly string[]): string => `recomputed: differs in ${fields.join(", ")}`,
  hereAlready: "already here, unchanged",
  seeRuns: "Show the runs",
  compare: "Compare",

  shared: "Shared server",
  sharedText:
    "Runs of every appliance that sends to the same ClickHouse. Copying a run imports its samples and recomputes its result.",
  sharedRuns: "Runs on the shared server",
  sharedOff:
    "No shared server is set. Start the service with WATTMARK_CLICKHOUSE_URL; the guide “ClickHouse” explains how.",
  sharedAt: (target: string): string => `Read from ${target}`,
  sharedAway: "Runs that are already here are not affected.",
  since: "Recorded",
  days: { "30": "in the last 30 days", "365": "in the last year", "36500": "at any time" } as Record<string, string>,
  again: "Refresh",
  asking: "Loading runs from the shared server",
  copy: "Copy here",
  copyOne: (title: string): string => `Copy here: ${title}`,
  olderRuns: (count: number): string => `Show ${count} older`,
  copyAll: (count: number): string => `Copy all ${plural(count, "new run", "new runs")}`,
  copying: (at: number, of: number): string => `Copying ${at} of ${of}`,
  copied: (count: number): string => `${runs(count)} copied and recomputed`,
  sharedEmpty: "No finished run was sent there in this period.",
}
