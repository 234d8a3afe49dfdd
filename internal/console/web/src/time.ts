// Times as people say them: how long ago, and when, in their own time zone and in UTC.
import { useEffect, useState } from 'preact/hooks'

const units: [number, string][] = [[365 * 86400, 'y'], [86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']]

export function ago(time: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000))
  if (Number.isNaN(seconds)) return time
  const [size, unit] = units.find(([size]) => seconds >= size) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${unit}`
}

export function exact(time: string): string {
  const at = new Date(time)
  return Number.isNaN(at.valueOf()) ? time : `${at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })} (${at.toISOString()})`
}

// useNow is the time, which goes on every few seconds.
export function useNow(): number {
  const [now, set] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), 5000)
    return () => clearInterval(timer)
  }, [])
  return now
}
