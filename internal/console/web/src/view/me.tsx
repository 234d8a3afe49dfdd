// Who the server takes me for, and what it lets me do.
import { myRules, whoAmI } from '../api/objects'
import { replaceQuery, type Route } from '../route'
import { Empty, Problem, useLoaded, useTitle } from './parts'

export function MeView({ route }: { route: Route }) {
  const namespace = route.query.get('namespace') || 'default'
  const me = useLoaded(whoAmI, [])
  const rules = useLoaded(() => myRules(namespace), [namespace])
  useTitle('Who am I?')
  return (
    <div class="page">
      <h1><bdi>{me.data?.username ?? 'Who am I?'}</bdi></h1>
      {me.error && <Problem title="The server does not say who you are.">{me.error}</Problem>}
      {me.data && (
        <dl class="facts">
          <dt>Groups</dt><dd>{me.data.groups?.join(', ') || 'none'}</dd>
          {me.data.uid && <><dt>UID</dt><dd>{me.data.uid}</dd></>}
          {Object.entries(me.data.extra ?? {}).map(([name, values]) => <><dt>{name}</dt><dd>{values.join(', ')}</dd></>)}
        </dl>
      )}
      <h2>What I may do</h2>
      <form class="filters" onSubmit={(event) => { event.preventDefault(); replaceQuery({ namespace: new FormData(event.currentTarget).get('namespace') as string }) }}>
        <label>in the namespace <input name="namespace" defaultValue={namespace} spellcheck={false} /></label>
        <button type="submit">Show</button>
      </form>
      {rules.error && <Problem title="The server does not say what you may do.">{rules.error}</Problem>}
      {rules.data?.incomplete && <Problem title="The server does not know all of it.">{rules.data.evaluationError}</Problem>}
      {rules.data && (
        <div class="scrolled" tabIndex={0} role="region" aria-label="Rules">
          <table>
            <thead><tr><th scope="col">Verbs</th><th scope="col">Of what</th><th scope="col">Groups</th><th scope="col">Names</th></tr></thead>
            <tbody>
              {(rules.data.resourceRules ?? []).map((rule, n) => <tr key={n}><td>{each(rule.verbs)}</td><td>{each(rule.resources)}</td><td>{each(rule.apiGroups?.map((group) => group || 'core'))}</td><td>{each(rule.resourceNames, 'all')}</td></tr>)}
              {(rules.data.nonResourceRules ?? []).map((rule, n) => <tr key={'u' + n}><td>{each(rule.verbs)}</td><td>{each(rule.nonResourceURLs)}</td><td>addresses</td><td>all</td></tr>)}
            </tbody>
          </table>
          {(rules.data.resourceRules ?? []).length + (rules.data.nonResourceRules ?? []).length === 0 && !rules.data.incomplete && <Empty>Nothing.</Empty>}
        </div>
      )}
    </div>
  )
}

const each = (words: string[] | null | undefined, none = '–') => words?.map((word) => word === '*' ? 'all' : word).join(', ') || none
