package expression

import (
	"context"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/auth"
)

// TestLibraries: the functions of Kubernetes work on JSON.
func TestLibraries(t *testing.T) {
	for expression, want := range map[string]string{
		// Quantities.
		"quantity('1Gi') == quantity('1024Mi') && quantity('500m').isLessThan(quantity('1')) && quantity('2').compareTo(quantity('1')) == 1":  "",
		"quantity('1').add(quantity('500m')).sub(1) == quantity('0.5') && sign(quantity('-1')) == -1 && quantity('50k').asInteger() == 50000": "",
		"isQuantity('1Gi') && !isQuantity('1GiB') && !quantity('1500m').isInteger() && quantity('1500m').asApproximateFloat() == 1.5":         "",
		"quantity(object.spec.text) == quantity('1')": "quantities must match the regular expression",
		// URLs.
		"isURL('https://a.example.com:80/b?c=d') && url('https://a.example.com:80/b?c=d').getHostname() == 'a.example.com' && !isURL('../b')": "",
		"url('https://x/y z?c=d&c=e').getQuery()['c'] == ['d', 'e'] && url('https://x:1').getPort() == '1'":                                   "",
		// Addresses.
		"isIP('10.0.0.1') && ip('::1').family() == 6 && ip('127.0.0.1').isLoopback() && string(ip('10.0.0.1')) == '10.0.0.1' && ip.isCanonical('::1')":                       "",
		"cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR(cidr('10.1.0.0/16')) && !isCIDR('10.0.0.0') && cidr('10.0.0.0/8').prefixLength() == 8": "",
		"ip('10.0.0.01') == ip('10.0.0.1')": "IPv4 field has octet with leading zero",
		// Regular expressions.
		"'abc 123 45'.find('[0-9]+') == '123' && 'abc 123 45'.findAll('[0-9]+') == ['123', '45'] && 'a1b2'.findAll('[0-9]', 1) == ['1'] && 'x'.find('y') == ''": "",
		"object.metadata.name.find('(') == 'w'": "error parsing regexp",
		"'abc-12'.matches('^[a-z]{1,63}-[0-9]{2}$') && object.metadata.name.matches('^[a-z]' + '{1,63}$') && ['^w{1}$'].all(p, object.metadata.name.matches(p)) && 'a12'.find('[0-9]{2}') == '12'": "",
		// Lists.
		"[1, 2, 3].sum() == 6 && [1, 3, 2].max() == 3 && [0.5, 1.5].min() == 0.5 && ['a', 'b', 'a'].lastIndexOf('a') == 2 && ['a', 'b'].isSorted() && ![2, 1].isSorted()": "",
		"object.spec.list.indexOf('y') == 1 && object.spec.list.indexOf('z') == -1 && object.spec.list.max() == 'y' && !object.spec.list.isSorted()":                      "",
		"object.spec.numbers.sum() == 6 && object.spec.numbers.min() == 1 && object.spec.numbers.isSorted()":                                                              "",
		"object.spec.halves.sum() == 2.0 && object.spec.halves.max() == 1.5":                                                                                              "",
		"[].max() == 1": "max called on empty list",
		// Comprehensions with two variables.
		"[1, 2].all(i, v, v == i + 1) && {'a': 1}.exists(k, v, k == 'a' && v == 1) && ['x', 'y'].transformList(i, v, i > 0, v) == ['y'] && {'a': 1}.transformMap(k, v, v + 1) == {'a': 2}": "",
		"object.spec.numbers.existsOne(i, v, i == v - 1 && i == 2)": "",
		// Semantic versions and named formats.
		"semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.2.3-a').major() == 1 && isSemver('v1.2', true) && !isSemver('v1.2') && semver('1.2.3').compareTo(semver('1.2.3')) == 0":       "",
		"format.dns1123Label().validate('a-b') == optional.none() && format.dns1123Label().validate('A').hasValue() && format.named('qualifiedName').value().validate('a/b') == optional.none()": "",
		"format.dns1123Label().validate(object.spec.text).value()[0].contains('must be no more than 63') && !format.named('nonsense').hasValue()":                                                "",
	} {
		got := outcomeOf(t, expression, auth.Masters{}, "jane")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", expression, got, want)
		}
	}
}

// TestLibraryBounds: what would be read for long is an error before that.
func TestLibraryBounds(t *testing.T) {
	long := strings.Repeat("1", 10_001)
	for expression, want := range map[string]string{
		"quantity('" + long + "') == quantity('1')":                       "the argument of quantity is too large",
		"isQuantity('" + long + "')":                                      "the argument of isQuantity is too large",
		"quantity('1e-99999') == quantity('1')":                           "an exponent of at most 3 digits",
		"isQuantity('1e-99999')":                                          "an exponent of at most 3 digits",
		"isSemver('" + long + "')":                                        "the argument of isSemver is too large",
		"'a'.find('" + long + "') == ''":                                  "at most 10000 bytes",
		"object.spec.text.findAll('" + long + "').size() == 0":            "at most 10000 bytes",
		"object.spec.huge.find('" + strings.Repeat("b", 400) + "') == ''": "cost limit exceeded",
	} {
		if got := outcomeOf(t, expression, nil, "jane"); !strings.Contains(got, want) {
			t.Errorf("%.60s: got %.300s, want %s", expression, got, want)
		}
	}
}

// outcomeOf is the value of an expression that a user's request is judged by.
func outcomeOf(t *testing.T, expression string, may auth.Authorizer, user string) string {
	t.Helper()
	spec := &admissionregistrationv1.ValidatingAdmissionPolicySpec{Validations: []admissionregistrationv1.Validation{{Expression: expression, Message: "no"}}}
	p, errs := Compile(spec, field.NewPath("spec"))
	if len(errs) > 0 {
		return errs.ToAggregate().Error()
	}
	in := inputOf(t, user)
	in.Authorizer = may
	r := p.Evaluate(t.Context(), in)
	if len(r.Failures)+len(r.Errors) > 0 {
		return fmt.Sprint(r.Failures, r.Errors)
	}
	return ""
}

func inputOf(t *testing.T, user string) *Input {
	t.Helper()
	request := &admissionv1.AdmissionRequest{Operation: "CREATE", Name: "w", Namespace: "ns", SubResource: "scale"}
	request.Resource.Group, request.Resource.Version, request.Resource.Resource = "shop.example.com", "v1", "widgets"
	request.UserInfo.Username, request.UserInfo.Groups = user, []string{"staff"}
	request.UserInfo.Extra = map[string]authenticationv1.ExtraValue{"scope": {"a"}}
	request.Object.Raw = []byte(`{"metadata":{"name":"w"},"spec":{"list":["x","y","x"],"numbers":[1,2,3],"halves":[0.5,1.5],"text":"` + strings.Repeat("a", 2000) + `","huge":"` + strings.Repeat("a", 1<<20) + `"}}`)
	in, err := NewInput(request)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// asked takes down what it is asked, and allows jane, except to escalate.
type asked []auth.Attributes

func (a *asked) Authorize(ctx context.Context, about auth.Attributes) (auth.Decision, string, error) {
	*a = append(*a, about)
	switch {
	case ctx.Err() != nil:
		return auth.NoOpinion, "", ctx.Err()
	case about.Verb == "break":
		return auth.NoOpinion, "", fmt.Errorf("out of order")
	case about.Verb == "escalate":
		return auth.Deny, "never", nil
	case about.User.Name == "jane":
		return auth.Allow, "", nil
	}
	return auth.NoOpinion, "", nil
}

// TestAuthorizer: expressions ask the authorizer of the server about who sends the request, or
// about a service account.
func TestAuthorizer(t *testing.T) {
	for expression, want := range map[string]string{
		"authorizer.group('apps').resource('deployments').subresource('status').namespace('n').name('x').check('update').allowed()":       "jane [staff] map[scope:[a]] update apps/* deployments/status n x",
		"authorizer.requestResource.check('create').allowed()":                                                                            "jane [staff] map[scope:[a]] create shop.example.com/* widgets/scale ns w",
		"authorizer.path('/healthz').check('get').allowed()":                                                                              "jane [staff] map[scope:[a]] get /healthz",
		"authorizer.group('').resource('pods').fieldSelector('spec.nodeName=a,x!=b').labelSelector('c in (d,e)').check('list').allowed()": "jane [staff] map[scope:[a]] list /* pods/   spec.nodeName=a,x!=b c in (d,e)",
		"authorizer.group('').resource('pods').fieldSelector('===').check('list').allowed()":                                              "jane [staff] map[scope:[a]] list /* pods/",
		"!authorizer.serviceAccount('ns', 'robot').group('').resource('pods').check('get').allowed()":                                     "system:serviceaccount:ns:robot [system:serviceaccounts system:serviceaccounts:ns] map[] get /* pods/",
		"!authorizer.requestResource.check('escalate').allowed() && authorizer.requestResource.check('escalate').reason() == 'never'":     "jane [staff] map[scope:[a]] escalate shop.example.com/* widgets/scale ns w",
		"authorizer.requestResource.check('break').errored() && authorizer.requestResource.check('break').error() == 'out of order'":      "jane [staff] map[scope:[a]] break shop.example.com/* widgets/scale ns w",
	} {
		var a asked
		if got := outcomeOf(t, expression, &a, "jane"); got != "" {
			t.Errorf("%s: %s", expression, got)
			continue
		}
		q := a[0]
		got := fmt.Sprintf("%s %v %v %s ", q.User.Name, q.User.Groups, q.User.Extra, q.Verb)
		if q.IsResource {
			got += fmt.Sprintf("%s/%s %s/%s %s %s %s %s", q.Group, q.Version, q.Resource, q.Subresource, q.Namespace, q.Name, q.FieldSelector, q.LabelSelector)
		} else {
			got += q.Path
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%s:\n got %s\nwant %s", expression, got, want)
		}
	}
	if got := outcomeOf(t, "authorizer.requestResource.check('get').allowed()", nil, "jane"); got == "" {
		t.Error("where nobody decides, jane may")
	}
	// Each question costs so much that there can be two of them.
	const question = "authorizer.requestResource.check('get').allowed()"
	var a asked
	if got := outcomeOf(t, question+" && "+question+" && "+question, &a, "jane"); !strings.Contains(got, "cost limit exceeded") || len(a) > 3 {
		t.Errorf("%s, after %d questions", got, len(a))
	}
}
