// Asks a server for what programs ask that are written with @kubernetes/client-node.
//
// Prints a line for each check, and at the end how many there were. The server is that of $KUBECONFIG.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import * as k8s from '@kubernetes/client-node';

const space = 'node';
const patience = 60_000;
const checks = [];
const check = (name, run) => checks.push({ name, run });

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const as = (strategy) => k8s.setHeaderOptions('Content-Type', strategy);

const configMap = (name, more = {}) => ({ metadata: { name, ...more }, data: { a: '1' } });
const template = (app) => ({ metadata: { labels: { app } }, spec: { containers: [{ name: 'c', image: 'nothing' }] } });
const pod = (name) => ({ metadata: { name, labels: { app: 'web' } }, spec: template('web').spec });

// refused makes a call that the server has to refuse, and returns the Status that it answers with.
async function refused(code, reason, call) {
  let answer;
  try {
    answer = await call();
  } catch (e) {
    const status = typeof e.body === 'string' ? JSON.parse(e.body) : e.body;
    assert.deepEqual([e.code, status.code, status.reason], [code, code, reason], e.message);
    return status;
  }
  assert.fail(`it was not refused: ${JSON.stringify(answer)}`);
}

// within waits for a promise, and says what for when it takes too long.
function within(what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not after ${patience} ms`)), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// Objects.

check('objects: a namespace, with the account that pods in it have', async () => {
  await core.createNamespace({ body: { metadata: { name: space } } });
  const end = Date.now() + patience;
  while ((await core.listNamespacedServiceAccount({ namespace: space })).items.length === 0) {
    assert(Date.now() < end, 'no account after a minute');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

check('objects: create and read a pod, with its defaults', async () => {
  await core.createNamespacedPod({ namespace: space, body: pod('p') });
  const p = await core.readNamespacedPod({ namespace: space, name: 'p' });
  assert.equal(p.spec.restartPolicy, 'Always');
  assert(p.metadata.creationTimestamp instanceof Date);
});

check('objects: replace one, and be told of a conflict', async () => {
  const body = await core.createNamespacedConfigMap({ namespace: space, body: configMap('replaced') });
  body.data = { a: '2' };
  const replace = () => core.replaceNamespacedConfigMap({ namespace: space, name: 'replaced', body });
  assert.deepEqual((await replace()).data, { a: '2' });
  await refused(409, 'Conflict', replace);
});

check('objects: delete one, and then it is not there', async () => {
  await core.createNamespacedConfigMap({ namespace: space, body: configMap('deleted') });
  assert.equal((await core.deleteNamespacedConfigMap({ namespace: space, name: 'deleted' })).status, 'Success');
  const status = await refused(404, 'NotFound', () => core.readNamespacedConfigMap({ namespace: space, name: 'deleted' }));
  assert.deepEqual(status.details, { name: 'deleted', kind: 'configmaps' });
});

check('objects: what is invalid, with the path of the field', async () => {
  const body = pod('p2');
  body.spec = { containers: [{ name: 'c', image: 'nothing', ports: [{ containerPort: 80800 }] }] };
  const status = await refused(422, 'Invalid', () => core.createNamespacedPod({ namespace: space, body }));
  assert.equal(status.details.causes[0].field, 'spec.containers[0].ports[0].containerPort');
});

check('objects: a dry run changes nothing', async () => {
  await core.createNamespacedConfigMap({ namespace: space, body: configMap('dry'), dryRun: 'All' });
  await refused(404, 'NotFound', () => core.readNamespacedConfigMap({ namespace: space, name: 'dry' }));
});

check('objects: of any kind, by KubernetesObjectApi', async () => {
  const made = await objects.create({
    apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace: space },
    spec: { replicas: 1, selector: { matchLabels: { app: 'd' } }, template: template('d') },
  });
  assert.equal(made.spec.strategy.type, 'RollingUpdate');
  assert.equal((await objects.read(made)).metadata.uid, made.metadata.uid);
  assert.equal((await objects.list('apps/v1', 'Deployment', space)).items.length, 1);
});

// Lists.

check('lists: in pages, each object once', async () => {
  for (let i = 0; i < 7; i++) {
    await core.createNamespacedConfigMap({ namespace: space, body: configMap(`page-${i}`, { labels: { paged: 'yes' } }) });
  }
  const names = [];
  let _continue;
  do {
    const page = await core.listNamespacedConfigMap({ namespace: space, labelSelector: 'paged=yes', limit: 3, _continue });
    names.push(...page.items.map((m) => m.metadata.name));
    _continue = page.metadata._continue;
  } while (_continue);
  assert.deepEqual(names, [0, 1, 2, 3, 4, 5, 6].map((i) => `page-${i}`));
});

check('lists: by labels, and by fields', async () => {
  const found = await core.listNamespacedPod({ namespace: space, labelSelector: 'app in (web)', fieldSelector: 'metadata.name=p' });
  assert.deepEqual(found.items.map((p) => p.metadata.name), ['p']);
});

check('lists: deletecollection by labels', async () => {
  await core.deleteCollectionNamespacedConfigMap({ namespace: space, labelSelector: 'paged=yes' });
  assert.equal((await core.listNamespacedConfigMap({ namespace: space, labelSelector: 'paged=yes' })).items.length, 0);
});

// Patches.

check('patches: strategic, of a list with keys', async () => {
  const body = { spec: { containers: [{ name: 'c', image: 'other' }] } };
  const p = await core.patchNamespacedPod({ namespace: space, name: 'p', body }, as(k8s.PatchStrategy.StrategicMergePatch));
  assert.deepEqual(p.spec.containers.map((c) => c.image), ['other']);
});

check('patches: merge, where null takes a field away', async () => {
  const body = { data: { a: null, b: '3' } };
  const m = await core.patchNamespacedConfigMap({ namespace: space, name: 'replaced', body }, as(k8s.PatchStrategy.MergePatch));
  assert.deepEqual(m.data, { b: '3' });
});

check('patches: JSON, with a test that does not hold', async () => {
  const body = [{ op: 'test', path: '/data/b', value: '3' }, { op: 'replace', path: '/data/b', value: '4' }];
  const patch = () => core.patchNamespacedConfigMap({ namespace: space, name: 'replaced', body }, as(k8s.PatchStrategy.JsonPatch));
  assert.deepEqual((await patch()).data, { b: '4' });
  await refused(422, 'Invalid', patch);
});

check('patches: apply, with a conflict, and by force', async () => {
  const say = (a, fieldManager, force) => objects.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied', namespace: space }, data: { a } },
    undefined, undefined, fieldManager, force, k8s.PatchStrategy.ServerSideApply);
  await say('1', 'one');
  const status = await refused(409, 'Conflict', () => say('2', 'two'));
  assert.equal(status.details.causes[0].field, '.data.a');
  assert.deepEqual((await say('2', 'two', true)).data, { a: '2' });
});

for (const [name, strategy, replicas, more] of [
  ['strategic', k8s.PatchStrategy.StrategicMergePatch, 4, {}],
  ['merge', k8s.PatchStrategy.MergePatch, 5, {}],
  ['apply', k8s.PatchStrategy.ServerSideApply, 6, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' } }],
]) {
  check(`patches: scale, ${name}`, async () => {
    const options = name === 'apply' ? { fieldManager: 'scaler', force: true } : {};
    const s = await apps.patchNamespacedDeploymentScale({ namespace: space, name: 'd', body: { ...more, spec: { replicas } }, ...options }, as(strategy));
    assert.equal(s.spec.replicas, replicas);
    assert.equal((await apps.readNamespacedDeployment({ namespace: space, name: 'd' })).spec.replicas, replicas);
  });
}

// Watches.

check('watches: tell of what is created, changed and deleted', async () => {
  const { metadata } = await core.listNamespacedConfigMap({ namespace: space });
  const events = [];
  let request;
  const done = new Promise((resolve, reject) => {
    request = new k8s.Watch(config).watch(
      `/api/v1/namespaces/${space}/configmaps`, { resourceVersion: metadata.resourceVersion, labelSelector: 'watched=yes' },
      (type, object) => {
        events.push(`${type} ${object.data.a}`);
        if (type === 'DELETED') resolve();
      }, reject);
  });
  await core.createNamespacedConfigMap({ namespace: space, body: configMap('watched', { labels: { watched: 'yes' } }) });
  await core.patchNamespacedConfigMap({ namespace: space, name: 'watched', body: { data: { a: '2' } } }, as(k8s.PatchStrategy.MergePatch));
  await core.deleteNamespacedConfigMap({ namespace: space, name: 'watched' });
  await within('the events', done);
  (await request).abort();
  assert.deepEqual(events, ['ADDED 1', 'MODIFIED 2', 'DELETED 2']);
});

check('watches: one from a revision that is too old is told so', async () => {
  const answered = new Promise((resolve) => {
    new k8s.Watch(config).watch(`/api/v1/namespaces/${space}/configmaps`, { resourceVersion: '1' },
      (type, object) => resolve(object.code), (e) => resolve(e?.statusCode));
  });
  assert.equal(await within('the answer', answered), 410);
});

check('watches: an informer has what is there, and follows it', async () => {
  const list = () => core.listNamespacedConfigMap({ namespace: space, labelSelector: 'informed=yes' });
  const informed = (name, a) => ({ metadata: { name, labels: { informed: 'yes' } }, data: { a } });
  await core.createNamespacedConfigMap({ namespace: space, body: informed('before', '1') });
  const informer = k8s.makeInformer(config, `/api/v1/namespaces/${space}/configmaps`, list, 'informed=yes');
  const seen = [];
  const done = new Promise((resolve, reject) => {
    informer.on('add', (m) => seen.push(`add ${m.metadata.name}`));
    informer.on('update', (m) => seen.push(`update ${m.metadata.name} ${m.data.a}`));
    informer.on('delete', (m) => { seen.push(`delete ${m.metadata.name}`); resolve(); });
    informer.on('error', reject);
  });
  await informer.start();
  await core.createNamespacedConfigMap({ namespace: space, body: informed('after', '1') });
  await core.replaceNamespacedConfigMap({ namespace: space, name: 'after', body: informed('after', '2') });
  await core.deleteNamespacedConfigMap({ namespace: space, name: 'before' });
  await within('the events', done);
  assert.deepEqual(seen, ['add before', 'add after', 'update after 2', 'delete before']);
  assert.deepEqual(informer.list(space).map((m) => m.metadata.name), ['after']);
  await informer.stop();
});

// Subresources.

check('subresources: status is written apart from the rest', async () => {
  const body = { status: { phase: 'Running' }, spec: { containers: [{ name: 'c', image: 'ignored' }] } };
  const p = await core.patchNamespacedPodStatus({ namespace: space, name: 'p', body }, as(k8s.PatchStrategy.StrategicMergePatch));
  assert.deepEqual([p.status.phase, p.spec.containers[0].image], ['Running', 'other']);
});

check('subresources: a binding gives a pod its node, once', async () => {
  const bind = () => core.createNamespacedPodBinding({ namespace: space, name: 'p', body: { metadata: { name: 'p' }, target: { kind: 'Node', name: 'node-1' } } });
  await bind();
  assert.equal((await core.readNamespacedPod({ namespace: space, name: 'p' })).spec.nodeName, 'node-1');
  await refused(409, 'Conflict', bind);
});

check('subresources: the log of a pod, followed', async () => {
  const stream = new PassThrough();
  const request = await new k8s.Log(config).log(space, 'p', 'c', stream, { follow: true });
  const [chunk] = await within('the first line', once(stream, 'data'));
  request.abort();
  assert.match(chunk.toString(), /node-1/);
});

check('subresources: attach to a container, by a WebSocket', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const socket = await within('the WebSocket', new k8s.Attach(config).attach(space, 'p', 'c', output, null, input, false));
  input.write('hello\n');
  const [chunk] = await within('the echo', once(output, 'data'));
  socket.close();
  assert.match(chunk.toString(), /hello/);
});

check('subresources: run a command in a container', async () => {
  await within('the WebSocket', new k8s.Exec(config).exec(space, 'p', 'c', ['true'], null, null, null, false));
});

// What the server says of itself.

check('server: version, health, groups and resources', async () => {
  assert((await config.makeApiClient(k8s.VersionApi).getCode()).gitVersion);
  assert(await new k8s.Health(config).readyz({}));
  const { groups } = await config.makeApiClient(k8s.ApisApi).getAPIVersions();
  assert(groups.some((g) => g.name === 'apps'));
  assert((await core.getAPIResources()).resources.some((r) => r.name === 'pods/binding'));
});

check('server: may I, and the token of an account', async () => {
  const review = await config.makeApiClient(k8s.AuthorizationV1Api).createSelfSubjectAccessReview({
    body: { spec: { resourceAttributes: { namespace: space, verb: 'list', resource: 'pods' } } },
  });
  assert.equal(review.status.allowed, true);
  const request = await core.createNamespacedServiceAccountToken({ namespace: space, name: 'default', body: { spec: { audiences: ['https://kubernetes.default.svc'] } } });
  const own = new k8s.KubeConfig();
  own.loadFromOptions({ ...config, users: [{ name: 'account', token: request.status.token }], contexts: [{ ...config.getContextObject(config.currentContext), user: 'account' }] });
  await refused(403, 'Forbidden', () => own.makeApiClient(k8s.CoreV1Api).listNamespacedSecret({ namespace: space }));
});

check('server: leader election by a lease', async () => {
  const leases = config.makeApiClient(k8s.CoordinationV1Api);
  const renewTime = new k8s.V1MicroTime('2026-01-02T03:04:05.678901Z');
  const body = await leases.createNamespacedLease({ namespace: space, body: { metadata: { name: 'leader' }, spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime } } });
  body.spec.holderIdentity = 'b';
  await leases.replaceNamespacedLease({ namespace: space, name: 'leader', body });
  await refused(409, 'Conflict', () => leases.replaceNamespacedLease({ namespace: space, name: 'leader', body }));
});

const { version } = JSON.parse(readFileSync(new URL('node_modules/@kubernetes/client-node/package.json', import.meta.url)));
console.log('version', version);
for (const { name, run } of checks) {
  try {
    await run();
    console.log('ok', name);
  } catch (e) {
    console.log('not ok', name, '#', String(e?.message ?? e).split(/\s+/).join(' '));
  }
}
console.log(`1..${checks.length}`);
process.exit(0); // what is still connected is not waited for
