//go:build unix

package git_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// The error of a commit holds the signer's reason, whatever git passes on.
func TestWhySigningFailed(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("first", "a", "a\n")
	g, err := git.Find(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	signer := func(name, script string) string {
		path := filepath.Join(r.Dir, name)
		gittest.WriteProgram(t, path, "#!/bin/sh\n"+script+"\n")
		return path
	}
	dumb := signer("dumb", `echo "[GNUPG:] KEY_CONSIDERED 1" >&2; echo "gpg: skipped: No secret key" >&2; echo "for $5" >&2; exit 2`)
	silent, fine := signer("silent", "exit 3"), signer("fine", "exit 0")
	for _, c := range []struct {
		settings string
		want     string
	}{
		{"gpg.program=" + dumb, "gpg: skipped: No secret key; for Carl Committer <carl@example.org>"},
		{"gpg.program=" + fine + " gpg.openpgp.program=" + dumb + " user.signingkey=ABC", "gpg: skipped: No secret key; for ABC"},
		{"gpg.program=" + silent, "exit status 3"},
		{"gpg.program=" + fine, ""},
		{"gpg.program=/no/such/signer", "no such file"},
		{"gpg.format=x509 gpg.x509.program=" + silent, "exit status 3"},
		{"gpg.format=ssh gpg.program=" + dumb, ""},
	} {
		for _, key := range []string{"gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.format", "user.signingkey"} {
			r.Git("config", "--replace-all", key, "")
			r.Git("config", "--unset-all", key)
		}
		for _, setting := range strings.Fields(c.settings) {
			key, value, _ := strings.Cut(setting, "=")
			r.Git("config", key, value)
		}
		if got := g.WhySigningFailed(t.Context()); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.settings, got, c.want)
		}
	}
	r.Git("config", "gpg.format", "openpgp")
	r.Git("config", "gpg.program", dumb)
	_, err = g.Output(t.Context(), git.Options{Stdin: strings.NewReader("x")}, "commit-tree", "-S", "HEAD^{tree}", "-F", "-")
	if f := g.CommitFault(t.Context(), err, "commit"); !strings.Contains(f.Error(), "No secret key") || !strings.Contains(f.Hint, "commit-tree -S") {
		t.Errorf("%v, %q", f, f.Hint)
	}
}
