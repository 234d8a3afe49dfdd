// The objects of a kind, as the server's table says, live.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useReducer, useState } from 'preact/hooks'
import { ask, asMetadata } from '../api/http'
import { can, pathOf, type Kind, type Kinds } from '../api/kinds'
import type { KubeObject, List } from '../api/objects'
import { mostRows, Rows, type Row } from '../api/rows'
import { homeAddress, listAddress, makeAddress, replaceQuery, type Route } from '../route'
import { Grid } from './grid'
import { Empty, Problem, useLoaded, useNarrow, useTitle } from './parts'

export function ListView({ kind, kinds, route }: { kind: Kind, kinds: Kinds, route: Route }) {
  const of = (name: string) => route.query.get(name) ?? ''
  const [namespace, labels, fields, text, wide] = [of('namespace'), of('labels'), of('fields'), of('text'), of('wide') === 'yes']
  const rows = useRows(kind, namespace, labels, fields)
  useTitle(kind.kind)
  const wanted = text.trim().toLowerCase()
  const shown = wanted ? rows.rows.filter((row) => contains(row, wanted)) : rows.rows
  useEffect(() => { if (wanted && !rows.complete && rows.phase === 'live') void rows.more() })
  const filtered = labels !== '' || fields !== '' || wanted !== ''
  return (
    <div class="list">
      <header class="head">
        <p class="crumbs"><a href={homeAddress}>{kind.group || 'core'}</a> / {kind.version}</p>
        <h1>{kind.kind} <State rows={rows} searched={wanted !== ''} /></h1>
        <p class="about">{countOf(rows, shown.length, wanted !== '')}{rows.full && `; only ${mostRows.toLocaleString()} are kept in this page`}</p>
        <div class="filters">
          {kind.namespaced && <Namespaces kinds={kinds} value={namespace} />}
          <input type="search" aria-label="Text to find" placeholder="Find text" value={text} onInput={(event) => replaceQuery({ text: event.currentTarget.value })} />
          <More open={labels !== '' || fields !== '' || wide}>
            <Selector name="labels" label="Labels" hint="app=web" value={labels} />
            <Selector name="fields" label="Fields" hint="a.b=c" value={fields} />
            {rows.columns.some((column) => column.priority > 0) && (
              <label class="check"><input type="checkbox" checked={wide} onChange={(event) => replaceQuery({ wide: event.currentTarget.checked ? 'yes' : '' })} /> All columns</label>
            )}
            <Versions kind={kind} />
          </More>
          {can(kind, 'create') && <a class="button" href={makeAddress(kind, namespace)}>New</a>}
        </div>
      </header>
      {rows.phase === 'refused' ? <Problem title={`${kind.kind} can’t be read.`}>{rows.problem}</Problem>
        : rows.phase === 'broken' && <Problem title={rows.known ? 'This is not live right now.' : `${kind.kind} can’t be read right now.`}>{rows.problem}. It is tried again.</Problem>}
      {rows.phase !== 'refused' && (rows.complete && shown.length === 0
        ? <Empty>{filtered ? 'Nothing fits these filters' : namespace ? `There is none in ${namespace}` : 'There is none yet'}{rows.phase === 'live' ? '.' : ', as far as it was read.'}</Empty>
        : (rows.known || rows.phase === 'loading') && <Grid kind={kind} rows={rows} shown={shown} filtered={wanted !== ''} wide={wide} everywhere={kind.namespaced && !namespace} />)}
    </div>
  )
}

// More holds what a phone has no room for, until it is asked for.
function More({ open, children }: { open: boolean, children: ComponentChildren }) {
  if (!useNarrow()) return <>{children}</>
  return <details open={open}><summary>More filters</summary><div class="filters">{children}</div></details>
}

function useRows(kind: Kind, namespace: string, labels: string, fields: string): Rows {
  const [, again] = useReducer((n: number) => n + 1, 0)
  const rows = useMemo(() => new Rows(kind, { namespace, labels, fields }, () => again(0)), [kind, namespace, labels, fields])
  useEffect(() => () => rows.close(), [rows])
  return rows
}

const contains = (row: Row, text: string) =>
  row.name.toLowerCase().includes(text) || row.namespace.toLowerCase().includes(text) || row.cells.some((cell) => cell != null && String(cell).toLowerCase().includes(text))

// countOf is how many objects are shown, and of how many. searched means that a text was looked for
// in the rows, which finds nothing in objects that were not read yet.
function countOf(rows: Rows, shown: number, searched: boolean): string {
  if (!rows.known) return rows.phase === 'loading' ? 'Reading…' : 'How many there are is not known.'
  const read = rows.rows.length.toLocaleString()
  const all = rows.total?.toLocaleString() ?? `more than ${read}`
  if (searched) return shown.toLocaleString() + (rows.complete ? ` of ${all}` : ` so far, in ${read} of ${all} objects`)
  return rows.total === 1 ? '1 object' : `${all} objects`
}

function State({ rows, searched }: { rows: Rows, searched: boolean }) {
  const [name, text] = stateOf(rows, searched)
  return <span class={`state ${name}`} role="status">{text}</span>
}

function stateOf(rows: Rows, searched: boolean): [name: string, text: string] {
  if (rows.phase === 'loading') return ['still', 'reading']
  if (rows.phase !== 'live') return ['broken', 'not live']
  if (searched && !rows.complete) return ['still', rows.full ? 'partial' : 'searching']
  return rows.watched ? ['live', 'live'] : ['still', 'not watched']
}

// Selector is a filter that the server applies, when it is complete.
function Selector({ name, label, hint, value }: { name: string, label: string, hint: string, value: string }) {
  const [typed, set] = useState(value)
  useEffect(() => set(value), [value])
  return (
    <form onSubmit={(event) => { event.preventDefault(); replaceQuery({ [name]: typed.trim() }) }}>
      <input aria-label={`${label} to select by`} placeholder={`${label}: ${hint}`} value={typed} spellcheck={false} autocomplete="off"
        onInput={(event) => set(event.currentTarget.value)} onBlur={() => { if (typed.trim() !== value) replaceQuery({ [name]: typed.trim() }) }} />
    </form>
  )
}

function Namespaces({ kinds, value }: { kinds: Kinds, value: string }) {
  const names = useLoaded(async () => {
    const kind = kinds.find('', 'v1', 'namespaces')
    if (!kind) return []
    const { data } = await ask<List<KubeObject>>(pathOf(kind), { accept: asMetadata, query: { limit: 1000 } })
    return data.metadata.continue ? [] : data.items.map((item) => item.metadata.name) // part of them would look like all
  }, [kinds])
  const all = [...new Set([...names.data ?? [], ...value ? [value] : []])]
  if (names.error || names.data?.length === 0) return <Selector name="namespace" label="Namespace" hint="all" value={value} />
  return (
    <select aria-label="Namespace" value={value} onChange={(event) => replaceQuery({ namespace: event.currentTarget.value })}>
      <option value="">All namespaces</option>
      {all.map((name) => <option key={name} value={name} selected={name === value}>{name}</option>)}
    </select>
  )
}

// Versions leads to the same objects in another version.
function Versions({ kind }: { kind: Kind }) {
  if (kind.versions.length < 2 || !can(kind, 'list')) return null
  return (
    <select aria-label="Version" value={kind.version} onChange={(event) => { location.hash = listAddress({ ...kind, version: event.currentTarget.value }) }}>
      {kind.versions.map((version) => <option key={version} value={version} selected={version === kind.version}>{version}</option>)}
    </select>
  )
}
