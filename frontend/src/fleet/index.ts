/** The pages of a fleet: their frame and routes, and stored runs asked for where the fleet keeps them. */

import { api } from "@/api/client"
import { storedPath } from "@/lib/fleet"

api.use({
  onRequest({ request }) {
    const url = new URL(request.url)
    url.pathname = storedPath(url.pathname)
    return new Request(url, request)
  },
})

export { default as FleetApp } from "./FleetApp.vue"
export { routes } from "./routes"
