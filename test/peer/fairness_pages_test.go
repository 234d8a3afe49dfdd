package main

import (
	"context"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/fairness"
	ours "github.com/typeplane/typeplane/internal/features/flowcontrol"
)

// asked are requests that are answered, and wait, at the same time.
var asked = []struct {
	user user.DefaultInfo
	info request.RequestInfo
	work fcrequest.WorkEstimate
}{
	{user.DefaultInfo{Name: "jane", Groups: []string{"system:authenticated"}},
		request.RequestInfo{IsResourceRequest: true, Verb: "list", Path: "/apis/apps/v1/namespaces/team/deployments", APIGroup: "apps", APIVersion: "v1", Namespace: "team", Resource: "deployments"},
		fcrequest.WorkEstimate{InitialSeats: 3}},
	{user.DefaultInfo{Name: "admin", Groups: []string{"system:masters", "system:authenticated"}},
		request.RequestInfo{IsResourceRequest: true, Verb: "update", Path: "/api/v1/namespaces/team/pods/a/status", APIVersion: "v1", Namespace: "team", Resource: "pods", Subresource: "status", Name: "a"},
		fcrequest.WorkEstimate{InitialSeats: 1}},
	{user.DefaultInfo{Name: "system:anonymous", Groups: []string{"system:unauthenticated"}},
		request.RequestInfo{Verb: "get", Path: "/openapi/v3"}, fcrequest.WorkEstimate{InitialSeats: 1}},
	{user.DefaultInfo{Name: "system:serviceaccount:team:bot", Groups: []string{"system:serviceaccounts", "system:authenticated"}},
		request.RequestInfo{IsResourceRequest: true, Verb: "create", Path: "/api/v1/namespaces/team/pods", APIVersion: "v1", Namespace: "team", Resource: "pods"},
		fcrequest.WorkEstimate{InitialSeats: 1, FinalSeats: 2, AdditionalLatency: 5 * time.Millisecond}},
}

// TestPages: with the same requests under way, the pages that say so are those of
// k8s.io/apiserver, but for the order of lines, moments, the numbers of queues and virtual time.
func TestPages(t *testing.T) {
	schemas := append(append([]*flowcontrolv1.FlowSchema{}, bootstrap.SuggestedFlowSchemas...), bootstrap.MandatoryFlowSchemas...)
	levels := append(append([]*flowcontrolv1.PriorityLevelConfiguration{}, bootstrap.SuggestedPriorityLevelConfigurations...), bootstrap.MandatoryPriorityLevelConfigurations...)
	theirs := startTheirs(t, schemas, levels)
	pages := mux.NewPathRecorderMux("peer")
	theirs.Install(pages)
	mine := fairness.New(600, prometheus.NewRegistry())
	mine.Set(ours.ConfigOf(schemas, levels))

	ctx, end := context.WithCancel(t.Context())
	var begun, done sync.WaitGroup
	defer done.Wait()
	defer end()
	for _, a := range asked {
		begun.Add(1)
		done.Go(func() { theirs.hold(ctx, a.user, a.info, a.work, begun.Done) })
		turn := mine.Classify(&fairness.Request{
			User: &auth.User{Name: a.user.Name, Groups: a.user.Groups}, Verb: a.info.Verb, IsResource: a.info.IsResourceRequest, Path: a.info.Path,
			Group: a.info.APIGroup, Version: a.info.APIVersion, Resource: a.info.Resource, Subresource: a.info.Subresource, Namespace: a.info.Namespace, Name: a.info.Name,
		})
		work := fairness.Work{Seats: int(a.work.InitialSeats), FinalSeats: int(a.work.FinalSeats), After: a.work.AdditionalLatency}
		if err := turn.Begin(ctx, work, time.Minute); err != nil {
			t.Fatal(err)
		}
		defer turn.End()
	}
	begun.Wait()
	for path, got := range map[string][]byte{
		"dump_priority_levels": mine.LevelsPage(),
		"dump_queues":          mine.QueuesPage(),
		"dump_requests":        mine.RequestsPage(false),
		"dump_requests?includeRequestDetails=true": mine.RequestsPage(true),
	} {
		answer := httptest.NewRecorder()
		pages.ServeHTTP(answer, httptest.NewRequest("GET", "/debug/api_priority_and_fairness/"+path, nil))
		got, want := comparable(string(got)), comparable(answer.Body.String())
		if !slices.Equal(got, want) {
			t.Errorf("%s:\nours\n%s\ntheirs\n%s", path, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if len(got) < 1+len(asked) {
			t.Errorf("%s has %d lines", path, len(got))
		}
	}
}

// hold has a request under way until ctx ends.
func (p peer) hold(ctx context.Context, u user.DefaultInfo, info request.RequestInfo, work fcrequest.WorkEstimate, begun func()) {
	own := request.WithUser(request.WithRequestInfo(context.Background(), &info), &u)
	p.Handle(own, flowcontrol.RequestDigest{RequestInfo: &info, User: &u},
		func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string) {},
		func() fcrequest.WorkEstimate { return work }, func(bool) {}, func() { begun(); <-ctx.Done() })
}

var (
	moment  = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)
	virtual = regexp.MustCompile(`\d+\.\d{8}ss`)
	spaces  = regexp.MustCompile(` +`)
)

// comparable are the sorted lines of a page, without what differs from run to run.
func comparable(page string) []string {
	page = moment.ReplaceAllString(page, "TIME")
	page = virtual.ReplaceAllString(page, "VIRTUAL")
	lines := strings.Split(strings.TrimSpace(spaces.ReplaceAllString(page, " ")), "\n")
	for i, line := range lines {
		cells := strings.Split(strings.TrimRight(line, " "), ", ")
		if len(cells) == 9 && i > 0 { // of a queue, which a hash has chosen
			cells[1] = "INDEX"
		}
		if len(cells) >= 10 && cells[5] == "TIME" && cells[2] != "-1" {
			cells[2] = "INDEX"
		}
		lines[i] = strings.Join(cells, ", ")
	}
	slices.Sort(lines)
	return lines
}
