// What lies in the database of the server, if the console can see that.
import { askConsole } from './http'
import type { Kind } from './kinds'
import type { Meta } from './objects'
import type { Field } from './wire'

export interface Disk {
  stored: {
    key: string
    apiVersion?: string
    kind?: string
    mediaType?: string
    encryption?: { provider: string, key: string }
    size: number
    createRevision?: number
    modRevision?: number
    version?: number
    form?: string
    problem?: string
  }
  bytes: Uint8Array
  // value is what was encrypted in the bytes, and can be read.
  value?: Uint8Array
  parts: Field[]
}

export async function readDisk(kind: Kind, { namespace, name }: Meta, signal: AbortSignal): Promise<Disk> {
  const steps = [kind.group || 'core', kind.resource, namespace || '-', name].map(encodeURIComponent)
  const { stored, bytes, value, parts } = await askConsole<{ stored: Disk['stored'], bytes: string, value?: string, parts?: Field[] }>('disk/' + steps.join('/'), signal)
  return { stored, bytes: bytesOf(bytes), value: value === undefined ? undefined : bytesOf(value), parts: parts ?? [] }
}

// bytesOf reads bytes as JSON has them.
export const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
