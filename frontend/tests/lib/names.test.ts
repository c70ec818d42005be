import { describe, expect, it } from "vitest"
import { apart, configurationName, keyOf, runName } from "@/lib/names"

const row = (server: string, configuration: string, configuration_title = "") => ({
  server,
  configuration,
  configuration_title,
})

describe("names of configurations", () => {
  it("fall back on the identifier where there is no title", () => {
    expect(configurationName(row("a", "fb2"))).toBe("a · fb2")
    expect(keyOf(row("a", "fb2"))).toBe("a/fb2")
  })

  it("say all of a run", () => {
    expect(runName({ ...row("a", "fb2", "2 FB-DIMMs"), workload: "rsa", level: "4 processes" })).toBe(
      "a · 2 FB-DIMMs · rsa, 4 processes",
    )
  })

  it("leave out every part that things side by side share, and give it once", () => {
    const repeat = (server: string, n: number) => [server, "8 DIMMs", "rsa", `repeat ${n}`]
    expect(apart([repeat("a", 1), repeat("a", 2)])).toEqual({
      names: ["repeat 1", "repeat 2"],
      shared: "a · 8 DIMMs · rsa",
    })
    expect(apart([repeat("a", 1), repeat("b", 1)])).toEqual({
      names: ["a · repeat 1", "b · repeat 1"],
      shared: "8 DIMMs · rsa",
    })
    expect(apart([repeat("a", 1)]).names).toEqual(["repeat 1"])
    expect(apart([])).toEqual({ names: [], shared: "" })
  })
})
