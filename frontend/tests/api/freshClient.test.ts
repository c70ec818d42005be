import { QueryObserver } from "@tanstack/vue-query"
import { afterEach, describe, expect, it } from "vitest"
import { FreshClient } from "@/api/freshClient"

const client = new FreshClient()
afterEach(() => client.clear())

/** A service whose answers wait until they are sent; each holds what was there when it was asked. */
function slowService() {
  let tags = 0
  const answers: (() => void)[] = []
  return {
    tag: () => void (tags += 1),
    read: () => {
      const seen = tags
      return new Promise<number>((resolve) => answers.push(() => resolve(seen)))
    },
    sendAll: () => answers.splice(0).forEach((send) => send()),
    waiting: () => answers.length,
  }
}
const soon = () => new Promise((later) => setTimeout(later, 5))

describe("what a change makes stale", () => {
  it("is fetched again though its first answer was still under way", async () => {
    const service = slowService()
    const observer = new QueryObserver(client, { queryKey: ["tags"], queryFn: service.read })
    const stop = observer.subscribe(() => {})
    service.tag()
    const changed = client.invalidateQueries({ queryKey: ["tags"] })
    await soon()
    service.sendAll()
    await changed
    expect(client.getQueryData(["tags"])).toBe(1)
    stop()
  })

  it("leaves other queries under way", async () => {
    const service = slowService()
    const stop = new QueryObserver(client, { queryKey: ["meters"], queryFn: service.read }).subscribe(() => {})
    await client.invalidateQueries({ queryKey: ["tags"] })
    expect(service.waiting()).toBe(1)
    service.sendAll()
    await soon()
    expect(client.getQueryData(["meters"])).toBe(0)
    stop()
  })
})
