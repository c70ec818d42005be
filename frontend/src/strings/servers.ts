/** Words of the pages of servers: configurations, memory slots, power path. */

import { plural } from "./plural"

const list = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`

/** Words of every form that changes the bench. */
export const editorWords = {
  at: (where: string, message: string): string => (where ? `${where}: ${message}` : message),
  empty: "Fill in this field.",
  attention: (fields: number): string => `${plural(fields, "field needs", "fields need")} attention.`,
  conflict: "The bench was changed on another page or in its file. Your entries are still here.",
  overwrite: "Overwrite with mine",
  renames: (named: { meters: number; bmcs: number; plans: number }): string => {
    const counts = [
      [named.meters, "meter", "meters"],
      [named.bmcs, "BMC", "BMCs"],
      [named.plans, "plan", "plans"],
    ] as const
    const kinds = counts.filter(([count]) => count).map(([count, singular, many]) => plural(count, singular, many))
    const single = counts.reduce((sum, [count]) => sum + count, 0) === 1
    const follow = kinds.length ? `${list(kinds)} ${single ? "refers" : "refer"} to it and will be updated. ` : ""
    return `${follow}Existing runs keep the old name.`
  },
  presets: "Presets",
  preset: (count: number, type: string): string => `${count} ${type}s`,
  moreSlots: "One more slot per channel",
  counts: "DIMM counts to compare",
  countsHint: "Creates one configuration for each count. Empty: only the board as drawn.",
  countsWrong: "Enter whole numbers from 1 to 64, such as 4, 8.",
  tray: "Tray",
  trayModule: (type: string, capacity: string): string => `Module in the tray: ${capacity} ${type}`,
  slot: (slot: string, what: string): string => `Slot ${slot}: ${what}`,
  keys: "Drag a module into a slot. Or press Enter on it, move with the arrow keys and press Enter again; Delete removes it, Escape cancels.",
  population: (dimms: number, capacity: string): string =>
    dimms ? `${plural(dimms, "DIMM", "DIMMs")}, ${capacity}` : "No modules installed.",
  uneven: "The channels hold different modules. This may reduce throughput and distort the comparison.",
  pickedUp: (slot: string | null): string =>
    slot === null
      ? "Picked up a module from the tray. Choose a slot."
      : `Picked up the module in ${slot}. Choose a slot.`,
  putInto: (slot: string): string => `Placed in slot ${slot}.`,
  removed: (slot: string): string => `Slot ${slot} is now empty.`,
  letGo: "Cancelled; no module moved.",
  type: "Type",
  capacity: "Capacity [GiB]",
  speed: "Speed [MT/s]",
  ranks: "Ranks",
}

/** Words of the way to a server over SSH. */
export const sshWords = {
  title: "Host key",
  ask: "Show its host key",
  askHint: "Nobody logs in. The appliance uses a key pair of its own, and only for hosts accepted here.",
  shows: (algorithm: string): string => `The server shows this key (${algorithm}):`,
  compare: "Accept it only if the server itself prints the same. Type there, at its console:",
  printIt: (algorithm: string): string =>
    `ssh-keygen -lf /etc/ssh/ssh_host_${/ed25519|ecdsa/.exec(algorithm)?.[0] ?? "rsa"}_key.pub`,
  changed:
    "Another key of this host was accepted before. Either somebody else answers there, or the server was reinstalled.",
  notSignedIn:
    "Only an administrator who is signed in accepts a host key. Start the service with sign-in and come back; this form keeps your entries. Or name the host in the bench file.",
  signInCommand: "wattmark serve --sign-in",
  accept: "Accept this key",
  accepted: "Accepted",
  user: "the user",
  append: (user: string): string => `Append this line to ~/.ssh/authorized_keys of ${user} on the server, then test.`,
  copy: "Copy the line",
  copied: "Line copied",
  test: "Test",
  works: (host: string): string => (host ? `Logged in to ${host}` : "Logged in"),
}

export const serverWords = {
  add: "Add a server",
  edit: "Edit",
  editServer: (server: string): string => `Edit ${server}`,
  remove: "Delete",
  removeServer: (server: string): string => `Delete ${server}`,
  removeText: (
    configurations: number,
    also: {
      meters: readonly string[]
      bmcs: readonly string[]
      shortened: readonly string[]
      plans: readonly string[]
    },
  ): string =>
    [
      `This also deletes ${plural(configurations, "configuration", "configurations")}`,
      also.bmcs.length ? `, the ${also.bmcs.length > 1 ? "BMCs" : "BMC"} ${list(also.bmcs)}` : "",
      also.plans.length ? ` and the ${also.plans.length > 1 ? "plans" : "plan"} ${list(also.plans)}` : "",
      ". ",
      also.shortened.length ? `Its configurations leave ${list(also.shortened)}. ` : "",
      also.meters.length ? `${list(also.meters)} will measure nothing. ` : "",
      "Runs are kept. You can undo this.",
    ].join(""),
  removeConfigurationText:
    "This also deletes its memory, power supplies and software. Runs are kept. You can undo this.",
  readHere: "Read from this machine",
  readThere: "Read from the server",
  readHint: "Fills in processor, memory slots and system. What you typed stays.",
  readDone: "Filled in from the machine; check it.",
  change: "Change",
  addConfiguration: "Add a configuration",
  editConfiguration: (title: string): string => `Edit configuration ${title}`,
  duplicate: "Duplicate",
  copyOf: (title: string): string => `${title}, copy`,
  save: "Save",
  onward: "Save and build a plan",
  fedBy: "Measured by",
  fedByHint: "Meters that measure nothing yet. Each one you tick measures the whole server.",
  ofModules: (count: number, capacity: string, type: string): string => `${count} × ${capacity} GiB ${type}`,
  machine: "Machine",
  title: "Title",
  model: "Server model",
  modelHint: "Maker and product, by which other labs find the same server. Default: what its firmware states.",
  id: "Identifier",
  idHint: "Letters, digits, dots and dashes. Plans refer to it.",
  access: "Access",
  local: "This machine",
  ssh: "SSH",
  host: "Host",
  user: "User",
  port: "Port",
  identity: "Key file",
  identityHint: "A file on the appliance. Empty: the keys of its user.",
  sudoMemory: "sudo reads the memory slots there (a line of sudoers allows it)",
  manual: "Configurations are installed by hand; the campaign waits for the operator",
  command: "A command in the bench file installs each configuration.",
  configuration: "Configuration",
  cpu: "CPU model",
  sockets: "CPUs",
  cores: "Cores, all CPUs together",
  threads: "Threads, all CPUs together",
  clock: "Clock [MHz]",
  tdp: "TDP per CPU [W]",
  os: "Operating system",
  kernel: "Kernel",
  disks: "Disks",
  nics: "Network adapters",
  listHint: "Separated by commas.",
  price: "Price",
  currency: "Currency",
  currencyHint: "Three letters, such as EUR.",
  hardware: "Hardware",
  software: "Software and price",
  parts: "Counted parts",
  partsHint:
    "The page Parts shows what each part costs in watts, once it was measured with several counts. 0: there are none.",
  partKinds: ["drive", "network card", "GPU", "fan"],
  partKind: "Kind",
  partModel: "Model",
  partCount: "Number",
  partCapacity: "Capacity of each [TB]",
  partLink: "Link of each [Gbit/s]",
  addPart: "Add parts",
  removePart: (model: string): string => `Remove ${model || "parts"}`,
  psus: "Power supplies",
  psu: (number: number): string => `Power supply ${number}`,
  rated: "Rated [W]",
  powered: "on",
  addPsu: "Add a power supply",
  removePsu: (id: string): string => `Remove power supply ${id}`,
  editFeeds: "Which meter measures which power supply",
  feedsHint: "Changes are saved at once and can be undone.",
  wholeServer: "Whole server",
  feeds: (meter: string, supply: string): string => `${meter} measures ${supply}`,
  emptyText:
    "Add a server to describe its configurations, memory slots and power supplies, and which meter measures it.",
}
