// The bytes of an object in etcd, with the fields named.
import { useState } from 'preact/hooks'
import { readDisk } from '../api/disk'
import type { Kind } from '../api/kinds'
import type { Meta } from '../api/objects'
import type { Field } from '../api/wire'
import { Problem, useLoaded } from './parts'

export function DiskView({ kind, meta }: { kind: Kind, meta: Meta }) {
  const disk = useLoaded((signal) => readDisk(kind, meta, signal), [kind, meta.uid, meta.resourceVersion])
  if (disk.error) return <Problem title="What is on the disk can’t be seen from here.">{disk.error}</Problem>
  if (!disk.data) return <p class="empty" role="status">Reading its bytes…</p>
  const { stored, bytes, value, parts } = disk.data
  const shown = value ?? bytes
  return (
    <div class="disk">
      <dl class="facts">
        <dt>Key</dt><dd><code>{stored.key}</code></dd>
        <dt>Stored as</dt><dd>{stored.apiVersion} {stored.kind}{stored.mediaType && <>, <code>{stored.mediaType}</code></>}</dd>
        <dt>Size</dt><dd>{stored.size.toLocaleString()} bytes</dd>
        <dt>Revision</dt><dd>{stored.modRevision}, of which its resourceVersion is made. Its first write was at {stored.createRevision}, and there were {stored.version}.</dd>
        <dt>Encryption</dt><dd>{stored.encryption ? `by ${stored.encryption.provider} with the key ${stored.encryption.key}` : 'none'}</dd>
        {stored.form && <><dt>Form</dt><dd>{forms[stored.form] ?? stored.form}</dd></>}
      </dl>
      {stored.problem && <Problem title="Not all of it could be read.">{stored.problem}</Problem>}
      {value && <p class="muted">These are the {value.length.toLocaleString()} bytes that were encrypted.</p>}
      {stored.encryption && !value && <p class="muted">These bytes are encrypted, and the console has no key for them: <code>--encryption-provider-config</code> names it.</p>}
      <Dump bytes={shown} parts={parts} />
    </div>
  )
}

const forms: Record<string, string> = {
  current: 'current: a server would write the same today',
  stale: 'stale: a server would write it in another form today',
  misplaced: 'misplaced: its key was made by other rules',
}

// Line is a run of bytes; depth is how many fields it is in.
interface Line { begin: number, end: number, path: string, depth: number }

const width = 16 // bytes of a line

// linesOf are the heads of fields that have others in them, and all of those that do not.
function linesOf(parts: Field[]): Line[] {
  const open: number[] = [] // the ends of the fields that a part is in
  return parts.flatMap((part, n) => {
    while (open.length > 0 && open.at(-1)! <= part.begin) open.pop()
    const depth = open.length
    const holds = n + 1 < parts.length && parts[n + 1]!.begin < part.end
    if (holds) open.push(part.end)
    return split({ begin: part.begin, end: holds ? part.value : part.end, path: part.path, depth })
  })
}

const rowsOf = (size: number) => split({ begin: 0, end: size, path: '', depth: 0 })

function split(line: Line): Line[] {
  const lines: Line[] = []
  for (let begin = line.begin; begin < line.end; begin += width) lines.push({ ...line, begin, end: Math.min(begin + width, line.end), path: begin === line.begin ? line.path : '' })
  return lines
}

const more = 400 // lines at a time

// Dump shows bytes, with the fields named that are in them.
export function Dump({ bytes, parts }: { bytes: Uint8Array, parts: Field[] }) {
  const lines = parts.length > 0 ? linesOf(parts) : rowsOf(bytes.length)
  const [most, setMost] = useState(more)
  return (
    <>
      <div class="scrolled" tabIndex={0} role="region" aria-label="The bytes">
        <table class="dump">
          <thead><tr><th scope="col">At</th><th scope="col">Bytes</th><th scope="col">As text</th><th scope="col">Field</th></tr></thead>
          <tbody>{lines.slice(0, most).map((line) => <DumpLine key={line.begin} line={line} bytes={bytes.subarray(line.begin, line.end)} />)}</tbody>
        </table>
      </div>
      {lines.length > most && <p><button type="button" onClick={() => setMost(most + more)}>Show more of {lines.length} lines</button></p>}
    </>
  )
}

function DumpLine({ line, bytes }: { line: Line, bytes: Uint8Array }) {
  return (
    <tr>
      <td>{line.begin.toString(16).padStart(4, '0')}</td>
      <td>{[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')}</td>
      <td>{[...bytes].map((byte) => byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·').join('')}</td>
      <td>{line.path && <>{'\u00a0\u00a0'.repeat(line.depth)}<bdi>{line.path}</bdi></>}</td>
    </tr>
  )
}
