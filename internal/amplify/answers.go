package amplify

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/apitest"
)

// answerSize is about how many bytes of objects the collection has that answers are made of. There
// are at most answerObjects.
const (
	answerSize    = 3 << 20
	answerObjects = 2000
)

// maxTimes is how many times the CPU of the same answer in JSON one may cost. An answer that takes
// less than answerNoise milliseconds is not compared.
const (
	maxTimes    = 8
	answerNoise = 100
)

// question is a request without a body.
type question struct{ name, path, accept string }

// questions are reads of a collection: in each media type, shape and with the selectors that are
// compared with every object.
func questions(object Object) (all []question) {
	const large = "large-answer"
	for _, accept := range []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"} {
		for _, shape := range []string{"", ";as=Table;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"} {
			item := strings.Replace(shape, "ObjectMetadataList", "ObjectMetadata", 1)
			for _, query := range []string{"", "?pretty=true"} {
				all = append(all,
					question{"list", object.Collection + query, accept + shape},
					question{"get", object.Collection + "/" + large + "-0" + query, accept + item})
			}
		}
		all = append(all, question{"discovery", "/apis", accept + ";as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2"}, question{"documents", "/openapi/v2", accept})
	}
	many := func(format string) string {
		return url.QueryEscape(strings.TrimSuffix(string(repeat("", keyed(format), "", 900*(len(format)+2))), ","))
	}
	values := url.QueryEscape("a notin (" + string(repeat("", keyed("q%d"), "", 50_000)) + ")")
	for name, query := range map[string]string{
		"values of one label": "labelSelector=" + many("a!=q%d"), "labels": "labelSelector=" + many("a%d!=q"), "absent labels": "labelSelector=" + many("!a%d"),
		"values in a set": "labelSelector=" + values, "names": "fieldSelector=" + many("metadata.name!=q%d"),
	} {
		all = append(all, question{"list without many " + name, object.Collection + "?" + query, "application/json"})
		all = append(all, question{"watch without many " + name, object.Collection + "?watch=1&timeoutSeconds=1&" + query, "application/json"})
	}
	for _, accept := range []string{"application/json", "application/vnd.kubernetes.protobuf", "application/json;as=Table;g=meta.k8s.io;v=v1"} {
		all = append(all, question{"watch", object.Collection + "?watch=1&timeoutSeconds=1", accept})
	}
	return all
}

// answers measures reads of a collection with answerSize bytes of objects. An answer may cost as
// much as a large body, and not many times as much as the same answer in JSON.
func answers(t *testing.T, server *apitest.Server, object Object) {
	items := object.items(0, min(100<<10, object.Stored))
	for i := range min(answerSize/len(items), answerObjects) {
		create(t, server, object, fmt.Sprintf("large-answer-%d", i), items)
	}
	inJSON := map[string]int64{}
	for _, q := range questions(object) {
		var code int
		var size int64
		var err error
		spent := measure(func() { code, size, err = q.ask(t.Context(), server) })
		name := fmt.Sprintf("%s %.100s as %s", q.name, q.path, q.accept)
		t.Logf("%5d ms CPU %4d MiB %d %s, %d KB", spent.cpu, spent.heap>>20, code, name, size>>10)
		if err != nil || code >= 400 && code != http.StatusNotAcceptable {
			t.Errorf("%s: %d, %v", name, code, err)
		}
		if spent.cpu > maxCPU || spent.heap > maxHeap {
			t.Errorf("%s took %d ms of CPU and %d MiB; want at most %d and %d", name, spent.cpu, spent.heap>>20, maxCPU, maxHeap>>20)
		}
		if q.accept == "application/json" {
			inJSON[q.path] = max(spent.cpu, answerNoise)
		} else if most := inJSON[q.path]; most > 0 && spent.cpu > maxTimes*most {
			t.Errorf("%s took %d ms of CPU; want at most %d times those of JSON, %d", name, spent.cpu, maxTimes, most)
		}
	}
}

// ask sends the request and reads the answer.
func (q question) ask(ctx context.Context, server *apitest.Server) (code int, size int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+q.path, nil)
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Accept", q.accept)
	resp, err := server.Client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	size, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, size, err
}
