// A form made from a schema. What is left empty is not sent.
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { Book, Explained, Schema } from '../api/schema'
import { parse, print, type Path } from '../yaml'

export interface Form {
  book: Book
  value: unknown
  set: (path: Path, to: unknown) => void
  // faults are what the server says is wrong, by the path as JSON.
  faults: Map<string, string[]>
}

type Shape = 'object' | 'map' | 'list' | 'choice' | 'switch' | 'number' | 'text' | 'either' | 'any'

function shapeOf(schema: Schema): Shape {
  if (schema.enum) return 'choice'
  if (schema.properties) return 'object'
  if (typeof schema.additionalProperties === 'object') return 'map'
  if (schema.oneOf?.some((each) => each.type === 'string')) return 'either' // a number or a text
  switch (schema.type) {
    case 'array': return schema.items ? 'list' : 'any'
    case 'boolean': return 'switch'
    case 'integer': case 'number': return 'number'
    case 'string': return 'text'
  }
  return 'any'
}

// valueAt is what an object has at a path, undefined for nothing.
export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, step) => (at as Record<string | number, unknown> | undefined | null)?.[step], value)

// withValue is a value with another one at the path; undefined takes away what is there.
export function withValue(value: unknown, path: Path, to: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return to
  const next = withValue((value as Record<string | number, unknown> | undefined)?.[step], rest, to)
  if (typeof step === 'number') {
    const items = [...(value as unknown[] | undefined) ?? []]
    if (next === undefined) items.splice(step, 1)
    else items[step] = next
    return items
  }
  const { [step]: _, ...others } = (value ?? {}) as Record<string, unknown>
  return next === undefined ? others : { ...value as object, [step]: next }
}

// emptyOf is the least that a field of a schema can be: objects have the objects that they need.
export function emptyOf(book: Book, path: Path): unknown {
  const schema = book.explain(path)
  switch (schema && shapeOf(schema)) {
    case 'object': {
      const needed = Object.keys(schema!.properties!).filter((name) => {
        const field = book.explain([...path, name])
        return field?.requiredHere && shapeOf(field) === 'object'
      })
      return Object.fromEntries(needed.map((name) => [name, emptyOf(book, [...path, name])]))
    }
    case 'map': return {}
    case 'list': return []
    case 'switch': return false
    case 'number': return schema!.minimum ?? 0
    case 'any': return {}
    case 'choice': return schema!.enum![0]
  }
  return ''
}

const nameOf = (path: Path) => path.map((step, n) => typeof step === 'number' ? `[${step}]` : (n > 0 ? '.' : '') + step).join('')

export const idOf = (path: Path) => 'field-' + nameOf(path)

interface Props { form: Form, path: Path, label?: string }

export function Field({ form, path, label }: Props) {
  const schema = form.book.explain(path)
  if (!schema) return null
  const shape = shapeOf(schema)
  const parts: Partial<Record<Shape, typeof ObjectField>> = { object: ObjectField, map: MapField, list: ListField }
  const Part = parts[shape] ?? ScalarField
  return <Part form={form} path={path} schema={schema} label={label ?? String(path.at(-1))} />
}

interface PartProps { form: Form, path: Path, schema: Explained, label: string }

function ObjectField(props: PartProps) {
  const { form, path, schema } = props
  return (
    <Group {...props}>
      {neededFirst(Object.keys(schema.properties!), schema).map((name) => <Field key={name} form={form} path={[...path, name]} />)}
    </Group>
  )
}

export const neededFirst = (names: string[], { required = [] }: Schema) =>
  [...names.filter((name) => required.includes(name)), ...names.filter((name) => !required.includes(name))]

function ListField(props: PartProps) {
  const { form, path } = props
  const items = (valueAt(form.value, path) ?? []) as unknown[]
  return (
    <Group {...props}>
      {items.map((_, n) => <Item key={n} form={form} path={[...path, n]} label={`${props.label} ${n + 1}`} />)}
      <p><button type="button" onClick={() => form.set([...path, items.length], emptyOf(form.book, [...path, items.length]))}>Add to {props.label}</button></p>
    </Group>
  )
}

function MapField(props: PartProps) {
  const { form, path } = props
  const [name, setName] = useState('')
  const id = useId()
  const names = Object.keys((valueAt(form.value, path) ?? {}) as object)
  const add = () => { form.set([...path, name], emptyOf(form.book, [...path, name])); setName('') }
  return (
    <Group {...props}>
      {names.map((each) => <Item key={each} form={form} path={[...path, each]} label={each} />)}
      <p class="tools">
        <label for={id}>Name in {props.label}</label> <input id={id} value={name} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />
        <button type="button" disabled={name === '' || names.includes(name)} onClick={add}>Add</button>
      </p>
    </Group>
  )
}

function Item({ form, path, label }: { form: Form, path: Path, label: string }) {
  return (
    <div class="item">
      <Field form={form} path={path} label={label} />
      <button type="button" class="quiet" aria-label={`Remove ${label}`} onClick={() => form.set(path, undefined)}>Remove</button>
    </div>
  )
}

// Group has fields below it. Those of an object are there when it is; what is added to a list or a
// map makes it.
function Group({ form, path, schema, label, children }: PartProps & { children: ComponentChildren }) {
  const there = valueAt(form.value, path) !== undefined
  const grows = shapeOf(schema) !== 'object'
  const within = typeof path.at(-1) === 'number' // an item is removed by its list
  return (
    <fieldset id={idOf(path)} class="group-field" tabIndex={-1}>
      <legend><Name schema={schema} label={label} /></legend>
      <Words schema={schema} />
      <Faults form={form} path={path} />
      {(there || grows) && children}
      {!within && !schema.requiredHere && (there || !grows) && (
        <p><button type="button" class="quiet" onClick={() => form.set(path, there ? undefined : emptyOf(form.book, path))}>{there ? 'Leave out' : 'Set'} {label}</button></p>
      )}
    </fieldset>
  )
}

function ScalarField({ form, path, schema, label }: PartProps) {
  const id = idOf(path)
  const wrong = form.faults.has(JSON.stringify(path))
  return (
    <div class="field">
      <label for={id}><Name schema={schema} label={label} /></label>
      <div>
        <Input id={id} schema={schema} value={valueAt(form.value, path)} wrong={wrong} set={(to) => form.set(path, to)} inItem={typeof path.at(-1) === 'number'} />
        <Faults form={form} path={path} />
      </div>
      <Words schema={schema} id={id + '-words'} />
    </div>
  )
}

function Name({ schema, label }: { schema: Explained, label: string }) {
  return <><bdi>{label}</bdi>{schema.requiredHere && <span class="needed"> required</span>}</>
}

function Words({ schema, id }: { schema: Explained, id?: string }) {
  const limits = [schema.minimum !== undefined && `at least ${schema.minimum}`, schema.maximum !== undefined && `at most ${schema.maximum}`, schema.maxLength !== undefined && `at most ${schema.maxLength} characters`]
  return <p id={id} class="words muted">{[schema.description, ...limits].filter(Boolean).join('\n')}</p>
}

function Faults({ form, path }: { form: Form, path: Path }) {
  return <>{form.faults.get(JSON.stringify(path))?.map((fault) => <p key={fault} class="wrong">{fault}</p>)}</>
}

interface InputProps { id: string, schema: Explained, value: unknown, wrong: boolean, set: (to: unknown) => void, inItem: boolean }

function Input({ id, schema, value, wrong, set, inItem }: InputProps) {
  const common = { id, 'aria-describedby': id + '-words', 'aria-invalid': wrong, 'aria-required': schema.requiredHere }
  const shape = shapeOf(schema)
  const none = inItem ? '' : undefined // an empty item stays an item
  switch (shape) {
    case 'choice': case 'switch': {
      const choices = shape === 'switch' ? [false, true] : schema.enum!
      return (
        <select {...common} value={value === undefined ? '' : String(choices.indexOf(value))} onChange={(event) => set(event.currentTarget.value === '' ? undefined : choices[Number(event.currentTarget.value)])}>
          <option value="">not set</option>
          {choices.map((choice, n) => <option key={n} value={String(n)}>{String(choice) || '""'}</option>)}
        </select>
      )
    }
    case 'any': return <AnyInput {...common} value={value} set={set} />
  }
  const read = (input: HTMLInputElement) => {
    const text = input.value
    const [to, problem] = text === '' ? [none, ''] : shape === 'text' ? [text, ''] : numberOf(text, schema, shape === 'either')
    input.setCustomValidity(problem)
    set(to)
  }
  return <input {...common} inputMode={shape === 'number' ? 'decimal' : undefined} spellcheck={false} autocomplete="off" value={value === undefined ? '' : String(value)} placeholder={schema.default ? String(schema.default) : undefined} onInput={(event) => read(event.currentTarget)} />
}

// numberOf reads a number, and says what is wrong with the text if it is none.
function numberOf(text: string, schema: Schema, orText: boolean): [unknown, string] {
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? [Number(text), ''] : orText ? [text, ''] : [text, 'This number is too large for the page: edit the object as YAML.']
  if (orText) return [text, '']
  if (schema.type === 'number' && /^-?\d*\.?\d+(e[+-]?\d+)?$/i.test(text)) return [Number(text), '']
  return [text, schema.type === 'number' ? 'This is no number.' : 'This is no whole number.']
}

// AnyInput takes what the schema says nothing of, as YAML.
function AnyInput({ value, set, ...common }: { value: unknown, set: (to: unknown) => void, id: string }) {
  const [text, setText] = useState(value === undefined ? '' : print(value))
  const read = (area: HTMLTextAreaElement) => {
    setText(area.value)
    const { document } = parse(area.value)
    area.setCustomValidity(document.errors.length > 0 ? 'This is no YAML: ' + document.errors[0]!.message.split('\n')[0] : '')
    if (document.errors.length === 0) set(document.toJS() ?? undefined)
  }
  return <textarea {...common} rows={3} spellcheck={false} value={text} placeholder="YAML" onInput={(event) => read(event.currentTarget)} />
}
