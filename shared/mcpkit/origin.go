package mcpkit

import (
	"net/http"
	"net/url"

	"github.com/agit-suite/agit/shared/loopback"
)

// localOnly refuses requests that a web page in the user's browser could send: a foreign Origin, or a Host that is not this machine's name
// (a page's own domain that was made to point at 127.0.0.1). Programs send no Origin. A page's request without one, by a link or an image,
// is recognised by the browser's headers.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback.IsLocal(r.Host) {
			http.Error(w, "this server answers only to localhost and 127.0.0.1", http.StatusForbidden)
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if !localOrigin(origin) {
				http.Error(w, "requests from this origin are refused", http.StatusForbidden)
				return
			}
		}
		if r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			http.Error(w, "requests of other pages are refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func localOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && loopback.IsLocal(u.Host)
}
