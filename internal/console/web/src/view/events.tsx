// What happened to an object, as its events tell.
import { eventsOf, timeOf, type Meta } from '../api/objects'
import { Ago, Empty, Problem, useLoaded } from './parts'

export function Events({ meta }: { meta: Meta }) {
  const events = useLoaded(() => eventsOf(meta), [meta.uid])
  if (events.error) return <Problem title="Events can’t be read.">{events.error}</Problem>
  if (!events.data) return <p class="empty" role="status">Reading events…</p>
  if (events.data.length === 0) return <Empty>There are no events about it. The server keeps them for a while only.</Empty>
  return (
    <ul class="events">
      {events.data.map((event) => (
        <li key={event.metadata.uid} class={event.type === 'Warning' ? 'warning' : ''}>
          <strong><bdi>{event.reason}</bdi></strong> <span class="muted"><Ago time={timeOf(event)} /> ago{(event.count ?? 1) > 1 && `, ${event.count} times`}{' · '}<bdi>{event.reportingComponent || event.source?.component || 'unknown'}</bdi></span>
          <p><bdi>{event.message}</bdi></p>
        </li>
      ))}
    </ul>
  )
}
