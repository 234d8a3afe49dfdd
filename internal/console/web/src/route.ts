// The address of each view: what stands behind the # of the page's address.
import { useEffect, useState } from 'preact/hooks'
import type { Kind } from './api/kinds'
import type { Meta } from './api/objects'

export interface Route {
  steps: string[]
  query: URLSearchParams
}

export function routeOf(hash: string): Route {
  const [path, query] = hash.replace(/^#?\/?/, '').split('?', 2) as [string, string?]
  return { steps: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) }
}

// decode leaves alone what is not encoded as it should be: addresses are written by people, too.
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function useRoute(): Route {
  const [hash, set] = useState(location.hash)
  useEffect(() => {
    const changed = () => set(location.hash)
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return routeOf(hash)
}

const core = 'core'

export const groupOf = (step: string | undefined) => step === core ? '' : step ?? ''

function address(steps: string[], query: Record<string, string> = {}): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return '#/' + steps.map(encodeURIComponent).join('/') + (text && '?' + text)
}

export const listAddress = (kind: Kind, query: Record<string, string> = {}) =>
  address(['list', kind.group || core, kind.version, kind.resource], query)

export const makeAddress = (kind: Kind, namespace: string) =>
  address(['new', kind.group || core, kind.version, kind.resource], { namespace })

export const objectAddress = (kind: Kind, meta: Pick<Meta, 'name' | 'namespace'>, tab = '', more: Record<string, string> = {}) =>
  address(['object', kind.group || core, kind.version, kind.resource, meta.namespace || '-', meta.name], { tab, ...more })

export const homeAddress = '#/'
export const meAddress = '#/me'
export const runAddress = '#/run'

// replaceQuery changes the address without a step in the history: for what is typed.
export function replaceQuery(change: Record<string, string>) {
  const { steps, query } = routeOf(location.hash)
  const all = { ...Object.fromEntries(query), ...change }
  history.replaceState(null, '', address(steps, all))
  dispatchEvent(new HashChangeEvent('hashchange'))
}
