/** Where a run was recorded, when that was another lab. */

const IMPORTED = "imported: archive of "

/** The lab that a result was imported from; null: from this lab, or not from a lab at all. */
export const labOf = (source: string): string | null =>
  source.startsWith(IMPORTED) ? source.slice(IMPORTED.length) : null
