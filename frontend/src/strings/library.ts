/** Words of the library. */

export const libraryWords = {
  tables: "Published tables",
  allSources: "All sources",
  source: (title: string, date?: string): string => (date ? `${title}, ${date}` : title),
  emptyTitle: "The library is empty",
  emptyText: "Published figures are loaded on the first start with a new data folder.",
}
