// Uses the console as a person does, in Chromium, against a running server.
//
//     node look.mjs PROGRAM [WORD]     PROGRAM is a built examples/library; with a WORD, only
//                                      what has it in its name is done
//
// It fails for a step that does not come to what it says, a request to another host, an error in
// the console of the browser, a page wider than the screen, and what axe calls serious or critical.
// Pictures of what it saw are in the folder look. CHROMIUM names the browser.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import puppeteer from 'puppeteer-core'

const [program, word = ''] = process.argv.slice(2)
const screens = { screen: { width: 1280, height: 800 }, phone: { width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 } }
const library = '#/list/library.example.com/v1/'
const book = '#/object/library.example.com/v1/books/default/'
const views = {
  home: ['#/', '.cards .count:not(:empty)'],
  books: [library + 'books', '[data-row="3"]'],
  'books-wide': [library + 'books?wide=yes&namespace=default', '[data-row="3"]'],
  shelves: [library + 'shelves', '.empty, [data-row="0"]'],
  roles: ['#/list/rbac.authorization.k8s.io/v1/clusterroles', '[data-row="3"]'],
  book: [book + 'the-go-programming-language', '.yaml li'],
  edit: [book + 'the-go-programming-language?tab=edit', '.editor'],
  new: ['#/new/library.example.com/v1alpha1/books?namespace=default', '.editor'],
  lend: [book + 'the-go-programming-language?tab=action&action=lend', '.field input'],
  token: ['#/object/core/v1/serviceaccounts/default/default?tab=action&action=token', '.field input'],
  events: [book + 'hostile?tab=events', '.events li'],
  relations: [book + 'the-go-programming-language?tab=relations', '.relations a'],
  versions: [book + 'the-go-programming-language?tab=versions', '.beside .added'],
  disk: [book + 'the-go-programming-language?tab=disk', '.dump td'],
  watch: [book + 'the-go-programming-language?tab=watch', '.log .bookmark'],
  me: ['#/me', 'table'],
  run: ['#/run', '[aria-label="Requests and watches"] td'],
  nowhere: ['#/list/core/v1/nothing', '.problem'],
}
// An answer with an error is an error in the console of the browser, where it is meant to be one.
const refusals = /the server responded with a status of (404|409|422|501)/

const faults = []
let away = false // the server is, so that requests fail
const children = []
const patience = 60_000
const folder = await mkdtemp(join(tmpdir(), 'console-'))
const axe = await readFile(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const pictures = new URL('look/', import.meta.url).pathname
await rm(pictures, { recursive: true, force: true })
await mkdir(pictures)

// start runs the program until it prints a line that fits, and returns what of it is asked for.
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

// step notes what goes wrong in one step, and goes on with the next.
async function step(name, run) {
  if (!name.includes(word)) return
  try {
    await run()
  } catch (error) {
    faults.push(`${name}: ${error.message}`)
    for (const [n, tab] of (await browser.pages()).entries()) {
      await tab.bringToFront() // the browser draws no other
      await picture(tab, `failed-${name.replaceAll(' ', '-')}-${n}`)
    }
  }
}

// open is a page that notes what it should not do.
async function open(at, viewport = screens.screen, scheme = 'light') {
  const tab = await browser.newPage()
  tab.setDefaultTimeout(patience)
  await tab.setViewport(viewport)
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  tab.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:') faults.push(`${at} asks ${url.origin}`)
  })
  tab.on('pageerror', (error) => faults.push(`${at}: ${error}`))
  tab.on('dialog', (dialog) => { faults.push(`${at}: a script of an object has run: ${dialog.message()}`); void dialog.dismiss() })
  tab.on('console', (message) => {
    if (message.type() === 'error' && !away && !refusals.test(message.text())) faults.push(`${at}: ${message.text()}`)
  })
  await tab.goto(at)
  return tab
}

// used wants the address to be good once.
async function used() {
  const tab = await browser.newPage()
  const answer = await tab.goto(address)
  if (answer.status() !== 403) faults.push(`the address was good twice: ${answer.status()}`)
  await tab.close()
}

// send asks the server from within the page.
function send(tab, method, path, body) {
  return tab.evaluate(async (method, path, body) => {
    const answer = await fetch('server' + path, { method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return answer.json()
  }, method, path, body)
}

const books = '/apis/library.example.com/v1/namespaces/default/books'
const aBook = (name, spec = {}, metadata = {}) => ({ apiVersion: 'library.example.com/v1', kind: 'Book', metadata: { name, ...metadata }, spec: { title: 'Title of ' + name, ...spec } })
const bad = '<img src=x onerror=alert(1)><script>alert(2)</script>'

// fill makes what the views show.
async function fill(tab) {
  const go = aBook('the-go-programming-language', { title: 'The Go Programming Language', authors: ['Alan A. A. Donovan', 'Brian W. Kernighan'], isbn: '978-0-13-419044-0', genre: 'Science', copies: 2, shelf: 'programming' }, { labels: { shelf: 'programming', language: 'go' } })
  const owner = await send(tab, 'POST', books, go)
  const owners = [{ apiVersion: 'library.example.com/v1', kind: 'Book', name: owner.metadata.name, uid: owner.metadata.uid }]
  await send(tab, 'POST', books, aBook('errata-of-go', { title: 'Errata', copies: 1 }, { ownerReferences: owners }))
  await send(tab, 'POST', books, aBook('the-c-programming-language', { title: 'The C Programming Language', authors: ['Brian W. Kernighan', 'Dennis M. Ritchie'], genre: 'Science', copies: 1 }))
  await send(tab, 'POST', books, aBook('kitab', { title: 'كتاب البرمجة بلغة جو', authors: ['مؤلف'] }))
  const hostile = await send(tab, 'POST', books, aBook('hostile', { title: bad, authors: [bad] }, { annotations: { note: bad } }))
  await send(tab, 'POST', '/api/v1/namespaces/default/events', {
    apiVersion: 'v1', kind: 'Event', metadata: { name: 'hostile.1' }, type: 'Warning', reason: 'Overdue', message: bad, count: 3,
    involvedObject: { apiVersion: 'library.example.com/v1', kind: 'Book', namespace: 'default', name: 'hostile', uid: hostile.metadata.uid },
    source: { component: 'desk' }, lastTimestamp: new Date().toISOString(),
  })
}

const go = (tab, hash) => tab.evaluate((hash) => { location.hash = hash }, hash)

const holds = (tab, selector, text) => tab.waitForFunction((selector, text) => [...document.querySelectorAll(selector)].some((each) => each.textContent.includes(text)), {}, selector, text)
  .catch((error) => { throw new Error(`${selector} has no ${JSON.stringify(text)}: ${error.message}`) })

// live: what is made, changed and deleted elsewhere is seen without a reload.
async function live(tab) {
  await go(tab, library + 'books')
  await holds(tab, '.state', 'live')
  await send(tab, 'POST', books, aBook('made-elsewhere', { title: 'First words' }))
  await holds(tab, '.line', 'First words')
  await send(tab, 'PUT', books + '/made-elsewhere', aBook('made-elsewhere', { title: 'Second words' }))
  await holds(tab, '.line', 'Second words')
  await send(tab, 'DELETE', books + '/made-elsewhere')
  await tab.waitForFunction(() => !document.body.textContent.includes('made-elsewhere'))
}

// keys: a person finds and opens an object without a mouse, and comes back.
async function keys(tab) {
  await tab.keyboard.press('/')
  await tab.keyboard.type('programming language')
  await tab.waitForFunction(() => document.querySelectorAll('.lines .line').length === 2)
  await tab.focus('[data-row="0"]')
  await tab.keyboard.press('ArrowDown')
  await tab.waitForFunction(() => document.activeElement?.dataset.row === '1')
  await tab.keyboard.press('Enter')
  await holds(tab, 'h1', 'the-go-programming-language')
  await holds(tab, '.yaml button', 'copies:')
  await tab.evaluate(() => [...document.querySelectorAll('.yaml button')].find((line) => line.textContent.includes('copies:')).click())
  await holds(tab, 'aside', 'copies is how many of the book the library owns.')
  await tab.goBack()
  await tab.waitForFunction(() => document.querySelector('main input[type=search]')?.value === 'programming language')
}

// editing waits for the editor, which is in a shadow tree.
const editing = (tab) => tab.waitForFunction(() => document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-line'))
const inEditor = (tab, selector) => tab.evaluate((selector) => [...document.querySelector('.editor').shadowRoot.querySelectorAll(selector)].map((each) => each.textContent), selector)

// type writes over a text in the editor, which it chooses with the mouse.
async function type(tab, from, to) {
  await editing(tab)
  const at = await tab.evaluate((from) => {
    const line = [...document.querySelector('.editor').shadowRoot.querySelectorAll('.cm-line')].find((each) => each.textContent.includes(from))
    if (!line) throw new Error(`the text does not have ${from}`)
    line.scrollIntoView({ block: 'center' })
    const range = document.createRange()
    const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
    const start = line.textContent.indexOf(from)
    let before = 0
    for (let node = texts.nextNode(); node; before += node.length, node = texts.nextNode()) {
      const within = (offset) => offset >= before && offset <= before + node.length
      if (within(start)) range.setStart(node, start - before)
      if (within(start + from.length)) range.setEnd(node, start + from.length - before)
    }
    const { left, right, top, height } = range.getBoundingClientRect()
    return { left, right, y: top + height / 2 }
  }, from)
  await tab.mouse.move(at.left, at.y)
  await tab.mouse.down()
  await tab.mouse.move(at.right, at.y)
  await tab.mouse.up()
  await tab.keyboard.type(to)
}

const press = async (tab, name) => {
  await tab.waitForFunction((name) => [...document.querySelectorAll('button')].some((each) => each.textContent === name && !each.disabled), {}, name)
    .catch((error) => { throw new Error(`no button ${name}: ${error.message}`) })
  await tab.evaluate((name) => [...document.querySelectorAll('button')].find((each) => each.textContent === name && !each.disabled).click(), name)
}

// edit: a fault is shown at its field, a change as a diff before it is made, and nothing is kept
// until then.
async function edit(tab) {
  await go(tab, book + 'the-go-programming-language?tab=edit')
  await type(tab, 'copies: 2', 'copies: -2')
  await press(tab, 'Review')
  await holds(tab, '.problem li', 'spec.copies')
  await tab.waitForFunction(() => [...document.querySelector('.editor').shadowRoot.querySelectorAll('.cm-lintRange-error')].map((each) => each.textContent).join('') === 'copies: -2')
  await picture(tab, 'fault')
  await type(tab, 'copies: -2', 'copies: 7')
  await press(tab, 'Review')
  await holds(tab, '.diff .added', 'copies: 7')
  await picture(tab, 'diff')
  const before = await send(tab, 'GET', books + '/the-go-programming-language')
  if (before.spec.copies !== 2) throw new Error('a review has changed the object')
  await press(tab, 'Apply')
  await holds(tab, '.yaml li', 'copies: 7')
  const after = await send(tab, 'GET', books + '/the-go-programming-language')
  if (after.spec.copies !== 7) throw new Error(`copies is ${after.spec.copies}`)
}

// complete: the editor knows fields and values, and what they are for. Tab leaves it.
async function complete(tab) {
  await go(tab, book + 'the-c-programming-language?tab=edit')
  await type(tab, 'genre: Science', 'genre: ')
  await tab.keyboard.down('Control')
  await tab.keyboard.press('Space')
  await tab.keyboard.up('Control')
  await offered(tab, 'Reference')
  await picture(tab, 'values')
  await tab.keyboard.type('Ref')
  await tab.waitForFunction(() => document.querySelector('.editor').shadowRoot.querySelectorAll('.cm-tooltip-autocomplete li').length === 1)
  await new Promise((done) => setTimeout(done, 200)) // a key that comes at once is not taken for an answer
  await tab.keyboard.press('Enter')
  await tab.keyboard.press('Enter')
  await tab.keyboard.type('she')
  await offered(tab, 'shelf')
  await tab.waitForFunction(() => document.querySelector('.editor').shadowRoot.querySelector('.cm-completionInfo')?.textContent.includes('shelf'))
  await picture(tab, 'fields')
  await new Promise((done) => setTimeout(done, 200))
  await tab.keyboard.press('Enter')
  await tab.keyboard.type('languages')
  const lines = await inEditor(tab, '.cm-line')
  if (!lines.includes('  genre: Reference') || !lines.includes('  shelf: languages')) throw new Error(`the text is ${lines.join('\n')}`)
  await tab.keyboard.press('Tab')
  const left = await tab.evaluate(() => document.activeElement.textContent)
  if (left !== 'Review') throw new Error(`Tab leads from the editor to ${left}`)
  await press(tab, 'Review')
  await holds(tab, '.diff .added', 'shelf: languages')
}

const offered = (tab, label) => tab.waitForFunction((label) => [...document.querySelector('.editor').shadowRoot.querySelectorAll('.cm-tooltip-autocomplete li')].some((each) => each.textContent.includes(label)), {}, label)
  .catch((error) => { throw new Error(`${label} is not offered: ${error.message}`) })

// write types into the field of a form.
async function write(tab, field, text) {
  await tab.waitForSelector(`[id="field-${field}"]`)
  await tab.$eval(`[id="field-${field}"]`, (input) => { input.value = ''; input.dispatchEvent(new Event('input', { bubbles: true })) })
  await tab.type(`[id="field-${field}"]`, text)
}

// actions: forms of subresources, with the schema's words. A fault is at its field, a try keeps
// nothing, and what is done is answered.
async function actions(tab) {
  await send(tab, 'POST', books, aBook('to-lend', { copies: 3 }))
  await go(tab, book + 'to-lend')
  await tab.waitForSelector('a.button[href*="action=lend"]')
  await tab.click('a.button[href*="action=lend"]')
  await holds(tab, '.field .words', 'reader is who takes the copy home.')
  await press(tab, 'Lend')
  await holds(tab, '.problem li', 'reader')
  await tab.waitForSelector('#field-reader[aria-invalid=true]')
  await picture(tab, 'lend-fault')
  await write(tab, 'reader', 'Ann')
  await press(tab, 'Try')
  await holds(tab, '.answered', 'Nothing was kept.')
  await holds(tab, '.answered pre', 'left: 2')
  if ((await send(tab, 'GET', books + '/to-lend')).status.available !== 3) throw new Error('a try has lent a book')
  await press(tab, 'Lend')
  await holds(tab, '.answered', 'It is done.')
  if ((await send(tab, 'GET', books + '/to-lend')).status.available !== 2) throw new Error('the book was not lent')

  await go(tab, '#/object/core/v1/serviceaccounts/default/default?tab=action&action=token')
  await press(tab, 'Add to audiences')
  await write(tab, 'spec.audiences[0]', 'desk')
  await write(tab, 'spec.expirationSeconds', 'an hour')
  await press(tab, 'Try')
  const said = await tab.$eval('[id="field-spec.expirationSeconds"]', (input) => input.validationMessage)
  if (said !== 'This is no whole number.') throw new Error(`an hour is taken as a number: ${said}`)
  await write(tab, 'spec.expirationSeconds', '60')
  await press(tab, 'Try')
  await holds(tab, '.problem li', 'spec.expirationSeconds')
  await write(tab, 'spec.expirationSeconds', '1200')
  await press(tab, 'Token')
  await holds(tab, '.answered pre', 'token: ey')
  await check(tab, 'token')

  await go(tab, '#/object/core/v1/namespaces/-/default?tab=action&action=finalize')
  await press(tab, 'Add to finalizers')
  await write(tab, 'spec.finalizers[1]', 'example.com/kept')
  await press(tab, 'Try')
  await holds(tab, '.diff .added', 'example.com/kept')
}

// versions: the same object in two versions, with what differs.
async function versions(tab) {
  await go(tab, book + 'the-go-programming-language?tab=versions')
  await holds(tab, '.beside th', 'library.example.com/v1alpha1')
  await holds(tab, '.beside .removed', 'apiVersion: library.example.com/v1')
  await holds(tab, '.beside .added', 'apiVersion: library.example.com/v1alpha1')
  await holds(tab, '.beside .removed', '- Brian W. Kernighan')
  await holds(tab, '.beside .added', 'author: Alan A. A. Donovan; Brian W. Kernighan')
}

// disk: the bytes in etcd are shown, with the fields named. Where the console does not see them, it
// says so.
async function disk(tab) {
  await go(tab, book + 'the-go-programming-language?tab=disk')
  await holds(tab, '.disk dd', '/registry/library.example.com/books/default/the-go-programming-language')
  const lines = await tab.$$eval('.dump tbody tr', (lines) => lines.map((line) => [...line.cells].map((cell) => cell.textContent.trim())))
  const [, first] = lines[0]
  if (first !== '6b 38 73 00') throw new Error(`the bytes begin with ${first}`)
  const isbn = lines.find((line) => line[3] === 'spec.isbn')
  if (!isbn?.[2].includes('978-0-13-419')) throw new Error(`spec.isbn is at ${isbn}`)
  const other = await start(['console', '--kubeconfig', kubeconfig, '--no-browser'], printed)
  const elsewhere = await browser.newPage()
  await elsewhere.goto(other)
  await elsewhere.waitForSelector('.cards a')
  await go(elsewhere, book + 'the-go-programming-language?tab=disk')
  await holds(elsewhere, '.problem', 'not with --kubeconfig')
  await elsewhere.close()
}

// story: of a try, what the server has made of the request is told, and who is to answer for it.
async function story(tab) {
  await send(tab, 'POST', books, aBook('to-tell', { copies: 1 }))
  await go(tab, book + 'to-tell?tab=edit')
  await type(tab, '  genre: Fiction', '  # no genre')
  await press(tab, 'Review')
  await tab.waitForSelector('.story')
  await tab.click('.story summary')
  await holds(tab, '.story tr', 'spec.genre')
  await holds(tab, '.story td', '"Fiction"')
  await picture(tab, 'story')
}

// making: a new object is tried, and its way to the database is shown step by step: defaults, the
// hub, what the server fills in, the storage version, the bytes. Then it is made.
async function making(tab) {
  await go(tab, '#/new/library.example.com/v1alpha1/books?namespace=default')
  await type(tab, 'name:', 'name: newborn')
  await type(tab, 'pec:', 'pec: {title: The Newborn, author: Ada; Grace, isbn: 0-13-110362-8}')
  await press(tab, 'Review')
  await tab.waitForSelector('.steps, .problem')
  await tab.evaluate(() => document.querySelectorAll('.story')[1].querySelector('summary').click())
  const steps = await tab.$$eval('.steps > li', (steps) => steps.map((each) => each.innerText))
  const wanted = [/The Newborn/, /added:\s+copies: 1/, /SortTitle: Newborn[^]*- Ada\n *- Grace|- Ada\n *- Grace[^]*SortTitle: Newborn/, /manager: console/, /Nothing was changed/, /uid: /, /Nothing was changed/, /authors:\n *- Ada\n *- Grace/, /6b 38 73 00[^]*spec\.sortTitle/]
  if (steps.length !== wanted.length) throw new Error(`there are ${steps.length} steps`)
  for (const [n, step] of steps.entries()) if (!wanted[n].test(step)) throw new Error(`step ${n} is ${step}`)
  await check(tab, 'steps')
  await picture(tab, 'steps')
  if ((await send(tab, 'GET', books)).items.some((each) => each.metadata.name === 'newborn')) throw new Error('a review has made the object')
  await press(tab, 'Create')
  await holds(tab, 'h1', 'newborn')
  await send(tab, 'DELETE', books + '/newborn')
  await go(tab, '#/run')
  await holds(tab, '[aria-label="The end of the audit log"] td', books + '/newborn')
  await tab.evaluate(() => document.querySelector('[aria-label="The end of the audit log"]').scrollIntoView())
  await picture(tab, 'audit')
}

// watching: a watch is drawn as it runs, and begun again from a revision that it has passed.
async function watching(tab) {
  await send(tab, 'POST', books, aBook('to-watch'))
  await go(tab, book + 'to-watch?tab=watch')
  await holds(tab, '.log .added', 'to-watch')
  await holds(tab, '.log .bookmark', 'all that was there has been sent')
  const begun = await tab.$eval('.log .added button', (button) => button.textContent)
  await send(tab, 'PUT', books + '/to-watch', aBook('to-watch', { title: 'Second words' }))
  await holds(tab, '.log .modified', 'to-watch')
  await press(tab, 'Stop')
  await holds(tab, '.watch .state', 'stopped')
  await send(tab, 'DELETE', books + '/to-watch')
  await tab.evaluate((begun) => [...document.querySelectorAll('.log button')].find((each) => each.textContent === begun).click(), begun)
  await holds(tab, '.log .modified', 'to-watch')
  await holds(tab, '.log .deleted', 'to-watch')
  const types = await tab.$$eval('.log .type', (types) => types.map((each) => each.textContent))
  if (types.slice(0, 2).join() !== 'modified,deleted') throw new Error(`from revision ${begun} came ${types}`)
  await picture(tab, 'watching')
}

// breaks: a server that goes away is named where people look, and what is shown goes on by itself
// when it is back.
async function breaks(tab) {
  await go(tab, library + 'books')
  await holds(tab, '.state', 'live')
  const one = await open(home.split('#')[0] + book + 'kitab')
  await holds(one, '.state', 'live')
  const watched = await open(home.split('#')[0] + book + 'kitab?tab=watch')
  await holds(watched, '.cursor', 'waits for what comes next')
  const port = await portOf(kubeconfig)
  const [server] = children
  const ended = new Promise((done) => server.once('exit', done))
  away = true
  server.kill()
  await ended
  for (const page of [tab, one]) {
    await page.bringToFront() // the browser draws no other
    await holds(page, '.state.broken', 'not live')
    await holds(page, '.problem', 'It is tried again.')
    await check(page, 'broken')
  }
  await picture(one, 'broken')
  await tab.bringToFront()
  await go(tab, library + 'shelves') // of which nothing is known
  await holds(tab, '.problem', 'Shelf can’t be read right now.')
  await check(tab, 'unknown')
  await picture(tab, 'unknown')
  await go(tab, library + 'books')
  await watched.bringToFront()
  await holds(watched, '.watch .problem', 'The watch has ended.')
  await start(serverArgs(port), servedAt)
  await press(watched, 'Begin anew')
  await holds(watched, '.cursor', 'waits for what comes next')
  for (const page of [one, tab]) {
    await page.bringToFront()
    await holds(page, '.state.live', 'live')
    await page.waitForFunction(() => !document.querySelector('.problem'))
  }
  away = false
  await send(tab, 'POST', books, aBook('after-the-break'))
  await holds(tab, '.line', 'after-the-break')
  await one.close()
  await watched.close()
}

// portOf is where the server of a kubeconfig listens.
const portOf = async (file) => /server: https:\/\/[^:]+:(\d+)/.exec(await readFile(file, 'utf8'))[1]

// zones: times are those of the browser's zone, and the title has UTC, too.
async function zones() {
  const tab = await open(home)
  for (const [zone, offset] of [['Asia/Kolkata', 330], ['America/St_Johns', -210]]) {
    await tab.emulateTimezone(zone)
    await tab.goto('about:blank')
    await tab.goto(home.split('#')[0] + book + 'kitab?tab=watch')
    await holds(tab, '.about', 'old')
    await tab.waitForSelector('.log time')
    const times = await tab.$$eval('.about time, .log time', (times) => times.map(({ dateTime, title, textContent }) => ({ dateTime, title, textContent })))
    for (const { dateTime, title } of times) {
      const at = new Date(dateTime)
      const there = new Date(at.valueOf() + offset * 60_000) // whose UTC is the time there
      const clock = there.toLocaleTimeString('en-US', { timeZone: 'UTC' })
      if (!title.includes(clock) || !title.includes(at.toISOString())) throw new Error(`in ${zone}, ${dateTime} has the title ${title}`)
      if (new Date(at).toISOString() === there.toISOString()) throw new Error('a zone that is UTC shows nothing')
    }
    const came = times.at(-1)
    if (!came.title.includes(came.textContent)) throw new Error(`in ${zone}, ${came.dateTime} is shown as ${came.textContent}`)
  }
  await tab.close()
}

// rightToLeft: a text in Arabic runs from the right, and nothing around it does.
async function rightToLeft(tab) {
  await go(tab, library + 'books?namespace=default')
  await holds(tab, '.line', 'كتاب')
  const title = await tab.evaluate(() => {
    const cell = [...document.querySelectorAll('.line bdi')].find((each) => each.textContent.includes('كتاب'))
    return { of: getComputedStyle(cell).direction, around: getComputedStyle(cell.parentElement).direction }
  })
  if (title.of !== 'rtl' || title.around !== 'ltr') throw new Error(`a title in Arabic runs ${title.of}, in a cell that runs ${title.around}`)
  await go(tab, book + 'kitab')
  await holds(tab, '.yaml button', 'كتاب')
  const [key, value] = await tab.evaluate(() => {
    const line = [...document.querySelectorAll('.yaml button')].find((each) => each.textContent.includes('كتاب'))
    const [key, value] = [...line.querySelectorAll('.key, bdi')].map((each) => each.getBoundingClientRect())
    return [key.right, value.left]
  })
  if (!(key + 4 < value)) throw new Error(`in the text, the field ends at ${key} and its value begins at ${value}`)
  await picture(tab, 'right-to-left')
}

// keysOnPhone: on a small screen, too, all is reached without a mouse, and what has the focus is seen.
async function keysOnPhone() {
  const tab = await open(home, { width: 390, height: 844 })
  await tab.waitForSelector('.cards a')
  const focus = () => tab.evaluate(() => {
    const { left, right, top, bottom, width } = document.activeElement.getBoundingClientRect()
    const { innerWidth, innerHeight } = window
    const seen = width > 0 && left >= 0 && right <= innerWidth + 1 && bottom > 0 && top < innerHeight
    return { text: document.activeElement.textContent, name: document.activeElement.getAttribute('aria-label') ?? '', seen }
  })
  const tabTo = async (wanted) => {
    for (let left = 40; left > 0; left--) {
      await tab.keyboard.press('Tab')
      await tab.evaluate(() => new Promise(requestAnimationFrame))
      const now = await focus()
      if (!now.seen) throw new Error(`the focus is on ${JSON.stringify(now)}, which is not in sight`)
      if (now.text === wanted || now.name === wanted) return
    }
    throw new Error(`Tab does not lead to ${wanted}`)
  }
  await tabTo('Kinds')
  await tab.keyboard.press('Enter')
  await tabTo('Find a kind')
  await tab.keyboard.type('book')
  await tabTo('Book')
  await tab.keyboard.press('Enter')
  await holds(tab, 'h1', 'Book')
  await tab.waitForFunction(() => !document.querySelector('.side.open'))
  await tab.waitForSelector('[data-row="0"]')
  await tabTo('More filters')
  await tabTo('errata-of-go')
  await tab.keyboard.press('ArrowDown')
  await tab.keyboard.press('Enter')
  await holds(tab, '.crumbs', 'default')
  await tabTo('Edit')
  await tabTo('Versions')
  await tab.keyboard.press('Enter')
  await tab.waitForSelector('.beside td')
  await picture(tab, 'keys-on-phone')
  await tab.close()
}

// hostile: what objects say is text, in every view of them.
async function hostile(tab) {
  for (const at of [library + 'books', book + 'hostile', book + 'hostile?tab=edit', book + 'hostile?tab=events']) {
    await go(tab, at)
    await holds(tab, 'main', 'hostile')
    await tab.waitForFunction((bad) => document.querySelector('main').textContent.includes(bad) || document.querySelector('.editor')?.shadowRoot?.textContent.includes(bad), {}, bad)
    const made = await tab.evaluate(() => [document, document.querySelector('.editor')?.shadowRoot].flatMap((root) => [...root?.querySelectorAll('main img, main script, .cm-editor img, .cm-editor script') ?? []]).length)
    if (made > 0) throw new Error(`${at} has made ${made} elements`)
  }
}

// remove: what depends on an object is named before it is deleted.
async function remove(tab) {
  await send(tab, 'POST', books, aBook('to-remove'))
  await go(tab, book + 'the-go-programming-language')
  await holds(tab, 'h1', 'the-go-programming-language')
  await press(tab, 'Delete…')
  await holds(tab, 'dialog li', 'errata-of-go')
  await check(tab, 'remove')
  await picture(tab, 'remove')
  await press(tab, 'Keep it')
  await go(tab, book + 'to-remove')
  await holds(tab, 'h1', 'to-remove')
  await press(tab, 'Delete…')
  await holds(tab, 'dialog', 'Nothing that you may read depends on it.')
  await tab.evaluate(() => document.querySelector('dialog .danger').click())
  await holds(tab, 'h1', 'Book')
  await tab.waitForFunction(() => !document.body.textContent.includes('to-remove'))
}

// scroll: of many objects only those in sight are in the page, and the last can be reached.
async function scroll(tab) {
  const many = 3000
  await send(tab, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'many' } })
  await tab.evaluate(async (many) => {
    const left = Array.from({ length: many }, (_, n) => 'book-' + String(n).padStart(6, '0'))
    const work = async () => {
      for (let name = left.pop(); name; name = left.pop()) {
        const body = JSON.stringify({ apiVersion: 'library.example.com/v1', kind: 'Book', metadata: { name }, spec: { title: 'Title of ' + name } })
        const answer = await fetch('server/apis/library.example.com/v1/namespaces/many/books', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
        if (!answer.ok) throw new Error(await answer.text())
      }
    }
    await Promise.all(Array.from({ length: 5 }, work))
  }, many)
  await go(tab, library + 'books?namespace=many')
  await holds(tab, '.about', many.toLocaleString('en-US'))
  await tab.evaluate(() => { const box = document.querySelector('.grid'); box.scrollTop = box.scrollHeight })
  await holds(tab, '.line', 'book-002999')
  const lines = await tab.evaluate(() => document.querySelectorAll('.lines .line').length)
  if (lines > 80) throw new Error(`${lines} lines are in the page`)
  await go(tab, library + 'books?namespace=many&text=book-001234')
  await holds(tab, '.line', 'book-001234')
  await holds(tab, '.about', '1 of 3,000')
}

async function look(view, screen, viewport, scheme) {
  const [hash, ready] = views[view]
  const tab = await open(home.split('#')[0] + hash, viewport, scheme)
  const where = `${view} (${screen}, ${scheme})`
  await tab.waitForSelector(ready)
  if (view === 'book') await holds(tab, '.yaml button', 'genre:')
  if (view === 'edit') await editing(tab)
  if (view === 'book') await tab.evaluate(() => { document.querySelector('.tools input').click(); [...document.querySelectorAll('.yaml button')].find((line) => line.textContent.includes('genre:')).click() })
  await new Promise((done) => setTimeout(done, 300)) // for the picture alone: counts and fonts
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  if (wide > 0) faults.push(`${where} is ${wide} pixels wider than the screen`)
  await check(tab, where)
  await picture(tab, `${screen}-${scheme}-${view}`)
  if (screen === 'phone' && view === 'home') {
    await press(tab, 'Kinds')
    await check(tab, where + ', menu')
    await picture(tab, `${screen}-${scheme}-menu`)
  }
  await tab.close()
}

// check asks axe, in a world of its own, where the policy of the page lets it in.
async function check(tab, where) {
  const found = await tab.mainFrame().isolatedRealm().evaluate(axe + '; window.axe.run({ resultTypes: ["violations"] })')
  for (const violation of found.violations) {
    if (!['serious', 'critical'].includes(violation.impact)) continue
    const nodes = violation.nodes.slice(0, 3).map((node) => `${node.target} ${node.any[0]?.message ?? node.all[0]?.message ?? ''}`).join('; ')
    faults.push(`${where}: axe: ${violation.id}: ${violation.nodes.length} times: ${nodes}`)
  }
}

const picture = (tab, name) => tab.screenshot({ path: join(pictures, name + '.png') })

// All that is used is there: now it is done.
const servedAt = /^export KUBECONFIG='?([^']*)/
const serverArgs = (port) => ['--data-dir', folder, '--secure-port', port]
const kubeconfig = await start(serverArgs('0'), servedAt)
const printed = /^(http:\/\/127\.0\.0\.1:\d+\/\?token=\w+)$/
const address = await start(['console', '--data-dir', folder, '--no-browser'], printed)
const origin = new URL(address).origin
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'] })
let home
try {
  const tab = await open(address)
  await tab.waitForSelector('.cards a', { timeout: patience })
  home = tab.url()
  await used()
  await fill(tab)
  await step('live', () => live(tab))
  await step('keys', () => keys(tab))
  await step('edit', () => edit(tab))
  await step('complete', () => complete(tab))
  await step('actions', () => actions(tab))
  await step('versions', () => versions(tab))
  await step('disk', () => disk(tab))
  await step('story', () => story(tab))
  await step('making', () => making(tab))
  await step('watching', () => watching(tab))
  await step('hostile', () => hostile(tab))
  await step('zones', zones)
  await step('right to left', () => rightToLeft(tab))
  await step('keys on a phone', keysOnPhone)
  await step('remove', () => remove(tab))
  await step('scroll', () => scroll(tab))
  await step('breaks', () => breaks(tab))
  await tab.close()
  for (const [screen, viewport] of Object.entries(screens)) {
    for (const scheme of ['light', 'dark']) {
      for (const view of Object.keys(views)) await step(`${view} (${screen}, ${scheme})`, () => look(view, screen, viewport, scheme))
    }
  }
} finally {
  await browser.close()
  for (const child of children) { child.removeAllListeners('exit'); child.kill() }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
for (const fault of new Set(faults)) console.error(fault)
console.log(`${Object.keys(views).length} views in ${Object.keys(screens).length * 2} ways, ${new Set(faults).size} faults; pictures are in ${pictures}`)
process.exit(faults.length ? 1 : 0)
