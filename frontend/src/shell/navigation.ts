/** The pages in the order of the rail, with their keys after `g`. */

import {
  Activity,
  BadgeCheck,
  BookOpen,
  CalendarCheck,
  ChartSpline,
  Download,
  Gauge,
  GitCompareArrows,
  HardDrive,
  KeyRound,
  ListChecks,
  MemoryStick,
  Package,
  RadioTower,
  Rows3,
  Server,
} from "@lucide/vue"
import type { Component } from "vue"
import { t } from "@/strings"

/** What belongs together in the rail, in its order: working, reading, what stands there, what surrounds it. */
export type PageGroup = "measure" | "results" | "bench" | "lab"

export interface Page {
  to: string
  label: string
  icon: Component
  /** After `g`. */
  key: string
  group: PageGroup
}

const grouped = (group: PageGroup, pages: readonly Omit<Page, "group">[]): Page[] =>
  pages.map((page) => ({ ...page, group }))

export const PAGES: readonly Page[] = [
  ...grouped("measure", [
    { to: "/live", label: t.nav.live, icon: Activity, key: "l" },
    { to: "/today", label: t.nav.today, icon: CalendarCheck, key: "t" },
    { to: "/campaign", label: t.nav.campaign, icon: ListChecks, key: "p" },
    { to: "/runs", label: t.nav.runs, icon: Rows3, key: "r" },
  ]),
  ...grouped("results", [
    { to: "/compare", label: t.nav.compare, icon: GitCompareArrows, key: "c" },
    { to: "/memory", label: t.nav.memory, icon: MemoryStick, key: "m" },
    { to: "/parts", label: t.nav.parts, icon: HardDrive, key: "w" },
    { to: "/scaling", label: t.nav.scaling, icon: ChartSpline, key: "v" },
    { to: "/library", label: t.nav.library, icon: BookOpen, key: "b" },
    { to: "/export", label: t.nav.export, icon: Download, key: "e" },
  ]),
  ...grouped("bench", [
    { to: "/servers", label: t.nav.servers, icon: Server, key: "s" },
    { to: "/meters", label: t.nav.meters, icon: Gauge, key: "i" },
    { to: "/calibration", label: t.nav.calibration, icon: BadgeCheck, key: "k" },
    { to: "/gateway", label: t.nav.gateway, icon: RadioTower, key: "o" },
  ]),
  ...grouped("lab", [
    { to: "/archives", label: t.nav.archives, icon: Package, key: "x" },
    { to: "/access", label: t.nav.access, icon: KeyRound, key: "a" },
  ]),
]
