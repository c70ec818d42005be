/** Every page loads when it is first opened; the address always names what is seen. */

import {
  createRouter,
  createWebHistory,
  type RouteLocationNormalized,
  type RouteLocationRaw,
  type Router,
  type RouteRecordRaw,
} from "vue-router"
import { api } from "@/api/client"
import { askAhead as askCompare } from "@/pages/compare/request"
import { t } from "@/strings"

declare module "vue-router" {
  interface RouteMeta {
    /** What the page will ask the service for first: asked while the page itself is on its way. */
    ask?: typeof askCompare
  }
}

const StartPage = () => import("@/pages/start/StartPage.vue")
const LivePage = () => import("@/pages/live/LivePage.vue")

/** Whoever opens the appliance sees last night where it watches itself, else it live, and on an empty bench how to begin. */
async function onceDescribed(to: RouteLocationNormalized): Promise<RouteLocationRaw | true> {
  // Most benches are described: the page travels while the service says so.
  void LivePage()
  const answer = await api.GET("/api/bench").catch(() => null)
  // Whoever is not signed in yet comes back to this address, where the question is asked again.
  if (answer?.response.status === 401) return { path: "/login", query: { next: to.fullPath } }
  const bench = answer?.data
  if (!bench) return "/live"
  if (!bench.meters.length && !bench.servers.length) return true
  return bench.plans.some((plan) => plan.reference || plan.calendar) ? "/today" : "/live"
}

export const routes: RouteRecordRaw[] = [
  { path: "/", component: StartPage, beforeEnter: onceDescribed, meta: { title: t.nav.start } },
  { path: "/start", component: StartPage, meta: { title: t.nav.start } },
  { path: "/today", component: () => import("@/pages/today/TodayPage.vue"), meta: { title: t.nav.today } },
  { path: "/live", component: LivePage, meta: { title: t.nav.live } },
  {
    path: "/live/bench",
    component: () => import("@/pages/bench/BenchPage.vue"),
    meta: { title: t.nav.bench, bare: true },
  },
  { path: "/alarms", component: () => import("@/pages/alarms/AlarmsPage.vue"), meta: { title: t.nav.alarms } },
  { path: "/campaign", component: () => import("@/pages/campaign/CampaignPage.vue"), meta: { title: t.nav.campaign } },
  {
    path: "/workloads",
    component: () => import("@/pages/workloads/WorkloadsPage.vue"),
    meta: { title: t.nav.workloads },
  },
  {
    path: "/workloads/new",
    component: () => import("@/pages/workloads/MakeWorkload.vue"),
    meta: { title: t.nav.newWorkload },
  },
  {
    path: "/plans/new",
    component: () => import("@/pages/plans/PlanPage.vue"),
    meta: { title: t.nav.newPlan },
  },
  {
    path: "/plans/:name",
    component: () => import("@/pages/plans/PlanPage.vue"),
    props: true,
    meta: { title: t.nav.plan },
  },
  { path: "/runs", component: () => import("@/pages/runs/RunsPage.vue"), meta: { title: t.nav.runs } },
  {
    path: "/runs/overlay",
    component: () => import("@/pages/overlay/OverlayPage.vue"),
    meta: { title: t.run.overlaid },
  },
  { path: "/runs/:id", component: () => import("@/pages/run/RunPage.vue"), props: true, meta: { title: t.run.one } },
  {
    path: "/compare",
    component: () => import("@/pages/compare/ComparePage.vue"),
    meta: { title: t.nav.compare, ask: askCompare },
  },
  { path: "/memory", component: () => import("@/pages/memory/MemoryPage.vue"), meta: { title: t.nav.memory } },
  {
    path: "/memory/question",
    component: () => import("@/pages/memory/PredictedPage.vue"),
    meta: { title: t.nav.predictedMemory },
  },
  { path: "/parts", component: () => import("@/pages/parts/PartsPage.vue"), meta: { title: t.nav.parts } },
  { path: "/scaling", component: () => import("@/pages/scaling/ScalingPage.vue"), meta: { title: t.nav.scaling } },
  { path: "/suites", component: () => import("@/pages/suites/SuitesPage.vue"), meta: { title: t.nav.suites } },
  {
    path: "/servers/:id?",
    component: () => import("@/pages/servers/ServersPage.vue"),
    props: true,
    meta: { title: t.nav.servers },
  },
  { path: "/meters", component: () => import("@/pages/meters/MetersPage.vue"), meta: { title: t.nav.meters } },
  {
    path: "/calibration",
    component: () => import("@/pages/calibration/CalibrationPage.vue"),
    meta: { title: t.nav.calibration },
  },
  {
    path: "/calibration/certificates/:id",
    component: () => import("@/pages/calibration/CertificatePage.vue"),
    props: true,
    meta: { title: t.nav.certificate },
  },
  {
    path: "/calibration/check-standards/:name",
    component: () => import("@/pages/calibration/CheckStandardPage.vue"),
    props: true,
    meta: { title: t.nav.checkStandard },
  },
  {
    path: "/library/:id?/:audit?",
    component: () => import("@/pages/library/LibraryPage.vue"),
    props: true,
    meta: { title: t.nav.library },
  },
  { path: "/export", component: () => import("@/pages/export/ExportPage.vue"), meta: { title: t.nav.export } },
  { path: "/gateway", component: () => import("@/pages/gateway/GatewayPage.vue"), meta: { title: t.nav.gateway } },
  { path: "/archives", component: () => import("@/pages/archives/ArchivesPage.vue"), meta: { title: t.nav.archives } },
  { path: "/access", component: () => import("@/pages/access/AccessPage.vue"), meta: { title: t.nav.access } },
  {
    path: "/login",
    component: () => import("@/pages/access/LoginPage.vue"),
    meta: { title: t.nav.signIn, bare: true },
  },
  { path: "/:rest(.*)*", component: () => import("@/pages/MissingPage.vue"), meta: { title: t.missing.title } },
]

if (import.meta.env.DEV) {
  routes.unshift({
    path: "/gallery",
    component: () => import("@/pages/gallery/GalleryPage.vue"),
    meta: { title: "Gallery" },
  })
}

/** The router of some pages under their base path. */
export function routerOf(pages: RouteRecordRaw[], base = "/"): Router {
  const router = createRouter({
    history: createWebHistory(base),
    routes: pages,
    // The first page is at its top already: scrolling there lays it out once more than it is painted, 90 ms of a long table.
    scrollBehavior: (to, from, saved) => saved ?? (to.path === from.path || !from.matched.length ? false : { top: 0 }),
  })
  router.afterEach((to) => {
    document.title = `${String(to.meta.title ?? "")} · wattmark`
  })
  return router
}
