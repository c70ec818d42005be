/** Under which address another device opens what this page shows. */

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

type Here = Pick<Location, "hostname" | "origin" | "pathname" | "search">

/**
 * An address that already came over the network serves others too; one of this machine alone is replaced by what the
 * service says, and null where it says that nobody else reaches it.
 */
export function addressElsewhere(here: Here, service: string | null): string | null {
  const origin = LOOPBACK.test(here.hostname) ? service : here.origin
  return origin === null ? null : `${origin}${here.pathname}${here.search}`
}
