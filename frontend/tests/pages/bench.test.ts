import { describe, expect, it } from "vitest"
import { SharedScale } from "@/charts/live/sharedScale"
import { addressElsewhere } from "@/pages/bench/elsewhere"
import { serverToShow } from "@/pages/bench/wall"

const here = (hostname: string) => ({
  hostname,
  origin: `http://${hostname}:8400`,
  pathname: "/live/bench",
  search: "?mark=1",
})

describe("addressElsewhere", () => {
  it("replaces an address of this machine alone by that of the network", () => {
    for (const name of ["127.0.0.1", "localhost", "[::1]"])
      expect(addressElsewhere(here(name), "http://192.0.2.7:8400")).toBe("http://192.0.2.7:8400/live/bench?mark=1")
  })

  it("has none where the service listens on this machine alone", () => {
    expect(addressElsewhere(here("127.0.0.1"), null)).toBeNull()
  })

  it("keeps an address that came over the network", () => {
    expect(addressElsewhere(here("bench.lab"), null)).toBe("http://bench.lab:8400/live/bench?mark=1")
  })
})

describe("serverToShow", () => {
  it("is the chosen one or the only one; of several none, so that all are shown", () => {
    expect(serverToShow("b", ["a", "b"])).toBe("b")
    expect(serverToShow("", ["a"])).toBe("a")
    expect(serverToShow("", ["a", "b"])).toBeNull()
    expect(serverToShow("gone", ["a", "b"])).toBeNull()
    expect(serverToShow("", [])).toBeNull()
  })
})

describe("SharedScale", () => {
  it("spans all traces that are shown", () => {
    const scale = new SharedScale()
    expect(scale.extent).toBeNull()
    scale.take("a", [100, 120])
    scale.take("b", [90, 110])
    expect(scale.extent).toEqual([90, 120])
    scale.take("b", null)
    expect(scale.extent).toEqual([100, 120])
  })
})
