/** Words of the library. */

import { plural } from "./plural"

export const libraryWords = {
  tables: "Published tables",
  allSources: "All sources",
  source: (title: string, date?: string): string => (date ? `${title}, ${date}` : title),
  yours: "Brought in here",
  imported: "Imported results",
  importedNote: "Figures that others published without readings, as their source prints them; not measured here.",
  noImports: "No published result has been imported",
  noImportsText:
    "Import disclosures of SPECpower or SPEC CPU, results of the Phoronix Test Suite or a table on the page Archives.",
  find: "Find",
  shown: (shown: number, all: number): string =>
    shown === all ? plural(all, "result", "results") : `${shown} of ${plural(all, "result", "results")}`,
  system: "System",
  overall: "Overall",
  collection: "From",
  cpu: "CPU",
  available: "Available",
  published: "Published",
  more: "Remarks",
  remarks: (n: number): string => plural(n, "remark", "remarks"),
  audit: "Audit",
  archive: "Archive with all runs",
  deleted: (n: number): string => `${plural(n, "deleted result", "deleted results")}`,
  bringBack: "Bring back",
  bringBackOf: (title: string): string => `Bring back ${title}`,
  broughtBack: (title: string): string => `${title} is back.`,
  emptyTitle: "The library is empty",
  emptyText: "Published figures are loaded when the service first starts with a new data folder.",
}
