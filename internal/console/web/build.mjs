// Builds the page into the folder page: index.html, app.js, app.css, and sources.sum, by which a
// test in Go finds that the page is older than its sources.
//
//     node build.mjs
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

const here = new URL('.', import.meta.url).pathname
const page = join(here, 'page')
await rm(page, { recursive: true, force: true })
await mkdir(page)
await build({
  entryPoints: { app: join(here, 'src/main.tsx') },
  outdir: page,
  absWorkingDir: here,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'eof',
  jsx: 'automatic',
  jsxImportSource: 'preact',
})
await copyFile(join(here, 'src/index.html'), join(page, 'index.html'))
await copyFile(join(here, 'src/icon.svg'), join(page, 'icon.svg'))

// One line for each source, as sha256sum prints it, in the order of the names.
const sources = ['build.mjs', 'package-lock.json', 'package.json', 'tsconfig.json']
for (const entry of await readdir(join(here, 'src'), { recursive: true, withFileTypes: true })) {
  if (entry.isFile()) sources.push(join(entry.parentPath, entry.name).slice(here.length))
}
const lines = await Promise.all(sources.sort().map(async (name) =>
  `${createHash('sha256').update(await readFile(join(here, name))).digest('hex')}  ${name}\n`))
await writeFile(join(page, 'sources.sum'), lines.join(''))
