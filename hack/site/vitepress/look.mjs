// Looks at the site as readers do: in Chromium, in light and dark, on a screen and on a phone.
//
//     node look.mjs            after the site was built
//     node look.mjs /tags      only some pages
//
// It fails for a request to another host, an error in the console, a page that is wider than the
// screen, what axe calls serious or critical, and a search that finds nothing. Pictures of what it
// saw are in the folder look. CHROMIUM names the program.
import { createServer } from 'node:http'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import puppeteer from 'puppeteer-core'

const pages = process.argv.length > 2 ? process.argv.slice(2) : ['/', '/documents', '/tutorial', '/operations', '/console', '/kubernetes', '/tags', '/flags', '/metrics', '/packages/', '/packages/typeplane', '/design/', '/design/033-transcoding', '/examples/library/docs/library.example.com_v1', '/nowhere']
const screens = { screen: { width: 1280, height: 800 }, phone: { width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 } }
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png' }

const dist = new URL('dist', import.meta.url).pathname
// patience is for a machine that does much else.
const patience = 600_000
const faults = []

// serve answers as a host of static files does.
const server = createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://site').pathname)
  const file = path.endsWith('/') ? path + 'index.html' : extname(path) && extname(path) in types ? path : path + '.html'
  try {
    const data = await readFile(join(dist, file))
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(data)
  } catch {
    response.writeHead(404, { 'content-type': 'text/html' }).end(await readFile(join(dist, '404.html')))
  }
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const origin = `http://127.0.0.1:${server.address().port}`

const axe = await readFile(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const pictures = new URL('look/', import.meta.url).pathname
await rm(pictures, { recursive: true, force: true })
await mkdir(pictures)

const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', timeout: patience, protocolTimeout: patience, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
try {
  for (const [screen, viewport] of Object.entries(screens)) {
    for (const scheme of ['light', 'dark']) {
      for (const page of pages) await look(page, screen, viewport, scheme)
    }
  }
  await search('encryption', '/encryption')
} finally {
  await browser.close()
  server.close()
}
for (const fault of new Set(faults)) console.error(fault)
console.log(`${pages.length} pages in ${Object.keys(screens).length * 2} ways, ${new Set(faults).size} faults; pictures are in ${pictures}`)
process.exitCode = faults.length ? 1 : 0

// open is a page that notes what it should not do.
async function open(path, viewport, scheme) {
  const tab = await browser.newPage()
  tab.setDefaultTimeout(patience)
  await tab.setViewport(viewport)
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  tab.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:' && url.protocol !== 'blob:') faults.push(`${path} asks ${url.origin}`)
  })
  tab.on('pageerror', (error) => faults.push(`${path}: ${error}`))
  tab.on('console', (message) => {
    if (message.type() === 'error' && path !== '/nowhere') faults.push(`${path}: ${message.text()}`)
  })
  await tab.goto(origin + path, { waitUntil: 'load' })
  await tab.waitForFunction(() => document.querySelector('#app').__vue_app__)
  return tab
}

async function look(path, screen, viewport, scheme) {
  const tab = await open(path, viewport, scheme)
  const where = `${path} (${screen}, ${scheme})`
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  if (wide > 0) faults.push(`${where} is ${wide} pixels wider than the screen`)
  await tab.evaluate(axe)
  const found = await tab.evaluate(() => window.axe.run({ resultTypes: ['violations'] }))
  for (const violation of found.violations) {
    if (!['serious', 'critical'].includes(violation.impact)) continue
    const nodes = violation.nodes.slice(0, 3).map((node) => `${node.target} ${node.any[0]?.message ?? ''}`).join('; ')
    faults.push(`${where}: axe: ${violation.id}: ${violation.nodes.length} times: ${nodes}`)
  }
  await tab.screenshot({ path: join(pictures, `${screen}-${scheme}-${path.replaceAll('/', '_')}.png`) })
  await tab.close()
}

// search asks for a word, and wants a page among what is found.
async function search(word, page) {
  const tab = await open('/', screens.screen, 'light')
  await tab.click('.VPNavBarSearch button')
  await tab.waitForSelector('#localsearch-input')
  await tab.type('#localsearch-input', word)
  const found = await tab.waitForSelector(`#localsearch-list a[href*="${page}"]`).catch(() => null)
  if (!found) faults.push(`a search for ${word} does not find ${page}`)
  await tab.screenshot({ path: join(pictures, 'search.png') })
  await tab.close()
}
