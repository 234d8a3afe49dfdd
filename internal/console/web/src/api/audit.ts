// The end of the server's audit log, if the console can see that.
import { Refusal, statusOf } from './http'

// AuditEvent is a record, as far as it is shown.
export interface AuditEvent {
  stage: string
  verb: string
  requestURI: string
  user: { username?: string }
  impersonatedUser?: { username?: string }
  sourceIPs?: string[]
  responseStatus?: { code?: number }
  requestReceivedTimestamp: string
}

export interface AuditTail { file: string, events: AuditEvent[] }

export async function readAudit(signal: AbortSignal): Promise<AuditTail> {
  const response = await fetch('audit/', { signal })
  if (!response.ok) throw new Refusal(await statusOf(response), response.status)
  return response.json()
}
