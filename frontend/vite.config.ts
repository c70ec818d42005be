import { fileURLToPath } from "node:url"
import tailwindcss from "@tailwindcss/vite"
import vue from "@vitejs/plugin-vue"
import { defineConfig } from "vitest/config"

// What a first visit needs and other pages too; anything else in here would make the first visit larger.
const common = [
  /@vueuse|ohash|src\/lib\/(element|channels)|src\/charts\/(colours|timeWindow)/,
  /src\/components\/(PageHead|UiBadge|UiSegment|UiSkeleton|ProblemNote|ProblemState|EmptyState|UiField|buttonClass)\./,
]
// Which modules travel together: a request costs more than a few kB, so what pages share lies in few files.
const groups = [
  { name: "shell", tags: ["$initial" as const], minShareCount: 1 },
  { name: "common", test: (id: string) => common.some((one) => one.test(id)) },
  // What the tiles of Live need before their traces are there.
  {
    name: "live",
    test: /src\/(charts\/(range|envelope)|live\/(past|mark|wall)|api\/live|strings\/(live|wall)|lib\/pace)\./,
  },
  { name: "plot", test: /uplot\/dist|src\/charts\/(lonely|traces\/steps)/ },
  { name: "table", test: /@tanstack\/(vue-)?table|src\/components\/(DataTable|NumberCell|tableModel)/ },
  // What is found in by a part of its name: the search, and the facets of a fleet.
  { name: "finding", test: /reka-ui\/dist\/(Listbox|Popover)\/|components\/UiSearchFacet/ },
  { name: "controls", test: /reka-ui|@floating-ui|aria-hidden|src\/components/ },
  { name: "figures", test: /src\/charts\/(?!traces|live)|d3-array|internmap/ },
  { name: "fleet", test: /src\/(strings|api)\/fleet\./ },
  { name: "words", test: /src\/(strings|lib|format|api|pages\/start)/, minShareCount: 3 },
]

const service = process.env.WATTMARK_SERVICE ?? "http://127.0.0.1:8400"

export default defineConfig({
  // No component, here or in the libraries, is written with the options API.
  plugins: [vue({ features: { optionsAPI: false } }), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("src", import.meta.url)) } },
  build: {
    outDir: "../backend/wattmark/_ui",
    emptyOutDir: true,
    target: "es2022",
    reportCompressedSize: false,
    // Browsers that know the rest of the target preload by themselves.
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { minShareCount: 2, groups } } },
  },
  server: {
    proxy: {
      // The service answers only to its own name and origin.
      "/api": { target: service, changeOrigin: true, headers: { origin: service } },
    },
  },
  test: { environment: "happy-dom", include: ["tests/**/*.test.ts"], isolate: false },
})
