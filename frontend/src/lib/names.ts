/** One way to name configurations and runs: server · configuration · workload, without what all rows share. */

export interface Configured {
  server: string
  configuration: string
  configuration_title?: string | null
}

export interface Ran extends Configured {
  workload: string
  level: string
}

const DOT = " · "

/** Key that distinguishes a configuration from all others, as in the service. */
export const keyOf = ({ server, configuration }: Configured): string => `${server}/${configuration}`

export const titleOf = (row: Configured): string => row.configuration_title || row.configuration

/** The whole name of a configuration: for a title, where nothing beside it says the rest. */
export const configurationName = (row: Configured): string => row.server + DOT + titleOf(row)

/** The whole name of what ran. */
export const runName = (row: Ran): string => `${configurationName(row)}${DOT}${row.workload}, ${row.level}`

/**
 * Names of things shown side by side, made of parts from the widest to the narrowest, without the parts that all
 * share; `shared` are these. The last part always stays.
 */
export function apart(things: readonly (readonly string[])[]): { names: string[]; shared: string } {
  const last = Math.max(0, (things[0]?.length ?? 0) - 1)
  const same = (i: number): boolean => i < last && things.every((parts) => parts[i] === things[0]![i])
  return {
    names: things.map((parts) => parts.filter((_, i) => !same(i)).join(DOT)),
    shared: (things[0] ?? []).filter((_, i) => same(i)).join(DOT),
  }
}
