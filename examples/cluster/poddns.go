package main

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// What a pod is called, and how it finds others.

// validateNames judges the names of a pod and those that it looks up.
func validateNames(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, n := range []struct{ name, value string }{{"hostname", spec.Hostname}, {"subdomain", spec.Subdomain}} {
		if n.value != "" {
			errs = append(errs, invalid(path.Child(n.name), n.value, validation.IsDNS1123Label(n.value))...)
		}
	}
	if name := spec.HostnameOverride; name != nil {
		errs = append(errs, validateHostname(spec, *name, path.Child("hostnameOverride"))...)
	}
	for i, a := range rest.WhileFew(&errs, slices.All(spec.HostAliases)) {
		at := path.Child("hostAliases").Index(i)
		errs = append(errs, validation.IsValidIPForLegacyField(at.Child("ip"), a.IP, true, nil)...)
		for j, name := range rest.WhileFew(&errs, slices.All(a.Hostnames)) {
			errs = append(errs, invalid(at.Child("hostnames").Index(j), name, validation.IsDNS1123Subdomain(name))...)
		}
	}
	return append(errs, validateDNS(spec.DNSConfig, spec.DNSPolicy, path.Child("dnsConfig"))...)
}

// validateHostname judges a name for a pod that is not made of its own.
func validateHostname(spec *corev1.PodSpec, name string, at *field.Path) field.ErrorList {
	const longest = 64 // what Linux takes
	errs := invalid(at, name, validation.IsDNS1123Subdomain(name))
	if len(name) > longest {
		errs = append(errs, field.TooLong(at, "", longest))
	}
	if spec.SetHostnameAsFQDN != nil && *spec.SetHostnameAsFQDN {
		errs = append(errs, field.Forbidden(at, "may not be specified when setHostnameAsFQDN is true"))
	}
	if spec.HostNetwork {
		errs = append(errs, field.Forbidden(at, "may not be specified when hostNetwork is true"))
	}
	return errs
}

// validateDNS judges how names are looked up. The limits are those of resolv.conf.
func validateDNS(config *corev1.PodDNSConfig, policy corev1.DNSPolicy, path *field.Path) field.ErrorList {
	const mostServers, mostSearches, longestSearches = 3, 32, 2048
	servers, searches := path.Child("nameservers"), path.Child("searches")
	switch {
	case config == nil && policy == corev1.DNSNone:
		return field.ErrorList{field.Required(path, "must provide `dnsConfig` when `dnsPolicy` is None")}
	case config == nil:
		return nil
	case policy == corev1.DNSNone && len(config.Nameservers) == 0:
		return field.ErrorList{field.Required(servers, "must provide at least one DNS nameserver when `dnsPolicy` is None")}
	}
	var errs field.ErrorList
	if len(config.Nameservers) > mostServers {
		errs = append(errs, field.Invalid(servers, config.Nameservers, fmt.Sprintf("must not have more than %d nameservers", mostServers)))
	}
	for i, ip := range rest.WhileFew(&errs, slices.All(config.Nameservers)) {
		errs = append(errs, validation.IsValidIPForLegacyField(servers.Index(i), ip, true, nil)...)
	}
	if len(config.Searches) > mostSearches {
		errs = append(errs, field.Invalid(searches, config.Searches, fmt.Sprintf("must not have more than %d search paths", mostSearches)))
	}
	if len(strings.Join(config.Searches, " ")) > longestSearches {
		errs = append(errs, field.Invalid(searches, config.Searches, fmt.Sprintf("must not have more than %d characters (including spaces) in the search list", longestSearches)))
	}
	for i, name := range rest.WhileFew(&errs, slices.All(config.Searches)) {
		if name != "." {
			errs = append(errs, invalid(searches.Index(i), name, validation.IsDNS1123SubdomainWithUnderscore(strings.TrimSuffix(name, ".")))...)
		}
	}
	for i, o := range rest.WhileFew(&errs, slices.All(config.Options)) {
		if o.Name == "" {
			errs = append(errs, field.Required(path.Child("options").Index(i), "must not be empty"))
		}
	}
	return errs
}
