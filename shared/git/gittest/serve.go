package gittest

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Serve serves the repositories in a folder over HTTP on loopback, through git's own backend, until the test ends. It returns the address
// to which a repository's name is appended. before sees each request first and returns false if it answered the request; it may be nil.
func Serve(t testing.TB, folder string, before func(http.ResponseWriter, *http.Request) bool) string {
	t.Helper()
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := filepath.Join(strings.TrimSpace(string(path)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("this git has no HTTP backend")
	}
	handler := &cgi.Handler{Path: backend, Dir: folder, Env: []string{"GIT_PROJECT_ROOT=" + folder, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.receivepack", "GIT_CONFIG_VALUE_0=true", "GIT_CONFIG_SYSTEM=" + os.DevNull}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before == nil || before(w, r) {
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/"
}

// Hook installs a shell script as the hook of that name.
func (r *Repo) Hook(name, script string) {
	r.t.Helper()
	folder := r.Path("hooks")
	if _, err := os.Stat(r.Path(".git")); err == nil {
		folder = r.Path(".git/hooks")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		r.t.Fatal(err)
	}
	WriteProgram(r.t, filepath.Join(folder, name), "#!/bin/sh\n"+script+"\n")
}

// WriteProgram writes a program that a test beside others runs. No process begins meanwhile: it would have the file open for writing until
// it runs its own program, and the system runs no file that is being written.
func WriteProgram(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
