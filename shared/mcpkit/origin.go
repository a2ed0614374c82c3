package mcpkit

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// localOnly refuses what a web page in the user's browser could send: a foreign
// Origin, or a Host that is not this machine's name (a page's own domain that
// was made to point at 127.0.0.1). Programs send no Origin.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r.Host) {
			http.Error(w, "this server answers only to localhost and 127.0.0.1", http.StatusForbidden)
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if !localOrigin(origin) {
				http.Error(w, "requests from this origin are refused", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func localOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && loopback(u.Host)
}

// loopback says whether host, with or without a port, is this machine alone.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}
