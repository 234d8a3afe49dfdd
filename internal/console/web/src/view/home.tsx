// What the server has: its groups, its kinds, and how many objects there are of each.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { can, type Kind, type Kinds } from '../api/kinds'
import { countOf } from '../api/objects'
import { ask } from '../api/http'
import type { Info } from '../api/wire'
import { listAddress } from '../route'
import type { About } from './app'
import { useLoaded, useTitle } from './parts'
import { byGroup } from './side'

const atOnce = 4

export function Home({ kinds, about }: { kinds: Kinds, about: About }) {
  useTitle(about.program)
  const listed = useMemo(() => kinds.preferred.filter((kind) => can(kind, 'list')), [kinds])
  const counts = useCounts(listed)
  const version = useLoaded(async () => (await ask<Info>('/version')).data.gitVersion, [])
  return (
    <div class="page">
      <h1>{about.program}</h1>
      <p class="lead">{about.server}{version.data && <> · speaks as Kubernetes {version.data}</>}</p>
      {byGroup(listed, about.groups).map(([group, members]) => (
        <section key={group} class="group">
          <h2>{group || 'core'}</h2>
          <ul class="cards">
            {members.map((kind) => {
              const count = counts.get(kind)
              return (
                <li key={kind.resource}>
                  <a href={listAddress(kind)}>
                    <span class="kind">{kind.kind}</span>
                    <span class="count" title={count?.error}>{count === undefined ? '' : count.error ? 'not readable' : count.data}</span>
                    <small>{kind.versions.join(', ')}{kind.namespaced ? '' : ' · cluster'}</small>
                  </a>
                </li>
              )
            })}
          </ul>
        </section>
      ))}
    </div>
  )
}

interface Count { data?: string, error?: string }

// useCounts asks for a few counts at a time.
function useCounts(kinds: Kind[]): Map<Kind, Count> {
  const [counts, set] = useState(new Map<Kind, Count>())
  useEffect(() => {
    const stop = new AbortController()
    const left = [...kinds]
    const work = async () => {
      for (let kind = left.shift(); kind && !stop.signal.aborted; kind = left.shift()) {
        const at = kind
        const count: Count = await countOf(at, stop.signal).then((data) => ({ data }), (error: Error) => ({ error: error.message }))
        if (!stop.signal.aborted) set((before) => new Map(before).set(at, count))
      }
    }
    for (let i = 0; i < atOnce; i++) void work()
    return () => stop.abort()
  }, [kinds])
  return counts
}
