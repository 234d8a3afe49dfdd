// The frame of the page: the kinds at the side, a view beside them.
import { useEffect, useRef, useState } from 'preact/hooks'
import { askConsole } from '../api/http'
import { readKinds, type Kinds } from '../api/kinds'
import { whoAmI } from '../api/objects'
import { groupOf, homeAddress, meAddress, useRoute, type Route } from '../route'
import { MakeView } from './edit'
import { Home } from './home'
import { ListView } from './list'
import { MeView } from './me'
import { ObjectView } from './object'
import { Problem, useLoaded } from './parts'
import { RunView } from './run'
import { Side } from './side'

// About describes the server of the page. groups are those of the program's own kinds; signOut
// reports that there is a session to end.
export interface About { program: string, server: string, groups?: string[], signOut?: boolean }

export function App() {
  const about = useLoaded((signal) => askConsole<About>('about.json', signal), [])
  const kinds = useLoaded(readKinds, [])
  const me = useLoaded(whoAmI, [])
  const route = useRoute()
  const [menu, setMenu] = useState(false)
  const main = useRef<HTMLElement>(null)
  const place = route.steps.join('/')
  useEffect(() => { setMenu(false); main.current?.scrollTo(0, 0) }, [place])
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setMenu(false)
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
      if ((event.target as HTMLElement).closest('input, textarea, select, dialog')) return
      const search = document.querySelector<HTMLInputElement>('main input[type=search]') ?? document.querySelector<HTMLInputElement>('#kinds-filter')
      if (search) { event.preventDefault(); search.focus() }
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus() }}>Skip to the content</a>
      <header class="bar">
        <button type="button" class="quiet" aria-expanded={menu} aria-controls="side" onClick={() => setMenu(!menu)}>{menu ? 'Close' : 'Kinds'}</button>
        <a class="brand" href={homeAddress}>{about.data?.program ?? 'Console'}</a>
        <a class="me" href={meAddress}><bdi>{me.data?.username ?? 'Me'}</bdi></a>
      </header>
      <Side open={menu} about={about.data} kinds={kinds.data} me={me.data?.username} route={route} />
      <main id="main" ref={main} tabIndex={-1}>
        {kinds.error || about.error ? <Problem title="The kinds of this server can’t be read.">{kinds.error || about.error}</Problem>
          : kinds.data && about.data ? <View route={route} kinds={kinds.data} about={about.data} />
            : <p class="empty" role="status">Reading what the server has…</p>}
      </main>
    </div>
  )
}

function View({ route, kinds, about }: { route: Route, kinds: Kinds, about: About }) {
  const [view, group, version, resource, namespace, name] = route.steps
  if (view === undefined) return <Home kinds={kinds} about={about} />
  if (view === 'me') return <MeView route={route} />
  if (view === 'run') return <RunView kinds={kinds} />
  const kind = kinds.find(groupOf(group), version ?? '', resource ?? '')
  if (kind && view === 'list') return <ListView key={location.hash.split('?')[0]} kind={kind} kinds={kinds} route={route} />
  if (kind && view === 'new') return <MakeView key={location.hash} kind={kind} namespace={route.query.get('namespace') ?? ''} />
  if (kind && view === 'object' && name !== undefined) {
    return <ObjectView key={location.hash.split('?')[0]} kind={kind} kinds={kinds} namespace={namespace === '-' ? '' : namespace!} name={name} tab={route.query.get('tab') ?? ''} action={route.query.get('action') ?? ''} />
  }
  return (
    <Problem title="There is no such view.">
      {resource ? `The server has no ${resource} in ${groupOf(group) || 'the core group'} ${version}. ` : ''}
      <a href={homeAddress}>See what it has</a>
    </Problem>
  )
}
