/** A query client that never keeps an answer from before a change. */
import { QueryClient, type InvalidateOptions, type InvalidateQueryFilters, type QueryKey } from "@tanstack/vue-query"

export class FreshClient extends QueryClient {
  /**
   * Fetch again what a change made stale, first answers that are still under way included.
   *
   * TanStack Query lets a query without data end the fetch that it began before the change, and takes it for fresh.
   */
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters: InvalidateQueryFilters<Key> | (() => InvalidateQueryFilters<Key>) = {},
    options: InvalidateOptions = {},
  ): Promise<void> {
    const stale = typeof filters === "function" ? filters() : filters
    await this.cancelQueries(stale)
    await super.invalidateQueries(stale, options)
  }
}
