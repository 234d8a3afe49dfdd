// What an object belongs to, and what belongs to it.
import { useEffect, useState } from 'preact/hooks'
import { can, type Kinds } from '../api/kinds'
import { dependentsOf, type Dependent, type Meta, type Search } from '../api/objects'
import { objectAddress } from '../route'
import { Problem } from './parts'

export function Relations({ kinds, meta }: { kinds: Kinds, meta: Meta }) {
  const owners = meta.ownerReferences ?? []
  return (
    <div class="relations">
      <section>
        <h2>Owners</h2>
        {owners.length === 0 && <p class="muted">It has none.</p>}
        <ul>
          {owners.map((owner) => {
            const kind = kinds.byName(owner.apiVersion, owner.kind)
            const text = <>{owner.kind} <bdi>{owner.name}</bdi></>
            return <li key={owner.uid}>{kind ? <a href={objectAddress(kind, { name: owner.name, namespace: kind.namespaced ? meta.namespace : '' })}>{text}</a> : text}{owner.controller && <small> controls it</small>}{!kind && <small> is of no kind that this server has</small>}</li>
          })}
        </ul>
      </section>
      <section>
        <h2>Dependents</h2>
        <Dependents kinds={kinds} meta={meta} found={() => {}} />
      </section>
      {(meta.finalizers ?? []).length > 0 && <section><h2>Finalizers</h2><ul>{meta.finalizers!.map((name) => <li key={name}><bdi>{name}</bdi></li>)}</ul></section>}
    </div>
  )
}

// Dependents looks for what names an object as its owner, and tells who asks when it has looked.
export function Dependents({ kinds, meta, found }: { kinds: Kinds, meta: Meta, found: (search: Search) => void }) {
  const [search, setSearch] = useState<Search>()
  const [problem, setProblem] = useState('')
  const [progress, setProgress] = useState('')
  useEffect(() => {
    const stop = new AbortController()
    dependentsOf(meta, kinds.preferred, stop.signal, (done, of) => setProgress(`${done} of ${of} kinds`)).then(
      (result) => { if (!stop.signal.aborted) { setSearch(result); found(result) } },
      (error: Error) => { if (!stop.signal.aborted) setProblem(error.message) },
    )
    return () => stop.abort()
  }, [meta.uid])
  if (problem) return <Problem title="It is not known what depends on it.">{problem}</Problem>
  if (!search) return <p class="muted" role="status">Looking: {progress}</p>
  return (
    <>
      {search.failed.length > 0 && <Problem title="It is not known what depends on it.">The server did not answer for {search.failed.map(({ kind }) => kind).join(', ')}.</Problem>}
      {search.found.length + search.failed.length === 0 && <p class="muted">Nothing that you may read depends on it.</p>}
      <ul>{search.found.map((dependent) => <li key={dependent.meta.uid}><DependentLink dependent={dependent} /></li>)}</ul>
      {search.refused.length > 0 && <p class="muted">Not looked at, because the server refuses it: {search.refused.map(({ kind }) => kind).join(', ')}.</p>}
    </>
  )
}

function DependentLink({ dependent: { kind, meta } }: { dependent: Dependent }) {
  const text = <>{kind.kind} <bdi>{meta.name}</bdi></>
  return can(kind, 'get') ? <a href={objectAddress(kind, meta)}>{text}</a> : text
}
