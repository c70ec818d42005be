/** Every word of the pages. Short, the field's terms. */

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const en = {
  none: "–",
  yes: "yes",
  no: "no",
  untraceable: "not traceable",
  indicative: "indicative",

  nav: {
    access: "Access",
    signIn: "Sign in",
    start: "First steps",
    live: "Live",
    alarms: "Alarms",
    campaign: "Campaigns",
    plan: "Plan",
    newPlan: "New plan",
    runs: "Runs",
    compare: "Compare",
    memory: "Memory",
    servers: "Servers",
    meters: "Meters",
    calibration: "Calibration",
    certificate: "Certificate",
    checkLoad: "Check load",
    library: "Library",
    export: "Export",
    archives: "Archives",
  },

  kind: { measured: "measured", simulated: "simulated", imported: "imported", published: "published" },
  role: { wall: "Wall", witness: "Witness", bmc: "BMC", host: "Host" },
  quantity: {
    power: "Power",
    throughput: "Throughput",
    efficiency: "Performance per watt",
    energy: "Energy",
  },

  phase: (name: string): string =>
    ({
      idle: "Idle",
      "sync-pattern": "Sync pattern",
      ramp: "Ramp",
      settle: "Settle",
      measure: "Measure",
      hold: "Hold",
      "cool-down": "Cool-down",
    })[name] ?? name,
  lane: (id: string): string =>
    ({
      power: "Power",
      throughput: "Throughput",
      load: "Utilisation and temperature",
      power_parts: "Power by phase and supply",
      memory: "Memory used",
      steal: "CPU time of others",
      voltage: "Voltage",
      current: "Current",
      fan_speed: "Fan speed",
      energy: "Energy register",
      frequency: "Mains frequency",
      power_factor: "Power factor",
      apparent_power: "Apparent power",
      reactive_power: "Reactive power",
    })[id] ?? id.replaceAll("_", " "),
  kindOfReading: (kind: string): string =>
    ({ averaged: "averaged", instantaneous: "instantaneous", counter: "register" })[kind] ?? kind,
  rule: (name: string): string => {
    const words = name.replaceAll(/[-_]/g, " ")
    const known = { "spec-cpu": "SPEC CPU", "mlperf-power": "MLPerf Power", eehpc: "EE HPC" }[name]
    if (known) return known
    if (name.startsWith("import-")) return `Import: ${words.slice("import-".length)}`
    return words.charAt(0).toUpperCase() + words.slice(1)
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
      remedy: "See that wattmark serve is running on this address. The page connects again by itself.",
    },
    unexpected: {
      cause: "The service gave an answer that this page cannot read.",
      remedy: "Reload the page; service and page may be of different versions.",
    },
    page: { cause: "This page made an error.", remedy: "Reload it; if the error stays, report the technical detail." },
  },

  shell: {
    skip: "To the page",
    pages: "Pages",
    openMenu: "Open the menu",
    noCampaign: "No campaign is running",
    wallNow: "Wall",
    ago: (age: string): string => `${age} ago`,
    search: "Search",
    searchHint: "Search ( / )",
    help: "Keys and reading aid",
    helpHint: "Keys and reading aid ( ? )",
    theme: { light: "Use the dark theme", dark: "Use the light theme" },
    lostBatches: (n: number): string => `${plural(n, "batch", "batches")} of samples came too fast for this page`,
    pageLost: "This page did not arrive.",
    pageLostRemedy: "It opens by itself once the service answers.",
    connection: { connecting: "Connecting", live: "Live", lost: "Connection lost" },
    roles: { viewer: "viewer", operator: "operator", admin: "administrator" },
    youAre: (name: string, role: string): string => `You are ${name}, ${role}.`,
    needsRole: (role: string, name: string): string => `This needs the role ${role}; ${name} does not have it.`,
  },

  search: {
    placeholder: "Page, plan, server, meter, run, workload",
    results: "Found",
    nothing: "Nothing has all of these words.",
    page: "Page",
    server: "Server",
    meter: "Meter",
    campaign: "Campaign",
    campaignOf: (begun: string): string => `Campaign of ${begun}`,
    workload: "Workload",
    planIt: (id: string): string => `${id}, build a plan`,
    table: "Published",
  },

  help: {
    title: "Keys and reading aid",
    zoom: "Zoom traces in and out, show the whole run",
    pan: "Move along traces",
    readingTitle: "How figures are drawn",
    reading: [
      "± is the expanded uncertainty at 95 %, everywhere. A standard uncertainty is called u and stands in budgets.",
      "Filled markers are measured here, hatched ones simulated, hollow ones published by others.",
      "A point without a bar has no known uncertainty.",
      "A value in grey is older than three times its period.",
    ],
  },

  campaign: {
    start: "Start a plan",
    startTitle: "Start a plan",
    startText: "The campaign drives the servers to full load, run after run, and records all meters meanwhile.",
    startPlan: (plan: string): string => `Start ${plan}`,
    stop: "Stop",
    ready: "It is fitted, go on",
    seeRuns: "See the runs",
    plans: "Plans",
    noPlansTitle: "No plan yet",
    planSize: (configurations: number, repeats: number, runs: number): string =>
      `${plural(configurations, "configuration", "configurations")}, ${plural(repeats, "repeat", "repeats")}, ${plural(runs, "run", "runs")}`,
    hot: (servers: readonly string[]): string =>
      `${servers.join(", ")} will run at full load and get hot. See that cooling is on and nobody else needs ${servers.length > 1 ? "them" : "it"}.`,
    getsHot: "Gets hot",
    configurations: "Configurations",
    workloads: "Workloads",
    size: "Size",
    phase: "Phase",
    remaining: "Remaining",
    end: "Ends about",
    resume: "Resume",
    unfinished: "A campaign did not come to its end.",
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
    created: "Begun",
    configuration: "Configuration",
    workload: "Workload",
    repeat: "Repeat",
    status: "Status",
    verdict: "Standing",
    kind: "Kind",
    any: "any",
    filter: "Filter",
    filterHint: "configuration, workload, meter",
    state: {
      planned: "Planned",
      running: "Running",
      complete: "Complete",
      failed: "Failed",
      aborted: "Stopped",
      interrupted: "Interrupted",
      skipped: "Not made",
    },
    sound: "Sound",
    noVerdict: "No verdict",
    failedRule: (rule: string): string => `${rule}: failed`,
    failedRules: (count: number): string => `${count} rules failed`,
    count: (shown: number, all: number): string =>
      shown === all ? plural(all, "run", "runs") : `${shown} of ${plural(all, "run", "runs")}`,
    nothing: "No run matches the filter.",
    emptyTitle: "No run yet",
    emptyText:
      "Each run is one configuration under one workload, with its watts, its throughput and what was checked. Start a plan, or import published results with wattmark import mlperf.",
  },

  run: { one: "Run" },

  figure: { tools: "Figure", table: "Table", figure: "Figure", save: "Save" },

  servers: {
    from: (lab: string, file: string): string => `${lab}, described in ${file}`,
    configurations: (n: number): string => plural(n, "configuration", "configurations"),
    slots: "Memory slots",
    emptyBay: "empty",
    noSlots: "The slots of this machine are not described.",
    ranks: (n: number): string => plural(n, "rank", "ranks"),
    population: (filled: number, bays: number, even: boolean): string =>
      `${filled} of ${bays} slots filled${filled ? (even ? ", channels balanced" : ", channels not balanced") : ""}`,
    feeds: "Who feeds what",
    insideView: "indicative, from inside",
    noMeters: "No meter of the bench measures this server.",
    cpu: "CPU",
    cores: (n: number): string => plural(n, "core", "cores"),
    memory: "Memory",
    dimms: (n: number): string => plural(n, "DIMM", "DIMMs"),
    psus: "Supplies on",
    disks: "Disks",
    firmware: "Firmware",
    os: "System",
    emptyTitle: "No server described yet",
    emptyText: "Servers and their configurations come from the bench file. Start the service with one:",
  },

  missing: {
    title: "No such page",
    heading: "Nothing lives at this address",
    text: "It is mistyped or belongs to another version.",
  },
}
