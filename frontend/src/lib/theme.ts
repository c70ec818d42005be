/** Light or dark: the system's choice unless the reader made one. `public/theme.js` sets it before the first paint. */

import { useEventListener, usePreferredDark } from "@vueuse/core"
import { computed, shallowRef, watch } from "vue"
import { remember, remembered } from "./remembered"

const KEY = "wattmark.theme"

/** What the reader chose: "light" or "dark"; anything else leaves it to the system. */
const chosen = shallowRef(remembered(KEY))
const systemDark = usePreferredDark()
/** Whether the page is being printed: paper is white in both themes. */
export const printing = shallowRef(false)

export const theme = computed<"light" | "dark">(() => {
  if (printing.value || chosen.value === "light") return "light"
  return chosen.value === "dark" || systemDark.value ? "dark" : "light"
})

export function startTheme(): void {
  useEventListener("beforeprint", () => (printing.value = true))
  useEventListener("afterprint", () => (printing.value = false))
  watch(theme, (now) => (document.documentElement.dataset.theme = now), { immediate: true, flush: "sync" })
}

export function chooseTheme(choice: "light" | "dark"): void {
  chosen.value = choice
  remember(KEY, choice)
}
