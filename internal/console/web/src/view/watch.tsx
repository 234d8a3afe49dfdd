// A watch, drawn as it runs: the log of the server, and how far this watch has come in it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { pathOf, type Kind } from '../api/kinds'
import { queryOf, record, type Entry, type From, type Log } from '../api/log'
import type { Meta } from '../api/objects'
import { exact } from '../time'
import { Problem } from './parts'

const words: Record<string, string> = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted', BOOKMARK: 'bookmark' }

export function Watch({ kind, meta }: { kind: Kind, meta: Meta }) {
  const [all, setAll] = useState(false)
  const [revision, setRevision] = useState('')
  const [round, setRound] = useState(0)
  const [stopped, setStopped] = useState(false)
  const [log, setLog] = useState<Log>()
  const stop = useRef<AbortController>(null)
  const from: From = { revision, name: all ? '' : meta.name, namespace: meta.namespace ?? '' }
  useEffect(() => {
    const round = new AbortController()
    stop.current = round
    setLog(undefined)
    setStopped(false)
    void record(kind, from, round.signal, setLog)
    return () => round.abort()
  }, [kind, all, revision, round])
  const again = (from: string) => { setRevision(from); setRound(round + 1) }
  const query = Object.entries({ watch: true, allowWatchBookmarks: true, ...queryOf(from) }).filter(([, value]) => value !== '').map(([name, value]) => `${name}=${value}`).join('&')
  const entries = log?.entries ?? []
  const last = [...entries].reverse().find((entry) => entry.revision !== '')
  const running = log !== undefined && log.phase === 'open' && !stopped
  return (
    <section class="watch" aria-label="A watch as it runs">
      <p><code>GET {pathOf(kind, from.namespace)}?{query}</code></p>
      <div class="tools">
        <label class="check"><input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} /> All {kind.resource}{meta.namespace ? ` of ${meta.namespace}` : ''}</label>
        <span class={running ? 'state live' : 'state'} role="status">{stopped ? 'stopped' : running ? 'open' : log?.phase === 'ended' ? 'ended' : 'opening'}{last && `, at revision ${last.revision}`}</span>
        {running ? <button type="button" onClick={() => { stop.current?.abort(); setStopped(true) }}>Stop</button>
          : <>
            {last && <button type="button" onClick={() => again(last.revision)}>Go on from {last.revision}</button>}
            <button type="button" onClick={() => again('')}>Begin anew</button>
          </>}
      </div>
      {log?.problem && !stopped && <Problem title="The watch has ended.">{log.problem}</Problem>}
      {log && log.more > 0 && <p class="muted">{log.more} earlier ones are not shown.</p>}
      <ol class="log" tabIndex={0} aria-label="What came">
        {entries.map((entry) => <LogLine key={entry.number} entry={entry} again={again} />)}
        {running && <li class="cursor"><span class="dot" aria-hidden="true" /><span class="muted">waits for what comes next</span></li>}
      </ol>
    </section>
  )
}

function LogLine({ entry, again }: { entry: Entry, again: (from: string) => void }) {
  return (
    <li class={entry.type.toLowerCase()}>
      <span class="dot" aria-hidden="true" />
      <span class="type">{words[entry.type] ?? entry.type}</span>
      <button type="button" class="link" title="Watch again from here" disabled={!entry.revision} onClick={() => again(entry.revision)}>{entry.revision || '–'}</button>
      <span><bdi>{entry.name}</bdi>{entry.type === 'BOOKMARK' && <span class="muted">{entry.end ? 'all that was there has been sent' : 'nothing happened up to here'}</span>}</span>
      <time class="muted" dateTime={new Date(entry.at).toISOString()} title={exact(new Date(entry.at).toISOString())}>{new Date(entry.at).toLocaleTimeString()}</time>
    </li>
  )
}
