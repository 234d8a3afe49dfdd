// Objects as text: the lines of YAML, and which field each of them shows.
import { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, stringify, type Document, type Node } from 'yaml'

// Path leads to a field: names of members and indexes of items.
export type Path = (string | number)[]

export const print = (value: unknown) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })

export interface Line {
  path: Path
  // indent is what stands before the key, with the dash of an item.
  indent: string
  key: string
  value: string
}

// Text is what was parsed, with the lines at which its fields begin.
export interface Text {
  document: Document.Parsed
  lineOf: Map<string, number> // by the path as JSON; lines count from 0
}

export function parse(text: string): Text {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true })
  const lineOf = new Map<string, number>()
  const visit = (node: unknown, path: Path) => {
    if (isMap(node)) {
      for (const item of node.items) {
        if (!isPair(item) || !isScalar(item.key)) continue
        const at = [...path, String(item.key.value)]
        lineOf.set(JSON.stringify(at), counter.linePos((item.key as Node).range![0]).line - 1)
        visit(item.value, at)
      }
    } else if (isSeq(node)) {
      node.items.forEach((item, index) => {
        const at = [...path, index]
        const range = (item as Node | null)?.range
        if (range) lineOf.set(JSON.stringify(at), counter.linePos(range[0]).line - 1)
        visit(item, at)
      })
    }
  }
  visit(document.contents, [])
  return { document, lineOf }
}

// linesOf prints a value, and says of each line what it shows.
export function linesOf(value: unknown): Line[] {
  const text = print(value)
  const starts = new Map<number, Path>()
  for (const [path, line] of parse(text).lineOf) starts.set(line, JSON.parse(path)) // the innermost is the last
  let path: Path = []
  return text.replace(/\n$/, '').split('\n').map((line, number) => {
    const own = starts.get(number)
    if (own) path = own
    const [, indent, rest] = /^((?: |- )*)(.*)$/.exec(line)!
    const key = own && typeof own.at(-1) === 'string' ? /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s].*?):(?= |$)/.exec(rest!)?.[0] ?? '' : ''
    return { path, indent: indent!, key, value: rest!.slice(key.length) }
  })
}

// pathOfField reads a field as servers write it: spec.items[0].name, metadata.labels[a.b/c].
export function pathOfField(field: string): Path {
  const path: Path = []
  for (const [, name, quoted] of field.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (name !== undefined) path.push(name)
    else path.push(/^\d+$/.test(quoted!) ? Number(quoted) : quoted!.replace(/^["']|["']$/g, ''))
  }
  return path
}

// lineOfField is the line of a field, or of the nearest that stands around it.
export function lineOfField(text: Text, field: string): number {
  for (const path = pathOfField(field); path.length > 0; path.pop()) {
    const line = text.lineOf.get(JSON.stringify(path))
    if (line !== undefined) return line
  }
  return 0
}
