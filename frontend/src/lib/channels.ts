/** The channel that represents its device: the service decides and marks it. */

interface Channel {
  quantity: string
  /** It holds the whole of its device's power or energy; phases, supplies and outlets are parts of it. */
  total: boolean
}

/** The channel that holds the whole of a device's power or energy; a device that shows parts only has none. */
export function total<C extends Channel>(channels: readonly C[], quantity: "power" | "energy"): C | undefined {
  return channels.find((channel) => channel.total && channel.quantity === quantity)
}

export const mainPower = <C extends Channel>(channels: readonly C[]): C | undefined => total(channels, "power")

/** Its total power, else the energy that it counts, or what keeps a host busy. */
export function mainChannel<C extends Channel>(channels: readonly C[]): C | undefined {
  return (
    mainPower(channels) ?? total(channels, "energy") ?? channels.find((channel) => channel.quantity === "utilisation")
  )
}
