// What can be done with an object beside changing it: a form for each of its subresources.
import { useState } from 'preact/hooks'
import { actionsOf, begin, send, type Action } from '../api/actions'
import { isRefusal, Refusal } from '../api/http'
import type { Kind } from '../api/kinds'
import { settled, withoutManagers, type KubeObject, type Meta } from '../api/objects'
import { objectAddress } from '../route'
import { pathOfField, print, type Path } from '../yaml'
import { Diff } from './diff'
import { emptyOf, Field, idOf, neededFirst, valueAt, withValue, type Form } from './form'
import { Problem, useLoaded } from './parts'

const titleOf = (name: string) => name[0]!.toUpperCase() + name.slice(1)

// ActionLinks leads to the forms. Replicas have a field of their own.
export function ActionLinks({ kind, at }: { kind: Kind, at: Pick<Meta, 'name' | 'namespace'> }) {
  const actions = useLoaded(() => actionsOf(kind), [kind])
  if (actions.error && kind.subresources.length > 0) return <span class="muted" title={actions.error}>Its actions can’t be read.</span>
  return <>{actions.data?.filter(({ name }) => name !== 'scale').map(({ name }) => <a key={name} class="button" href={objectAddress(kind, at, 'action', { action: name })}>{titleOf(name)}…</a>)}</>
}

interface Props { kind: Kind, object: KubeObject, name: string }

export function ActionForm({ kind, object, name }: Props) {
  const loaded = useLoaded(async () => {
    const action = (await actionsOf(kind)).find((each) => each.name === name)
    if (!action) throw new Error(`the server’s OpenAPI has no form of ${kind.resource}/${name}`)
    const fields = fieldsOf(action)
    let from = await begin(kind, object, action)
    for (const field of fields) {
      const schema = action.book.explain([field])
      if (schema && valueAt(from, [field]) === undefined && (schema.requiredHere || field === 'spec') && schema.properties) from = withValue(from, [field], emptyOf(action.book, [field])) as KubeObject
    }
    return { action, fields, from }
  }, [kind, name, object.metadata.uid])
  if (loaded.error) return <Problem title="There is no form for this.">{loaded.error}</Problem>
  if (!loaded.data) return <p class="empty" role="status">Reading what it takes…</p>
  return <Filled kind={kind} object={object} {...loaded.data} />
}

// fieldsOf are the fields at the top that a person fills in: the server itself fills in the status
// of a request, and of status subresources it takes nothing else.
function fieldsOf(action: Action): string[] {
  const schema = action.book.explain([])
  const all = neededFirst(Object.keys(schema?.properties ?? {}), schema ?? {}).filter((field) => !['apiVersion', 'kind', 'metadata'].includes(field))
  if (action.ofItself) return action.name === 'status' ? ['status'] : all
  return all.includes('spec') ? all.filter((field) => field !== 'status') : all
}

interface Outcome { was: KubeObject, answer: KubeObject, tried: boolean, warnings: string[] }

function Filled({ kind, object, action, fields, from }: Omit<Props, 'name'> & { action: Action, fields: string[], from: KubeObject }) {
  const [was, setWas] = useState(from)
  const [value, setValue] = useState<unknown>(from)
  const [failure, setFailure] = useState<{ error: Error, tried: boolean }>()
  const [outcome, setOutcome] = useState<Outcome>()
  const [busy, setBusy] = useState(false)
  const back = objectAddress(kind, object.metadata)
  const causes = failure?.error instanceof Refusal ? failure.error.status.details?.causes ?? [] : []
  const faults = new Map<string, string[]>()
  const placed = causes.filter((cause) => cause.field).map((cause) => ({ cause, path: shownPath(action, value, fields, pathOfField(cause.field!)) }))
  for (const { cause, path } of placed) faults.set(JSON.stringify(path), [...faults.get(JSON.stringify(path)) ?? [], cause.message ?? ''])
  const form: Form = { book: action.book, value, set: (path, to) => setValue((now: unknown) => withValue(now, path, to)), faults }

  const attempt = async (tried: boolean) => {
    setBusy(true)
    setFailure(undefined)
    setOutcome(undefined)
    try {
      const { data, warnings } = await send(kind, object, action, value as KubeObject, tried)
      setOutcome({ was, answer: data, tried, warnings })
      if (tried || !action.change || data.kind === 'Status') return
      setWas(data) // what is changed next is this
      setValue(data)
    } catch (error) {
      setFailure({ error: error as Error, tried })
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void attempt((event.submitter as HTMLButtonElement | null)?.value === 'try')
  }
  return (
    <form class="action" aria-label={titleOf(action.name)} onSubmit={submit}>
      <h2>{titleOf(action.name)}</h2>
      <p class="words muted">{action.book.explain([])?.description}</p>
      {failure && (
        <Problem title={isRefusal(failure.error) ? 'The server refuses it.' : failure.tried ? 'It could not be tried.' : 'It is not known whether it was done.'}>
          {placed.length === 0 ? failure.error.message : <ul>{placed.map(({ cause, path }) => <li key={cause.field! + cause.message}><button type="button" class="link" onClick={() => document.getElementById(idOf(path))?.focus()}>{cause.field}</button> {cause.message}</li>)}</ul>}
        </Problem>
      )}
      {fields.map((field) => <Field key={field} form={form} path={[field]} />)}
      {fields.length === 0 && <p class="muted">It takes nothing but the name of the object.</p>}
      <div class="actions">
        {action.triable && <button type="submit" value="try" disabled={busy}>Try</button>}
        <button type="submit" class="primary" disabled={busy}>{titleOf(action.name)}</button>
        <a class="button quiet" href={back}>Back</a>
        {action.triable && <span class="muted">A try is answered as if it were done, and nothing is kept.</span>}
      </div>
      <div role="status">{outcome && <Answered action={action} outcome={outcome} />}</div>
    </form>
  )
}

function Answered({ action, outcome: { was, answer, tried, warnings } }: { action: Action, outcome: Outcome }) {
  return (
    <section class="answered">
      {warnings.map((warning) => <Problem key={warning} title="The server warns.">{warning}</Problem>)}
      <h3>{tried ? 'The server would answer this. Nothing was kept.' : 'It is done. The server has answered this.'}</h3>
      {action.change && answer.kind !== 'Status' ? <Diff was={print(settled(was))} becomes={print(settled(answer))} />
        : <pre class="yaml" tabIndex={0}>{print(answer.metadata?.name ? withoutManagers(answer) : answer)}</pre>}
    </section>
  )
}

// shownPath is the nearest to a field that the form shows.
function shownPath(action: Action, value: unknown, fields: string[], path: Path): Path {
  if (!fields.includes(String(path[0]))) return []
  for (let length = path.length; length > 1; length--) {
    const at = path.slice(0, length)
    if (action.book.explain(at) && valueAt(value, at.slice(0, -1)) !== undefined) return at
  }
  return path.slice(0, 1)
}
