// One object, live: its text, its events, what it belongs to, and what can be done with it.
import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { ask, Refusal, wait, watch } from '../api/http'
import { can, pathOf, type Kind, type Kinds } from '../api/kinds'
import type { KubeObject } from '../api/objects'
import { listAddress, objectAddress } from '../route'
import { ActionForm, ActionLinks } from './action'
import { DiskView } from './disk'
import { Edit } from './edit'
import { Events } from './events'
import { Ago, Problem, useTitle } from './parts'
import { Relations } from './relations'
import { Remove } from './remove'
import { ScaleForm } from './scale'
import { TextView } from './text'
import { Versions } from './versions'
import { Watch } from './watch'

const tabs = [['', 'Text'], ['events', 'Events'], ['relations', 'Relations'], ['versions', 'Versions'], ['disk', 'On disk'], ['watch', 'Watch']] as const

interface Props { kind: Kind, kinds: Kinds, namespace: string, name: string, tab: string, action: string }

export function ObjectView({ kind, kinds, namespace, name, tab, action }: Props) {
  const { object, gone, problem, broken } = useObject(kind, namespace, name)
  const [removing, setRemoving] = useState(false)
  useTitle(`${name} · ${kind.kind}`)
  const at = { namespace, name }
  const editing = tab === 'edit' || tab === 'action' // and not looking around
  return (
    <div class="page object">
      <header class="head">
        <p class="crumbs">
          <a href={listAddress(kind)}>{kind.kind}</a>{namespace && <> / <a href={listAddress(kind, { namespace })}><bdi>{namespace}</bdi></a></>}
        </p>
        <h1><bdi>{name}</bdi> {gone ? <span class="state broken" role="status">deleted</span> : object && <span class={broken ? 'state broken' : 'state live'} role="status">{broken ? 'not live' : 'live'}</span>}</h1>
        {object && <p class="about">{kind.group || 'core'}/{kind.version} · <Ago time={object.metadata.creationTimestamp ?? ''} /> old{object.metadata.deletionTimestamp && ' · is being deleted'}</p>}
        {object && !gone && !editing && (
          <div class="actions">
            {kind.subresources.some((sub) => sub.name === 'scale') && <ScaleForm kind={kind} object={object} />}
            <ActionLinks kind={kind} at={at} />
            {can(kind, 'update') && <a class="button" href={objectAddress(kind, at, 'edit')}>Edit</a>}
            {can(kind, 'delete') && <button type="button" class="danger" onClick={() => setRemoving(true)}>Delete…</button>}
          </div>
        )}
      </header>
      {problem && <Problem title={object ? 'This is not live right now.' : 'It can’t be read.'}>{problem}</Problem>}
      {gone && <Problem title="It was deleted.">What you see is how it was last.</Problem>}
      {object && <Labels object={object} kind={kind} />}
      {object && !editing && (
        <nav class="tabs" aria-label="Views of this object">
          {tabs.filter(([to]) => to !== 'watch' || can(kind, 'watch')).map(([to, title]) => <a key={to} href={objectAddress(kind, at, to)} aria-current={tab === to ? 'page' : undefined}>{title}</a>)}
          {kind.versions.length > 1 && kind.versions.map((version) => version !== kind.version && <a key={version} class="other" href={objectAddress({ ...kind, version }, at, tab)}>as {version}</a>)}
        </nav>
      )}
      {object && (tab === 'edit' ? <Edit kind={kind} object={object} />
        : tab === 'action' ? <ActionForm key={action} kind={kind} object={object} name={action} />
          : tab === 'events' ? <Events meta={object.metadata} />
            : tab === 'relations' ? <Relations kinds={kinds} meta={object.metadata} />
              : tab === 'versions' ? <Versions kind={kind} kinds={kinds} object={object} />
                : tab === 'disk' ? <DiskView kind={kind} meta={object.metadata} />
                  : tab === 'watch' ? <Watch kind={kind} meta={object.metadata} />
                    : <TextView kind={kind} object={object} />)}
      {!object && !problem && <p class="empty" role="status">Reading {name}…</p>}
      {object && removing && <Remove kind={kind} kinds={kinds} meta={object.metadata} close={() => setRemoving(false)} />}
    </div>
  )
}

function Labels({ object, kind }: { object: KubeObject, kind: Kind }) {
  const labels = Object.entries(object.metadata.labels ?? {})
  if (labels.length === 0) return null
  return (
    <ul class="labels" aria-label="Labels">
      {labels.map(([name, value]) => <li key={name}><a href={listAddress(kind, { namespace: object.metadata.namespace ?? '', labels: `${name}=${value}` })}><bdi>{name}</bdi>=<bdi>{value}</bdi></a></li>)}
    </ul>
  )
}

interface Live { object?: KubeObject, gone: boolean, problem: string, broken: boolean }

// useObject is the object as it changes.
function useObject(kind: Kind, namespace: string, name: string): Live {
  const live = useRef<Live>({ gone: false, problem: '', broken: false })
  const [, again] = useReducer((n: number) => n + 1, 0)
  useEffect(() => {
    const stop = new AbortController()
    const is = (now: Partial<Live>) => {
      if (stop.signal.aborted) return
      live.current = { ...live.current, ...now }
      again(0)
    }
    is({ object: undefined, gone: false, problem: '', broken: false })
    void follow(kind, namespace, name, is, stop.signal)
    return () => stop.abort()
  }, [kind, namespace, name])
  return live.current
}

async function follow(kind: Kind, namespace: string, name: string, is: (now: Partial<Live>) => void, signal: AbortSignal) {
  let seen = false
  for (let failures = 0; !signal.aborted;) {
    try {
      const { data } = await ask<KubeObject>(pathOf(kind, namespace, name), { signal })
      seen = true
      is({ object: data, gone: false, problem: '', broken: false })
      failures = 0
      if (!can(kind, 'watch')) return
      const query = { fieldSelector: `metadata.name=${name}`, resourceVersion: data.metadata.resourceVersion }
      for await (const event of watch<KubeObject>(pathOf(kind, namespace), { query, signal })) {
        if (event.type === 'ERROR') throw new Refusal(event.object, 410)
        if (event.type === 'DELETED') is({ object: event.object, gone: true })
        else if (event.type !== 'BOOKMARK') is({ object: event.object, gone: false })
      }
    } catch (error) {
      if (signal.aborted) return
      const refusal = error instanceof Refusal ? error : undefined
      if (refusal?.code === 404 && seen) return is({ gone: true, problem: '', broken: false }) // deleted while there was no watch
      if (refusal && [400, 401, 403, 404, 405].includes(refusal.code)) return is({ problem: refusal.message, broken: true })
      if (refusal?.code !== 410) is({ problem: (refusal?.message ?? 'the server can’t be reached') + '. It is tried again.', broken: true })
    }
    await wait(Math.min(30_000, 250 * 2 ** failures++), signal)
  }
}
