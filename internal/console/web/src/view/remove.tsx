// Delete an object, after its consequences were listed.
import { useEffect, useRef, useState } from 'preact/hooks'
import { isRefusal } from '../api/http'
import type { Kind, Kinds } from '../api/kinds'
import { remove, type Meta, type Propagation, type Search } from '../api/objects'
import { listAddress } from '../route'
import { Problem } from './parts'
import { Dependents } from './relations'

const ways: [Propagation, string][] = [
  ['Background', 'It goes at once, and its dependents after it.'],
  ['Foreground', 'Its dependents go first.'],
  ['Orphan', 'Its dependents stay, without an owner.'],
]

export function Remove({ kind, kinds, meta, close }: { kind: Kind, kinds: Kinds, meta: Meta, close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [search, setSearch] = useState<Search>()
  const [way, setWay] = useState<Propagation>('Background')
  const [problem, setProblem] = useState<Error>()
  useEffect(() => dialog.current!.showModal(), [])
  const go = () => remove(kind, meta, way).then(() => { close(); location.hash = listAddress(kind, { namespace: meta.namespace ?? '' }) }, setProblem)
  const finalizers = meta.finalizers ?? []
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="remove-title">
      <h2 id="remove-title">Delete {kind.kind} <bdi>{meta.name}</bdi>?</h2>
      {problem && <Problem title={isRefusal(problem) ? 'It was not deleted.' : 'It is not known whether it was deleted.'}>{problem.message}</Problem>}
      {finalizers.length > 0 && <p>It stays until these are done with it: {finalizers.map((name) => <code key={name}>{name} </code>)}</p>}
      <h3>What depends on it</h3>
      <Dependents kinds={kinds} meta={meta} found={setSearch} />
      {search && search.found.length + search.refused.length + search.failed.length > 0 && (
        <fieldset>
          <legend>What becomes of them</legend>
          {ways.map(([name, text]) => <label key={name} class="check"><input type="radio" name="way" checked={way === name} onChange={() => setWay(name)} /> {text}</label>)}
        </fieldset>
      )}
      <div class="actions">
        <button type="button" class="danger" disabled={!search} onClick={() => void go()}>Delete</button>
        <button type="button" autofocus onClick={close}>Keep it</button>
      </div>
    </dialog>
  )
}
