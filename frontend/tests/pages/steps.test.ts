import { describe, expect, it } from "vitest"
import { nextOf, opensCompare, stepsOf } from "@/pages/start/steps"

const empty = { meters: [], servers: [], plans: [] }
const meter = (server: string | null, role: "wall" | "bmc" = "wall") => ({ server, role })
const run = (source: string) => ({ status: "complete" as const, source }) as Parameters<typeof stepsOf>[1][number]
const next = (...args: Parameters<typeof stepsOf>) => nextOf(stepsOf(...args))?.name

describe("the first steps", () => {
  it("begin with a meter, and a BMC is none", () => {
    expect(next(empty, [])).toBe("meter")
    expect(next({ ...empty, meters: [meter("sut", "bmc")] }, [])).toBe("meter")
  })

  it("want a server that a wall meter feeds", () => {
    expect(next({ ...empty, meters: [meter(null)] }, [])).toBe("server")
    expect(next({ ...empty, meters: [meter(null)], servers: [1] }, [])).toBe("server")
    expect(next({ ...empty, meters: [meter("sut")], servers: [1] }, [])).toBe("plan")
  })

  it("end with a run that was made here", () => {
    const whole = { meters: [meter("sut")], servers: [1], plans: [1] }
    expect(next(whole, [])).toBe("run")
    expect(next(whole, [run("imported")])).toBe("run")
    expect(next(whole, [run("measured")])).toBeUndefined()
  })

  it("show one next step and leave the rest for later", () => {
    expect(stepsOf(empty, []).map((step) => step.state)).toEqual(["next", "later", "later", "later", "later"])
  })
})

describe("an appliance that is opened", () => {
  it("shows the answer where it has runs, and the first steps to whoever asks for them", () => {
    expect(opensCompare("/", [{}])).toBe(true)
    expect(opensCompare("/", [])).toBe(false)
    expect(opensCompare("/start", [{}])).toBe(false)
  })
})
