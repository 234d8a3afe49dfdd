// What the server's OpenAPI says about fields.
import { ask } from './http'
import { rootOf, type Kind } from './kinds'
import type { Path } from '../yaml'

export interface Schema {
  $ref?: string
  allOf?: Schema[]
  description?: string
  type?: string
  format?: string
  enum?: unknown[]
  default?: unknown
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  oneOf?: Schema[]
  'x-kubernetes-group-version-kind'?: { group: string, version: string, kind: string }[]
}

type Schemas = Record<string, Schema>

// Operation is what may be asked by one method at one path.
export interface Operation {
  description?: string
  parameters?: { name?: string }[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
}

// Document is the OpenAPI of a group and version.
interface Document {
  paths?: Record<string, Record<string, unknown>>
  components?: { schemas?: Schemas }
}

const documents = new Map<string, Promise<Document>>()

// documentOf reads the document of a kind's group and version, once.
export function documentOf(kind: Kind): Promise<Document> {
  const name = rootOf(kind).slice(1)
  let document = documents.get(name)
  if (!document) {
    document = readDocument(name)
    document.catch(() => documents.delete(name))
    documents.set(name, document)
  }
  return document
}

async function readDocument(name: string): Promise<Document> {
  const index = await ask<{ paths: Record<string, { serverRelativeURL: string }> }>('/openapi/v3')
  const url = index.data.paths[name]?.serverRelativeURL
  if (!url) throw new Error(`the server has no OpenAPI of ${name}`)
  return (await ask<Document>(url)).data
}

// Explained is what is known of a field.
export interface Explained extends Schema {
  requiredHere: boolean
}

// Book explains the fields of one kind.
export class Book {
  constructor(private schemas: Schemas, private root: Schema) {}

  // explain returns what is said of a field, undefined if it is in no schema.
  explain(path: Path): Explained | undefined {
    let at = this.resolve(this.root)
    let requiredHere = false
    for (const step of path) {
      let next: Schema | undefined
      if (typeof step === 'number') next = at.items
      else {
        next = at.properties?.[step]
        requiredHere = at.required?.includes(step) ?? false
        if (!next && typeof at.additionalProperties === 'object') next = at.additionalProperties
      }
      if (!next) return undefined
      at = this.resolve(next)
    }
    return { ...at, requiredHere }
  }

  // resolve puts what a schema refers to below what it says itself.
  private resolve(schema: Schema, depth = 0): Schema {
    if (depth > 16) return schema
    let all: Schema = {}
    const name = schema.$ref?.replace(/^#\/components\/schemas\//, '')
    for (const part of [name === undefined ? undefined : this.schemas[name], ...schema.allOf ?? []]) {
      if (part) all = { ...all, ...this.resolve(part, depth + 1) }
    }
    const { $ref: _, allOf: __, ...own } = schema
    return { ...all, ...own }
  }
}

export async function readBook(kind: Kind): Promise<Book> {
  const schemas = (await documentOf(kind)).components?.schemas ?? {}
  const root = Object.values(schemas).find((schema) => schema['x-kubernetes-group-version-kind']?.some((each) =>
    each.group === kind.group && each.version === kind.version && each.kind === kind.kind))
  if (!root) throw new Error(`the server’s OpenAPI does not have ${kind.kind}`)
  return new Book(schemas, root)
}

// limitsOf are the bounds of a field, in words.
export function limitsOf(schema: Schema): string[] {
  const limits: string[] = []
  const say = (text: string, value: unknown) => { if (value !== undefined) limits.push(`${text} ${value}`) }
  say('at least', schema.minimum)
  say('at most', schema.maximum)
  say('characters, at least', schema.minLength)
  say('characters, at most', schema.maxLength)
  say('items, at least', schema.minItems)
  say('items, at most', schema.maxItems)
  say('matches', schema.pattern)
  return limits
}
