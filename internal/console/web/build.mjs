// Builds the page into the folder page: index.html, app.js, editor.js, which is read when somebody
// edits, app.css, the licences of what is in them, and sources.sum, by which a test in Go finds that the page is older than its sources.
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
const result = await build({
  entryPoints: { app: join(here, 'src/main.tsx') },
  outdir: page,
  absWorkingDir: here,
  bundle: true,
  metafile: true,
  minify: true,
  format: 'esm',
  splitting: true,
  chunkNames: '[name]',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'eof',
  jsx: 'automatic',
  jsxImportSource: 'preact',
})
await copyFile(join(here, 'src/index.html'), join(page, 'index.html'))
await copyFile(join(here, 'src/icon.svg'), join(page, 'icon.svg'))

// What others wrote is handed on with its licence, below its name and version: hack/licenses and the
// SBOM of an image read them there. A package that is added and not named here fails the build.
const others = [
  ...['autocomplete', 'commands', 'lang-yaml', 'language', 'lint', 'search', 'state', 'streamparser', 'view'].map((name) => '@codemirror/' + name),
  ...['common', 'highlight', 'lr', 'yaml'].map((name) => '@lezer/' + name),
  '@marijn/find-cluster-break', 'crelt', 'diff', 'preact', 'style-mod', 'w3c-keyname', 'yaml',
]
const bundled = new Set(Object.keys(result.metafile.inputs).map((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1]).filter(Boolean))
if ([...bundled].sort().join() !== others.join()) throw new Error(`the page has ${[...bundled]}, and licences of ${others}`)
const licences = await Promise.all(others.map(async (name) => {
  const folder = join(here, 'node_modules', name)
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return `${name} ${version}\n\n${await readFile(join(folder, 'LICENSE'), 'utf8')}`
}))
await writeFile(join(page, 'licenses.txt'), licences.join('\n\n'))

// One line for each source, as sha256sum prints it, in the order of the names.
const sources = ['build.mjs', 'package-lock.json', 'package.json', 'tsconfig.json']
for (const entry of await readdir(join(here, 'src'), { recursive: true, withFileTypes: true })) {
  if (entry.isFile()) sources.push(join(entry.parentPath, entry.name).slice(here.length))
}
const lines = await Promise.all(sources.sort().map(async (name) =>
  `${createHash('sha256').update(await readFile(join(here, name))).digest('hex')}  ${name}\n`))
await writeFile(join(page, 'sources.sum'), lines.join(''))
