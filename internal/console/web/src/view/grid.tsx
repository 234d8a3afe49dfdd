// A table of which only the rows in sight are in the page.
import type { CSSProperties, TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Kind } from '../api/kinds'
import type { Row, Rows } from '../api/rows'
import type { TableColumnDefinition } from '../api/wire'
import { objectAddress } from '../route'
import { Ago, useNarrow } from './parts'

interface Props {
  kind: Kind
  rows: Rows
  shown: Row[]
  // filtered says that shown are some of the rows, so that what was not read yet has no place.
  filtered: boolean
  wide: boolean
  // everywhere says that rows are of all namespaces.
  everywhere: boolean
}

// Field is a column as it is shown; index is its place in the cells.
type Column = Pick<TableColumnDefinition, 'name' | 'type' | 'priority'> & { description?: string }

interface Field { column: Column, index: number }

const heights = { screen: 37, phone: 62 }
const spare = 8 // rows beyond the edge
const edge = 100 // rows before the end of what was read, at which more is read

export function Grid({ kind, rows, shown, filtered, wide, everywhere }: Props) {
  const narrow = useNarrow()
  const height = narrow ? heights.phone : heights.screen
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  useLayoutEffect(() => {
    const element = box.current!
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight })
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => { sizes.disconnect(); element.removeEventListener('scroll', look) }
  }, [])
  const total = filtered ? shown.length : Math.max(shown.length, rows.total ?? 0)
  const first = Math.max(0, Math.floor(view.top / height) - spare)
  const last = Math.min(total, Math.ceil((view.top + view.height) / height) + spare)
  useEffect(() => {
    if (rows.phase === 'live' && !rows.complete && last + edge > shown.length) void rows.more()
  })

  const name = rows.columns.findIndex((column) => column.format === 'name')
  const fields = rows.columns.map((column, index) => ({ column, index })).filter(({ column, index }) => index !== name && (wide || column.priority === 0))
  const nameField: Field = { column: { name: 'Name', type: 'string', priority: 0 }, index: name }
  const columns = everywhere ? [nameField, namespaceField, ...fields] : [nameField, ...fields]
  const style: CSSProperties = narrow ? {} : { gridTemplateColumns: columns.map((field) => widthOf(field, shown)).join(' ') }

  const go = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const at = Number((event.target as HTMLElement).dataset.row)
    const page = Math.max(1, Math.floor(view.height / height) - 1)
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length - 1 }
    const to = moves[event.key]
    if (to === undefined || Number.isNaN(at)) return
    event.preventDefault()
    reach(box.current!, Math.max(0, Math.min(shown.length - 1, to)), height)
  }
  return (
    <div class={narrow ? 'grid phone' : 'grid'} ref={box} role="table" aria-label={kind.kind} aria-rowcount={total + 1} aria-busy={rows.phase === 'loading'} onKeyDown={go}>
      <div class={narrow ? 'line names heard' : 'line names'} role="row" aria-rowindex={1} style={style}>
        {columns.map(({ column }) => <div key={column.name} role="columnheader" class={isNumber(column) ? 'number' : ''} title={column.description}>{column.name}</div>)}
      </div>
      <div role="rowgroup" class="lines" style={{ height: total * height + 'px' }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
          const at = first + offset
          const row = shown[at]
          const place = { ...style, height: height + 'px', transform: `translateY(${at * height}px)` }
          if (!row) return <div key={'at' + at} class="line unread" role="row" aria-rowindex={at + 2} style={place}><div role="cell">…</div></div>
          return <Line key={row.key} at={at} row={row} kind={kind} columns={columns} narrow={narrow} style={place} />
        })}
      </div>
    </div>
  )
}

const namespaceField: Field = { column: { name: 'Namespace', type: 'string', priority: 0 }, index: -2 }

function Line({ at, row, kind, columns, narrow, style }: { at: number, row: Row, kind: Kind, columns: Field[], narrow: boolean, style: CSSProperties }) {
  const link = <a href={objectAddress(kind, row)} data-row={at}>{row.name}</a>
  const cells = columns.slice(1).map((field) => (
    <div key={field.column.name} role="cell" class={isNumber(field.column) ? 'number' : field.index === namespaceField.index || isAge(field.column) ? 'short' : ''}>
      {narrow && isNumber(field.column) && <span class="label">{field.column.name} </span>}<Cell field={field} row={row} />
    </div>
  ))
  const fresh = row.changes > 0 ? (row.changes % 2 ? ' fresh odd' : ' fresh even') : ''
  return (
    <div class={'line' + fresh + (row.leaving ? ' leaving' : '')} role="row" aria-rowindex={at + 2} style={style} title={row.leaving ? 'It is being deleted.' : undefined}>
      <div role="cell" class="name">{link}</div>
      {narrow ? <div class="rest" role="none">{cells}</div> : cells}
    </div>
  )
}

function Cell({ field, row }: { field: Field, row: Row }) {
  if (field.index === namespaceField.index) return <bdi>{row.namespace}</bdi>
  if (isAge(field.column) && row.created) return <Ago time={row.created} />
  const cell = row.cells[field.index]
  if (cell == null || cell === '' || cell === '<none>' || cell === '<unknown>') return <span class="muted">–</span>
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
  return <bdi title={text.length > 24 ? text : undefined}>{text}</bdi>
}

const isNumber = (column: Column) => column.type === 'integer' || column.type === 'number'

// isAge says whether a column shows how old an object is, which the server knew for one moment.
const isAge = (column: Column) => column.name === 'Age'

// ofASign is about how wide a letter is, in pixels.
const ofASign = 8

// widthOf is what a column gets of the width: as its first texts want.
function widthOf(field: Field, shown: Row[]): string {
  let longest = field.column.name.length
  for (const row of shown.slice(0, 100)) {
    const text = field.index === namespaceField.index ? row.namespace : field.column.name === 'Name' ? row.name : isAge(field.column) ? '00 min' : String(row.cells[field.index] ?? '')
    longest = Math.max(longest, text.length)
  }
  const signs = Math.max(5, Math.min(44, longest))
  return isNumber(field.column) ? `${signs * ofASign + 16}px` : `minmax(${Math.min(signs, field.column.name === 'Name' ? 30 : 18) * ofASign + 16}px, ${signs}fr)`
}

// reach scrolls to a row and puts the focus on it, once it is there.
function reach(box: HTMLElement, row: number, height: number) {
  const top = row * height
  const head = box.querySelector<HTMLElement>('.names')?.offsetHeight ?? 0
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + height + head > box.scrollTop + box.clientHeight) box.scrollTop = top + height + head - box.clientHeight
  let tries = 5
  const focus = () => {
    const link = box.querySelector<HTMLElement>(`[data-row="${row}"]`)
    if (link) link.focus({ preventScroll: true })
    else if (tries-- > 0) requestAnimationFrame(focus)
  }
  requestAnimationFrame(focus)
}
