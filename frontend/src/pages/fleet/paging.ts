/** Pages of a list that the service holds. */

export const PAGE_SIZE = 50

/** Number of a page as an address holds it; the first where it holds none. */
export function pageOf(text: string): number {
  const page = Number(text)
  return Number.isInteger(page) && page > 0 ? page : 1
}

/** The part of the list that a page asks for. */
export const partOf = (page: number): { offset: number; limit: number } => ({
  offset: (page - 1) * PAGE_SIZE,
  limit: PAGE_SIZE,
})
