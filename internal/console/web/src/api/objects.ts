// Objects as a server sends them, and what is asked about one of them.
import { ask, asMetadata, asSteps, isRefusal, type Answer } from './http'
import { can, pathOf, type Kind } from './kinds'
import type * as wire from './wire'

// Meta is the metadata of an object that a server has: it has a name.
export interface Meta extends wire.ObjectMeta { name: string }

// KubeObject is an object of any kind.
export interface KubeObject extends wire.TypeMeta {
  metadata: Meta
  [field: string]: unknown
}

export interface List<T> {
  metadata: wire.ListMeta
  items: T[]
}

// Version of an object without what only the server writes into it.
export function withoutManagers(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

// settled is an object without what each write changes.
export function settled(object: KubeObject): KubeObject {
  const { resourceVersion: _, generation: __, ...metadata } = withoutManagers(object).metadata
  return { ...object, metadata }
}

// put sends an object: one that is there, changed, or a new one, where at has no name.
export async function put(kind: Kind, object: KubeObject, at: Place): Promise<KubeObject> {
  return (await ask<KubeObject>(pathOf(kind, at.namespace, at.name), toPut(object, at))).data
}

// Place is where an object is put.
export type Place = Partial<Pick<Meta, 'namespace' | 'name'>>

const toPut = (object: KubeObject, at: Place) => ({
  method: at.name ? 'PUT' : 'POST',
  query: { fieldValidation: 'Strict', fieldManager: 'console' },
  body: object,
})

// Tried is what a server says of a put that it has only tried.
export interface Tried {
  object: KubeObject
  // steps are what made it so, if the server can tell.
  steps?: wire.WriteSteps
  warnings: string[]
}

// tryPut has the server try a put.
export async function tryPut(kind: Kind, object: KubeObject, at: Place): Promise<Tried> {
  const call = toPut(object, at)
  const { data, warnings } = await ask<KubeObject | wire.WriteSteps>(pathOf(kind, at.namespace, at.name), { ...call, query: { ...call.query, dryRun: 'All' }, accept: asSteps })
  return isSteps(data) ? { object: data.object as KubeObject, steps: data, warnings } : { object: data, warnings }
}

const isSteps = (answer: KubeObject | wire.WriteSteps): answer is wire.WriteSteps => answer.kind === 'WriteSteps' && answer.apiVersion === 'typeplane.io/v1'

export type Propagation = 'Background' | 'Foreground' | 'Orphan'

// remove deletes an object, if it is still the one that was looked at.
export function remove(kind: Kind, meta: Meta, propagationPolicy: Propagation): Promise<Answer<unknown>> {
  return ask(pathOf(kind, meta.namespace, meta.name), {
    method: 'DELETE',
    body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy, preconditions: { uid: meta.uid } } satisfies wire.DeleteOptions,
  })
}

export const readScale = (kind: Kind, meta: Meta) => ask<wire.Scale>(pathOf(kind, meta.namespace, meta.name) + '/scale')

export const writeScale = (kind: Kind, scale: wire.Scale) =>
  ask<wire.Scale>(pathOf(kind, scale.metadata.namespace, scale.metadata.name) + '/scale', { method: 'PUT', query: { fieldManager: 'console' }, body: scale })

export const timeOf = (event: wire.Event) => event.lastTimestamp || event.eventTime || event.firstTimestamp || event.metadata.creationTimestamp || ''

// eventsOf are the events about an object, the newest first. Those of objects without a namespace
// are in the namespace default.
export async function eventsOf(meta: Meta): Promise<wire.Event[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(meta.namespace || 'default')}/events`
  const { data } = await ask<List<wire.Event>>(path, { query: { fieldSelector: `involvedObject.uid=${meta.uid}` } }) // all of them: pages are in the order of names
  return data.items.sort((a, b) => timeOf(b).localeCompare(timeOf(a)))
}

export interface Dependent { kind: Kind, meta: Meta }

export interface Search {
  found: Dependent[]
  // refused are the kinds whose objects the server does not show, failed those of which it did not
  // answer: an object of these may depend on it.
  refused: Kind[]
  failed: Kind[]
}

const pageOfDependents = 500

// dependentsOf looks through all kinds for objects that name an owner, and says how far it is.
export async function dependentsOf(owner: Meta, kinds: Kind[], signal: AbortSignal, progress: (done: number, of: number) => void): Promise<Search> {
  const search: Search = { found: [], refused: [], failed: [] }
  const places = kinds.filter((kind) => can(kind, 'list') && (kind.namespaced || !owner.namespace))
  let done = 0
  for (const kind of places) {
    progress(done++, places.length)
    try {
      await eachPage(kind, owner.namespace, signal, (meta) => {
        if (meta.ownerReferences?.some((reference) => reference.uid === owner.uid)) search.found.push({ kind, meta })
      })
    } catch (error) {
      if (signal.aborted) throw error
      search[isRefusal(error) ? 'refused' : 'failed'].push(kind)
    }
  }
  return search
}

async function eachPage(kind: Kind, namespace: string | undefined, signal: AbortSignal, take: (meta: Meta) => void): Promise<void> {
  let next: string | undefined
  do {
    const { data }: Answer<List<KubeObject>> = await ask(pathOf(kind, namespace), { accept: asMetadata, query: { limit: pageOfDependents, continue: next }, signal })
    for (const item of data.items) take(item.metadata)
    next = data.metadata.continue
  } while (next)
}

// countOf is how many objects of a kind there are, of which one is read. A server may leave out how
// many remain.
export async function countOf(kind: Kind, signal: AbortSignal): Promise<string> {
  const { data: { items, metadata } } = await ask<List<KubeObject>>(pathOf(kind), { accept: asMetadata, query: { limit: 1 }, signal })
  if (metadata.continue && metadata.remainingItemCount === undefined) return `more than ${items.length}`
  return (items.length + (metadata.remainingItemCount ?? 0)).toLocaleString()
}

export async function whoAmI(): Promise<wire.UserInfo> {
  const { data } = await ask<wire.SelfSubjectReview>('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    method: 'POST', body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  })
  return data.status!.userInfo!
}

export async function myRules(namespace: string): Promise<wire.SubjectRulesReviewStatus> {
  const { data } = await ask<wire.SelfSubjectRulesReview>('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    method: 'POST', body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } },
  })
  return data.status!
}

