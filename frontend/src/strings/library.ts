/** Words of the library. */

export const libraryWords = {
  tables: "Published tables",
  allSources: "All sources",
  source: (title: string, date?: string): string => (date ? `${title}, ${date}` : title),
  emptyTitle: "The library is empty",
  emptyText: "Published figures are loaded when the service first starts with a new data folder.",
}
