// Small parts that several views have.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ago, exact, useNow } from '../time'

// Loaded is what a promise has come to.
export type Loaded<T> = { data?: T, error?: string }

// useLoaded loads anew when one of the inputs changes. What is late for older inputs is dropped.
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]): Loaded<T> {
  const [loaded, set] = useState<Loaded<T>>({})
  useEffect(() => {
    const stop = new AbortController()
    set({})
    load(stop.signal).then(
      (data) => { if (!stop.signal.aborted) set({ data }) },
      (error: Error) => { if (!stop.signal.aborted) set({ error: error.message }) },
    )
    return () => stop.abort()
  }, inputs)
  return loaded
}

export function Problem({ title, children }: { title: string, children?: ComponentChildren }) {
  return <div class="problem" role="alert"><strong>{title}</strong>{children && <div>{children}</div>}</div>
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>
}

export function Ago({ time }: { time: string }) {
  const now = useNow()
  if (!time) return <span class="muted">–</span>
  return <time dateTime={time} title={exact(time)}>{ago(time, now)}</time>
}

export function useTitle(title: string) {
  useEffect(() => { document.title = title }, [title])
}

// useNarrow says whether the screen is a phone's.
export function useNarrow(): boolean {
  const [media] = useState(() => matchMedia('(max-width: 720px)'))
  const [narrow, set] = useState(media.matches)
  useEffect(() => {
    const changed = () => set(media.matches)
    media.addEventListener('change', changed)
    return () => media.removeEventListener('change', changed)
  }, [])
  return narrow
}
