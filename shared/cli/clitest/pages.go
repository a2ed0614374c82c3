package clitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/agit-suite/agit/shared/cli"
)

// Pages checks that the pages of a program in docs/cli are those that its commands, flags and their defaults have by now; `make docs` writes
// them. The test runs in the program's package of commands, three folders below the repository's root.
func Pages(t *testing.T, program string, root func(env *cli.Env, args []string) *cobra.Command) {
	t.Helper()
	kept, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "cli", program+"*.md"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("no pages of %s: %v", program, err)
	}
	folder := t.TempDir()
	run := NewRun(t)
	run.Name = program
	args := []string{"docs", folder}
	if status := cli.Main(t.Context(), run.Env, root(run.Env, args), args); status != 0 {
		t.Fatalf("status %d: %s", status, run.Errs)
	}
	want, made := map[string]string{}, map[string]string{}
	read := func(into map[string]string, paths []string) {
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			into[filepath.Base(path)] = strings.ReplaceAll(string(text), "\r\n", "\n")
		}
	}
	now, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	read(want, kept)
	read(made, now)
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("docs/cli is not current, run `make docs`:\n%s", diff)
	}
}
