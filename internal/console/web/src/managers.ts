// Who manages which field, from metadata.managedFields.
import type { KubeObject } from './api/objects'
import type { FieldsV1, ManagedFieldsEntry } from './api/wire'
import type { Path } from './yaml'

// Manager is one of the managers of an object; number tells its colour.
export interface Manager extends ManagedFieldsEntry { number: number }

export const managersOf = (object: KubeObject): Manager[] =>
  (object.metadata.managedFields ?? []).map((managed, number) => ({ ...managed, number }))

export const titleOf = (manager: Manager) => (manager.manager || 'unknown') + (manager.subresource ? ` (${manager.subresource})` : '')

// ofField are those who manage the field, or what it is a part of as a whole.
export const ofField = (object: KubeObject, managers: Manager[], path: Path) =>
  managers.filter((manager) => manager.fieldsV1 && has(manager.fieldsV1, object, path))

function has(fields: FieldsV1, value: unknown, path: Path): boolean {
  for (const step of path) {
    const element = elementOf(fields, value, step)
    if (element === undefined) return false
    fields = fields[element]!
    if (Object.keys(fields).length === 0) return true
    value = (value as Record<string | number, unknown> | undefined)?.[step]
  }
  return '.' in fields
}

// elementOf is the name of a step in a set of fields.
function elementOf(fields: FieldsV1, value: unknown, step: string | number): string | undefined {
  if (typeof step === 'string') return `f:${step}` in fields ? `f:${step}` : undefined
  const item = (value as unknown[] | undefined)?.[step]
  return Object.keys(fields).find((element) => {
    const text = element.slice(2)
    switch (element.slice(0, 2)) {
      case 'i:': return text === String(step)
      case 'v:': return text === JSON.stringify(item)
      case 'k:': return Object.entries(JSON.parse(text) as object).every(([name, key]) => (item as Record<string, unknown> | undefined)?.[name] === key)
    }
    return false
  })
}
