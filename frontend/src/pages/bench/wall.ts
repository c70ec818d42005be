/** Which server the bench view shows. */

/** The chosen one, or the only one there is; null: all of several, or none. */
export function serverToShow(chosen: string, servers: readonly string[]): string | null {
  if (servers.includes(chosen)) return chosen
  return servers.length === 1 ? servers[0]! : null
}
