/** Every page of a fleet, below its base path; each loads when it is first opened. */

import type { RouteRecordRaw } from "vue-router"
import { t } from "@/strings"
import { fleetWords as words } from "@/strings/fleet"

export const routes: RouteRecordRaw[] = [
  { path: "/", redirect: "/compare" },
  { path: "/runs", component: () => import("@/pages/runs/RunsPage.vue"), meta: { title: t.nav.runs } },
  { path: "/runs/:id", component: () => import("@/pages/run/RunPage.vue"), props: true, meta: { title: t.run.one } },
  { path: "/compare", component: () => import("@/pages/compare/ComparePage.vue"), meta: { title: t.nav.compare } },
  { path: "/memory", component: () => import("@/pages/memory/MemoryPage.vue"), meta: { title: t.nav.memory } },
  { path: "/ring", component: () => import("@/pages/fleet/RingPage.vue"), meta: { title: words.ring.title } },
  { path: "/access", component: () => import("@/pages/access/AccessPage.vue"), meta: { title: t.nav.access } },
  {
    path: "/login",
    component: () => import("@/pages/access/LoginPage.vue"),
    meta: { title: t.nav.signIn, bare: true },
  },
  { path: "/:rest(.*)*", component: () => import("@/pages/MissingPage.vue"), meta: { title: t.missing.title } },
]
