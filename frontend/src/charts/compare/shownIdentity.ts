/** Which configurations are coloured: all of a few; of many those that are pinned, chosen or the baseline. */

import type { Identity } from "../identity"
import type { Group } from "./points"

export const MOST_COLOURED = 8
const BACKGROUND: Identity = { shape: "circle", colour: "var(--text-3)" }

export function shownIdentities(
  groups: readonly Group[],
  identities: ReadonlyMap<string, Identity>,
  emphasised: ReadonlySet<string>,
): Map<string, Identity> {
  const few = groups.length <= MOST_COLOURED
  const coloured = (key: string) => few || emphasised.has(key)
  return new Map(groups.map(({ key }) => [key, (coloured(key) && identities.get(key)) || BACKGROUND]))
}
