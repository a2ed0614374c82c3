package web

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/agit-suite/agit/shared/loopback"
)

// policy is strict: scripts, styles, pictures and data come only from this server, nothing is inline, no page may frame this one, and
// no text becomes a script. The only trusted type is the URL of the layout worker.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types agit"

// guard refuses requests that a web page of another origin could send, and sets the security headers of every answer. It does not check
// the token: scripts and styles hold no data.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !loopback.IsLocal(r.Host) {
			http.Error(w, "this page answers only to localhost and 127.0.0.1", http.StatusMisdirectedRequest)
			return
		}
		if !ownOrigin(r) {
			http.Error(w, "requests from other pages are refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ownOrigin reports whether a request was typed or comes from this page. A server on another port of this machine is another origin.
func ownOrigin(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if !strings.EqualFold(origin, "http://"+r.Host) {
			return false
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return false
		}
	}
	return true
}

// withToken passes on requests with the token. The token is in a header, because a browser sends a cookie to every port of a machine,
// and with requests from other pages.
func (s *Server) withToken(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer || !same(given, s.token) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "this address has no token, or one of an earlier run; open the address that `agit web` printed", http.StatusUnauthorized)
			return
		}
		s.trim.Touch()
		next(w, r)
	}
}

// same compares secrets in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
