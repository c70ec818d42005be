import { describe, expect, it } from "vitest"
import { apart, configurationName, keyOf, namesByKey, runName } from "@/lib/names"

const row = (server: string, configuration: string, configuration_title = "") => ({
  server,
  configuration,
  configuration_title,
})

describe("names of configurations", () => {
  it("name the server as soon as there are two, so that equal titles are told apart", () => {
    const names = namesByKey([row("a", "c1", "2 x 64 GiB RDIMM"), row("b", "c1", "2 x 64 GiB RDIMM")])
    expect([...names.values()]).toEqual(["a · 2 x 64 GiB RDIMM", "b · 2 x 64 GiB RDIMM"])
  })

  it("leave out the server that all rows share", () => {
    const rows = [row("a", "fb2", "2 FB-DIMMs"), row("a", "fb4", "4 FB-DIMMs"), row("a", "fb2", "2 FB-DIMMs")]
    expect([...namesByKey(rows)]).toEqual([
      ["a/fb2", "2 FB-DIMMs"],
      ["a/fb4", "4 FB-DIMMs"],
    ])
  })

  it("add the identifier where one server has two configurations of one title", () => {
    const names = namesByKey([row("a", "bios-1", "8 DIMMs"), row("a", "bios-2", "8 DIMMs"), row("a", "x", "4 DIMMs")])
    expect([...names.values()]).toEqual(["8 DIMMs (bios-1)", "8 DIMMs (bios-2)", "4 DIMMs"])
  })

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
