// Build the page of components as the web app is built, and serve it from this process.
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const frontend = new URL('../../../frontend/', import.meta.url)
const require = createRequire(new URL('package.json', frontend))
const load = (name) => import(pathToFileURL(require.resolve(name)).href)

/** Hand the address of the built page to `use`, and take everything away afterwards. */
export async function withComponents(use) {
  const [vite, { default: vue }] = await Promise.all(['vite', '@vitejs/plugin-vue'].map(load))
  const outDir = mkdtempSync(join(tmpdir(), 'wattmark-components-'))
  const config = {
    configFile: false,
    logLevel: 'warn',
    root: fileURLToPath(new URL('components', import.meta.url)),
    plugins: [vue()],
    resolve: { alias: { '@': fileURLToPath(new URL('src', frontend)), vue: fileURLToPath(new URL('node_modules/vue', frontend)) } },
    build: { outDir, emptyOutDir: true, target: 'es2022', reportCompressedSize: false },
    preview: { port: 0 },
  }
  await vite.build(config)
  const server = await vite.preview(config)
  try {
    return await use(server.resolvedUrls.local[0])
  } finally {
    await server.close()
    rmSync(outDir, { recursive: true, force: true })
  }
}
