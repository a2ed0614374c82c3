//go:build unix

package checkout

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// TestUpdateRefsBounded has a hook that waits for a pipe no one writes to, before and after the ref moves.
func TestUpdateRefsBounded(t *testing.T) {
	patience, limit := refPatience, refLimit
	refPatience, refLimit = time.Millisecond, 2*time.Second
	t.Cleanup(func() { refPatience, refLimit = patience, limit })
	for _, at := range []string{"prepared", "committed"} {
		t.Run(at, func(t *testing.T) {
			r := gittest.New(t)
			old := r.Commit("one", "f", "1\n")
			commit := r.Commit("two", "f", "2\n")
			r.Git("branch", "side", old)
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Skip("there are no named pipes here")
			}
			hook := r.Path(".git/hooks/reference-transaction")
			if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
				t.Fatal(err)
			}
			gittest.WriteProgram(t, hook, "#!/bin/sh\nif [ $1 = "+at+" ]; then read x < '"+pipe+"'; fi\n")
			var said []string
			err := UpdateRefs(t.Context(), r.Repo(), git.Options{}, func(s string) { said = append(said, s) },
				[]string{"refs/heads/side"}, "refs/heads/side", commit, old)
			if err == nil || !strings.Contains(err.Error(), hook) {
				t.Errorf("error %v, want one that names %q", err, hook)
			}
			if len(said) != 1 || !strings.Contains(said[0], hook) {
				t.Errorf("told %q, want the hook %q once", said, hook)
			}
			want := map[string]string{"prepared": old, "committed": commit}[at]
			if now := r.Git("rev-parse", "side"); now != want {
				t.Errorf("the branch is at %s, want %s", now, want)
			}
			if err := os.Remove(hook); err != nil {
				t.Fatal(err)
			}
			if err := UpdateRefs(t.Context(), r.Repo(), git.Options{}, nil, nil, "refs/heads/side", commit); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}
