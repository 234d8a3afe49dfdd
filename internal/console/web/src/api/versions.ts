// One object in all versions in which the server shows it.
import { ask, Refusal } from './http'
import { pathOf, type Kind, type Kinds } from './kinds'
import type { KubeObject } from './objects'

export interface Shown {
  kind: Kind
  // object is undefined if it can't be read in this version, and problem says why.
  object?: KubeObject
  problem?: string
}

// versionsOf reads it in each version, also those of other groups that have a kind of this name:
// what has the same uid there is the same object.
export async function versionsOf(kind: Kind, kinds: Kinds, object: KubeObject, signal: AbortSignal): Promise<Shown[]> {
  const { name, namespace, uid } = object.metadata
  const places = kinds.all.filter((other) => other.resource === kind.resource && other.kind === kind.kind && other.verbs.includes('get'))
  const shown = await Promise.all(places.map(async (other): Promise<Shown> => {
    try {
      return { kind: other, object: (await ask<KubeObject>(pathOf(other, namespace, name), { signal })).data }
    } catch (error) {
      if (signal.aborted) throw error
      return { kind: other, problem: error instanceof Refusal ? error.message : String(error) }
    }
  }))
  return shown.filter(({ kind: other, object }) => object ? object.metadata.uid === uid : other.group === kind.group)
}

const annotation = 'conversion.typeplane.dev/kept'

// keptIn are the fields of newer versions that an object carries in an annotation, because its own
// version has no place for them.
export function keptIn(object: KubeObject): Record<string, unknown> {
  const text = object.metadata.annotations?.[annotation]
  if (text === undefined) return {}
  try {
    return (JSON.parse(text) as { fields?: Record<string, unknown> }).fields ?? {}
  } catch {
    return {}
  }
}

// withoutKept is an object without that annotation.
export function withoutKept(object: KubeObject): KubeObject {
  const { [annotation]: _, ...annotations } = object.metadata.annotations ?? {}
  const { annotations: __, ...metadata } = object.metadata
  return { ...object, metadata: Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata }
}
