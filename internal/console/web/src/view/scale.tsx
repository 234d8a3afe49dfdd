// How many replicas an object has, by its subresource scale.
import { useState } from 'preact/hooks'
import type { Kind } from '../api/kinds'
import { readScale, writeScale, type KubeObject } from '../api/objects'
import { useLoaded } from './parts'

export function ScaleForm({ kind, object }: { kind: Kind, object: KubeObject }) {
  const scale = useLoaded(async () => (await readScale(kind, object.metadata)).data, [object.metadata.uid, object.metadata.resourceVersion])
  const [wanted, setWanted] = useState<string>()
  const [problem, setProblem] = useState('')
  if (scale.error) return <span class="muted" title={scale.error}>Its scale can’t be read.</span>
  if (!scale.data) return null
  const now = scale.data
  const number = wanted ?? String(now.spec?.replicas ?? 0)
  const send = async (event: Event) => {
    event.preventDefault()
    setProblem('')
    await writeScale(kind, { ...now, spec: { ...now.spec, replicas: Number(number) } }).then(() => setWanted(undefined), (error: Error) => setProblem(error.message))
  }
  return (
    <form class="scale" onSubmit={(event) => void send(event)}>
      <label>Replicas <input type="number" min="0" required value={number} onInput={(event) => setWanted(event.currentTarget.value)} /></label>
      <span class="muted">{now.status?.replicas ?? 0} there</span>
      <button type="submit" disabled={wanted === undefined || Number(wanted) === now.spec?.replicas}>Scale</button>
      {problem && <span role="alert" class="wrong">{problem}</span>}
    </form>
  )
}
