/** Words of what describes servers, their memory and their feeds. */

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

const list = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`

/** Words of every form that changes the bench. */
export const editorWords = {
  at: (where: string, message: string): string => (where ? `${where}: ${message}` : message),
  conflict: "The bench has been changed meanwhile, here or in its file. What you typed still stands here.",
  overwrite: "Save mine over it",
  renames: (named: { meters: number; bmcs: number; plans: number }): string => {
    const counts = [
      [named.meters, "meter", "meters"],
      [named.bmcs, "BMC", "BMCs"],
      [named.plans, "plan", "plans"],
    ] as const
    const kinds = counts.filter(([count]) => count).map(([count, one, many]) => plural(count, one, many))
    const one = counts.reduce((sum, [count]) => sum + count, 0) === 1
    const follow = kinds.length ? `${list(kinds)} ${one ? "names" : "name"} it and will follow. ` : ""
    return `${follow}Runs that were made keep the old name.`
  },
  presets: "Presets",
  preset: (count: number, type: string): string => `${count} ${type}s`,
  moreSlots: "One more slot per channel",
  counts: "DIMM counts to compare",
  countsHint: "One configuration for each, alike but for its modules. Empty: the board as it is.",
  countsWrong: "Whole numbers from 1 to 64, such as 4, 8.",
  tray: "Tray",
  trayModule: (type: string, capacity: string): string => `Module of the tray: ${capacity} ${type}`,
  slot: (slot: string, what: string): string => `Slot ${slot}: ${what}`,
  keys: "Drag a module into a slot, or press Enter on it, go with the arrows and press Enter again. Delete takes it out, Escape lets go.",
  population: (dimms: number, capacity: string): string =>
    dimms ? `${plural(dimms, "DIMM", "DIMMs")}, ${capacity}` : "No module is fitted.",
  uneven: "The channels do not hold the same modules; throughput may suffer, and so may the comparison.",
  pickedUp: (slot: string | null): string =>
    slot === null
      ? "Picked up a module of the tray. Choose a slot."
      : `Picked up the module of ${slot}. Choose a slot.`,
  putInto: (slot: string): string => `Put into slot ${slot}.`,
  removed: (slot: string): string => `Slot ${slot} is empty now.`,
  letGo: "Let go; nothing was moved.",
  type: "Type",
  capacity: "Capacity [GiB]",
  speed: "Speed [MT/s]",
  ranks: "Ranks",
}

export const serverWords = {
  add: "Add a server",
  edit: "Edit",
  editServer: (server: string): string => `Edit ${server}`,
  remove: "Delete",
  removeServer: (server: string): string => `Delete ${server}`,
  removeText: (configurations: number): string =>
    `It goes with ${plural(configurations, "configuration", "configurations")}. Runs that were made stay. This can be undone.`,
  removeConfigurationText: "Its memory, supplies and system go with it. Runs that were made stay. This can be undone.",
  change: "Change",
  addConfiguration: "Add a configuration",
  editConfiguration: (title: string): string => `Edit configuration ${title}`,
  duplicate: "Duplicate",
  copyOf: (title: string): string => `${title}, copy`,
  save: "Save",
  onward: "Save and build a plan",
  fedBy: "Fed by",
  fedByHint: "Meters that feed nothing yet; each ticked one measures the whole server.",
  ofModules: (count: number, capacity: string, type: string): string => `${count} × ${capacity} GiB ${type}`,
  machine: "Machine",
  title: "Title",
  id: "Identifier",
  idHint: "Short; letters, digits, dots and dashes. Plans name it.",
  access: "Reached by",
  local: "This machine",
  ssh: "SSH",
  host: "Host",
  user: "User",
  port: "Port",
  identity: "Key file",
  hostHint: "A server that is new is named on the appliance itself, in the bench file: it logs in there with its keys.",
  identityHint: "On the appliance. Empty: its own keys.",
  manual: "Configurations are fitted by hand; the campaign waits for the operator",
  command: "A command of the bench file fits each configuration.",
  configuration: "Configuration",
  cpu: "CPU model",
  sockets: "CPUs",
  cores: "Cores per CPU",
  threads: "Threads per CPU",
  clock: "Clock [MHz]",
  tdp: "TDP per CPU [W]",
  os: "System",
  kernel: "Kernel",
  disks: "Disks",
  nics: "Network adapters",
  listHint: "Separated by commas.",
  price: "Price",
  currency: "Currency",
  currencyHint: "Three letters, such as EUR.",
  hardware: "Hardware",
  software: "System and price",
  psus: "Supplies",
  psu: (number: number): string => `Supply ${number}`,
  rated: "Rated [W]",
  powered: "on",
  addPsu: "Add a supply",
  removePsu: (id: string): string => `Remove supply ${id}`,
  editFeeds: "Which meter feeds which supply",
  feedsHint: "A change is saved at once and can be undone.",
  wholeServer: "Whole server",
  feeds: (meter: string, supply: string): string => `${meter} feeds ${supply}`,
  emptyText:
    "This page keeps each machine under test: its configurations, the memory slots as the board has them, its supplies, and which meter feeds them.",
}
