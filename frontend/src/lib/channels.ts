/** Which of a device's channels speaks for it. */

interface Channel {
  channel: string
  quantity: string
}

/** Its total power: the channel of that name, else the first of power; phases and supplies are parts of it. */
export function mainPower<C extends Channel>(channels: readonly C[]): C | undefined {
  const powers = channels.filter((channel) => channel.quantity === "power")
  return powers.find((power) => power.channel === "power") ?? powers[0]
}

/** Its total power, or what keeps a host busy. */
export function mainChannel<C extends Channel>(channels: readonly C[]): C | undefined {
  return mainPower(channels) ?? channels.find((channel) => channel.quantity === "utilisation")
}
