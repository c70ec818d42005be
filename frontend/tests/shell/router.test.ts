import { afterEach, expect, it, vi } from "vitest"
import { api } from "@/api/client"
import { routerOf, routes } from "@/router"

afterEach(() => vi.restoreAllMocks())

/** Open the first address where the service answers the question for the bench like this. */
async function opened(status: number, bench?: object): Promise<string> {
  const answer = { data: bench, response: new Response(null, { status }) }
  vi.spyOn(api, "GET").mockResolvedValue(answer as never)
  const bare = routes.map((route) => ({ ...route, component: {} }))
  const router = routerOf(bare as typeof routes)
  await router.push("/")
  return router.currentRoute.value.fullPath
}

it("brings whoever signs in back to the first address", async () => {
  expect(await opened(401)).toBe("/login?next=/")
})

it("opens the first steps on an empty bench, and what watches itself or runs live on another", async () => {
  expect(await opened(200, { meters: [], servers: [], plans: [] })).toBe("/")
  expect(await opened(200, { meters: [{}], servers: [], plans: [] })).toBe("/live")
  expect(await opened(200, { meters: [{}], servers: [], plans: [{ calendar: "* * * * *" }] })).toBe("/today")
  expect(await opened(503)).toBe("/live")
})
