import { fileURLToPath } from "node:url"
import tailwindcss from "@tailwindcss/vite"
import vue from "@vitejs/plugin-vue"
import { defineConfig } from "vitest/config"

const service = process.env.WATTMARK_SERVICE ?? "http://127.0.0.1:8400"

export default defineConfig({
  plugins: [vue(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("src", import.meta.url)) } },
  build: {
    outDir: "../backend/wattmark/_ui",
    emptyOutDir: true,
    target: "es2022",
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      // The service answers only to its own name and origin.
      "/api": { target: service, changeOrigin: true, headers: { origin: service } },
    },
  },
  test: { environment: "happy-dom", include: ["tests/**/*.test.ts"], isolate: false },
})
