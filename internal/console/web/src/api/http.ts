// Requests to the server, through the console. A refusal is an error that has the server's Status.
import type { Status } from './wire'

export class Refusal extends Error {
  constructor(readonly status: Status, readonly code: number) {
    super(status.message || `the server has answered with status ${code}`)
  }
}

// isRefusal reports whether an error means that a write was not done. After any other error, a lost
// connection for example, that is not known.
export const isRefusal = (error: unknown) => error instanceof Refusal && error.code < 500

export interface Call {
  method?: string
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  accept?: string
  signal?: AbortSignal
}

export interface Answer<T> {
  data: T
  // warnings are what the server wants a person to know.
  warnings: string[]
}

// The answer to a get of many objects, as names and metadata only.
export const asMetadata = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'

// The answer to the try of a write, with what becomes of the object on the way. A server that does
// not know that sends the object.
export const asSteps = 'application/json;as=WriteSteps;v=v1;g=typeplane.io, application/json'

// send asks the server and returns its answer, whatever it is.
async function send(path: string, call: Call): Promise<Response> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  const headers: Record<string, string> = { Accept: call.accept ?? 'application/json' }
  if (call.body !== undefined) headers['Content-Type'] = 'application/json'
  const text = query.toString()
  return reach('server' + path + (text && (path.includes('?') ? '&' : '?') + text), {
    method: call.method ?? 'GET',
    headers,
    body: call.body === undefined ? undefined : JSON.stringify(call.body),
    signal: call.signal,
  })
}

// reach returns an answer of the console or of the server behind it, and throws a refusal.
async function reach(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, init).catch((error: unknown) => { throw init.signal?.aborted ? error : new Error(unreachable) })
  if (response.ok) return response
  throw new Refusal(await statusOf(response), response.status)
}

const unreachable = 'the server can’t be reached'

// reasonOf is the reason of a refusal. Any other error of a watch is a lost connection.
export const reasonOf = (error: unknown) => error instanceof Refusal ? error.message : unreachable

// statusOf reads why an answer is a refusal.
async function statusOf(response: Response): Promise<Status> {
  const text = await response.text()
  try {
    const status = JSON.parse(text)
    if (status?.kind === 'Status') return status
  } catch {
    // it is no JSON, and then the text is the message
  }
  return { metadata: {}, message: text.trim() || response.statusText }
}

export async function ask<T>(path: string, call: Call = {}): Promise<Answer<T>> {
  const response = await send(path, call)
  return { data: await response.json(), warnings: warningsOf(response.headers.get('Warning')) }
}

// askConsole asks the console itself for what no API of the server has.
export async function askConsole<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await reach(path, { signal })).json()
}

// askText asks for what is no JSON.
export async function askText(path: string, call: Call = {}): Promise<string> {
  return (await send(path, { ...call, accept: 'text/plain, */*' })).text()
}

// warningsOf reads a header like `299 - "old", 299 - "older"`.
export function warningsOf(header: string | null): string[] {
  const found = (header ?? '').matchAll(/299 [^"]*"((?:[^"\\]|\\.)*)"/g)
  return [...found].map((match) => match[1]!.replace(/\\(.)/g, '$1'))
}

// WatchEvent is a line of a watch.
export type WatchEvent<T> = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK', object: T } | { type: 'ERROR', object: Status }

// watch yields what happens, until the server ends the watch or the signal does. opened is told that
// it has begun.
export async function* watch<T>(path: string, { opened, ...call }: Call & { opened?: () => void }): AsyncGenerator<WatchEvent<T>> {
  const response = await send(path, { ...call, query: { ...call.query, watch: true, allowWatchBookmarks: true } })
  opened?.()
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (line !== '') yield JSON.parse(line)
    }
  }
}

// wait returns after a time, or at once when the signal ends.
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', () => { clearTimeout(timer); done() }, { once: true })
  })
}
