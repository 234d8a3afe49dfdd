// The kinds of the server, by group.
import { useMemo, useState } from 'preact/hooks'
import { can, type Kind, type Kinds } from '../api/kinds'
import { groupOf, homeAddress, listAddress, meAddress, runAddress, type Route } from '../route'
import type { About } from './app'

interface Props { open: boolean, about?: About, kinds?: Kinds, me?: string, route: Route }

export function Side({ open, about, kinds, me, route }: Props) {
  const [filter, setFilter] = useState('')
  const groups = useMemo(() => about && kinds ? byGroup(kinds.preferred.filter((kind) => can(kind, 'list') && fits(kind, filter)), about.groups) : [], [about, kinds, filter])
  const [view, group, , resource] = route.steps
  return (
    <nav id="side" class={open ? 'side open' : 'side'} aria-label="Kinds">
      <a class="brand" href={homeAddress}>{about?.program ?? 'Console'}<small>{about?.server.replace(/^https?:\/\//, '')}</small></a>
      <input id="kinds-filter" type="search" placeholder="Find a kind" aria-label="Find a kind" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      <div class="groups">
        {groups.map(([name, members]) => (
          <section key={name}>
            <h2>{name || 'core'}</h2>
            <ul>
              {members.map((kind) => {
                const here = (view === 'list' || view === 'object') && groupOf(group) === kind.group && resource === kind.resource
                return <li key={kind.resource}><a href={listAddress(kind)} aria-current={here ? 'page' : undefined}>{kind.kind}</a></li>
              })}
            </ul>
          </section>
        ))}
        {about && kinds && groups.length === 0 && <p class="muted">No kind is called that.</p>}
      </div>
      <a class="me" href={runAddress} aria-current={view === 'run' ? 'page' : undefined}>How it runs</a>
      <a class="me" href={meAddress} aria-current={view === 'me' ? 'page' : undefined}><bdi>{me ?? 'Who am I?'}</bdi></a>
      {about?.signOut && <button type="button" class="quiet" onClick={signOut}>Sign out</button>}
    </nav>
  )
}

// signOut ends the session, and shows where another one begins.
async function signOut() {
  await fetch('logout', { method: 'POST' })
  location.reload()
}

// byGroup returns the kinds of each group, in the order of the server, but with the groups of own
// first: a server lists those of Kubernetes before them.
export function byGroup(kinds: Kind[], own: string[] = []): [string, Kind[]][] {
  const groups = new Map<string, Kind[]>()
  for (const kind of kinds) groups.set(kind.group, [...groups.get(kind.group) ?? [], kind])
  return [...groups].sort(([a], [b]) => Number(own.includes(b)) - Number(own.includes(a)))
}

function fits(kind: Kind, filter: string): boolean {
  const wanted = filter.trim().toLowerCase()
  return [kind.kind, kind.resource, ...kind.shortNames].some((name) => name.toLowerCase().includes(wanted))
}
