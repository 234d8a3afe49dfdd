package rest

import (
	"iter"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The bounds of what a client reads about an object that is not valid. A body decides how many
// violations there are and how long the values are that they quote, so an answer without bounds
// could cost far more than the request.
const (
	// MaxViolations is how many violations an answer lists. Who looks for them may stop when there
	// are more.
	MaxViolations = 100
	// maxViolation is the length of the text of one, in bytes; what is longer is cut.
	maxViolation = 4 << 10
	// maxQuoted is how many bytes of text may be made for one answer before they are cut.
	maxQuoted = 1 << 20
	// moreViolations ends the message of an answer that does not list all. Nobody has counted the
	// others.
	moreViolations = "and more that are not listed"
)

// WhileFew yields what a list or a map has, by slices.All or maps.All, as long as errs has fewer
// than MaxViolations. It is for rules that look at every item of what a client has sent: there may
// be some hundred thousand of them, and something wrong with each.
func WhileFew[K, V any](errs *field.ErrorList, all iter.Seq2[K, V]) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if len(*errs) >= MaxViolations {
			return
		}
		for k, v := range all {
			if !yield(k, v) || len(*errs) >= MaxViolations {
				return
			}
		}
	}
}

// Invalid is the status of an object with violations, in the words of Kubernetes. The same
// violation is listed once, whoever found it.
func Invalid(kind schema.GroupKind, name string, errs field.ErrorList) *apierrors.StatusError {
	causes, texts := violations(errs)
	message := strings.Join(texts, ", ")
	if len(texts) > 1 {
		message = "[" + message + "]"
	}
	status := apierrors.NewInvalid(kind, excerpt(name), nil)
	if message != "" {
		status.ErrStatus.Message += ": " + message
	}
	status.ErrStatus.Details.Causes = causes
	return status
}

// violations are the causes of a status, and what its message lists.
func violations(errs field.ErrorList) (causes []metav1.StatusCause, texts []string) {
	causes = make([]metav1.StatusCause, 0, min(len(errs), MaxViolations))
	seen, quoted := map[metav1.StatusCause]bool{}, 0
	for _, err := range errs {
		if len(causes) == MaxViolations || quoted > maxQuoted {
			return causes, append(texts, moreViolations)
		}
		body := err.ErrorBody()
		quoted += len(body)
		cause := metav1.StatusCause{Type: metav1.CauseType(err.Type), Message: excerpt(body), Field: excerpt(err.Field)}
		if !seen[cause] {
			seen[cause] = true
			causes, texts = append(causes, cause), append(texts, cause.Field+": "+cause.Message)
		}
	}
	return causes, texts
}

// excerpt is the beginning of a text that is too long for an answer.
func excerpt(text string) string {
	if len(text) <= maxViolation {
		return text
	}
	return strings.ToValidUTF8(text[:maxViolation], "") + " ..."
}
