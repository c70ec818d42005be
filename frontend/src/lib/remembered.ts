/** What a person chose last, kept by the browser; one without storage forgets it when the page is left. */

/** Keep a choice; null forgets it. */
export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // The page follows the choice all the same.
  }
}

/** Null where nothing was chosen yet. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
