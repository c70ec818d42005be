/** Made from openapi.json by `npm run types`; do not edit. */

export const Adaptation = { slice_s: { minimum: 1, maximum: 3600 } } as const

export const AlarmRule = {
  high: { minimum: -1000000000, maximum: 1000000000 },
  hold_s: { default: 0, minimum: 0, maximum: 3600 },
  hysteresis: { default: 0, minimum: 0, maximum: 1000000000 },
  low: { minimum: -1000000000, maximum: 1000000000 },
  run_must_keep: { default: false },
} as const

export const Bench = {
  bmcs: { default: [] },
  meters: { default: [] },
  plans: { default: [] },
  schedule: { default: "staggered", enum: ["staggered", "aligned"] },
  servers: { default: [] },
  workloads: { default: [] },
} as const

export const Bmc = {
  alarms: { default: [] },
  cipher: { minimum: 0, maximum: 17 },
  period_s: { default: 2, maximum: 3600 },
  port: { default: 623, minimum: 1, maximum: 65535 },
  privilege: { default: "USER", enum: ["USER", "OPERATOR", "ADMINISTRATOR"] },
  simulated: { default: false },
} as const

export const Call = { method: { default: "POST", enum: ["POST", "PUT", "DELETE"] } } as const

export const Conditions = {
  crest_factor: { enum: [3, 6] },
  frequency_hz: { examples: [50], maximum: 1000 },
  temperature_c: { minimum: -50, maximum: 100 },
  u_temperature_c: { minimum: 0, maximum: 50 },
  u_wiring_loss_w: { default: 0, minimum: 0, maximum: 1000 },
  wiring_loss_w: { default: 0, minimum: -1000, maximum: 1000 },
} as const

export const Configuration = {
  disks: { default: [] },
  nics: { default: [] },
  psus: { default: [] },
  title: { default: "" },
} as const

export const CoolDownRule = {
  at_most_s: { default: 900, minimum: 0, maximum: 86400 },
  until_c: { examples: [40], minimum: -50, maximum: 150 },
} as const

export const Costs = {
  life_years: { maximum: 50 },
  pue: { default: 1, minimum: 1, maximum: 10 },
  tariff_per_kwh: { minimum: 0, maximum: 1000 },
} as const

export const Cpu = {
  clock_mhz: { maximum: 100000 },
  cores: { minimum: 1, maximum: 1000000 },
  sockets: { default: 1, minimum: 1, maximum: 1000000 },
  tdp_w: { maximum: 10000 },
  threads: { minimum: 1, maximum: 1000000 },
} as const

export const CsvColumn = {
  meter: { default: "meter" },
  role: { default: "wall", enum: ["wall", "secondary"] },
  unit: { default: "" },
} as const

export const CsvMapping = {
  configuration: { default: "" },
  decimal: { default: ".", enum: [".", ","] },
  delimiter: { default: ",", enum: [",", ";", "\t", "|", " "] },
  encoding: { default: "utf-8", enum: ["utf-8", "utf-16", "cp1252"] },
  header: { default: [] },
  header_rows: { default: 1, minimum: 0, maximum: 100 },
  holds: { default: "power log", enum: ["power log", "power log with throughput", "table of results"] },
  names_row: { default: 1, minimum: 0, maximum: 100 },
  readings: { default: "instantaneous", enum: ["instantaneous", "averaged"] },
  server: { default: "" },
  work_unit: { default: "work" },
  workload: { default: "" },
} as const

export const CsvProposalIn = {
  decimal: { enum: [".", ","] },
  delimiter: { enum: [",", ";", "\t", "|", " "] },
  encoding: { enum: ["utf-8", "utf-16", "cp1252"] },
  header_rows: { minimum: 0, maximum: 100 },
  whole: { default: false },
} as const

export const CsvTrialIn = { whole: { default: false } } as const

export const Declaration = {
  cleanup: { default: [] },
  command: { default: [] },
  direction: { default: "higher" },
  files: { default: [] },
  limited_by: { default: "cpu", enum: ["cpu", "memory", "disk", "network", "gpu", "requests"] },
  setup: { default: [] },
  setup_timeout_s: { default: 600 },
  slice_s: { minimum: 1, maximum: 3600 },
  source: { default: "" },
  stands_for: { default: [] },
  warm_up_s: { default: 0, minimum: 0, maximum: 3600 },
} as const

export const Graduated = {
  active_idle: { default: true },
  calibrate: { default: 3, minimum: 1, maximum: 10 },
  offer: { minimum: 1 },
  percent: { default: [100, 90, 80, 70, 60, 50, 40, 30, 20, 10] },
  workloads: { default: [] },
} as const

export const Hook = { timeout_s: { default: 10, maximum: 120 } } as const

export const InHouseOrder = { note: { default: "Compared in house" }, run_ids: { default: [] } } as const

export const JsonCheck = {
  unit: { default: "s", enum: ["ns", "us", "ms", "s"] },
  within_pct: { default: 1, minimum: 0, maximum: 100 },
} as const

export const JsonParser = {
  must_be_0: { default: [] },
  reports: { enum: ["total", "rate", "interval-amount", "interval-rate", "interval-total"] },
  response: { default: [] },
  scale: { default: 1 },
} as const

export const LevelRule = { default: { default: "cpus" }, sweep: { default: [] } } as const

export const LoadLimits = {
  max_power_w: { maximum: 1000000 },
  max_temperature_c: { minimum: -50, maximum: 150 },
} as const

export const MachineAddress = { port: { default: 22, minimum: 1, maximum: 65535 } } as const

export const MarkerIn = { kind: { enum: ["begin", "end", "value"] }, value: { minimum: 0 } } as const

export const MarkerParser = {
  reports: { default: "total", enum: ["total", "rate", "interval-amount", "interval-rate", "interval-total"] },
  scale: { default: 1 },
  wait_s: { default: 600, maximum: 86400 },
} as const

export const Memory = {
  channels: { minimum: 1, maximum: 1000000 },
  slots_per_channel: { minimum: 1, maximum: 1000000 },
} as const

export const Meter = {
  alarms: { default: [] },
  averaging_s: { maximum: 3600 },
  conditions: { default: { u_wiring_loss_w: 0, wiring_loss_w: 0 } },
  feeds: { default: [] },
  latency_s: { default: 0, minimum: 0, maximum: 60 },
  period_s: { maximum: 3600 },
  role: { default: "wall", enum: ["wall", "secondary"] },
  simulated: { default: false },
  u_latency_s: { minimum: 0, maximum: 60 },
} as const

export const Module = {
  capacity_gib: { maximum: 100000 },
  ranks: { minimum: 1, maximum: 1000000 },
  speed_mts: { minimum: 1, maximum: 1000000 },
  type: { enum: ["FB-DIMM", "RDIMM", "UDIMM", "LRDIMM", "SO-DIMM", "CXL"] },
} as const

export const NewCheckStandard = {
  description: { default: "" },
  nominal_w: { maximum: 10000000 },
  target_w: { maximum: 10000000 },
} as const

export const NewReading = {
  begins_baseline: { default: false },
  n: { minimum: 1, maximum: 1000000000 },
  note: { default: "" },
  power_w: { maximum: 10000000 },
  sd_w: { minimum: 0, maximum: 10000000 },
  seconds: { minimum: 2, maximum: 300 },
} as const

export const OpensslEvp = { block_bytes: { minimum: 1 } } as const

export const OpensslRsa = { operation: { enum: ["sign", "verify"] } } as const

export const Parameter = {
  choices: { default: [] },
  high: { minimum: 0 },
  kind: { enum: ["text", "integer", "size", "choice", "host", "port", "path", "account", "program"] },
  low: { minimum: 0 },
} as const

export const Plan = {
  between_repeats: { default: "nothing", enum: ["nothing", "reboot", "re-seat"] },
  cool_down_s: { default: 0, minimum: 0, maximum: 86400 },
  exclude: { default: [] },
  full_load_limit_pct: { default: 95, minimum: 0, maximum: 100 },
  hold_s: { default: 3, minimum: 0, maximum: 86400 },
  idle_after_s: { default: 0, minimum: 0, maximum: 86400 },
  idle_s: { default: 30, minimum: 0, maximum: 86400 },
  levels: { default: ["all"] },
  measure_s: { default: 240, minimum: 1, maximum: 86400 },
  order: { default: "random-blocks", enum: ["random-blocks", "up-and-down", "as-listed", "random"] },
  ramp_s: { default: 0, minimum: 0, maximum: 86400 },
  repeat_failed: { default: 1, minimum: 0, maximum: 10 },
  repeats: { default: 3, minimum: 1, maximum: 1000000 },
  seed: { default: 1, minimum: 0 },
  settle_s: { default: 30, minimum: 0, maximum: 86400 },
  sync_pattern: { default: false },
  sync_pulses_s: { default: [3, 4, 5, 7, 4, 3, 7, 5, 3] },
  time_budget_s: { maximum: 31536000 },
  title: { default: "" },
  together: { default: false },
} as const

export const Poll = { every_s: { default: 1, minimum: 0.1, maximum: 60 } } as const

export const PrepareCommand = { timeout_s: { default: 300, maximum: 86400 } } as const

export const Price = { amount: { minimum: 0 } } as const

export const Psu = { powered: { default: true }, rated_w: { maximum: 100000 } } as const

export const QuietRule = { at_most_s: { default: 300, maximum: 86400 } } as const

export const RepeatRule = {
  at_most: { default: 10, minimum: 1, maximum: 1000 },
  efficiency_ci_pct: { examples: [1], maximum: 100 },
} as const

export const ResponsePattern = {
  statistic: { enum: ["mean", "median", "p90", "p95", "p99", "max"] },
  unit: { default: "ms", enum: ["ns", "us", "ms", "s"] },
} as const

export const ResponsePointer = {
  statistic: { enum: ["mean", "median", "p90", "p95", "p99", "max"] },
  unit: { default: "ms", enum: ["ns", "us", "ms", "s"] },
} as const

export const ScanOrder = {
  baud: { default: 9600, minimum: 300, maximum: 4000000 },
  ids: { default: "1" },
  parity: { default: "N", enum: ["N", "E", "O"] },
  timeout_s: { default: 0.5, minimum: 0.05, maximum: 5 },
} as const

export const Server = { model: { default: "" }, title: { default: "" } } as const

export const SettleRule = {
  at_least_s: { default: 30, minimum: 0, maximum: 86400 },
  at_most_s: { default: 600, minimum: 0, maximum: 86400 },
  over_s: { default: 60, minimum: 5, maximum: 3600 },
  until: { default: "steady" },
} as const

export const SshAddress = { port: { default: 22, minimum: 1, maximum: 65535 } } as const

export const StopRule = {
  gain_below_pct: { default: 2, minimum: 0, maximum: 100 },
  over_levels: { default: 2, minimum: 1, maximum: 100 },
} as const

export const TagOrder = { add: { default: [] }, remove: { default: [] } } as const

export const TextCheck = {
  against: { default: "number", enum: ["number", "rate"] },
  factor: { default: 1 },
  within_pct: { default: 1, minimum: 0, maximum: 100 },
} as const

export const TextParser = {
  checks: { default: [] },
  combine: { default: "last", enum: ["last", "sum"] },
  reports: { enum: ["total", "rate", "interval-amount", "interval-rate", "interval-total"] },
  response: { default: [] },
  scale: { default: 1 },
} as const

export const TryOrder = { seconds: { default: 5, minimum: 1, maximum: 60 } } as const

export const alarms_list_alarms = {
  before: { minimum: 1, maximum: 9007199254740992 },
  limit: { default: 200, minimum: 1, maximum: 1000 },
} as const

export const archives_download_archive = { all: { default: false }, notes: { default: false } } as const

export const archives_upload_archive = { file_name: { default: "archive" }, own: { default: false } } as const

export const archives_preview_archive = { file_name: { default: "archive" } } as const

export const access_audit = {
  before: { minimum: 1, maximum: 9007199254740992 },
  limit: { default: 200, minimum: 1, maximum: 1000 },
} as const

export const bench_name_lab = { check: { default: false } } as const

export const bench_delete_bmc = { check: { default: false } } as const

export const bench_put_bmc = { check: { default: false } } as const

export const bench_delete_meter = { check: { default: false } } as const

export const bench_put_meter = { check: { default: false } } as const

export const bench_delete_plan = { check: { default: false } } as const

export const bench_put_plan = { check: { default: false } } as const

export const bench_delete_server = { check: { default: false } } as const

export const bench_put_server = { check: { default: false } } as const

export const bench_delete_server_with_dependents = { check: { default: false } } as const

export const bench_delete_configuration = { check: { default: false } } as const

export const bench_put_configuration = { check: { default: false } } as const

export const bench_put_source = { check: { default: false } } as const

export const bench_undo = { check: { default: false } } as const

export const campaign_history = {
  offset: { default: 0, minimum: 0 },
  limit: { default: 20, minimum: 1, maximum: 200 },
} as const

export const plans_forecast_draft = { power_w: { maximum: 1000000 } } as const

export const plans_forecast_plan = { power_w: { maximum: 1000000 } } as const

export const certificates_add_certificate = {
  file_name: { default: "certificate" },
  revise: { default: false },
} as const

export const compare_compare = {
  figure: { default: "efficiency", enum: ["efficiency", "throughput", "power"] },
  smallest_pct: { default: 2, maximum: 50 },
} as const

export const compare_compare_details = {
  figure: { default: "efficiency", enum: ["efficiency", "throughput", "power"] },
  smallest_pct: { default: 2, maximum: 50 },
} as const

export const compare_compare_matrix = {
  figure: { default: "efficiency", enum: ["efficiency", "throughput", "power"] },
} as const

export const export_figure = {
  width: { default: "two-columns", enum: ["one-column", "two-columns"] },
  figure: { default: "efficiency", enum: ["efficiency", "throughput", "power"] },
  ignore: { default: "" },
  axis: { default: "clock", enum: ["clock", "cores", "load"] },
  smallest_pct: { default: 2, maximum: 50 },
  claim_w: { default: 5, maximum: 1000 },
  margin_w: { default: 1, maximum: 1000 },
  from_level: { maximum: 1000000000 },
  rule: { default: "complete", enum: ["complete", "mlperf", "eehpc-l1", "eehpc-l2", "eehpc-l3", "specpower"] },
  nodes: { minimum: 1, maximum: 10000000 },
  layout: { default: "paper", enum: ["paper", "full"] },
  columns: { default: "" },
  run_ids: { default: "" },
  text: { default: "" },
  kind: { enum: ["measured", "simulated", "imported"] },
  quality: { enum: ["sound", "partly", "failed", "open"] },
} as const

export const export_overlay = {
  from_s: { minimum: -100000000, maximum: 100000000 },
  to_s: { minimum: -100000000, maximum: 100000000 },
} as const

export const export_report = { run_id: { default: [] } } as const

export const export_traces = {
  begin_s: { minimum: 0, maximum: 9000000000 },
  end_s: { minimum: 0, maximum: 9000000000 },
} as const

export const export_show = {
  figure: { default: "efficiency", enum: ["efficiency", "throughput", "power"] },
  ignore: { default: "" },
  axis: { default: "clock", enum: ["clock", "cores", "load"] },
  smallest_pct: { default: 2, maximum: 50 },
  claim_w: { default: 5, maximum: 1000 },
  margin_w: { default: 1, maximum: 1000 },
  from_level: { maximum: 1000000000 },
  rule: { default: "complete", enum: ["complete", "mlperf", "eehpc-l1", "eehpc-l2", "eehpc-l3", "specpower"] },
  nodes: { minimum: 1, maximum: 10000000 },
  layout: { default: "paper", enum: ["paper", "full"] },
  columns: { default: "" },
  run_ids: { default: "" },
  text: { default: "" },
  kind: { enum: ["measured", "simulated", "imported"] },
  quality: { enum: ["sound", "partly", "failed", "open"] },
} as const

export const export_download = {
  figure: { default: "efficiency", enum: ["efficiency", "throughput", "power"] },
  ignore: { default: "" },
  axis: { default: "clock", enum: ["clock", "cores", "load"] },
  smallest_pct: { default: 2, maximum: 50 },
  claim_w: { default: 5, maximum: 1000 },
  margin_w: { default: 1, maximum: 1000 },
  from_level: { maximum: 1000000000 },
  rule: { default: "complete", enum: ["complete", "mlperf", "eehpc-l1", "eehpc-l2", "eehpc-l3", "specpower"] },
  nodes: { minimum: 1, maximum: 10000000 },
  layout: { default: "paper", enum: ["paper", "full"] },
  columns: { default: "" },
  run_ids: { default: "" },
  text: { default: "" },
  kind: { enum: ["measured", "simulated", "imported"] },
  quality: { enum: ["sound", "partly", "failed", "open"] },
} as const

export const fleet_compare = {
  text: { default: "" },
  lab: { default: [] },
  model: { default: [] },
  processor: { default: [] },
  dimms: { default: [] },
  figure: { default: "efficiency", enum: ["efficiency", "throughput", "power"] },
  smallest_pct: { default: 2, maximum: 50 },
  offset: { default: 0, minimum: 0 },
  limit: { default: 50, minimum: 1, maximum: 200 },
} as const

export const fleet_compare_details = {
  figure: { default: "efficiency", enum: ["efficiency", "throughput", "power"] },
  smallest_pct: { default: 2, maximum: 50 },
} as const

export const fleet_compare_matrix = {
  figure: { default: "efficiency", enum: ["efficiency", "throughput", "power"] },
} as const

export const fleet_facets = {
  text: { default: "" },
  lab: { default: [] },
  model: { default: [] },
  processor: { default: [] },
  dimms: { default: [] },
} as const

export const fleet_memory = { claim_w: { default: 5, maximum: 1000 }, margin_w: { default: 1, maximum: 1000 } } as const

export const fleet_memory_slopes = { lab: { default: [] } } as const

export const fleet_ring = {
  dimms: { minimum: 0, maximum: 65535 },
  simulated: { default: false },
  figure: { default: "efficiency", enum: ["efficiency", "throughput", "power"] },
} as const

export const fleet_rings = { text: { default: "" } } as const

export const fleet_list_rows = {
  text: { default: "" },
  kind: { enum: ["measured", "simulated", "imported"] },
  quality: { enum: ["sound", "partly", "failed", "open"] },
  sort: { default: "-created" },
  offset: { default: 0, minimum: 0 },
  limit: { default: 200, minimum: 1, maximum: 100000 },
  lab: { default: [] },
} as const

export const fleet_one_run = {
  rule: { default: "complete", enum: ["complete", "mlperf", "eehpc-l1", "eehpc-l2", "eehpc-l3", "specpower"] },
  recomputed: { default: false },
} as const

export const fleet_samples = {
  begin_s: { minimum: 0, maximum: 9000000000 },
  end_s: { minimum: 0, maximum: 9000000000 },
} as const

export const fleet_span = {
  begin_s: { minimum: 0, maximum: 9000000000 },
  end_s: { minimum: 0, maximum: 9000000000 },
} as const

export const fleet_traces = {
  px: { default: 1200, minimum: 10, maximum: 4000 },
  begin_s: { minimum: 0, maximum: 9000000000 },
  end_s: { minimum: 0, maximum: 9000000000 },
} as const

export const fleet_scaling = { from_level: { maximum: 1000000000 }, lab: { default: [] } } as const

export const imports_import_published = {
  file_name: { default: "results.zip" },
  kind: { default: "auto" },
  precision: { enum: ["ns", "us", "ms", "s"] },
} as const

export const imports_preview_import = {
  file_name: { default: "results.zip" },
  kind: { default: "auto" },
  precision: { enum: ["ns", "us", "ms", "s"] },
} as const

export const live_history = {
  begin_s: { minimum: 0, maximum: 9000000000 },
  end_s: { minimum: 0, maximum: 9000000000 },
  points: { default: 600, minimum: 10, maximum: 2000 },
} as const

export const compare_memory = {
  claim_w: { default: 5, maximum: 1000 },
  margin_w: { default: 1, maximum: 1000 },
} as const

export const meters_check_meter = { seconds: { default: 20, minimum: 1, maximum: 600 } } as const

export const models_limits = { power_w: { default: 400, maximum: 1000000 } } as const

export const runs_list_rows = {
  text: { default: "" },
  kind: { enum: ["measured", "simulated", "imported"] },
  quality: { enum: ["sound", "partly", "failed", "open"] },
  sort: { default: "-created" },
  offset: { default: 0, minimum: 0 },
  limit: { default: 200, minimum: 1, maximum: 100000 },
} as const

export const runs_list_runs = {
  text: { default: "" },
  kind: { enum: ["measured", "simulated", "imported"] },
  quality: { enum: ["sound", "partly", "failed", "open"] },
  sort: { default: "-created" },
  offset: { default: 0, minimum: 0 },
  limit: { default: 100, minimum: 1, maximum: 1000 },
} as const

export const runs_one_run = {
  rule: { default: "complete", enum: ["complete", "mlperf", "eehpc-l1", "eehpc-l2", "eehpc-l3", "specpower"] },
} as const

export const runs_samples = {
  begin_s: { minimum: 0, maximum: 9000000000 },
  end_s: { minimum: 0, maximum: 9000000000 },
} as const

export const runs_span = {
  begin_s: { minimum: 0, maximum: 9000000000 },
  end_s: { minimum: 0, maximum: 9000000000 },
} as const

export const runs_traces = {
  px: { default: 1200, minimum: 10, maximum: 4000 },
  begin_s: { minimum: 0, maximum: 9000000000 },
  end_s: { minimum: 0, maximum: 9000000000 },
} as const

export const compare_scaling = { from_level: { maximum: 1000000000 } } as const

export const store_shared = {
  days: { default: 30, minimum: 1, maximum: 36500 },
  limit: { default: 200, minimum: 1, maximum: 10000 },
} as const
