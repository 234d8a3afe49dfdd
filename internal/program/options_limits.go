package program

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"
)

// LimitOptions says what connections and requests may take, how the server shows who it is, and how
// it stops.
type LimitOptions struct {
	// TLSCertFile and TLSPrivateKeyFile are the serving certificate, read again when they change;
	// "" makes one.
	TLSCertFile, TLSPrivateKeyFile string
	// TLSNames are names and addresses of the certificate that the server makes, beside those of
	// its machine.
	TLSNames []string
	// RequestTimeout bounds every request but watches.
	RequestTimeout time.Duration
	// MinRequestTimeout is how many seconds a watch lasts at least whose client does not say; at
	// most twice as many.
	MinRequestTimeout int
	// MaxWatchesPerUser is how many watches one user may have open; 0 is no bound.
	MaxWatchesPerUser int
	// Fairness shares out the sum of ServingOptions' two bounds among users, so that requests wait
	// for each other. It has no effect where one of the bounds is 0.
	Fairness bool
	// HTTP2MaxStreams is how many requests may be under way on one connection.
	HTTP2MaxStreams int
	// CORSAllowedOrigins are regular expressions for the origins of web pages that may use the API;
	// none for no page.
	CORSAllowedOrigins []string
	// ShutdownDelay is how long requests are taken after /readyz began to fail; ShutdownWatchGrace
	// within which time watches end after that.
	ShutdownDelay, ShutdownWatchGrace time.Duration
}

// FlagFairness is the name of the flag of LimitOptions.Fairness.
const FlagFairness = "enable-priority-and-fairness"

func newLimits() LimitOptions {
	return LimitOptions{
		Fairness: true, RequestTimeout: time.Minute, MinRequestTimeout: 1800, MaxWatchesPerUser: 5000, HTTP2MaxStreams: 250, ShutdownWatchGrace: 10 * time.Second,
	}
}

func (o *LimitOptions) addLimitFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.TLSCertFile, "tls-cert-file", o.TLSCertFile, "`file` with the serving certificate, and those that lead to its authority after it; read again when it changes; without it the server makes certificates itself")
	fs.StringVar(&o.TLSPrivateKeyFile, "tls-private-key-file", o.TLSPrivateKeyFile, "`file` with the key of --tls-cert-file")
	fs.StringSliceVar(&o.TLSNames, "tls-san", o.TLSNames, "comma-separated `names` and addresses by which clients know the server, for the certificate that it makes itself; it has those of its machine in any case")
	fs.DurationVar(&o.RequestTimeout, "request-timeout", o.RequestTimeout, "`time` that a request may take, watches not counted; writes have 34s at most")
	fs.IntVar(&o.MinRequestTimeout, "min-request-timeout", o.MinRequestTimeout, "how many `seconds` a watch lasts at least whose client does not say; each ends at a random time up to twice as late")
	fs.IntVar(&o.MaxWatchesPerUser, "max-watches-per-user", o.MaxWatchesPerUser, "how many `watches` one user may have open; one more gets 429, but for members of system:masters; 0 is no bound")
	fs.BoolVar(&o.Fairness, FlagFairness, o.Fairness, "share out the sum of --max-requests-inflight and --max-mutating-requests-inflight fairly: requests wait for each other, by flow schemas and priority levels; false, or a bound of 0, refuses what is above either bound")
	fs.IntVar(&o.HTTP2MaxStreams, "http2-max-streams-per-connection", o.HTTP2MaxStreams, "how many `requests` a client may have under way on one connection; 0 is 250")
	fs.StringSliceVar(&o.CORSAllowedOrigins, "cors-allowed-origins", o.CORSAllowedOrigins, "comma-separated regular `expressions` for the origins of web pages that may use the API from a browser, like ^https://console\\.example\\.com$")
	fs.DurationVar(&o.ShutdownDelay, "shutdown-delay-duration", o.ShutdownDelay, "`time` for which requests are taken after a signal to stop, while /readyz fails, so that load balancers learn of it")
	fs.DurationVar(&o.ShutdownWatchGrace, "shutdown-watch-termination-grace-period", o.ShutdownWatchGrace, "`time` within which watches end after that, a millisecond for each if that is less")
}

func (o *LimitOptions) validateLimits() error {
	var errs []error
	if (o.TLSCertFile == "") != (o.TLSPrivateKeyFile == "") {
		errs = append(errs, errors.New("--tls-cert-file and --tls-private-key-file go together"))
	}
	errs = append(errs, o.validateNames())
	if o.RequestTimeout <= 0 {
		errs = append(errs, fmt.Errorf("--request-timeout=%v: want a time above 0, like 1m", o.RequestTimeout))
	}
	if o.MinRequestTimeout <= 0 {
		errs = append(errs, fmt.Errorf("--min-request-timeout=%d: want a number of seconds above 0", o.MinRequestTimeout))
	}
	if o.MaxWatchesPerUser < 0 {
		errs = append(errs, fmt.Errorf("--max-watches-per-user=%d: want a number of watches, or 0 for no bound", o.MaxWatchesPerUser))
	}
	if o.HTTP2MaxStreams < 0 {
		errs = append(errs, fmt.Errorf("--http2-max-streams-per-connection=%d: want a number of requests, or 0 for 250", o.HTTP2MaxStreams))
	}
	if o.ShutdownDelay < 0 {
		errs = append(errs, fmt.Errorf("--shutdown-delay-duration=%v: want a time", o.ShutdownDelay))
	}
	if o.ShutdownWatchGrace < 0 {
		errs = append(errs, fmt.Errorf("--shutdown-watch-termination-grace-period=%v: want a time", o.ShutdownWatchGrace))
	}
	_, err := ParseOrigins(o.CORSAllowedOrigins)
	return errors.Join(append(errs, err)...)
}

// validateNames checks the names of the server's own certificate.
func (o *LimitOptions) validateNames() error {
	if len(o.TLSNames) > 0 && o.TLSCertFile != "" {
		return errors.New("--tls-san: the names of --tls-cert-file are in that certificate: leave one of them out")
	}
	var errs []error
	for _, name := range o.TLSNames {
		if net.ParseIP(name) == nil && len(validation.IsDNS1123Subdomain(strings.TrimPrefix(name, "*."))) > 0 {
			errs = append(errs, fmt.Errorf("--tls-san=%s: want a name like shop.example.com, or an IP address", name))
		}
	}
	return errors.Join(errs...)
}

func ParseOrigins(texts []string) ([]*regexp.Regexp, error) {
	var origins []*regexp.Regexp
	var errs []error
	for _, text := range texts {
		origin, err := regexp.Compile(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--cors-allowed-origins=%s: %w", text, err))
			continue
		}
		origins = append(origins, origin)
	}
	return origins, errors.Join(errs...)
}
