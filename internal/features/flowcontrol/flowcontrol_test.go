package flowcontrol_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/features/servertest"
)

const (
	api     = "/apis/flowcontrol.apiserver.k8s.io/v1"
	schemas = api + "/flowschemas"
	levels  = api + "/prioritylevelconfigurations"
)

const reports = `{"metadata":{"name":"reports"},"spec":{"priorityLevelConfiguration":{"name":"reports"},"matchingPrecedence":50,"distinguisherMethod":{"type":"ByUser"},
	"rules":[{"subjects":[{"kind":"User","user":{"name":"reporter"}}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"namespaces":["*"],"clusterScope":true}]}]}}`

// TestObjects: what every server has is there when it is ready, stays as it should be, and is the
// operator's where an annotation says so.
func TestObjects(t *testing.T) {
	s := servertest.Start(t)
	for path, names := range map[string]string{
		schemas: "catch-all exempt global-default kube-controller-manager kube-scheduler kube-system-service-accounts probes service-accounts system-leader-election system-node-high system-nodes",
		levels:  "catch-all exempt global-default leader-election node-high system workload-high workload-low",
	} {
		var list struct {
			Items []struct{ Metadata struct{ Name string } }
		}
		if err := json.Unmarshal([]byte(s.Want(http.StatusOK, "", "GET", path, "")), &list); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, item := range list.Items {
			got = append(got, item.Metadata.Name)
		}
		if strings.Join(got, " ") != names {
			t.Errorf("%s: %v", path, got)
		}
	}
	s.Until(http.StatusOK, `"status":"False"`, schemas+"/global-default")

	// A mandatory object comes back, and can't be another one.
	s.Want(http.StatusOK, "", "DELETE", schemas+"/catch-all", "")
	s.Until(http.StatusOK, `"matchingPrecedence":10000`, schemas+"/catch-all")
	s.Want(http.StatusUnprocessableEntity, "must equal the fixed value", "PATCH", levels+"/catch-all", `{"spec":{"limited":{"nominalConcurrencyShares":7}}}`)
	s.Want(http.StatusOK, "", "PATCH", levels+"/exempt", `{"spec":{"exempt":{"lendablePercent":7}}}`)

	// A suggested one is kept, unless its annotation says that it is the operator's.
	s.Want(http.StatusOK, "", "PATCH", levels+"/global-default", `{"spec":{"limited":{"nominalConcurrencyShares":21}}}`)
	s.Until(http.StatusOK, `"nominalConcurrencyShares":20`, levels+"/global-default")
	s.Want(http.StatusOK, "", "PATCH", levels+"/global-default", `{"metadata":{"annotations":{"apf.kubernetes.io/autoupdate-spec":"false"}},"spec":{"limited":{"nominalConcurrencyShares":22}}}`)
	s.Until(http.StatusOK, `apiserver_flowcontrol_nominal_limit_seats{priority_level="global-default"} 54`, "/metrics") // 22 of 247 shares of 600
	s.Want(http.StatusOK, `"nominalConcurrencyShares":22`, "GET", levels+"/global-default", "")
	s.Want(http.StatusOK, `"lendablePercent":7`, "GET", levels+"/exempt", "")
}

// TestSchema: a schema of the operator's decides about requests once its level is there, and the
// answer says so.
func TestSchema(t *testing.T) {
	s := servertest.Start(t)
	s.Want(http.StatusCreated, "", "POST", schemas, reports)
	s.Until(http.StatusOK, "but there is no such object", schemas+"/reports")
	s.Want(http.StatusCreated, "", "POST", levels, `{"metadata":{"name":"reports"},"spec":{"type":"Limited","limited":{"limitResponse":{"type":"Queue","queuing":{}}}}}`)
	s.Until(http.StatusOK, "and it exists", schemas+"/reports")
	s.Want(http.StatusOK, `"nominalConcurrencyShares":30`, "GET", levels+"/reports", "")

	uid := func(path string) string {
		var o struct{ Metadata struct{ UID string } }
		if err := json.Unmarshal([]byte(s.Want(http.StatusOK, "", "GET", path, "")), &o); err != nil {
			t.Fatal(err)
		}
		return o.Metadata.UID
	}
	for user, names := range map[string][2]string{"reporter": {"reports", "reports"}, "somebody": {"global-default", "global-default"}} {
		req, err := http.NewRequest("GET", s.URL+servertest.Namespaces, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Impersonate-User", user)
		resp, err := s.Server.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		got := fmt.Sprint(resp.Header.Get("X-Kubernetes-PF-FlowSchema-UID"), " ", resp.Header.Get("X-Kubernetes-PF-PriorityLevel-UID"))
		if want := fmt.Sprint(uid(schemas+"/"+names[0]), " ", uid(levels+"/"+names[1])); got != want {
			t.Errorf("%s: %s, want %s", user, got, want)
		}
	}
	s.Want(http.StatusOK, `apiserver_flowcontrol_dispatched_requests_total{flow_schema="reports",priority_level="reports"} 1`, "GET", "/metrics", "")
}

// TestDumps: who may get them sees their own request on the way; others don't.
func TestDumps(t *testing.T) {
	s := servertest.Start(t)
	const dumps = "/debug/api_priority_and_fairness/dump_"
	page := s.Want(http.StatusOK, "FlowDistingsher", "GET", dumps+"requests?includeRequestDetails=1", "")
	var own []string
	for line := range strings.Lines(page) {
		if strings.Contains(line, dumps+"requests") {
			own = strings.Fields(line)
		}
	}
	if len(own) < 13 || own[0] != "exempt," || own[1] != "exempt," {
		t.Errorf("no line of the request itself in\n%s", page)
	}
	if page := s.Want(http.StatusOK, "PriorityLevelName", "GET", dumps+"requests", ""); strings.Contains(page, "UserName") {
		t.Errorf("details without being asked for:\n%s", page)
	}
	s.Want(http.StatusOK, "workload-low", "GET", dumps+"priority_levels", "")
	s.Want(http.StatusOK, "TotalWorkSum", "GET", dumps+"queues", "")
	s.Want(http.StatusMethodNotAllowed, "", "POST", dumps+"queues", "{}")
	if index := s.Want(http.StatusOK, "/metrics", "GET", "/", ""); strings.Contains(index, dumps) {
		t.Error("the index lists them, which that of a kube-apiserver does not")
	}
}

// TestColumns: kubectl shows what it shows of a cluster.
func TestColumns(t *testing.T) {
	s := servertest.Start(t)
	for path, want := range map[string]string{
		schemas: "Name PriorityLevel MatchingPrecedence DistinguisherMethod Age MissingPL",
		levels:  "Name Type NominalConcurrencyShares Queues HandSize QueueLengthLimit Age",
	} {
		req, err := http.NewRequest("GET", s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
		resp, err := s.Server.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var table struct {
			ColumnDefinitions []struct{ Name string }
		}
		if err := json.NewDecoder(resp.Body).Decode(&table); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range table.ColumnDefinitions {
			got = append(got, c.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
