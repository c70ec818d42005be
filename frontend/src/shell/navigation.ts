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

export interface Page {
  to: string
  label: string
  icon: Component
  /** After `g`. */
  key: string
}

export const PAGES: readonly Page[] = [
  { to: "/live", label: t.nav.live, icon: Activity, key: "l" },
  { to: "/today", label: t.nav.today, icon: CalendarCheck, key: "t" },
  { to: "/campaign", label: t.nav.campaign, icon: ListChecks, key: "p" },
  { to: "/runs", label: t.nav.runs, icon: Rows3, key: "r" },
  { to: "/compare", label: t.nav.compare, icon: GitCompareArrows, key: "c" },
  { to: "/memory", label: t.nav.memory, icon: MemoryStick, key: "m" },
  { to: "/parts", label: t.nav.parts, icon: HardDrive, key: "w" },
  { to: "/scaling", label: t.nav.scaling, icon: ChartSpline, key: "v" },
  { to: "/servers", label: t.nav.servers, icon: Server, key: "s" },
  { to: "/meters", label: t.nav.meters, icon: Gauge, key: "i" },
  { to: "/calibration", label: t.nav.calibration, icon: BadgeCheck, key: "k" },
  { to: "/library", label: t.nav.library, icon: BookOpen, key: "b" },
  { to: "/export", label: t.nav.export, icon: Download, key: "e" },
  { to: "/gateway", label: t.nav.gateway, icon: RadioTower, key: "o" },
  { to: "/archives", label: t.nav.archives, icon: Package, key: "x" },
  { to: "/access", label: t.nav.access, icon: KeyRound, key: "a" },
]
