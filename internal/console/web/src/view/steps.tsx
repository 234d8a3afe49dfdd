// What becomes of an object on its way from the request to the database, as the server noted it
// while it tried the write.
import { bytesOf } from '../api/disk'
import type { Step, WriteSteps } from '../api/wire'
import { print } from '../yaml'
import { Diff } from './diff'
import { Dump } from './disk'

// Said is what a person is told of a step.
interface Said { title: (version: string) => string, about: string }

const said: Record<string, Said> = {
  sent: { title: () => 'It is read', about: 'What was sent. After a patch, what that makes of the stored object.' },
  defaulted: { title: (version) => `Defaults of ${version}`, about: 'What was left out, and has a default in the version of the request.' },
  hub: { title: () => 'On to the hub', about: 'The server works on one form, whatever the version of the request. It is on no wire; these are the names of its Go fields.' },
  owned: { title: () => 'Who manages which field', about: 'It is noted in managedFields. What comes after it belongs to nobody.' },
  mutated: { title: () => 'Mutating admission', about: 'Plug-ins, policies and webhooks may change it.' },
  prepared: { title: () => 'The server’s own fields', about: 'Its metadata is completed, and the kind’s strategy prepares it. Then it is validated.' },
  canonicalized: { title: () => 'One form for the same', about: 'The kind’s strategy writes what means the same in the same way. Then validating admission is asked.' },
  stored: { title: (version) => `The storage version, ${version}`, about: 'It is converted, and has the defaults of that version. In this form it is encoded.' },
}

interface Shown { step: Step, before?: Step }

// shownOf has for each step the last one before it that has an object.
function shownOf(steps: Step[]): Shown[] {
  let before: Step | undefined
  return steps.map((step) => {
    const shown = { step, before }
    if (step.object !== undefined) before = step
    return shown
  })
}

export function Steps({ of }: { of: WriteSteps }) {
  const bytes = bytesOf(of.stored.bytes ?? '')
  return (
    <details class="story">
      <summary>Its way to the database, step by step</summary>
      <ol class="steps">
        {shownOf(of.steps ?? []).map((shown) => <StepView key={shown.step.name} {...shown} />)}
        <li>
          <h3>The bytes</h3>
          <p class="muted">{bytes.length.toLocaleString()} bytes for etcd, at <code>{of.stored.key}</code> below the prefix of the server. If secrets are kept of this kind, they are encrypted after this. etcd gives the revision when it is written.</p>
          <Dump bytes={bytes} parts={of.stored.parts ?? []} />
        </li>
      </ol>
    </details>
  )
}

function StepView({ step, before }: Shown) {
  const { title, about } = said[step.name] ?? { title: () => step.name, about: '' }
  return (
    <li>
      <h3>{title(step.apiVersion.split('/').at(-1)!)}</h3>
      <p class="muted">{about}</p>
      {step.problem ? <p>It can’t be shown: {step.problem}</p>
        : step.object === undefined ? <p class="empty">Nothing was changed.</p>
          : before?.apiVersion === step.apiVersion ? <Diff was={textOf(before.object, step.name)} becomes={textOf(step.object, step.name)} />
            : <pre class="yaml" tabIndex={0} aria-label={title('')}>{textOf(step.object, step.name)}</pre>}
    </li>
  )
}

// textOf is an object as YAML. Who manages its fields is told once, where it is noted.
function textOf(object: unknown, step: string): string {
  if (step === 'owned') return print(sorted(object))
  const { managedFields: _, ...rest } = object as Record<string, unknown>
  const { managedFields: __, ...metadata } = (rest.metadata ?? {}) as Record<string, unknown>
  return print(sorted('metadata' in rest ? { ...rest, metadata } : rest))
}

// sorted is a value whose fields are in the order of their names: people send them in any.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([name, field]) => [name, sorted(field)]))
}
