// What a server tells about itself: metrics in the text format of Prometheus, checks, and reports.
import { ask, askText, Refusal } from './http'
import type { Kinds } from './kinds'
import { pathOf } from './kinds'
import type { KubeObject, List } from './objects'
import type { Lease } from './wire'

export type Labels = Record<string, string>

export interface Sample { labels: Labels, value: number }

// Metrics are the samples of each name.
export type Metrics = Map<string, Sample[]>

export function parseMetrics(text: string): Metrics {
  const found: Metrics = new Map()
  for (const line of text.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line)
    if (!match) continue
    const [, name, labels, value] = match as unknown as [string, string, string | undefined, string]
    const samples = found.get(name) ?? []
    samples.push({ labels: parseLabels(labels ?? ''), value: value === '+Inf' ? Infinity : Number(value) })
    found.set(name, samples)
  }
  return found
}

function parseLabels(text: string): Labels {
  const labels: Labels = {}
  for (const [, name, value] of text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
    labels[name!] = value!.replace(/\\(.)/g, (_, sign: string) => sign === 'n' ? '\n' : sign)
  }
  return labels
}

export const sum = (samples: Sample[] | undefined) => (samples ?? []).reduce((all, each) => all + each.value, 0)

// first is the value of a metric that has one, undefined where the server does not have it.
export const first = (metrics: Metrics, name: string) => metrics.get(name)?.[0]?.value

// Requests are those of one verb and resource since the server's start.
export interface Requests {
  what: string
  verb: string
  count: number
  errors: number
  // seconds is how long all took together; slow is the time that 99 of 100 have kept to, as far as
  // the server's classes say, which Infinity is beyond.
  seconds: number
  slow: number
  // open is how many last, and are not over: watches.
  open: number
}

export function requestsOf(metrics: Metrics): Requests[] {
  const all = new Map<string, Requests & { buckets: Map<number, number> }>()
  const at = (labels: Labels) => {
    const { group = '', resource = '', subresource = '', verb = '' } = labels
    const what = resource === '' ? subresource || 'other' : [resource, group].filter(Boolean).join('.') + (subresource && '/' + subresource)
    const key = verb + ' ' + what
    let one = all.get(key)
    if (!one) all.set(key, one = { what, verb, count: 0, errors: 0, seconds: 0, slow: 0, open: 0, buckets: new Map() })
    return one
  }
  for (const { labels, value } of metrics.get('apiserver_request_total') ?? []) {
    const one = at(labels)
    one.count += value
    if (Number(labels.code) >= 400) one.errors += value
  }
  for (const { labels, value } of metrics.get('apiserver_request_duration_seconds_sum') ?? []) at(labels).seconds += value
  for (const { labels, value } of metrics.get('apiserver_request_duration_seconds_bucket') ?? []) {
    const buckets = at(labels).buckets
    const bound = labels.le === '+Inf' ? Infinity : Number(labels.le)
    buckets.set(bound, (buckets.get(bound) ?? 0) + value)
  }
  for (const { labels, value } of metrics.get('apiserver_longrunning_requests') ?? []) at(labels).open += value
  for (const one of all.values()) {
    const bounds = [...one.buckets].sort(([a], [b]) => a - b)
    const total = bounds.at(-1)?.[1] ?? 0
    one.slow = bounds.find(([, count]) => count >= total * 0.99)?.[0] ?? 0
  }
  return [...all.values()].filter((one) => one.count > 0 || one.open > 0)
}

// Check is one of a server's checks of its health.
export interface Check { name: string, well: boolean, words: string }

// readChecks reads a page like /readyz. A server that is not well answers with an error that has the
// same lines.
export async function readChecks(path: string, signal: AbortSignal): Promise<Check[]> {
  const text = await askText(path, { query: { verbose: true }, signal }).catch((error: unknown) => {
    if (error instanceof Refusal && error.code >= 500) return error.message
    throw error
  })
  return [...text.matchAll(/^\[([+-])\](\S+) ?(.*)$/gm)].map(([, sign, name, words]) => ({ name: name!, well: sign === '+', words: words! }))
}

export interface StorageReport {
  stale: number
  unreadable: number
  migration?: { state: string, rewritten?: number, left?: number, [field: string]: unknown }
  resources: { resource: string, storageVersion: string, mediaType: string, objects: number, stale: number, unreadable: number }[]
}

export const readStorage = async (signal: AbortSignal) => (await ask<StorageReport>('/debug/storage', { signal })).data

// Server is one that renews a lease, as each kube-apiserver does.
export interface Server { name: string, holder: string, renewed: string, seconds: number }

export async function readServers(kinds: Kinds, signal: AbortSignal): Promise<Server[]> {
  const kind = kinds.find('coordination.k8s.io', 'v1', 'leases')
  if (!kind) return []
  const { data } = await ask<List<Lease & KubeObject>>(pathOf(kind, 'kube-system'), { query: { labelSelector: 'apiserver.kubernetes.io/identity', limit: 500 }, signal })
  return data.items.map(({ metadata, spec }) => ({
    name: metadata.name, holder: spec?.holderIdentity ?? '', renewed: spec?.renewTime ?? '', seconds: spec?.leaseDurationSeconds ?? 0,
  }))
}

// Waiting are requests that wait for their turn, or are executed, by user. Kubernetes has a page for
// them. Our server quotes a name that has a comma.
export interface Waiting { user: string, level: string, schema: string, count: number }

export async function readWaiting(signal: AbortSignal): Promise<Waiting[]> {
  const text = await askText('/debug/api_priority_and_fairness/dump_requests', { query: { includeRequestDetails: 1 }, signal })
  const [head, ...lines] = text.trim().split('\n').map(cellsOf)
  const of = (cells: string[], name: string) => cells[head?.indexOf(name) ?? -1] ?? ''
  const all = new Map<string, Waiting>()
  for (const cells of lines) {
    const [user, level, schema] = [of(cells, 'UserName'), of(cells, 'PriorityLevelName'), of(cells, 'FlowSchemaName')]
    const one = all.get(user + ' ' + schema) ?? { user, level, schema, count: 0 }
    one.count++
    all.set(user + ' ' + schema, one)
  }
  return [...all.values()].filter((one) => one.user !== '')
}

const cell = /\s*(?:"((?:[^"\\]|\\.)*)"|([^,]*?))\s*(?:,|$)/g

function cellsOf(line: string): string[] {
  return [...line.matchAll(cell)].map(([, quoted, plain]) => quoted?.replace(/\\(["\\])/g, '$1') ?? plain ?? '')
}
