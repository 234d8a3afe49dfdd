// Change an object: first the server says what would become of it, then it is done.
import { useRef, useState } from 'preact/hooks'
import { Refusal } from '../api/http'
import { pathOf, type Kind } from '../api/kinds'
import { replace, settled, withoutManagers, type KubeObject } from '../api/objects'
import { readBook } from '../api/schema'
import { choicesAt } from '../complete'
import { objectAddress } from '../route'
import { lineOfField, parse, print, type Text } from '../yaml'
import { Diff } from './diff'
import { YamlEditor, type Fault } from './editor'
import { Problem, useLoaded } from './parts'
import { Story } from './story'

interface Tried { sent: KubeObject, answered: KubeObject, was: string, becomes: string, warnings: string[] }

export function Edit({ kind, object }: { kind: Kind, object: KubeObject }) {
  const [base, setBase] = useState(object)
  const [text, setText] = useState(() => print(withoutManagers(object)))
  const [faults, setFaults] = useState<Fault[]>([])
  const [refused, setRefused] = useState('')
  const [tried, setTried] = useState<Tried>()
  const [busy, setBusy] = useState(false)
  const [round, setRound] = useState(0) // another one has another editor
  const show = useRef((_line: number) => {})
  const book = useLoaded(() => readBook(kind), [kind])
  const back = objectAddress(kind, base.metadata)
  const stale = object.metadata.resourceVersion !== base.metadata.resourceVersion

  const fail = (error: unknown, parsed: Text) => {
    const causes = error instanceof Refusal ? error.status.details?.causes ?? [] : []
    setFaults(causes.filter((cause) => cause.field).map((cause) => ({ line: lineOfField(parsed, cause.field!), text: `${cause.field}: ${cause.message}` })))
    setRefused((error as Error).message)
    setTried(undefined)
  }
  const attempt = async (sent: KubeObject, parsed: Text, dryRun: boolean) => {
    setBusy(true)
    try {
      const { data, warnings } = await replace(kind, sent, base.metadata, dryRun)
      if (!dryRun) return void (location.hash = back)
      setTried({ sent, answered: data, was: print(settled(base)), becomes: print(settled(data)), warnings })
    } catch (error) {
      fail(error, parsed)
    } finally {
      setBusy(false)
    }
  }
  const review = () => {
    setFaults([])
    setRefused('')
    const parsed = parse(text)
    const wrong = parsed.document.errors
    if (wrong.length > 0) {
      setFaults(wrong.map((error) => ({ line: (error.linePos?.[0].line ?? 1) - 1, text: error.message.split('\n')[0]! })))
      return setRefused('This is no YAML.')
    }
    const sent = parsed.document.toJS() as KubeObject | null
    if (typeof sent !== 'object' || sent === null || typeof sent.metadata !== 'object') return setRefused('An object needs its metadata.')
    sent.metadata.resourceVersion ??= base.metadata.resourceVersion // what others have changed meanwhile stays
    void attempt(sent, parsed, true)
  }
  const again = () => { setBase(object); setText(print(withoutManagers(object))); setFaults([]); setRefused(''); setTried(undefined); setRound(round + 1) }
  if (tried) {
    return (
      <section class="review" aria-label="What would change">
        {tried.warnings.map((warning) => <Problem key={warning} title="The server warns.">{warning}</Problem>)}
        <Diff was={tried.was} becomes={tried.becomes} />
        <Story request={`PUT ${pathOf(kind, base.metadata.namespace, base.metadata.name)}?dryRun=All&fieldManager=console`} sent={tried.sent} answered={tried.answered} />
        <div class="actions">
          <button type="button" class="primary" disabled={busy || tried.was === tried.becomes} onClick={() => void attempt(tried.sent, parse(text), false)}>Apply</button>
          <button type="button" onClick={() => setTried(undefined)}>Back to the text</button>
          <a class="button quiet" href={back}>Cancel</a>
        </div>
      </section>
    )
  }
  return (
    <section class="edit" aria-label="Edit">
      {stale && <Problem title="Somebody has changed it since you began."><button type="button" onClick={again}>Begin again with what it is now</button></Problem>}
      {refused && (
        <Problem title={faults.length > 0 ? 'It would not be taken as it is.' : refused}>
          <ul>{faults.map((fault) => <li key={fault.line + fault.text}><button type="button" class="link" onClick={() => show.current(fault.line)}>Line {fault.line + 1}</button> {fault.text}</li>)}</ul>
        </Problem>
      )}
      <YamlEditor key={round} text={text} label="The object as YAML" faults={faults} changed={setText}
        choices={(lines) => book.data && choicesAt(book.data, lines)} opened={(to) => { show.current = to }} />
      <div class="actions">
        <button type="button" class="primary" disabled={busy} onClick={review}>Review</button>
        <a class="button quiet" href={back}>Cancel</a>
        <span class="muted">The server tries it without keeping it, and you see what would change. Ctrl-Space shows what may stand at the cursor, Tab leaves the text.</span>
      </div>
    </section>
  )
}
