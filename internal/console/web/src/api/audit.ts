// The end of the server's audit log, if the console can see that.
import { askConsole } from './http'

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

export const readAudit = (signal: AbortSignal) => askConsole<AuditTail>('audit/', signal)
