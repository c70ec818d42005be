/** Words for whoever stands at the bench: what must be done at a server, and what comes next. */

import type { Schemas } from "@/api/client"
import { plural } from "./plural"

type Hands = Schemas["OperatorRequest"]["hands"]

const list = (slots: readonly string[]): string => slots.join(", ")

export const operatorWords = {
  change: { fit: "Fit", remove: "Remove", replace: "Replace" },
  title: {
    install: (server: string, configuration: string): string => `Set up ${server}: ${configuration}`,
    reboot: (server: string): string => `Reboot ${server}`,
    "re-seat": (server: string): string => `Re-seat the modules of ${server}`,
  } satisfies Record<Hands, (server: string, configuration: string) => string>,
  from: (before: string): string => `It is in the configuration ${before} now.`,
  unknown: "What is fitted now is not known: compare every slot with this board.",
  same: "Nothing changes: it was measured in this configuration last. Check that it still is.",
  board: "Memory slots as they should look",
  otherwise: "Also change",
  becomes: (what: string, before: string, after: string): string => `${what}: ${before} → ${after}`,
  facts: {
    cpu: "CPU",
    cpu_count: "Number of CPUs",
    psus: "Power supplies",
    disks: "Disks",
    os: "System",
    kernel: "Kernel",
  },
  off: (server: string): string => `Switch ${server} off and unplug it.`,
  remove: (slots: readonly string[]): string => `Remove ${plural(slots.length, "module", "modules")}: ${list(slots)}.`,
  fit: (what: string, slots: readonly string[]): string => `Fit ${slots.length} × ${what}: ${list(slots)}.`,
  replace: (what: string, slots: readonly string[]): string => `Replace by ${slots.length} × ${what}: ${list(slots)}.`,
  reseat: "Take every module out and put it back into its slot.",
  reboot: (server: string): string => `Reboot ${server}.`,
  start: (server: string): string => `Start ${server} and wait until it is up.`,
  press: "Press the button below.",
  steps: "Steps",
  ready: {
    install: "Configuration installed: continue",
    reboot: "Rebooted: continue",
    "re-seat": "Modules re-seated: continue",
  } satisfies Record<Hands, string>,

  next: "Next",
  nextPhase: (phase: string, left: string | null): string => (left === null ? phase : `${phase} in ${left}`),
  nextRun: (run: number, what: string, at: string): string => `run ${run} (${what}) at about ${at}`,
  needed: (what: string, at: string): string => `Somebody is needed at about ${at}: ${what}.`,
  neededFor: {
    install: (server: string, configuration: string): string => `install ${configuration} in ${server}`,
    reboot: (server: string): string => `reboot ${server}`,
    "re-seat": (server: string): string => `re-seat the modules of ${server}`,
  } satisfies Record<Hands, (server: string, configuration: string) => string>,
  nobody: "Nobody is needed before the end.",

  bell: "Sound when somebody is needed",
  bellNote: "Plays a tone, and shows a notification where the browser allows it, while one of these pages is open.",
  bellBlocked: "The browser is silent until you click or press a key on this page.",
  called: "wattmark needs somebody",
  failed: "The campaign failed",
}
