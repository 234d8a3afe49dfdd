// What can be done with an object by its subresources: those that take something of which the
// server's OpenAPI has a schema.
import { ask, type Answer } from './http'
import { apiVersionOf, pathOf, rootOf, type Kind, type Subresource } from './kinds'
import type { KubeObject } from './objects'
import { Book, documentOf, type Operation } from './schema'

export interface Action {
  name: string
  // change says that what is sent takes the place of what is there; without it, it is a request.
  change: boolean
  readable: boolean
  book: Book
  // ofItself says that it takes the object itself, of which it writes a part.
  ofItself: boolean
  apiVersion: string
  kind: string
  // triable says that the server can try it without keeping anything.
  triable: boolean
}

export async function actionsOf(kind: Kind): Promise<Action[]> {
  const { paths = {}, components } = await documentOf(kind)
  return kind.subresources.flatMap((sub) => {
    const method = methodOf(sub)
    const operation = paths[`${rootOf(kind)}${kind.namespaced ? '/namespaces/{namespace}' : ''}/${kind.resource}/{name}/${sub.name}`]
    const asked = operation?.[method] as Operation | undefined
    const content = Object.values(asked?.requestBody?.content ?? {})[0]
    if (!content?.schema) return []
    const book = new Book(components?.schemas ?? {}, content.schema)
    const gvk = book.explain([])?.['x-kubernetes-group-version-kind']?.[0]
    if (!gvk) return []
    const parameters = [...asked?.parameters ?? [], ...(operation!.parameters as Operation['parameters']) ?? []]
    const apiVersion = gvk.group ? `${gvk.group}/${gvk.version}` : gvk.version
    return [{
      name: sub.name, change: method === 'put', readable: sub.verbs.includes('get'), book, apiVersion, kind: gvk.kind,
      ofItself: apiVersion === apiVersionOf(kind) && gvk.kind === kind.kind,
      triable: parameters.some((parameter) => parameter.name === 'dryRun'),
    }]
  })
}

const methodOf = ({ verbs }: Subresource) => verbs.includes('create') ? 'post' : verbs.includes('update') ? 'put' : ''

const pathOfAction = (kind: Kind, { metadata }: KubeObject, action: Action) => `${pathOf(kind, metadata.namespace, metadata.name)}/${action.name}`

// begin is what there is to change, or an empty request about the object.
export async function begin(kind: Kind, object: KubeObject, action: Action): Promise<KubeObject> {
  if (action.change) return action.readable ? (await ask<KubeObject>(pathOfAction(kind, object, action))).data : object
  const { name, namespace } = object.metadata
  return { apiVersion: action.apiVersion, kind: action.kind, metadata: namespace ? { name, namespace } : { name } }
}

export function send(kind: Kind, object: KubeObject, action: Action, body: KubeObject, dryRun: boolean): Promise<Answer<KubeObject>> {
  return ask(pathOfAction(kind, object, action), {
    method: action.change ? 'PUT' : 'POST',
    query: { dryRun: dryRun ? 'All' : undefined, fieldValidation: 'Strict', fieldManager: 'console' },
    body,
  })
}
