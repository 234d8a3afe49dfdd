// An object as YAML. Of the line that is chosen, the schema's words and the managers stand beside.
import { useMemo, useState } from 'preact/hooks'
import type { Kind } from '../api/kinds'
import { withoutManagers, type KubeObject } from '../api/objects'
import { limitsOf, readBook, type Book } from '../api/schema'
import { managersOf, ofField, titleOf, type Manager } from '../managers'
import { linesOf, print, type Line, type Path } from '../yaml'
import { Ago, useLoaded } from './parts'

export function TextView({ kind, object }: { kind: Kind, object: KubeObject }) {
  const [colours, setColours] = useState(false)
  const [raw, setRaw] = useState(false)
  const [chosen, choose] = useState('')
  const lines = useMemo(() => linesOf(raw ? object : withoutManagers(object)), [object, raw])
  const managers = useMemo(() => managersOf(object), [object])
  const book = useLoaded(() => readBook(kind), [kind])
  const path: Path = chosen === '' ? [] : JSON.parse(chosen)
  return (
    <div class="split">
      <section aria-label="The object as YAML">
        <div class="tools">
          <label class="check"><input type="checkbox" checked={colours} onChange={(event) => setColours(event.currentTarget.checked)} /> Managers by colour</label>
          <label class="check"><input type="checkbox" checked={raw} onChange={(event) => setRaw(event.currentTarget.checked)} /> managedFields</label>
          <Copy text={() => print(raw ? object : withoutManagers(object))} />
        </div>
        {colours && <Legend managers={managers} />}
        <ol class="yaml" onKeyDown={step}>
          {lines.map((line, number) => {
            const at = JSON.stringify(line.path)
            const owner = colours ? ofField(object, managers, line.path)[0] : undefined
            return (
              <li key={number} class={(line.key && at === chosen ? 'chosen ' : '') + (owner ? `managed m${owner.number % 6}` : '')}>
                {line.key ? <button type="button" aria-pressed={at === chosen} onClick={() => choose(at === chosen ? '' : at)}><Shown line={line} /></button> : <span class="more"><Shown line={line} /></span>}
              </li>
            )
          })}
        </ol>
      </section>
      <aside tabIndex={0} class={chosen === '' ? 'idle' : ''} aria-label="About the field" aria-live="polite">
        {book.error ? <p class="muted">There are no words about fields: {book.error}</p>
          : book.data && <About book={book.data} path={path} managers={ofField(object, managers, path)} />}
      </aside>
    </div>
  )
}

function Shown({ line }: { line: Line }) {
  return <>{line.indent}{line.key && <span class="key">{line.key}</span>}{/^ */.exec(line.value)}<bdi class={toneOf(line.value.trim())}>{line.value.trimStart()}</bdi></>
}

// toneOf tells numbers and words of the language from texts.
const toneOf = (value: string) => /^(-?\d+(\.\d+)?(e[+-]?\d+)?|true|false|null)$/i.test(value) ? 'literal' : ''

// step goes from line to line by the arrow keys.
function step(event: KeyboardEvent) {
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (move === undefined) return
  const all = [...(event.currentTarget as HTMLElement).querySelectorAll('button')]
  const to = all[all.indexOf(event.target as HTMLButtonElement) + move]
  if (!to) return
  event.preventDefault()
  to.focus()
  if (to.ariaPressed !== 'true') to.click()
}

function Copy({ text }: { text: () => string }) {
  const [said, say] = useState('')
  const copy = () => navigator.clipboard.writeText(text()).then(() => say('Copied'), () => say('Not allowed'))
  return <button type="button" class="quiet" onClick={() => void copy()} onBlur={() => say('')}>{said || 'Copy'}</button>
}

function Legend({ managers }: { managers: Manager[] }) {
  if (managers.length === 0) return <p class="muted">Nobody manages a field of it.</p>
  return (
    <ul class="legend" aria-label="Managers">
      {managers.map((manager) => <li key={manager.number} class={`managed m${manager.number % 6}`}><bdi>{titleOf(manager)}</bdi> <small>{manager.operation}{manager.time && <>, <Ago time={manager.time} /> ago</>}</small></li>)}
    </ul>
  )
}

function About({ book, path, managers }: { book: Book, path: Path, managers: Manager[] }) {
  const known = book.explain(path)
  const name = path.map((step) => typeof step === 'number' ? `[${step}]` : `.${step}`).join('').slice(1)
  return (
    <>
      <h2>{name || 'What is this?'}</h2>
      {known === undefined ? <p class="muted">The schema says nothing of this field.</p> : <p class="words">{known.description || 'The schema has no words for it.'}</p>}
      {path.length === 0 && <p class="muted">Choose a line to read about its field.</p>}
      {known && path.length > 0 && (
        <dl>
          <dt>Type</dt><dd>{known.type ?? 'any'}{known.format && ` (${known.format})`}{known.requiredHere && ', required'}</dd>
          {known.default !== undefined && <><dt>Default</dt><dd><code>{JSON.stringify(known.default)}</code></dd></>}
          {known.enum && <><dt>One of</dt><dd>{known.enum.map((value) => <code key={String(value)}>{String(value)} </code>)}</dd></>}
          {limitsOf(known).map((limit) => <><dt>Limit</dt><dd>{limit}</dd></>)}
        </dl>
      )}
      {path.length > 0 && <dl><dt>Managed by</dt><dd>{managers.length === 0 ? 'nobody' : managers.map((manager) => <div key={manager.number}><bdi>{titleOf(manager)}</bdi>{manager.time && <small>, <Ago time={manager.time} /> ago</small>}</div>)}</dd></dl>}
    </>
  )
}
