package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/term"
)

// A long-running process reads its configuration again when one of its files was written, and keeps the last configuration that could be
// read.
func TestConfigNow(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	streams, _, _, _ := term.Test()
	env := &Env{Name: "test", Streams: streams, Dir: home, UserHome: home, Environ: []string{"HOME=" + home}}
	write := func(text string) {
		if err := os.MkdirAll(filepath.Join(home, ".agit"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".agit", "config.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gate := func(want string) {
		t.Helper()
		c, err := env.ConfigNow(t.Context(), home)
		if err != nil {
			t.Fatal(err)
		}
		if got := append(c.Gate, "")[0]; got != want {
			t.Errorf("the gate is %q, want %q", got, want)
		}
		if again, _ := env.ConfigNow(t.Context(), home); again != c {
			t.Error("it is read again where nothing was written")
		}
		if now, _ := env.ConfigAt(t.Context(), home); now != c {
			t.Error("the rest of the process has another one")
		}
	}
	gate("")
	write("gate = [\"make test\"]\n")
	gate("make test")
	write("gate = \n")
	for range 2 {
		if c, err := env.ConfigNow(t.Context(), home); err == nil || c == nil || c.Gate[0] != "make test" {
			t.Fatalf("a file that cannot be read: %v, %v", c, err)
		}
	}
	write("gate = [\"make check\"]\n")
	gate("make check")

	write("gate = \n")
	fresh := &Env{Name: "test", Streams: streams, Dir: home, UserHome: home, Environ: env.Environ}
	if c, err := fresh.ConfigNow(t.Context(), home); err == nil || c != nil {
		t.Errorf("the first time: %v, %v", c, err)
	}
}

// A server begins beside a project's file that cannot be read; whatever acts later by the project's settings is refused until the file is mended.
func TestConfigToServe(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	streams, _, _, _ := term.Test()
	env := &Env{Name: "test", Streams: streams, Dir: project, UserHome: home, Environ: []string{"HOME=" + home}}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(project, ".agit.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("land = \n")
	first, err := env.ConfigToServe(t.Context())
	if err != nil || first.LeftOut() == "" {
		t.Fatalf("%v, left out: %q", err, first.LeftOut())
	}
	if c, err := env.Config(t.Context()); err != nil || c != first {
		t.Errorf("the rest of the start: %v, %v", c, err)
	}
	for range 2 {
		if c, err := env.ConfigNow(t.Context(), project); err == nil || c != first {
			t.Errorf("a call beside the file: %v, %v", c, err)
		}
	}
	write("conflicts.depth = \"lines\"\n")
	if c, err := env.ConfigNow(t.Context(), project); err != nil || c.Conflicts.Depth != "lines" {
		t.Errorf("a mended file: %v", err)
	}
}
