package main

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// How a node finds out how a container is, and what it tells it.

// validateProbes judges the probes and the hooks of a container. A container that ends before the
// others begin has none.
func validateProbes(c *corev1.Container, grace *int64, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, p := range []struct {
		name string
		is   *corev1.Probe
		once bool // a second success says no more than the first
	}{{"livenessProbe", c.LivenessProbe, true}, {"readinessProbe", c.ReadinessProbe, false}, {"startupProbe", c.StartupProbe, true}} {
		if p.is == nil {
			continue
		}
		at := path.Child(p.name)
		errs = append(errs, validateProbe(p.is, at)...)
		if p.once && p.is.SuccessThreshold != 1 {
			errs = append(errs, field.Invalid(at.Child("successThreshold"), p.is.SuccessThreshold, "must be 1"))
		}
	}
	if r := c.ReadinessProbe; r != nil && r.TerminationGracePeriodSeconds != nil {
		errs = append(errs, field.Invalid(path.Child("readinessProbe", "terminationGracePeriodSeconds"), *r.TerminationGracePeriodSeconds, "must not be set for readinessProbes"))
	}
	if l := c.Lifecycle; l != nil {
		errs = append(errs, validateHook(l.PostStart, grace, path.Child("lifecycle", "postStart"))...)
		errs = append(errs, validateHook(l.PreStop, grace, path.Child("lifecycle", "preStop"))...)
	}
	return errs
}

func validateProbe(p *corev1.Probe, path *field.Path) field.ErrorList {
	errs := validateHandler(handler{p.Exec, p.HTTPGet, p.TCPSocket, p.GRPC, nil}, nil, path)
	for _, n := range []struct {
		name  string
		value int32
	}{
		{"initialDelaySeconds", p.InitialDelaySeconds}, {"timeoutSeconds", p.TimeoutSeconds}, {"periodSeconds", p.PeriodSeconds},
		{"successThreshold", p.SuccessThreshold}, {"failureThreshold", p.FailureThreshold},
	} {
		errs = append(errs, atLeast(path.Child(n.name), n.value, 0)...)
	}
	if s := p.TerminationGracePeriodSeconds; s != nil && *s < 1 {
		errs = append(errs, field.Invalid(path.Child("terminationGracePeriodSeconds"), *s, "must be greater than 0"))
	}
	return errs
}

func validateHook(h *corev1.LifecycleHandler, grace *int64, path *field.Path) field.ErrorList {
	if h == nil {
		return nil
	}
	return validateHandler(handler{h.Exec, h.HTTPGet, h.TCPSocket, nil, h.Sleep}, grace, path)
}

// handler is one of several ways to ask or to tell a container something.
type handler struct {
	exec  *corev1.ExecAction
	http  *corev1.HTTPGetAction
	tcp   *corev1.TCPSocketAction
	grpc  *corev1.GRPCAction
	sleep *corev1.SleepAction
}

// validateHandler judges the first of the ways that are there; any other is one too many.
func validateHandler(h handler, grace *int64, path *field.Path) field.ErrorList {
	return validateWays([]way{
		{"exec", h.exec != nil, func(at *field.Path) field.ErrorList { return required(at, part{"command", len(h.exec.Command) > 0}) }},
		{"httpGet", h.http != nil, func(at *field.Path) field.ErrorList { return validateHTTP(h.http, at) }},
		{"tcpSocket", h.tcp != nil, func(at *field.Path) field.ErrorList { return validatePort(h.tcp.Port, at.Child("port")) }},
		{"grpc", h.grpc != nil, func(at *field.Path) field.ErrorList {
			return validatePort(intstr.FromInt32(h.grpc.Port), at.Child("port"))
		}},
		{"sleep", h.sleep != nil, func(at *field.Path) field.ErrorList { return validateSleep(h.sleep, grace, at) }},
	}, path, "may not specify more than 1 handler type", "must specify a handler type")
}

func validateHTTP(h *corev1.HTTPGetAction, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if h.Path == "" {
		errs = append(errs, field.Required(path.Child("path"), ""))
	}
	errs = append(errs, validatePort(h.Port, path.Child("port"))...)
	errs = append(errs, oneOf(path.Child("scheme"), h.Scheme, corev1.URISchemeHTTP, corev1.URISchemeHTTPS)...)
	for _, header := range rest.WhileFew(&errs, slices.All(h.HTTPHeaders)) {
		errs = append(errs, invalid(path.Child("httpHeaders"), header.Name, validation.IsHTTPHeaderName(header.Name))...)
	}
	return errs
}

// validateSleep judges how long a container waits: not longer than its pod has to end.
func validateSleep(s *corev1.SleepAction, grace *int64, path *field.Path) field.ErrorList {
	if grace == nil || s.Seconds >= 0 && s.Seconds <= *grace {
		return nil
	}
	return field.ErrorList{field.Invalid(path, s.Seconds, fmt.Sprintf("must be non-negative and less than terminationGracePeriodSeconds (%d)", *grace))}
}

// validatePort judges a port that is a number, or the name of one.
func validatePort(p intstr.IntOrString, path *field.Path) field.ErrorList {
	if p.Type == intstr.String {
		return invalid(path, p.StrVal, validation.IsValidPortName(p.StrVal))
	}
	return invalid(path, p.IntVal, validation.IsValidPortNum(p.IntValue()))
}
