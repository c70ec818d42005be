import { describe, expect, it } from "vitest"
import { isFleet, storedPath } from "@/lib/fleet"

describe("the switch between an appliance and a fleet", () => {
  it.each([
    ["/fleet", true],
    ["/fleet/compare", true],
    ["/", false],
    ["/fleeting", false],
    ["/runs/fleet", false],
  ])("decides by the base path: %s", (path, fleet) => expect(isFleet(path)).toBe(fleet))

  it.each([
    ["/api/run-rows", "/api/fleet/run-rows"],
    ["/api/runs/20261119-001/traces", "/api/fleet/runs/20261119-001/traces"],
    ["/api/runs/a/samples.csv?begin_s=1.000", "/api/fleet/runs/a/samples.csv?begin_s=1.000"],
    ["/api/compare/choices", "/api/fleet/compare/choices"],
    ["/api/memory", "/api/fleet/memory"],
    // Signing in is of the service, and what says fleet already stays.
    ["/api/session", "/api/session"],
    ["/api/fleet/facets", "/api/fleet/facets"],
    ["/api/runs-elsewhere", "/api/runs-elsewhere"],
  ])("asks the fleet for stored runs alone: %s", (path, asked) => {
    expect(storedPath(path, true)).toBe(asked)
    expect(storedPath(path, false)).toBe(path)
  })
})
