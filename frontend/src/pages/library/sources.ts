/** The published library by its sources. */

import type { Schemas } from "@/api/client"
import { libraryWords } from "@/strings/library"

type Library = Schemas["PublishedOut"]

export interface SourceGroup {
  id: string
  title: string
  date: string | undefined
  tables: Library["tables"]
}

/** Tables grouped under the article they come from, in the order of the sources. */
export function bySource(library: Library): SourceGroup[] {
  const order = library.sources.map((source) => source["id"] ?? "")
  const ids = [...new Set([...order, ...library.tables.map((table) => table.source)])]
  return ids
    .map((id) => {
      const source = library.sources.find((entry) => entry["id"] === id)
      const tables = library.tables.filter((table) => table.source === id)
      return {
        id,
        title: source?.["title"] ?? (id === "all" ? libraryWords.allSources : id),
        date: source?.["date"],
        tables,
      }
    })
    .filter((group) => group.tables.length > 0)
}
