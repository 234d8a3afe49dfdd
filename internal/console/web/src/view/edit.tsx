// Change an object, or make one: first the server says what would become of it, then it is done.
import { useRef, useState } from 'preact/hooks'
import { isRefusal, Refusal } from '../api/http'
import { apiVersionOf, pathOf, type Kind } from '../api/kinds'
import { put, settled, tryPut, withoutManagers, type KubeObject, type Place, type Tried } from '../api/objects'
import { readBook } from '../api/schema'
import { choicesAt } from '../complete'
import { listAddress, objectAddress } from '../route'
import { lineOfField, parse, print, type Text } from '../yaml'
import { Diff } from './diff'
import { YamlEditor, type Fault } from './editor'
import { Problem, useLoaded, useTitle } from './parts'
import { Steps } from './steps'
import { Story } from './story'

// MakeView makes an object of a kind.
export function MakeView({ kind, namespace }: { kind: Kind, namespace: string }) {
  useTitle(`New · ${kind.kind}`)
  return (
    <div class="page object">
      <header class="head">
        <p class="crumbs"><a href={listAddress(kind)}>{kind.kind}</a></p>
        <h1>New {kind.kind}</h1>
      </header>
      <Editing kind={kind} text={blank(kind, namespace)} />
    </div>
  )
}

// blank is what a new object begins with.
const blank = (kind: Kind, namespace: string) =>
  `apiVersion: ${apiVersionOf(kind)}\nkind: ${kind.kind}\nmetadata:\n  name:\n${kind.namespaced ? `  namespace: ${namespace || 'default'}\n` : ''}spec:\n`

// Edit changes an object that the server has.
export function Edit({ kind, object }: { kind: Kind, object: KubeObject }) {
  const [base, setBase] = useState(object)
  const stale = object.metadata.resourceVersion !== base.metadata.resourceVersion
  return (
    <>
      {stale && <Problem title="Somebody has changed it since you began."><button type="button" onClick={() => setBase(object)}>Begin again with what it is now</button></Problem>}
      <Editing key={base.metadata.resourceVersion} kind={kind} text={print(withoutManagers(base))} base={base} />
    </>
  )
}

interface Reviewed extends Tried { sent: KubeObject, at: Place, was: string, becomes: string }

// Editing is the editor and what follows it: a review, and the write. Without a base, the object is
// a new one.
function Editing({ kind, text: begun, base }: { kind: Kind, text: string, base?: KubeObject }) {
  const [text, setText] = useState(begun)
  const [faults, setFaults] = useState<Fault[]>([])
  const [refused, setRefused] = useState('')
  const [tried, setTried] = useState<Reviewed>()
  const [busy, setBusy] = useState(false)
  const show = useRef((_line: number) => {})
  const book = useLoaded(() => readBook(kind), [kind])
  const back = base ? objectAddress(kind, base.metadata) : listAddress(kind)

  const fail = (error: unknown, parsed: Text, written: boolean) => {
    const causes = error instanceof Refusal ? error.status.details?.causes ?? [] : []
    setFaults(causes.filter((cause) => cause.field).map((cause) => ({ line: lineOfField(parsed, cause.field!), text: `${cause.field}: ${cause.message}` })))
    setRefused(written && !isRefusal(error) ? `It is not known whether it was written: ${(error as Error).message}` : (error as Error).message)
    setTried(undefined)
  }
  // attempt sends something; written says that it is a write, and not only the try of one.
  const attempt = async (parsed: Text, written: boolean, send: () => Promise<void>) => {
    setBusy(true)
    try {
      await send()
    } catch (error) {
      fail(error, parsed, written)
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
    if (typeof sent?.metadata !== 'object' || sent.metadata === null) return setRefused('An object needs its metadata.')
    if (base) sent.metadata.resourceVersion ??= base.metadata.resourceVersion // what others have changed meanwhile stays
    const at = base?.metadata ?? { namespace: kind.namespaced ? sent.metadata.namespace || 'default' : '' }
    void attempt(parsed, false, async () => {
      const answer = await tryPut(kind, sent, at)
      setTried({ ...answer, sent, at, was: base ? print(settled(base)) : '', becomes: print(settled(answer.object)) })
    })
  }
  const apply = ({ sent, at }: Reviewed) => void attempt(parse(text), true, async () => {
    location.hash = objectAddress(kind, (await put(kind, sent, at)).metadata)
  })
  if (tried) {
    return (
      <section class="review" aria-label="What would change">
        {tried.warnings.map((warning) => <Problem key={warning} title="The server warns.">{warning}</Problem>)}
        <Diff was={tried.was} becomes={tried.becomes} />
        <Story request={`${base ? 'PUT' : 'POST'} ${pathOf(kind, tried.at.namespace, tried.at.name)}?dryRun=All&fieldManager=console`} sent={tried.sent} answered={tried.object} />
        {tried.steps && <Steps of={tried.steps} />}
        <div class="actions">
          <button type="button" class="primary" disabled={busy || tried.was === tried.becomes} onClick={() => apply(tried)}>{base ? 'Apply' : 'Create'}</button>
          <button type="button" onClick={() => setTried(undefined)}>Back to the text</button>
          <a class="button quiet" href={back}>Cancel</a>
        </div>
      </section>
    )
  }
  return (
    <section class="edit" aria-label={base ? 'Edit' : 'New'}>
      {refused && (
        <Problem title={faults.length > 0 ? 'It would not be taken as it is.' : refused}>
          <ul>{faults.map((fault) => <li key={fault.line + fault.text}><button type="button" class="link" onClick={() => show.current(fault.line)}>Line {fault.line + 1}</button> {fault.text}</li>)}</ul>
        </Problem>
      )}
      <YamlEditor text={text} label="The object as YAML" faults={faults} changed={setText}
        choices={(lines) => book.data && choicesAt(book.data, lines)} opened={(to) => { show.current = to }} />
      <div class="actions">
        <button type="button" class="primary" disabled={busy} onClick={review}>Review</button>
        <a class="button quiet" href={back}>Cancel</a>
        <span class="muted">The server tries it without keeping it, and you see what would change. Ctrl-Space shows what may stand at the cursor, Tab leaves the text.</span>
      </div>
    </section>
  )
}
