import { describe, expect, it } from "vitest"
import { inTurn } from "@/lib/inTurn"

describe("requests in turn", () => {
  it("wait for the answer to the one before, and go on after one that failed", async () => {
    const ask = inTurn()
    const done: string[] = []
    let fail!: (reason: Error) => void
    const first = ask(() => new Promise<string>((_, reject) => (fail = reject)))
    const second = ask(async () => (done.push("asked"), "second"))
    await Promise.resolve()
    expect(done).toEqual([])
    fail(new Error("lost"))
    await expect(first).rejects.toThrow("lost")
    expect(await second).toBe("second")
    expect(done).toEqual(["asked"])
  })
})
