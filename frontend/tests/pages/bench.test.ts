import { describe, expect, it } from "vitest"
import { SharedScale } from "@/charts/live/sharedScale"
import type { Campaign } from "@/live"
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
  const campaign = (more: object): Campaign =>
    ({ state: "running", runs: [], under_way: [], ...more }) as unknown as Campaign
  const waiting = campaign({ state: "waiting-for-operator", request: { server: "c" } })

  it("is the chosen one, else where somebody must do something, else what is measured, else the first", () => {
    const servers = ["a", "b", "c"]
    expect(serverToShow("b", servers, waiting)).toBe("b")
    expect(serverToShow("", servers, waiting)).toBe("c")
    expect(serverToShow("gone", servers, campaign({ runs: [{ server: "b" }], run_index: 0 }))).toBe("b")
    expect(serverToShow("", servers, null)).toBe("a")
    expect(serverToShow("", [], null)).toBeNull()
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
