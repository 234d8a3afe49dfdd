// Asks Lighthouse about views of the console, on a screen and a phone, and prints its scores.
//
//     node figures.mjs PROGRAM     PROGRAM is a built examples/library
//
// It fails for what Lighthouse finds wrong in accessibility or best practices. The score of
// performance is a figure of this machine, and fails nothing. CHROMIUM names the browser.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import lighthouse, { desktopConfig } from 'lighthouse'
import puppeteer from 'puppeteer-core'

const [program] = process.argv.slice(2)
const views = {
  'start': '#/',
  'objects of a kind': '#/list/rbac.authorization.k8s.io/v1/clusterroles',
  'one object': '#/object/core/v1/namespaces/-/default',
  'how it runs': '#/run',
}
const screens = { screen: desktopConfig, phone: undefined } // a phone is what Lighthouse takes by itself
const categories = ['performance', 'accessibility', 'best-practices']
const maxWaitForLoad = 10_000 // milliseconds: a watch never ends, so the network is never still
const folder = await mkdtemp(join(tmpdir(), 'console-lighthouse-'))
const children = []

// start runs the program until it prints a line that fits.
function start(args, wanted) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let log = ''
  child.stderr.on('data', (data) => { log += data })
  return new Promise((found, failed) => {
    createInterface({ input: child.stdout }).on('line', (line) => { const match = wanted.exec(line); if (match) found(match[1]) })
    child.on('exit', (code) => failed(new Error(`${program} ${args.join(' ')} has ended with ${code}\n${log}`)))
  })
}

const faults = []
let browser
try {
  await start(['--data-dir', folder, '--secure-port', '0'], /^export (KUBECONFIG)/)
  const address = await start(['console', '--data-dir', folder, '--no-browser'], /^(http:\/\/127\.0\.0\.1:\d+\/\?token=\w+)$/)
  browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'] })
  const tab = await browser.newPage()
  await tab.goto(address)
  await tab.waitForSelector('.cards a', { timeout: 60_000 })
  const home = tab.url().split('#')[0]
  console.log(`| view | | ${categories.join(' | ')} | first text | largest |\n|---|---|---|---|---|---|---|`)
  for (const [view, hash] of Object.entries(views)) {
    for (const [screen, config] of Object.entries(screens)) {
      await tab.goto('about:blank') // another # alone would load nothing
      // The session is in a cookie, which has to stay.
      const { lhr } = await lighthouse(home + hash, { onlyCategories: categories, disableStorageReset: true, maxWaitForLoad, logLevel: 'error' }, config, tab)
      const score = (name) => Math.round(lhr.categories[name].score * 100)
      console.log(`| ${view} | ${screen} | ${categories.map(score).join(' | ')} | ${lhr.audits['first-contentful-paint'].displayValue} | ${lhr.audits['largest-contentful-paint'].displayValue} |`)
      if (lhr.runtimeError) faults.push(`${view} (${screen}): ${lhr.runtimeError.message}`)
      for (const name of categories.slice(1)) {
        for (const { id, weight } of lhr.categories[name].auditRefs) {
          const { score, title, details } = lhr.audits[id]
          const items = details?.items ?? []
          if (weight > 0 && score !== null && score < 1) faults.push(`${view} (${screen}): ${id}: ${title} ${JSON.stringify(items.slice(0, 3))}`)
        }
      }
    }
  }
} finally {
  await browser?.close()
  for (const child of children) { child.removeAllListeners('exit'); child.kill() }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
for (const fault of faults) console.error(fault)
process.exit(faults.length ? 1 : 0)
