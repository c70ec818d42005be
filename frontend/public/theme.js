// Runs before the first paint so that no page flashes in the wrong theme.
;(function () {
  var chosen = null
  try {
    chosen = localStorage.getItem("wattmark.theme")
  } catch {
    chosen = null
  }
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches)
  document.documentElement.dataset.theme = dark ? "dark" : "light"
})()
