// An object in two of its versions, side by side.
import { diffLines } from 'diff'
import { useMemo, useState } from 'preact/hooks'
import { apiVersionOf, type Kind, type Kinds } from '../api/kinds'
import { withoutManagers, type KubeObject } from '../api/objects'
import { keptIn, versionsOf, withoutKept, type Shown } from '../api/versions'
import { print } from '../yaml'
import { Empty, Problem, useLoaded } from './parts'

interface Props { kind: Kind, kinds: Kinds, object: KubeObject }

export function Versions({ kind, kinds, object }: Props) {
  const versions = useLoaded((signal) => versionsOf(kind, kinds, object, signal), [kind, object.metadata.uid, object.metadata.resourceVersion])
  const [left, setLeft] = useState(apiVersionOf(kind))
  const [right, setRight] = useState('')
  if (versions.error) return <Problem title="Its versions can’t be read.">{versions.error}</Problem>
  if (!versions.data) return <p class="empty" role="status">Reading it in each version…</p>
  const readable = versions.data.filter((shown) => shown.object)
  const refused = versions.data.filter((shown) => shown.problem).map((shown) => <Problem key={apiVersionOf(shown.kind)} title={`It can’t be read as ${apiVersionOf(shown.kind)}.`}>{shown.problem}</Problem>)
  const a = at(readable, left) ?? readable[0]
  const b = at(readable, right) ?? readable.find((shown) => shown !== a)
  if (!a || !b) return <>{refused}{refused.length === 0 && <Empty>It is served in one version.</Empty>}</>
  return (
    <div class="versions">
      {refused}
      <p class="muted">It is kept once, and each version is made of that. Lines that differ are marked.</p>
      <div class="tools">
        <Pick label="Left" versions={readable} value={apiVersionOf(a.kind)} pick={setLeft} />
        <Pick label="Right" versions={readable} value={apiVersionOf(b.kind)} pick={setRight} />
      </div>
      <Kept shown={a} />
      {b !== a && <Kept shown={b} />}
      <SideBySide left={a} right={b} />
    </div>
  )
}

const at = (versions: Shown[], apiVersion: string) => versions.find((shown) => apiVersionOf(shown.kind) === apiVersion)

function Pick({ label, versions, value, pick }: { label: string, versions: Shown[], value: string, pick: (to: string) => void }) {
  return (
    <label>{label} <select value={value} onChange={(event) => pick(event.currentTarget.value)}>
      {versions.map(({ kind }) => <option key={apiVersionOf(kind)} value={apiVersionOf(kind)}>{apiVersionOf(kind)}</option>)}
    </select></label>
  )
}

// Kept names what a version can't say and carries along all the same.
function Kept({ shown }: { shown: Shown }) {
  const fields = keptIn(shown.object!)
  if (Object.keys(fields).length === 0) return null
  return (
    <details class="kept">
      <summary>{apiVersionOf(shown.kind)} has no field for {Object.keys(fields).join(', ')}. An annotation carries it, so that a change in this version loses nothing.</summary>
      <pre class="yaml" tabIndex={0}>{print(fields)}</pre>
    </details>
  )
}

type Row = [left: string | undefined, right: string | undefined]

const textOf = (shown: Shown) => print(withoutKept(withoutManagers(shown.object!)))

function SideBySide({ left, right }: { left: Shown, right: Shown }) {
  const rows = useMemo(() => rowsOf(textOf(left), textOf(right)), [left, right])
  return (
    <div class="scrolled" tabIndex={0} role="region" aria-label="Side by side">
      <table class="beside">
        <thead><tr><th scope="col">{apiVersionOf(left.kind)}</th><th scope="col">{apiVersionOf(right.kind)}</th></tr></thead>
        <tbody>
          {rows.map(([a, b], n) => <tr key={n}><Side line={a} other={b} name="removed" /><Side line={b} other={a} name="added" /></tr>)}
        </tbody>
      </table>
    </div>
  )
}

function Side({ line, other, name }: { line: string | undefined, other: string | undefined, name: string }) {
  const differs = line !== other
  return <td class={differs && line !== undefined ? name : ''}>{differs && line !== undefined && <span class="heard">only here: </span>}<bdi>{line ?? ''}</bdi></td>
}

// rowsOf puts lines beside each other: what was taken away, beside what came in its place.
function rowsOf(left: string, right: string): Row[] {
  const rows: Row[] = []
  let gone: string[] = []
  const flush = (came: string[]) => {
    for (let n = 0; n < Math.max(gone.length, came.length); n++) rows.push([gone[n], came[n]])
    gone = []
  }
  for (const part of diffLines(left, right)) {
    const lines = part.value.replace(/\n$/, '').split('\n')
    if (part.removed) gone = lines
    else if (part.added) flush(lines)
    else {
      flush([])
      rows.push(...lines.map((line): Row => [line, line]))
    }
  }
  flush([])
  return rows
}
