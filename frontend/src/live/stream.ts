/** The one event stream of a page: it comes back by itself, each time with a new snapshot. */

import { shallowRef, type ShallowRef } from "vue"
import type { LiveStore } from "./store"

export type Connection = "connecting" | "live" | "lost"

const RETRY_MS = 2_000

export class LiveStream {
  readonly connection: ShallowRef<Connection> = shallowRef("connecting")
  /** Arrival of the last event [ms since 1970]; the service sends at least a beat each second. */
  readonly heardMs: ShallowRef<number> = shallowRef(Date.now())
  private source: EventSource | null = null
  private retry: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly store: LiveStore,
    private readonly url = "/api/live/stream",
    private readonly open: (url: string) => EventSource = (address) => new EventSource(address),
  ) {}

  start(): void {
    const source = this.open(this.url)
    this.source = source
    for (const kind of ["snapshot", "samples", "campaign", "beat"])
      source.addEventListener(kind, () => (this.heardMs.value = Date.now()))
    source.addEventListener("snapshot", (event) => {
      this.store.applySnapshot(JSON.parse(event.data))
      this.connection.value = "live"
    })
    source.addEventListener("samples", (event) => this.store.applyUpdate(JSON.parse(event.data)))
    source.addEventListener("campaign", (event) => this.store.applyCampaign(JSON.parse(event.data)))
    source.addEventListener("error", () => this.failed(source))
  }

  stop(): void {
    clearTimeout(this.retry)
    this.source?.close()
    this.source = null
  }

  /** A broken stream is reopened by the browser; one that was refused (an HTTP error) is not, so this code does. */
  private failed(source: EventSource): void {
    this.connection.value = "lost"
    if (source.readyState !== EventSource.CLOSED || source !== this.source) return
    this.retry = setTimeout(() => this.start(), RETRY_MS)
  }
}
