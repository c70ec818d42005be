/** Words of archives and of the server that labs share. */

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`
const runs = (count: number): string => plural(count, "run", "runs")

export const archiveWords = {
  note: "Runs with everything that they rest on, as one file: others can read, recompute and restore it.",
  save: "Save as archive",
  saveAll: "Save all runs",
  saving: "Packing the archive",
  without: "Without notes",
  with: "With notes and tags",
  from: (lab: string): string => `from ${lab}`,
  tooMany: {
    cause: "An archive of so many chosen runs cannot be asked for at once.",
    remedy: "Choose at most 500, or save all runs.",
  },

  bringIn: "Bring runs here",
  bringInText:
    "A file that another wattmark wrote. It is checked first, hash by hash, and you see what is in it before anything is imported.",
  drop: "Drop an archive here, or",
  choose: "Choose a file",
  chooseAnother: "Choose another file",
  looking: "Sending the file to look into it",
  checking: "Checking every hash",
  importing: "Sending the file to import it",
  recomputing: "Importing and recomputing the results",
  tooLarge: {
    cause: "The file is larger than 4 GiB.",
    remedy: "Use `wattmark restore FILE` on the appliance, or ask for an archive of fewer runs.",
  },

  of: (lab: string): string => `Archive of ${lab}`,
  writtenBy: (version: string, members: number): string =>
    `Written by wattmark ${version}. All ${members} files in it have the hashes that it names.`,
  inIt: "Runs in the archive",
  nothingNew: "Every run of it is here already; importing it would change nothing.",
  contradicts: "Nothing of it can be imported while a run of the same id is here with other content, or in the trash.",
  decisions: "It also brings what results rest on; an administrator has to accept these:",
  own: "These are runs of this lab: do not mark them as imported",
  import: (count: number): string => `Import ${runs(count)}`,
  states: {
    new: "New",
    "already here": "Here already",
    "in the trash": "In the trash here",
    contradicts: "Another run has this id",
  },
  state: "State",
  configuration: "Configuration",
  workload: "Workload",
  lab: "Lab",
  created: "Recorded",
  recorded: "Samples",
  noRuns: "There is no run in it.",

  imported: (count: number, lab: string): string => `${runs(count)} of ${lab} imported`,
  noneImported: (lab: string): string => `Every run of ${lab} was here already`,
  same: "recomputed here: the same result",
  sameFigures: "recomputed here by another build: the same figures",
  differs: (fields: readonly string[]): string => `recomputed here: differs in ${fields.join(", ")}`,
  hereAlready: "here already, left as it is",
  seeRuns: "See the runs",
  compare: "Compare",

  shared: "On the server that labs share",
  sharedText:
    "Runs of every appliance that sends to the same InfluxDB. A copy brings the samples here and recomputes the result; then every page works on it.",
  sharedRuns: "Runs on that server",
  sharedOff:
    "No server is named. Start the service with WATTMARK_INFLUX_URL to see the runs of every appliance that sends there; the guide “InfluxDB” says how.",
  sharedAt: (target: string): string => `Read from ${target}`,
  sharedAway: "The runs that are here already are not touched by this.",
  since: "Recorded",
  days: { "30": "in the last 30 days", "365": "in the last year", "36500": "at any time" } as Record<string, string>,
  again: "Ask again",
  asking: "Asking the server",
  copy: "Copy here",
  copyOne: (title: string): string => `Copy here: ${title}`,
  olderRuns: (count: number): string => `Show more: ${count} older`,
  copyAll: (count: number): string => `Copy all ${count} new ones`,
  copying: (at: number, of: number): string => `Copying ${at} of ${of}`,
  copied: (count: number): string => `${runs(count)} copied here and recomputed`,
  sharedEmpty: "No finished run was sent there in this time.",
}
