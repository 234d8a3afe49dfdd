// A watch as it runs: what came, when, and up to which revision.
import { Refusal, watch } from './http'
import { pathOf, type Kind } from './kinds'
import type { KubeObject } from './objects'

// Entry is one line of a watch.
export interface Entry {
  number: number
  at: number // when it came, in milliseconds since 1970
  type: string
  revision: string
  name: string
  // end says that all that was there has been sent.
  end: boolean
}

export interface Log {
  entries: Entry[]
  // more is how many came before those that are kept.
  more: number
  phase: 'opening' | 'open' | 'ended'
  // why it has ended.
  problem: string
}

const most = 500

const initialEnd = 'k8s.io/initial-events-end'

// From is where a watch begins: at a revision, or with all that is there if it is empty.
export interface From { revision: string, name: string, namespace: string }

export const queryOf = ({ revision, name }: From) => ({
  fieldSelector: name && `metadata.name=${name}`,
  ...(revision ? { resourceVersion: revision } : { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }),
})

// record notes what a watch says until the signal ends it, or the server does.
export async function record(kind: Kind, from: From, signal: AbortSignal, changed: (log: Log) => void) {
  const log: Log = { entries: [], more: 0, phase: 'opening', problem: '' }
  let frame = 0
  const show = () => {
    frame ||= requestAnimationFrame(() => { frame = 0; if (!signal.aborted) changed({ ...log, entries: [...log.entries] }) })
  }
  try {
    const events = watch<KubeObject>(pathOf(kind, from.namespace), { query: queryOf(from), signal, opened: () => { log.phase = 'open'; show() } })
    for await (const { type, object } of events) {
      if (type === 'ERROR') throw new Refusal(object, 0)
      const { name = '', resourceVersion: revision = '', annotations } = object.metadata
      log.entries.push({ number: log.more + log.entries.length, at: Date.now(), type, revision, name, end: annotations?.[initialEnd] === 'true' })
      if (log.entries.length > most) { log.entries.shift(); log.more++ }
      show()
    }
    log.problem = 'The server has ended it, as it does after a while.'
  } catch (error) {
    log.problem = error instanceof Refusal ? error.message : 'The connection was lost.'
  }
  log.phase = 'ended'
  show()
}
