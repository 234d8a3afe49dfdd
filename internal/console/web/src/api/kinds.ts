// What kinds the server has, from aggregated discovery.
import { ask } from './http'
import type { APIGroupDiscoveryList } from './wire'

// Kind is a resource in one version.
export interface Kind {
  group: string
  version: string
  resource: string
  kind: string
  namespaced: boolean
  verbs: string[]
  shortNames: string[]
  subresources: Subresource[]
  // versions are all in which it is served, the preferred one first.
  versions: string[]
}

// Subresource is what can be asked about a part of an object, or done with it.
export interface Subresource { name: string, verbs: string[] }

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

// Kinds are those of a server, in the order of the server.
export class Kinds {
  constructor(readonly all: Kind[]) {}

  // preferred are the kinds in their preferred versions.
  get preferred(): Kind[] {
    return this.all.filter((kind) => kind.versions[0] === kind.version)
  }

  find(group: string, version: string, resource: string): Kind | undefined {
    return this.all.find((kind) => kind.group === group && kind.version === version && kind.resource === resource)
  }

  // byName finds the kind of an apiVersion and a kind's name.
  byName(apiVersion: string, name: string): Kind | undefined {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) as [string, string] : ['', apiVersion]
    const same = this.all.filter((kind) => kind.group === group && kind.kind === name)
    return same.find((kind) => kind.version === version) ?? same[0]
  }
}

export async function readKinds(): Promise<Kinds> {
  const [core, groups] = await Promise.all([
    ask<APIGroupDiscoveryList>('/api', { accept }),
    ask<APIGroupDiscoveryList>('/apis', { accept }),
  ])
  const all: Kind[] = []
  for (const { metadata, versions = [] } of [...core.data.items, ...groups.data.items]) {
    for (const { version = '', resources = [] } of versions) {
      for (const { resource = '', responseKind, scope, verbs, shortNames = [], subresources = [] } of resources) {
        all.push({
          group: metadata.name ?? '',
          version,
          resource,
          kind: responseKind?.kind ?? resource,
          namespaced: scope === 'Namespaced',
          verbs: verbs ?? [],
          shortNames,
          subresources: subresources.map(({ subresource = '', verbs }) => ({ name: subresource, verbs: verbs ?? [] })),
          versions: versions.filter((other) => other.resources?.some((r) => r.resource === resource)).map(({ version = '' }) => version),
        })
      }
    }
  }
  return new Kinds(all)
}

export const can = (kind: Kind, verb: string) => kind.verbs.includes(verb)

export const apiVersionOf = (kind: Kind) => kind.group ? `${kind.group}/${kind.version}` : kind.version

// rootOf is the path of a kind's group and version.
export const rootOf = (kind: Kind) => kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`

// pathOf is that of a kind's objects, of one namespace if it is given, or of one object.
export function pathOf(kind: Kind, namespace = '', name = ''): string {
  const within = kind.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return rootOf(kind) + within + '/' + kind.resource + (name && '/' + encodeURIComponent(name))
}
