/** Light or dark: the system's choice unless the reader made one. `public/theme.js` sets it before the first paint. */

import { computed, shallowRef } from "vue"

export type ThemeChoice = "system" | "light" | "dark"

const KEY = "wattmark.theme"
const system = matchMedia("(prefers-color-scheme: dark)")

export const themeChoice = shallowRef<ThemeChoice>(stored())
const systemDark = shallowRef(system.matches)
/** Paper is white whatever the screen is. */
const printing = shallowRef(false)

export const theme = computed<"light" | "dark">(() => {
  if (printing.value) return "light"
  return themeChoice.value === "system" ? (systemDark.value ? "dark" : "light") : themeChoice.value
})

export function startTheme(): void {
  system.addEventListener("change", (event) => {
    systemDark.value = event.matches
    apply()
  })
  for (const [event, now] of [
    ["beforeprint", true],
    ["afterprint", false],
  ] as const) {
    addEventListener(event, () => {
      printing.value = now
      apply()
    })
  }
  apply()
}

export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice
  try {
    localStorage.setItem(KEY, choice)
  } catch {
    // A browser without storage forgets the choice; the page still follows it until it is left.
  }
  apply()
}

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY)
    return value === "light" || value === "dark" ? value : "system"
  } catch {
    return "system"
  }
}

function apply(): void {
  document.documentElement.dataset.theme = theme.value
}
