/** Words that several pages share. */

import type { Schemas } from "@/api/client"
import { plural } from "./plural"

const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

type PhaseName = Schemas["PhaseName"]
export const PHASES: Readonly<Record<PhaseName, string>> = {
  idle: "Idle",
  "sync-pattern": "Sync pattern",
  ramp: "Ramp",
  settle: "Settle",
  measure: "Measure",
  hold: "Hold",
  "cool-down": "Cool-down",
}

export const en = {
  none: "–",
  yes: "yes",
  no: "no",
  notTraceable: "not traceable",
  indicative: "indicative",

  nav: {
    access: "Access",
    signIn: "Sign in",
    start: "First steps",
    today: "Today",
    live: "Live",
    bench: "Bench view",
    alarms: "Alarms",
    campaign: "Campaigns",
    plan: "Plan",
    newPlan: "New plan",
    workloads: "Workloads",
    newWorkload: "New workload",
    runs: "Runs",
    compare: "Compare",
    memory: "Memory",
    predictedMemory: "Which modules draw less",
    parts: "Parts",
    scaling: "Scaling",
    suites: "Suites",
    servers: "Servers",
    meters: "Meters",
    calibration: "Calibration",
    certificate: "Certificate",
    checkStandard: "Check standard",
    library: "Library",
    export: "Export",
    gateway: "Gateway",
    archives: "Archives",
  },

  kind: { measured: "measured", simulated: "simulated", imported: "imported", published: "published" },
  role: { wall: "Reference meter", secondary: "Secondary meter", bmc: "BMC", host: "Host" },
  quantity: {
    power: "Power",
    throughput: "Throughput",
    efficiency: "Performance per watt",
    energy: "Energy",
  },

  phase: (name: PhaseName): string => PHASES[name],
  /** On which side of its limit a channel is: on the page of alarms, on that of a run and in the live view. */
  limitSide: {
    high: (limit: string): string => `above ${limit}`,
    low: (limit: string): string => `below ${limit}`,
  },
  lane: (id: string): string =>
    ({
      power: "Power",
      throughput: "Throughput",
      load: "Utilisation",
      temperature: "Temperature",
      power_parts: "Power by phase and supply",
      memory: "Memory used",
      steal: "CPU time stolen by other guests",
      voltage: "Voltage",
      current: "Current",
      fan_speed: "Fan speed",
      energy: "Energy counter",
      frequency: "Mains frequency",
      power_factor: "Power factor",
      apparent_power: "Apparent power",
      reactive_power: "Reactive power",
    })[id] ?? capitalised(id.replaceAll("_", " ")),
  kindOfReading: (kind: string): string =>
    ({ averaged: "averaged", instantaneous: "instantaneous", counter: "counter" })[kind] ?? kind,
  rule: (name: string): string => {
    const words = name.replaceAll(/[-_]/g, " ")
    const properName = {
      "spec-cpu": "SPEC CPU",
      "mlperf-power": "MLPerf Power",
      eehpc: "EE HPC",
      "iec-62301": "IEC 62301",
    }[name]
    if (properName) return properName
    if (name.startsWith("import-")) return `Import: ${words.slice("import-".length)}`
    return capitalised(words)
  },

  action: {
    close: "Close",
    cancel: "Cancel",
    undo: "Undo",
    export: "Export",
    loading: "Loading",
  },

  problem: {
    detail: "Technical detail",
    retry: "Try again",
    unreachable: {
      cause: "The service does not answer.",
      remedy: "Check that `wattmark serve` runs at this address. The page reconnects by itself.",
    },
    unexpected: {
      cause: "The service sent an answer that this page cannot read.",
      remedy: "Reload the page. The page and the service may have different versions.",
    },
    clipboard: {
      cause: "The browser did not let this page copy.",
      remedy: "Select the text and copy it with Ctrl C, or download the file.",
    },
    page: { cause: "This page failed.", remedy: "Reload it. If it fails again, report the technical detail." },
  },

  shell: {
    skip: "Skip to content",
    pages: "Pages",
    groups: { measure: "Measure", results: "Results", bench: "Bench", lab: "Lab" },
    openMenu: "Open the menu",
    noCampaign: "No campaign is running",
    wallNow: "Wall",
    ago: (age: string): string => `${age} ago`,
    search: "Search",
    searchHint: "Search ( / or Ctrl K )",
    help: "Shortcuts and legend",
    helpHint: "Shortcuts and legend ( ? )",
    theme: { light: "Use the dark theme", dark: "Use the light theme" },
    lostBatches: (n: number): string =>
      `${plural(n, "batch", "batches")} of samples dropped because this page could not keep up`,
    pageLost: "This page could not be loaded.",
    pageLostRemedy: "It opens as soon as the service answers.",
    connection: { connecting: "Connecting", live: "Connected", lost: "Connection lost" },
    silent: (age: string): string => `No data for ${age}`,
    roles: { viewer: "viewer", operator: "operator", admin: "administrator" },
    youAre: (name: string, role: string): string => `You are ${name}, ${role}.`,
    needsRole: (role: string, name: string): string => `This requires the role ${role}, which ${name} does not have.`,
  },

  help: {
    title: "Shortcuts and legend",
    documents: "Documents",
    do: "Search, also while typing",
    zoom: "Zoom traces in and out; show the whole run",
    pan: "Pan traces",
    readingTitle: "How figures are drawn",
    reading: [
      "± is the expanded uncertainty (95 %). A standard uncertainty is called u and appears only in budgets and columns named u.",
      "Filled markers: measured here. Hatched: simulated. Hollow: published by others.",
      "A point without an interval has no known uncertainty.",
      "A grey value is older than three times its period.",
    ],
  },

  campaign: {
    start: "Start a plan",
    startTitle: "Start a plan",
    startText: "The campaign runs the servers at full load, run after run, and records all meters.",
    startPlan: (plan: string): string => `Start ${plan}`,
    stop: "Stop",
    seeRuns: "Show the runs",
    plans: "Plans",
    noPlansTitle: "No plans yet",
    planSize: (configurations: number, repeats: number, runs: number): string =>
      `${plural(configurations, "configuration", "configurations")}, ${plural(repeats, "repeat", "repeats")}, ${plural(runs, "run", "runs")}`,
    hot: (servers: readonly string[]): string =>
      `${servers.join(", ")} will run at full load and get hot. Check that cooling is on and that nobody else needs ${servers.length > 1 ? "them" : "it"}.`,
    getsHot: "Runs at full load",
    configurations: "Configurations",
    workloads: "Workloads",
    size: "Size",
    phase: "Phase",
    remaining: "Remaining",
    end: "Ends at about",
    resume: "Resume",
    unfinished: "A campaign was interrupted.",
    order: "No.",
    runTable: "Run table",
    repeat: (repeat: number): string => `repeat ${repeat}`,
    runOf: (run: number, runs: number): string => `Run ${run} of ${runs}`,
    state: {
      idle: "No campaign",
      running: "Running",
      stopping: "Stopping",
      "waiting-for-operator": "Waiting for the operator",
      complete: "Complete",
      failed: "Failed",
      aborted: "Stopped",
    },
  },

  runs: {
    created: "Started",
    configuration: "Configuration",
    workload: "Workload",
    repeat: "Repeat",
    status: "Status",
    verdict: "Quality",
    kind: "Kind",
    any: "any",
    state: {
      planned: "Planned",
      running: "Running",
      complete: "Complete",
      failed: "Failed",
      aborted: "Stopped",
      interrupted: "Interrupted",
      skipped: "Skipped",
    },
    count: (shown: number, all: number): string =>
      shown === all ? plural(all, "run", "runs") : `${shown} of ${plural(all, "run", "runs")}`,
    nothing: "No run matches the filter.",
    emptyTitle: "No runs yet",
    emptyText:
      "A run is one configuration under one workload, with its power, throughput and checks. Start a plan, or import results with `wattmark import`.",
  },

  run: { one: "Run", overlaid: "Overlaid runs" },

  figure: { tools: "Figure", table: "Table", figure: "Figure", save: "Save" },

  servers: {
    from: (lab: string, file: string): string => `${lab}, described in ${file}`,
    configurations: (n: number): string => plural(n, "configuration", "configurations"),
    slots: "Memory slots",
    emptyBay: "empty",
    noSlots: "The memory slots of this server are not described.",
    ranks: (n: number): string => plural(n, "rank", "ranks"),
    population: (filled: number, bays: number, even: boolean): string =>
      `${filled} of ${bays} slots filled${filled ? (even ? ", channels balanced" : ", channels not balanced") : ""}`,
    feeds: "Power path",
    insideView: "indicative, internal sensor",
    noMeters: "No meter measures this server.",
    cpu: "CPU",
    cores: (n: number): string => plural(n, "core", "cores"),
    memory: "Memory",
    dimms: (n: number): string => plural(n, "DIMM", "DIMMs"),
    psus: "Power supplies on",
    disks: "Disks",
    parts: "Counted parts",
    firmware: "Firmware",
    os: "Operating system",
    emptyTitle: "No servers yet",
  },

  missing: {
    title: "Page not found",
    heading: "No page has this address",
    text: "Check the address, or choose a page on the left.",
  },
}
