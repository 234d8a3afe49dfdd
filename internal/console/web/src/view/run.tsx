// How the server runs, by what it tells itself: checks, servers, database, caches, requests.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { readAudit, type AuditEvent, type AuditTail } from '../api/audit'
import { askText, Refusal } from '../api/http'
import type { Kinds } from '../api/kinds'
import { first, parseMetrics, readChecks, readServers, readStorage, readWaiting, requestsOf, sum, type Check, type Metrics, type Requests } from '../api/metrics'
import { Ago, Empty, Problem, useTitle } from './parts'

const every = 10_000 // milliseconds until all is asked again

// Told is what a page of the server says, or why it says nothing.
interface Told<T> { data?: T, before?: T, at?: number, since?: number, error?: Error }

// useTold asks again and again. The answer before the last one is kept: two of them make a rate.
function useTold<T>(ask: (signal: AbortSignal) => Promise<T>): Told<T> {
  const [told, set] = useState<Told<T>>({})
  useEffect(() => {
    const stop = new AbortController()
    const round = () => ask(stop.signal).then(
      (data) => set((last) => ({ data, before: last.data, at: Date.now(), since: last.at })),
      (error: Error) => { if (!stop.signal.aborted) set((last) => ({ ...last, error })) },
    )
    void round()
    const timer = setInterval(() => { if (!document.hidden) void round() }, every)
    return () => { stop.abort(); clearInterval(timer) }
  }, [])
  return told
}

export function RunView({ kinds }: { kinds: Kinds }) {
  useTitle('How it runs')
  const metrics = useTold(async (signal) => parseMetrics(await askText('/metrics', { signal })))
  const ready = useTold((signal) => readChecks('/readyz', signal))
  const live = useTold((signal) => readChecks('/livez', signal))
  const servers = useTold((signal) => readServers(kinds, signal))
  const storage = useTold(readStorage)
  const waiting = useTold(readWaiting)
  const audit = useTold(readAudit)
  return (
    <div class="page run">
      <h1>How it runs</h1>
      <p class="lead">As the server that answers tells it, again every ten seconds.</p>
      <Part title="Checks" told={ready} needs="/readyz">{(checks) => <Checks checks={checks} live={live.data ?? []} />}</Part>
      <Part title="Servers" told={servers} needs="leases of the namespace kube-system" verb="list">
        {(found) => found.length === 0 ? <Empty>No server renews a lease with the label apiserver.kubernetes.io/identity, as each kube-apiserver does. So how many there are is not told.</Empty> : (
          <Grid names={['Server', 'Renewed', '']} rows={found.map((one) => [one.holder || one.name, <Ago time={one.renewed} />, late(one.renewed, one.seconds) ? <strong class="wrong">is gone, or late</strong> : ''])} />
        )}
      </Part>
      <Part title="Database" told={metrics} needs="/metrics">{(found) => <Database metrics={found} />}</Part>
      <Part title="What is stored, and what is left to migrate" told={storage} needs="/debug/storage">
        {(report) => (
          <>
            <dl class="facts">
              <dt>Migration</dt><dd>{report.migration?.state ?? 'not told'}{report.migration?.left ? `, ${number(report.migration.left)} left` : ''}{report.migration?.rewritten ? `, ${number(report.migration.rewritten)} rewritten` : ''}</dd>
              <dt>In an old form</dt><dd>{number(report.stale)}</dd>
              <dt>Unreadable</dt><dd class={report.unreadable > 0 ? 'wrong' : ''}>{number(report.unreadable)}</dd>
            </dl>
            <Grid names={['Resource', 'Stored as', 'Objects', 'Old', 'Unreadable']} numbers={[2, 3, 4]}
              rows={report.resources.map((one) => [one.resource, one.storageVersion, number(one.objects), number(one.stale), number(one.unreadable)])} />
          </>
        )}
      </Part>
      <Part title="Caches" told={metrics} needs="/metrics">{(found) => <Caches metrics={found} />}</Part>
      <Part title="Requests and watches" told={metrics} needs="/metrics">
        {(found) => <Traffic metrics={found} before={metrics.before} seconds={((metrics.at ?? 0) - (metrics.since ?? 0)) / 1000} />}
      </Part>
      <Part title="Whose turn it is" told={metrics} needs="/metrics">{(found) => <Turns metrics={found} />}</Part>
      <Part title="Requests that wait or are answered, by user" told={waiting} needs="/debug/api_priority_and_fairness/dump_requests">
        {(found) => found.length === 0 ? <Empty>None at this moment.</Empty> : <Grid names={['User', 'Flow schema', 'Level', 'Requests']} numbers={[3]} rows={found.map((one) => [one.user, one.schema, one.level, number(one.count)])} />}
      </Part>
      <Part title="Audit log" told={metrics} needs="/metrics">{(found) => <Audit metrics={found} />}</Part>
      <section aria-label="The end of the audit log">
        <h2>The end of the audit log</h2>
        {audit.data ? <Tail tail={audit.data} /> : <p class="muted" role="status">{audit.error ? `It can’t be seen from here: ${audit.error.message}` : 'Asking…'}</p>}
      </section>
    </div>
  )
}

// Part is a section for one page of the server. It says which page is missing, and which right.
function Part<T>({ title, told, needs, verb = 'get', children }: { title: string, told: Told<T>, needs: string, verb?: string, children: (data: T) => ComponentChildren }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {told.error && <Problem title={problemOf(told.error, needs)}>{needed(told.error, needs, verb)}</Problem>}
      {told.data !== undefined ? children(told.data) : !told.error && <p class="muted" role="status">Asking…</p>}
    </section>
  )
}

function problemOf(error: Error, needs: string): string {
  if (!(error instanceof Refusal)) return 'The server can’t be reached. It is tried again.'
  if (error.code === 404) return `This server has no ${needs}.`
  if (error.code === 403 || error.code === 401) return `You may not read ${needs}.`
  return `${needs} can’t be read: ${error.message}`
}

function needed(error: Error, needs: string, verb: string): string | undefined {
  if (!(error instanceof Refusal) || error.code !== 403) return undefined
  return needs.startsWith('/') ? `It needs a role with the verb ${verb} for the nonResourceURL ${needs}.` : `It needs a role with the verb ${verb} for ${needs}.`
}

const number = (value: number) => value.toLocaleString()

const late = (renewed: string, seconds: number) => Date.now() - Date.parse(renewed) > seconds * 1000

function bytes(value: number | undefined): string {
  if (value === undefined) return 'not told'
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let at = 0
  for (; value >= 1000 && at < units.length - 1; at++) value /= 1000
  return `${value < 10 && at > 0 ? value.toFixed(1) : Math.round(value)} ${units[at]}`
}

const time = (seconds: number) => seconds === Infinity ? 'longer' : seconds >= 1 ? `${seconds.toFixed(1)} s` : `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`

function Grid({ names, rows, numbers = [] }: { names: string[], rows: ComponentChildren[][], numbers?: number[] }) {
  return (
    <div class="scrolled" tabIndex={0} role="region" aria-label={names.join(', ')}>
      <table>
        <thead><tr>{names.map((name, n) => <th key={n} scope="col" class={numbers.includes(n) ? 'number' : ''}>{name || <span class="heard">State</span>}</th>)}</tr></thead>
        <tbody>{rows.map((cells, row) => <tr key={row}>{cells.map((cell, n) => <td key={n} class={numbers.includes(n) ? 'number' : ''}>{cell}</td>)}</tr>)}</tbody>
      </table>
    </div>
  )
}

function Checks({ checks, live }: { checks: Check[], live: Check[] }) {
  const of = (found: Check[], kind: string) => found.map((check): ComponentChildren[] => [
    check.name, kind, check.well ? check.words.replace(/^ok ?/, 'well ') : <strong class="wrong">{check.words || 'failed'}</strong>,
  ])
  const wrong = [...checks, ...live].filter((check) => !check.well)
  return (
    <>
      {wrong.length > 0 && <Problem title={`${wrong.length} of the checks fail.`}>{wrong.map((check) => check.name).join(', ')}</Problem>}
      <Grid names={['Check', 'Says whether', 'Outcome']} rows={[...of(checks, 'it is ready'), ...of(live, 'it is alive')]} />
    </>
  )
}

function Database({ metrics }: { metrics: Metrics }) {
  const size = metrics.get('apiserver_storage_size_bytes') ?? []
  const [used, quota, free] = ['typeplane_storage_in_use_bytes', 'typeplane_storage_quota_bytes', 'typeplane_storage_disk_free_bytes'].map((name) => first(metrics, name))
  const leader = first(metrics, 'etcd_server_has_leader')
  return (
    <dl class="facts">
      {size.map(({ labels, value }) => <><dt>{labels.storage_cluster_id ?? 'Database'}</dt><dd>{bytes(value)}{used !== undefined && `, ${bytes(used)} of it in use`}{quota ? `, at most ${bytes(quota)}` : ''}</dd></>)}
      {free !== undefined && <><dt>Free on its disk</dt><dd>{bytes(free)}</dd></>}
      <dt>Leader</dt>
      <dd class={leader === 0 ? 'wrong' : ''}>
        {leader === undefined ? 'The etcd is a program of its own, and this server does not tell its members. etcdctl endpoint status does.'
          : leader === 0 ? 'There is none.' : `${first(metrics, 'etcd_server_is_leader') === 1 ? 'The member inside this server' : 'Another member'}; it has changed ${number(first(metrics, 'etcd_server_leader_changes_seen_total') ?? 0)} times.`}
      </dd>
      <dt>Operations that failed</dt><dd>{metrics.has('etcd_requests_total') ? `${number(sum(metrics.get('etcd_request_errors_total')))} of ${number(sum(metrics.get('etcd_requests_total')))}` : 'not told'}</dd>
    </dl>
  )
}

function Caches({ metrics }: { metrics: Metrics }) {
  const of = (name: string) => new Map((metrics.get(name) ?? []).map(({ labels, value }) => [[labels.resource, labels.group].filter(Boolean).join('.'), value]))
  const [entries, size, log, watchers, breaks] = ['entries', 'bytes', 'log_events', 'watchers', 'source_breaks_total'].map((name) => of('typeplane_watch_cache_' + name)) as [Map<string, number>, Map<string, number>, Map<string, number>, Map<string, number>, Map<string, number>]
  if (entries.size > 0) {
    const rows = [...entries].sort((a, b) => (size.get(b[0]) ?? 0) - (size.get(a[0]) ?? 0))
      .map(([name, count]) => [name, number(count), bytes(size.get(name)), number(log.get(name) ?? 0), number(watchers.get(name) ?? 0), number(breaks.get(name) ?? 0)])
    return <Grid names={['Resource', 'Objects', 'Memory', 'Events kept', 'Watches', 'Breaks']} numbers={[1, 2, 3, 4, 5]} rows={rows} />
  }
  const theirs = of('watch_cache_capacity').size > 0 ? of('watch_cache_capacity') : of('apiserver_watch_cache_capacity')
  if (theirs.size === 0) return <Empty>This server does not tell what is in its caches.</Empty>
  return <Grid names={['Resource', 'Events kept at most']} numbers={[1]} rows={[...theirs].map(([name, count]) => [name, number(count)])} />
}

const orders: Record<string, (one: Requests) => number> = {
  'time in all': (one) => one.verb === 'WATCH' ? 0 : one.seconds,
  'slowest': (one) => one.verb === 'WATCH' ? 0 : one.slow === Infinity ? Number.MAX_VALUE : one.slow,
  'how many': (one) => one.count,
  'open watches': (one) => one.open,
  'refused': (one) => one.errors,
}

const mostRequests = 25

function Traffic({ metrics, before, seconds }: { metrics: Metrics, before?: Metrics, seconds: number }) {
  const [order, setOrder] = useState('time in all')
  const all = requestsOf(metrics)
  const last = new Map((before ? requestsOf(before) : []).map((one) => [one.verb + one.what, one.count]))
  const rate = (one: Requests) => before && seconds > 0 ? (Math.max(0, one.count - (last.get(one.verb + one.what) ?? 0)) / seconds).toFixed(1) : '…'
  const shown = all.sort((a, b) => orders[order]!(b) - orders[order]!(a)).slice(0, mostRequests)
  return (
    <>
      <div class="tools"><label>Sorted by <select value={order} onChange={(event) => setOrder(event.currentTarget.value)}>{Object.keys(orders).map((name) => <option key={name}>{name}</option>)}</select></label></div>
      <Grid names={['Verb', 'Of what', 'Answered', 'In a second', 'Refused', 'On average', '99 of 100 within', 'Open']} numbers={[2, 3, 4, 5, 6, 7]}
        rows={shown.map((one) => [one.verb, one.what, number(one.count), rate(one), number(one.errors), one.count && one.verb !== 'WATCH' ? time(one.seconds / one.count) : '–', one.count && one.verb !== 'WATCH' ? time(one.slow) : '–', one.verb === 'WATCH' ? number(one.open) : '–'])} />
      {all.length > shown.length && <p class="muted">{number(all.length - shown.length)} more are not shown.</p>}
    </>
  )
}

// Turns are requests by flow schema: the server's metrics do not name users.
function Turns({ metrics }: { metrics: Metrics }) {
  const of = (name: string) => {
    const found = new Map<string, number>()
    for (const { labels, value } of metrics.get('apiserver_flowcontrol_' + name) ?? []) found.set(labels.flow_schema ?? '', (found.get(labels.flow_schema ?? '') ?? 0) + value)
    return found
  }
  const levels = new Map((metrics.get('apiserver_flowcontrol_dispatched_requests_total') ?? []).map(({ labels }) => [labels.flow_schema ?? '', labels.priority_level ?? '']))
  const [done, refused, now, queued, seconds] = ['dispatched_requests_total', 'rejected_requests_total', 'current_executing_seats', 'current_inqueue_requests', 'request_execution_seconds_sum'].map(of) as [Map<string, number>, Map<string, number>, Map<string, number>, Map<string, number>, Map<string, number>]
  if (levels.size === 0) return <Empty>This server does not share out its places by flow schemas, or does not tell.</Empty>
  const rows = [...levels].sort((a, b) => (seconds.get(b[0]) ?? 0) - (seconds.get(a[0]) ?? 0))
    .map(([schema, level]) => [schema, level, number(done.get(schema) ?? 0), time(seconds.get(schema) ?? 0), number(now.get(schema) ?? 0), number(queued.get(schema) ?? 0), number(refused.get(schema) ?? 0)])
  return <Grid names={['Flow schema', 'Level', 'Answered', 'Time in all', 'Seats now', 'Waiting', 'Refused']} numbers={[2, 3, 4, 5, 6]} rows={rows} />
}

function Audit({ metrics }: { metrics: Metrics }) {
  const made = first(metrics, 'apiserver_audit_event_total')
  const lost = metrics.get('apiserver_audit_error_total')
  return (
    <dl class="facts">
      <dt>Records</dt><dd>{made === undefined ? 'not told' : number(made)}</dd>
      <dt>Lost</dt><dd class={sum(lost) > 0 ? 'wrong' : ''}>{made === undefined && lost === undefined ? 'not told' : number(sum(lost))}</dd>
    </dl>
  )
}

// Tail is what was written last into the audit log. Which requests are there is up to its policy.
function Tail({ tail }: { tail: AuditTail }) {
  if (tail.events.length === 0) return <Empty>Nothing is in {tail.file} yet.</Empty>
  const by = ({ user, impersonatedUser }: AuditEvent) => impersonatedUser ? `${user.username ?? ''} as ${impersonatedUser.username ?? ''}` : user.username ?? ''
  return (
    <>
      <p class="muted">The last records of <code>{tail.file}</code>, the newest one first.</p>
      <Grid names={['When', 'Who', 'Verb', 'What', 'Answer', 'From']} numbers={[4]} rows={tail.events.map((event) => [
        <Ago time={event.requestReceivedTimestamp} />, <bdi>{by(event)}</bdi>, event.verb, <code><bdi>{event.requestURI}</bdi></code>,
        event.stage === 'ResponseComplete' ? event.responseStatus?.code ?? '' : event.stage, (event.sourceIPs ?? []).join(', '),
      ])} />
    </>
  )
}
