// What can be written at a place in the YAML of an object, as its schema tells.
import type { Book, Explained } from './api/schema'
import type { Path } from './yaml'

// Choice is a text that may stand at the place.
export interface Choice { label: string, text: string, detail: string, info: string }

// Choices are what may stand in place of the last letters of the line.
export interface Choices { letters: number, choices: Choice[] }

// choicesAt are for the end of the last line. The text need not be YAML yet: indents tell where it
// is.
export function choicesAt(book: Book, lines: string[]): Choices | undefined {
  const line = lines.at(-1)!
  const key = /^( *(?:- +)*)([\w$./-]*)$/.exec(line)
  if (key) {
    const column = key[1]!.length
    const parent = pathAt(lines, column)
    const known = book.explain(parent)
    const values = valuesOf(known) // of an item of a list
    return { letters: key[2]!.length, choices: [...fieldsOf(book, parent, known, column), ...values] }
  }
  const value = /^( *(?:- +)*)([\w$./-]+): +(\S*)$/.exec(line)
  if (value) {
    const known = book.explain([...pathAt(lines, value[1]!.length), value[2]!])
    return { letters: value[3]!.length, choices: valuesOf(known) }
  }
  return undefined
}

function fieldsOf(book: Book, parent: Path, known: Explained | undefined, column: number): Choice[] {
  return Object.keys(known?.properties ?? {}).map((name) => {
    const field = book.explain([...parent, name])!
    return { label: name, text: name + afterKey(field, column), detail: (field.type ?? '') + (field.requiredHere ? ', required' : ''), info: field.description ?? '' }
  })
}

function afterKey(field: Explained, column: number): string {
  if (field.type === 'array') return ':\n' + ' '.repeat(column) + '- '
  if (field.properties || typeof field.additionalProperties === 'object') return ':\n' + ' '.repeat(column + 2)
  return ': '
}

function valuesOf(known: Explained | undefined): Choice[] {
  const values = known?.enum ?? (known?.type === 'boolean' ? [true, false] : [])
  return values.map((value) => {
    const text = value === '' ? '""' : String(value)
    return { label: text, text, detail: value === known?.default ? 'default' : '', info: '' }
  })
}

// pathAt is the path of the object or item whose content begins at a column of the last line. The
// index of items is 0, as all of them have one schema.
function pathAt(lines: string[], column: number): Path {
  const path: Path = []
  let ofList = false // the column is that of a list's dashes, which may be as far in as its key
  const climb = (line: string, withKey: boolean) => {
    const [, indent, dashes, key] = /^( *)((?:- +)*)(?:([^\s#-][^:]*|"[^"]*"):(?= |$))?/.exec(line)!
    let at = indent!.length + dashes!.length
    if (withKey && key !== undefined && (at < column || ofList && at === column)) {
      path.unshift(key.replace(/^["']|["']$/g, ''))
      column = at
      ofList = false
    }
    for (const dash of (dashes!.match(/- +/g) ?? []).reverse()) {
      at -= dash.length
      if (at >= column) continue
      path.unshift(0)
      column = at
      ofList = true
    }
  }
  climb(lines.at(-1)!, false)
  for (let n = lines.length - 2; n >= 0 && (column > 0 || ofList); n--) {
    if (/^\s*(#|$)/.test(lines[n]!)) continue
    climb(lines[n]!, true)
  }
  return path
}
