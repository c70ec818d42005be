/** Which record these pages read: the base path says whether it is one appliance's, or the store that many write to. */

export const FLEET = "/fleet/"

export const isFleet = (path: string): boolean => path === "/fleet" || path.startsWith(FLEET)

/** Switching takes a full page load, so this is constant for the lifetime of a page. */
export const onFleet = isFleet(location.pathname)

/** What is read of stored runs; everything else is of the appliance, or of the service that shows the fleet. */
const STORED = /^\/api\/(run-rows|runs|compare|memory|scaling|published)(?=\/|\?|$)/

/** Base address of stored runs, in the record that these pages read. */
export const storedPath = (path: string, fleet = onFleet): string =>
  fleet ? path.replace(STORED, "/api/fleet/$1") : path
