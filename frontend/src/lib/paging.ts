/** Pages of a list that the service holds, and choices that lead back to its first page. */

import { computed, type WritableComputedRef } from "vue"
import { useParameter } from "./address"

/** Number of a page as an address holds it; the first where it holds none. */
export function pageOf(text: string): number {
  const page = Number(text)
  return Number.isInteger(page) && page > 0 ? page : 1
}

/** The part of the list that a page asks for. */
export const partOf = (page: number, size: number): { offset: number; limit: number } => ({
  offset: (page - 1) * size,
  limit: size,
})

export function usePaging() {
  const text = useParameter("page", "1")
  return {
    page: computed({ get: () => pageOf(text.value), set: (page) => (text.value = String(page)) }),
    first: (): void => void (text.value = "1"),
    /** Another choice has other pages. */
    choosing: <T>(choice: WritableComputedRef<T>) =>
      computed({
        get: () => choice.value,
        set: (value: T) => {
          choice.value = value
          text.value = "1"
        },
      }),
  }
}
