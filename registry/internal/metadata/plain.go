package metadata

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
)

// doubtful is meta, or a copy of it without those labels and annotations that are all right at a
// glance. The library asks about each key with regular expressions, which takes longer than all
// else that it does.
func doubtful(meta *metav1.ObjectMeta) *metav1.ObjectMeta {
	labels, annotations := plainLabels(meta.Labels), plainAnnotations(meta.Annotations)
	if !labels && !annotations {
		return meta
	}
	one := *meta
	if labels {
		one.Labels = nil
	}
	if annotations {
		one.Annotations = nil
	}
	return &one
}

func plainLabels(labels map[string]string) bool {
	for key, value := range labels {
		if !plainKey(key) || value != "" && !plainName(value) {
			return false
		}
	}
	return true
}

func plainAnnotations(annotations map[string]string) bool {
	size := 0
	for key, value := range annotations {
		if !plainKey(key) {
			return false
		}
		size += len(key) + len(value)
	}
	return size <= validation.TotalAnnotationSizeLimitB
}

// plainKey says that a key is a name, perhaps with a DNS subdomain and a slash before it.
func plainKey(key string) bool {
	prefix, name, has := strings.Cut(key, "/")
	if !has {
		return plainName(key)
	}
	return plainName(name) && plainSubdomain(prefix)
}

// plainName says that a text begins and ends with a letter or a digit, has nothing but those and
// -, _ and . between, and is short enough.
func plainName(text string) bool {
	if text == "" || len(text) > utilvalidation.LabelValueMaxLength {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c != '-' && c != '_' && c != '.', i == 0, i == len(text)-1:
			return false
		}
	}
	return true
}

// plainSubdomain says that a text is a DNS subdomain.
func plainSubdomain(text string) bool {
	if text == "" || len(text) > utilvalidation.DNS1123SubdomainMaxLength {
		return false
	}
	edge := true // a label begins here, or has ended
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			edge = false
		case c != '-' && c != '.', edge, i == len(text)-1:
			return false
		case c == '.':
			if text[i-1] == '-' {
				return false
			}
			edge = true
		}
	}
	return true
}
