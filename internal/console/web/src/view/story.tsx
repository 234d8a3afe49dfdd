// What became of an object between the request and what would be kept, as an answer of the server
// shows it. Nothing is told here that was not seen.
import type { KubeObject } from '../api/objects'
import { managersOf, ofField, titleOf } from '../managers'
import type { Path } from '../yaml'

// Change is a field that the server has made another of.
interface Change { path: Path, sent: unknown, answered: unknown }

// changesOf are the innermost fields that differ. What the server writes about its own keeping of
// an object is left out.
export function changesOf(sent: unknown, answered: unknown, path: Path = []): Change[] {
  if (path.length === 2 && path[0] === 'metadata' && path[1] === 'managedFields') return []
  if (isObject(sent) && isObject(answered)) {
    const names = new Set([...Object.keys(sent), ...Object.keys(answered)])
    return [...names].flatMap((name) => changesOf(sent[name], answered[name], [...path, name]))
  }
  if (Array.isArray(sent) && Array.isArray(answered) && sent.length === answered.length) {
    return sent.flatMap((item, n) => changesOf(item, answered[n], [...path, n]))
  }
  return JSON.stringify(sent) === JSON.stringify(answered) ? [] : [{ path, sent, answered }]
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const nameOf = (path: Path) => path.map((step) => typeof step === 'number' ? `[${step}]` : `.${step}`).join('').slice(1)

interface Props { request: string, sent: KubeObject, answered: KubeObject }

export function Story({ request, sent, answered }: Props) {
  const changes = changesOf(sent, answered)
  const managers = managersOf(answered)
  return (
    <details class="story">
      <summary>What the server has made of the request</summary>
      <p><code>{request}</code></p>
      <p class="muted">{changes.length === 0 ? 'It would keep what was sent, as it was sent.'
        : 'These fields are not as they were sent: defaults, admission or the rules of the kind have changed them. The last column has whom the server counts as their manager.'}</p>
      {changes.length > 0 && (
        <div class="scrolled" tabIndex={0} role="region" aria-label="What the server has changed">
          <table>
            <thead><tr><th scope="col">Field</th><th scope="col">Sent</th><th scope="col">Answered</th><th scope="col">Managed by</th></tr></thead>
            <tbody>
              {changes.map((change) => (
                <tr key={nameOf(change.path)}>
                  <td><code>{nameOf(change.path)}</code></td>
                  <td><Value value={change.sent} /></td>
                  <td><Value value={change.answered} /></td>
                  <td>{ofField(answered, managers, change.path).map(titleOf).join(', ') || 'nobody'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}

function Value({ value }: { value: unknown }) {
  return value === undefined ? <span class="muted">not there</span> : <code><bdi>{JSON.stringify(value)}</bdi></code>
}
