"""Asks a server for what programs ask that are written with python3-kubernetes.

Prints a line for each check, and at the end how many there were. The server is that of $KUBECONFIG.
"""

import datetime
import json
import threading
import time

import kubernetes
import yaml
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import NotFoundError

CHECKS = []
SPACE = "python"


def check(name):
    def add(function):
        CHECKS.append((name, function))
        return function
    return add


def want(holds, said):
    if not holds:
        raise AssertionError(said)


def refused(status, reason, call):
    """Makes a call that the server has to refuse, and returns the Status that it answers with."""
    try:
        answer = call()
    except ApiException as e:
        body = json.loads(e.body)
        want(e.status == status and body["reason"] == reason, f"{e.status} {e.body}")
        want(body["kind"] == "Status" and body["code"] == status, e.body)
        return body
    raise AssertionError(f"it was not refused: {answer}")


def config_map(name, data=None, **metadata):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, **metadata), data=data or {"a": "1"})


def pod(name, **labels):
    container = client.V1Container(name="c", image="nothing", ports=[client.V1ContainerPort(container_port=80)])
    return client.V1Pod(metadata=client.V1ObjectMeta(name=name, labels=labels), spec=client.V1PodSpec(containers=[container]))


def deployment(name, replicas=1):
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels={"app": name}),
        spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="nothing")]))
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name=name),
        spec=client.V1DeploymentSpec(replicas=replicas, selector=client.V1LabelSelector(match_labels={"app": name}), template=template))


config.load_kube_config()
core = client.CoreV1Api()
apps = client.AppsV1Api()


def patched_with(media_type):
    """Clients of two groups whose patches are of a type that the library does not choose. It sends text as it is."""
    api = client.ApiClient()
    api.select_header_content_type = lambda *_: media_type
    return client.CoreV1Api(api), client.AppsV1Api(api)


# Objects.

@check("objects: a namespace, with the account that pods in it have")
def _():
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=SPACE)))
    for _ in range(600):
        if core.list_namespaced_service_account(SPACE).items:
            return
        time.sleep(0.1)
    raise AssertionError("no account after a minute")


@check("objects: create and read a pod, with its defaults")
def _():
    core.create_namespaced_pod(SPACE, pod("p", app="web"))
    p = core.read_namespaced_pod("p", SPACE)
    want(p.spec.restart_policy == "Always" and p.spec.containers[0].ports[0].protocol == "TCP", p.spec)
    want(isinstance(p.metadata.creation_timestamp, datetime.datetime), p.metadata.creation_timestamp)


@check("objects: replace one, and be told of a conflict")
def _():
    first = core.create_namespaced_config_map(SPACE, config_map("replaced"))
    first.data = {"a": "2"}
    core.replace_namespaced_config_map("replaced", SPACE, first)
    refused(409, "Conflict", lambda: core.replace_namespaced_config_map("replaced", SPACE, first))


@check("objects: delete one, with a precondition")
def _():
    made = core.create_namespaced_config_map(SPACE, config_map("deleted"))
    wrong = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="other"))
    refused(409, "Conflict", lambda: core.delete_namespaced_config_map("deleted", SPACE, body=wrong))
    right = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid=made.metadata.uid))
    want(core.delete_namespaced_config_map("deleted", SPACE, body=right).status == "Success", "no Success")


@check("objects: a name from generateName")
def _():
    made = core.create_namespaced_config_map(SPACE, client.V1ConfigMap(metadata=client.V1ObjectMeta(generate_name="made-")))
    want(len(made.metadata.name) == len("made-") + 5, made.metadata.name)


@check("objects: a secret, from text to bytes")
def _():
    core.create_namespaced_secret(SPACE, client.V1Secret(metadata=client.V1ObjectMeta(name="s"), string_data={"password": "rosebud"}))
    s = core.read_namespaced_secret("s", SPACE)
    want(s.data == {"password": "cm9zZWJ1ZA=="} and s.type == "Opaque", s)


@check("objects: one that belongs to no namespace")
def _():
    spec = client.V1PersistentVolumeSpec(capacity={"storage": "1Gi"}, access_modes=["ReadWriteOnce"], host_path=client.V1HostPathVolumeSource(path="/nothing"))
    core.create_persistent_volume(client.V1PersistentVolume(metadata=client.V1ObjectMeta(name="python"), spec=spec))
    want(core.read_persistent_volume("python").spec.persistent_volume_reclaim_policy == "Retain", "no default")


@check("objects: what a YAML file says, by utils.create_from_dict")
def _():
    for document in yaml.safe_load_all(MANIFESTS):
        utils.create_from_dict(client.ApiClient(), document, namespace=SPACE)
    want(apps.read_namespaced_deployment("from-yaml", SPACE).spec.replicas == 2, "replicas")


MANIFESTS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: from-yaml}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: from-yaml}
spec:
  replicas: 2
  selector: {matchLabels: {app: from-yaml}}
  template:
    metadata: {labels: {app: from-yaml}}
    spec: {containers: [{name: c, image: nothing}]}
"""


@check("objects: a dry run changes nothing")
def _():
    core.create_namespaced_config_map(SPACE, config_map("dry"), dry_run="All")
    refused(404, "NotFound", lambda: core.read_namespaced_config_map("dry", SPACE))


# Lists.

@check("lists: in pages, each object once")
def _():
    for i in range(7):
        core.create_namespaced_config_map(SPACE, config_map(f"page-{i}", labels={"paged": "yes"}))
    names, token, pages = [], None, 0
    while pages == 0 or token:
        page = core.list_namespaced_config_map(SPACE, label_selector="paged=yes", limit=3, _continue=token)
        names += [m.metadata.name for m in page.items]
        token, pages = page.metadata._continue, pages + 1
    want(names == [f"page-{i}" for i in range(7)] and pages == 3, f"{pages} pages: {names}")


@check("lists: by labels that are in a set")
def _():
    found = core.list_namespaced_pod(SPACE, label_selector="app in (web, db),!gone").items
    want([p.metadata.name for p in found] == ["p"], found)


@check("lists: by fields")
def _():
    found = core.list_namespaced_pod(SPACE, field_selector="metadata.name=p,spec.restartPolicy=Always,status.phase!=Running").items
    want([p.metadata.name for p in found] == ["p"], found)


@check("lists: a field that can't be selected by is a 400")
def _():
    refused(400, "BadRequest", lambda: core.list_namespaced_pod(SPACE, field_selector="spec.hostname=a"))


@check("lists: of all namespaces")
def _():
    want({"kube-system", SPACE} <= {a.metadata.namespace for a in core.list_service_account_for_all_namespaces().items}, "namespaces are missing")


@check("lists: one that may not be older than a revision that is yet to come is a 504")
def _():
    refused(504, "Timeout", lambda: core.list_namespaced_pod(SPACE, resource_version="999999999"))


@check("lists: deletecollection by labels")
def _():
    core.delete_collection_namespaced_config_map(SPACE, label_selector="paged=yes")
    left = [m.metadata.name for m in core.list_namespaced_config_map(SPACE).items]
    want("replaced" in left and not any(n.startswith("page-") for n in left), left)


# Watches.

def changes(name, first):
    """Makes, changes and deletes a config map; waits for first before."""
    def run():
        first.wait(60)
        core.create_namespaced_config_map(SPACE, config_map(name, labels={"watched": name}))
        core.patch_namespaced_config_map(name, SPACE, {"data": {"a": "2"}})
        core.delete_namespaced_config_map(name, SPACE)
    thread = threading.Thread(target=run)
    thread.start()
    return thread


@check("watches: tell of what is created, changed and deleted, as objects")
def _():
    begun, events, w = threading.Event(), [], watch.Watch()
    version = core.list_namespaced_config_map(SPACE).metadata.resource_version
    thread = changes("watched", begun)
    begun.set()
    for e in w.stream(core.list_namespaced_config_map, SPACE, label_selector="watched=watched", resource_version=version, timeout_seconds=60):
        events.append((e["type"], type(e["object"]).__name__, e["object"].data["a"]))
        if e["type"] == "DELETED":
            w.stop()
    thread.join()
    want(events == [("ADDED", "V1ConfigMap", "1"), ("MODIFIED", "V1ConfigMap", "2"), ("DELETED", "V1ConfigMap", "2")], events)


@check("watches: end when timeoutSeconds are over")
def _():
    w = watch.Watch()
    events = list(w.stream(core.list_namespaced_pod, SPACE, field_selector="metadata.name=p", timeout_seconds=1))
    want([e["type"] for e in events] == ["ADDED"], events)


@check("watches: one from a revision that is too old is a 410")
def _():
    try:
        for _ in watch.Watch().stream(core.list_namespaced_config_map, SPACE, resource_version="1", timeout_seconds=60):
            raise AssertionError("an event came")
    except ApiException as e:
        want(e.status == 410, e)
        return
    raise AssertionError("it ended without an error")


@check("watches: bookmarks are sent to those who ask")
def _():
    w = watch.Watch()
    for e in w.stream(core.list_namespaced_pod, SPACE, allow_watch_bookmarks=True, timeout_seconds=70):
        if e["type"] == "BOOKMARK":
            return
    raise AssertionError("none in 70 s")


# Patches.

@check("patches: strategic, of a list with keys")
def _():
    body = {"spec": {"containers": [{"name": "c", "image": "other"}]}, "metadata": {"labels": {"tier": "front"}}}
    p = core.patch_namespaced_pod("p", SPACE, body)
    want(p.spec.containers[0].image == "other" and len(p.spec.containers) == 1 and p.metadata.labels == {"app": "web", "tier": "front"}, p)


@check("patches: strategic, that deletes an item of a list")
def _():
    body = {"spec": {"template": {"spec": {"containers": [{"name": "second", "image": "nothing"}]}}}}
    apps.create_namespaced_deployment(SPACE, deployment("patched"))
    apps.patch_namespaced_deployment("patched", SPACE, body)
    body = {"spec": {"template": {"spec": {"containers": [{"name": "c", "$patch": "delete"}]}}}}
    d = apps.patch_namespaced_deployment("patched", SPACE, body)
    want([c.name for c in d.spec.template.spec.containers] == ["second"], d.spec.template.spec.containers)


@check("patches: merge, where null takes a field away")
def _():
    merge, _ = patched_with("application/merge-patch+json")
    m = merge.patch_namespaced_config_map("replaced", SPACE, {"data": {"a": None, "b": "3"}})
    want(m.data == {"b": "3"}, m.data)


@check("patches: JSON, with a test that holds and one that does not")
def _():
    operations = [{"op": "test", "path": "/data/b", "value": "3"}, {"op": "replace", "path": "/data/b", "value": "4"}]
    want(core.patch_namespaced_config_map("replaced", SPACE, operations).data == {"b": "4"}, "data")
    refused(422, "Invalid", lambda: core.patch_namespaced_config_map("replaced", SPACE, operations))


@check("patches: apply, with owners, a conflict, and by force")
def _():
    apply, _ = patched_with("application/apply-patch+yaml")

    def say(value, manager, **options):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"a": value}}
        return apply.patch_namespaced_config_map("applied", SPACE, json.dumps(body), field_manager=manager, **options)

    want(say("1", "one").metadata.managed_fields[0].operation == "Apply", "operation")
    refusal = refused(409, "Conflict", lambda: say("2", "two"))
    want(refusal["details"]["causes"][0]["field"] == ".data.a", refusal)
    owners = [f.manager for f in say("2", "two", force=True).metadata.managed_fields if "f:data" in f.fields_v1]
    want(owners == ["two"], owners)


@check("patches: scale, strategic")
def _():
    s = apps.patch_namespaced_deployment_scale("patched", SPACE, {"spec": {"replicas": 5}})
    want(s.spec.replicas == 5 and apps.read_namespaced_deployment("patched", SPACE).spec.replicas == 5, s)


@check("patches: scale, merge")
def _():
    _, merge = patched_with("application/merge-patch+json")
    want(merge.patch_namespaced_deployment_scale("patched", SPACE, {"spec": {"replicas": 6}}).spec.replicas == 6, "replicas")


@check("patches: scale, apply")
def _():
    _, apply = patched_with("application/apply-patch+yaml")
    body = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "patched"}, "spec": {"replicas": 7}}
    s = apply.patch_namespaced_deployment_scale("patched", SPACE, json.dumps(body), field_manager="scaler", force=True)
    want(s.spec.replicas == 7, s)


# Subresources.

@check("subresources: status is written apart from the rest")
def _():
    body = {"status": {"phase": "Running", "podIP": "10.0.0.1"}, "spec": {"containers": [{"name": "c", "image": "ignored"}]}}
    p = core.patch_namespaced_pod_status("p", SPACE, body)
    want(p.status.phase == "Running" and p.status.pod_ip == "10.0.0.1" and p.spec.containers[0].image == "other", p)


@check("subresources: a binding gives a pod its node, once")
def _():
    target = client.V1ObjectReference(kind="Node", name="node-1")
    body = client.V1Binding(metadata=client.V1ObjectMeta(name="p"), target=target)
    core.create_namespaced_pod_binding("p", SPACE, body, _preload_content=False)  # a Status is answered, and the library wants a Binding
    want(core.read_namespaced_pod("p", SPACE).spec.node_name == "node-1", "node")
    refused(409, "Conflict", lambda: core.create_namespaced_pod_binding("p", SPACE, body, _preload_content=False))


@check("subresources: the log of a pod")
def _():
    said = core.read_namespaced_pod_log("p", SPACE)
    want("node-1" in said, said)


@check("subresources: a token of a service account")
def _():
    spec = client.V1TokenRequestSpec(audiences=["https://kubernetes.default.svc"], expiration_seconds=600)
    body = client.AuthenticationV1TokenRequest(spec=spec)
    token = core.create_namespaced_service_account_token("default", SPACE, body).status.token
    own = client.Configuration.get_default_copy()
    own.cert_file = own.key_file = None
    own.api_key = {"authorization": "Bearer " + token}
    refused(403, "Forbidden", lambda: client.CoreV1Api(client.ApiClient(own)).list_namespaced_secret(SPACE))


@check("subresources: an eviction of a pod")
def _():
    core.create_namespaced_pod_eviction("p", SPACE, client.V1Eviction(metadata=client.V1ObjectMeta(name="p")))


# Errors.

@check("errors: what is invalid, with the path of each field")
def _():
    body = pod("Bad")
    body.spec.containers[0].ports[0].container_port = 80800
    fields = {c["field"] for c in refused(422, "Invalid", lambda: core.create_namespaced_pod(SPACE, body))["details"]["causes"]}
    want(fields == {"metadata.name", "spec.containers[0].ports[0].containerPort"}, fields)


@check("errors: what exists, and what does not")
def _():
    refused(409, "AlreadyExists", lambda: core.create_namespaced_config_map(SPACE, config_map("replaced")))
    details = refused(404, "NotFound", lambda: core.read_namespaced_config_map("none", SPACE))["details"]
    want(details == {"name": "none", "kind": "configmaps"}, details)


@check("errors: no credential is a 401")
def _():
    own = client.Configuration.get_default_copy()
    own.cert_file = own.key_file = None
    refused(401, "Unauthorized", lambda: client.CoreV1Api(client.ApiClient(own)).list_namespaced_pod(SPACE))


# The dynamic client.

dynamic_client = None


@check("dynamic: finds kinds by discovery")
def _():
    global dynamic_client
    dynamic_client = dynamic.DynamicClient(client.ApiClient())
    found = dynamic_client.resources.get(api_version="apps/v1", kind="Deployment")
    want(found.name == "deployments" and found.namespaced and "scale" in found.subresources, found)


@check("dynamic: create, read, patch, apply and delete")
def _():
    maps = dynamic_client.resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dynamic"}, "data": {"a": "1"}}
    maps.create(body=body, namespace=SPACE)
    want(maps.get(name="dynamic", namespace=SPACE).data.a == "1", "data")
    maps.patch(body={"data": {"a": "2"}}, name="dynamic", namespace=SPACE, content_type="application/merge-patch+json")
    body["data"] = {"b": "3"}
    maps.patch(body=json.dumps(body), name="dynamic", namespace=SPACE, content_type="application/apply-patch+yaml", field_manager="python")
    want(maps.get(name="dynamic", namespace=SPACE).to_dict()["data"] == {"a": "2", "b": "3"}, "data after the apply")
    maps.delete(name="dynamic", namespace=SPACE)
    try:
        maps.get(name="dynamic", namespace=SPACE)
    except NotFoundError:
        return
    raise AssertionError("it is still there")


@check("dynamic: a list, and a watch that goes on from it")
def _():
    pods = dynamic_client.resources.get(api_version="v1", kind="Pod")
    items = pods.get(namespace=SPACE, label_selector="app=web")
    want([p.metadata.name for p in items.items] == ["p"], items)
    for e in pods.watch(namespace=SPACE, timeout=60, field_selector="metadata.name=p"):
        want(e["type"] == "ADDED" and e["object"].metadata.name == "p", e)
        return
    raise AssertionError("no event")


# What the server says of itself.

@check("server: version, groups and resources")
def _():
    want(client.VersionApi().get_code().git_version, "no gitVersion")
    groups = {g.name for g in client.ApisApi().get_api_versions().groups}
    want({"apps", "autoscaling", "rbac.authorization.k8s.io"} <= groups, groups)
    names = {r.name for r in core.get_api_resources().resources}
    want({"pods", "pods/binding", "pods/log", "configmaps"} <= names, names)


@check("server: leader election by a lease")
def _():
    leases = client.CoordinationV1Api()
    now = datetime.datetime.now(datetime.timezone.utc)
    spec = client.V1LeaseSpec(holder_identity="a", lease_duration_seconds=15, acquire_time=now, renew_time=now)
    made = leases.create_namespaced_lease(SPACE, client.V1Lease(metadata=client.V1ObjectMeta(name="leader"), spec=spec))
    made.spec.holder_identity = "b"
    leases.replace_namespaced_lease("leader", SPACE, made)
    made.spec.holder_identity = "c"
    refused(409, "Conflict", lambda: leases.replace_namespaced_lease("leader", SPACE, made))
    want(leases.read_namespaced_lease("leader", SPACE).spec.renew_time == now, "renewTime lost its microseconds")


@check("server: may I, and roles that say so")
def _():
    rules = [client.V1PolicyRule(api_groups=[""], resources=["pods"], verbs=["get"])]
    client.RbacAuthorizationV1Api().create_namespaced_role(SPACE, client.V1Role(metadata=client.V1ObjectMeta(name="reader"), rules=rules))
    attributes = client.V1ResourceAttributes(namespace=SPACE, verb="list", resource="pods")
    review = client.V1SelfSubjectAccessReview(spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes))
    want(client.AuthorizationV1Api().create_self_subject_access_review(review).status.allowed, "not allowed")


def main():
    print("version", kubernetes.__version__)
    for name, function in CHECKS:
        try:
            function()
        except Exception as e:  # whatever it is, it is what the check found
            print("not ok", name, "#", " ".join(f"{type(e).__name__}: {e}".split()), flush=True)
        else:
            print("ok", name, flush=True)
    print(f"1..{len(CHECKS)}")


main()
