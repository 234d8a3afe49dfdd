// The objects of a kind as rows of the server's table, live. Pages are read as they are needed, all
// of one revision, and a watch from that revision tells what has changed since.
import { ask, reasonOf, Refusal, wait, watch } from './http'
import { pathOf, type Kind } from './kinds'
import type { Meta } from './objects'
import type * as wire from './wire'

// Row is what is kept of an object.
export interface Row {
  key: string // its place in the order of the server
  name: string
  namespace: string
  created: string
  cells: unknown[]
  // changes counts what was seen of it; leaving says that it is being deleted.
  changes: number
  leaving: boolean
}

// Table has rows with the metadata of their objects, as the server sends them unasked.
interface Table extends wire.Table { rows: TableRow[] }

interface TableRow extends wire.TableRow { cells: unknown[], object: { metadata: Meta } }

export interface Selection { namespace: string, labels: string, fields: string }

export type Phase = 'loading' | 'live' | 'broken' | 'refused'

const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const pageSize = 500

const pageRetry = 5_000 // milliseconds

// mostRows bounds what a page keeps in memory. What is beyond is counted, and not shown.
export const mostRows = 200_000

export class Rows {
  columns: wire.TableColumnDefinition[] = []
  rows: Row[] = []
  phase: Phase = 'loading'
  // problem says why it is broken or refused.
  problem = ''
  // known reports whether the rows are those of a list: before the first one, and after the rest of
  // a list has expired, they say nothing about how many objects there are.
  known = false
  // watched is false for a kind that can't be watched.
  watched = true

  private next: string | undefined
  private counted: number | undefined // of all objects, read or not; undefined if the server does not report it
  private reading: Promise<void> | undefined
  private gone = new Set<string>() // deleted since the revision of the pages
  private stop = new AbortController()
  private round = new AbortController() // a list and its watch; another list ends it
  private frame = 0

  constructor(private kind: Kind, private selection: Selection, private changed: () => void) {
    this.watched = kind.verbs.includes('watch')
    void this.follow()
  }

  close() {
    this.stop.abort()
    this.round.abort()
    cancelAnimationFrame(this.frame)
  }

  // more reads the next page, if there is one.
  more(): Promise<void> {
    if (this.next === undefined || this.rows.length >= mostRows) return Promise.resolve()
    this.reading ??= this.readPage(this.next).catch((error) => this.pageFailed(error)).finally(() => { this.reading = undefined })
    return this.reading
  }

  // complete reports whether all objects were read.
  get complete() { return this.known && this.next === undefined }

  // full reports whether no more objects are read, although there are some.
  get full() { return !this.complete && this.rows.length >= mostRows }

  // total is how many objects there are, undefined if that is not known.
  get total(): number | undefined { return this.complete ? this.rows.length : this.known ? this.counted : undefined }

  // follow lists and watches until it is closed, and starts again when the history is gone.
  private async follow() {
    for (let failures = 0; !this.stop.signal.aborted;) {
      this.round = new AbortController()
      try {
        const revision = await this.list()
        failures = 0
        if (!this.watched) return
        await this.watchFrom(revision, () => { failures = 0 })
      } catch (error) {
        if (this.stop.signal.aborted) return
        if (error instanceof Refusal && error.code === 410) continue
        this.fail(error)
        if (this.phase === 'refused') return
        await wait(Math.min(30_000, 500 * 2 ** failures++), this.stop.signal)
      }
    }
  }

  // pageFailed lists again if the rest of the pages has expired, and retries a page that failed
  // otherwise.
  private async pageFailed(error: unknown) {
    const signal = this.round.signal
    if (signal.aborted) return
    if (!(error instanceof Refusal && error.code === 410)) {
      this.fail(error)
      if (this.watched || this.phase === 'refused') return // the next event shows that the server is back
      await wait(pageRetry, signal)
      return signal.aborted ? undefined : this.isLive()
    }
    this.known = false
    this.phase = 'loading'
    this.next = undefined
    this.show()
    if (this.watched) this.round.abort()
    else void this.follow()
  }

  private fail(error: unknown) {
    if (this.stop.signal.aborted) return
    const code = error instanceof Refusal ? error.code : 0
    this.phase = code >= 400 && code < 500 && code !== 429 ? 'refused' : 'broken'
    this.problem = reasonOf(error)
    this.show()
  }

  private isLive() {
    this.phase = 'live'
    this.problem = ''
    this.show()
  }

  private async list(): Promise<string> {
    const { data } = await this.ask()
    this.rows = []
    this.gone.clear()
    this.take(data)
    const { remainingItemCount: remaining } = data.metadata
    this.counted = remaining === undefined ? undefined : data.rows.length + remaining
    this.known = true
    this.isLive()
    return data.metadata.resourceVersion ?? ''
  }

  private async readPage(token: string) {
    this.take((await this.ask(token)).data)
    this.show()
  }

  private ask(token?: string) {
    return ask<Table>(pathOf(this.kind, this.selection.namespace), {
      accept: asTable,
      query: { limit: pageSize, continue: token, labelSelector: this.selection.labels, fieldSelector: this.selection.fields },
      signal: this.round.signal,
    })
  }

  // take adds a page. What a watch has told about an object is newer.
  private take(page: Table) {
    if (page.columnDefinitions?.length) this.columns = page.columnDefinitions
    const fresh = page.rows.map((row) => rowOf(row)).filter((row) => !this.gone.has(row.key) && this.rows[this.place(row.key)]?.key !== row.key)
    const last = this.rows.at(-1)
    this.rows = this.rows.concat(fresh)
    if (last && fresh[0] && fresh[0].key < last.key) this.rows.sort((a, b) => a.key < b.key ? -1 : 1)
    this.next = page.metadata.continue || undefined
    if (this.next === undefined) this.gone.clear()
  }

  private async watchFrom(revision: string, well: () => void) {
    const signal = this.round.signal
    for (let failures = 0; !signal.aborted;) {
      try {
        const events = watch<Table>(pathOf(this.kind, this.selection.namespace), {
          accept: asTable,
          query: { resourceVersion: revision, labelSelector: this.selection.labels, fieldSelector: this.selection.fields },
          signal,
          opened: () => this.isLive(),
        })
        for await (const event of events) {
          if (event.type === 'ERROR') throw new Refusal(event.object, event.object.code ?? 500)
          revision = event.object.metadata?.resourceVersion || event.object.rows?.[0]?.object.metadata.resourceVersion || revision
          if (event.type !== 'BOOKMARK') for (const row of event.object.rows) this.apply(event.type, rowOf(row))
          failures = 0
          well()
          this.isLive()
        }
      } catch (error) {
        if (error instanceof Refusal && (error.code === 410 || error.code === 403 || error.code === 401)) throw error
        if (signal.aborted) return
        this.fail(error)
      }
      await wait(Math.min(30_000, 250 * 2 ** failures++), signal)
    }
  }

  private apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', row: Row) {
    const at = this.place(row.key)
    const known = this.rows[at]?.key === row.key
    if (this.counted !== undefined) this.counted += type === 'DELETED' ? -1 : type === 'ADDED' && !known ? 1 : 0
    if (type === 'DELETED') {
      if (known) this.rows.splice(at, 1)
      if (!this.complete) this.gone.add(row.key)
      return
    }
    this.gone.delete(row.key)
    row.changes = known ? this.rows[at]!.changes + 1 : 1
    this.rows.splice(at, known ? 1 : 0, row)
  }

  // place is where a key is, or would be.
  private place(key: string): number {
    let low = 0
    let high = this.rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.rows[middle]!.key < key) low = middle + 1
      else high = middle
    }
    return low
  }

  // show tells whoever looks, once for all that happens before the next picture.
  private show() {
    if (this.frame || this.stop.signal.aborted) return
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.changed() })
  }
}

function rowOf({ cells, object: { metadata } }: TableRow): Row {
  const namespace = metadata.namespace ?? ''
  return {
    key: namespace + '/' + metadata.name, name: metadata.name, namespace,
    created: metadata.creationTimestamp ?? '', cells, changes: 0, leaving: metadata.deletionTimestamp !== undefined,
  }
}
