/** The web app's own figures, fed with more than the service would ever send: `?traces=POINTS` or `?live=POINTS`. */

import { createApp } from "vue"
import "@/styles/tokens.css"
import LiveTraces from "./LiveTraces.vue"
import MillionPoints from "./MillionPoints.vue"

const asked = new URLSearchParams(location.search)
const points = (name: string): number => Number(asked.get(name))
const app = asked.has("live")
  ? createApp(LiveTraces, { points: points("live") })
  : createApp(MillionPoints, { points: points("traces") })
app.mount("#app")
