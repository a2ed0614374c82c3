package githook_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/githook"
	"github.com/agit-suite/agit/shared/git/gittest"
)

var part = githook.Part{Hook: "post-commit", Program: "it", Lines: "it runs\n", ByHand: "it runs"}

const block = "# >>> it >>>\nit runs\n# <<< it <<<\n"

func TestInstallAndRemove(t *testing.T) {
	for name, tc := range map[string]struct{ before, after, outcome string }{
		"none":           {"", "#!/bin/sh\n" + block, "installed"},
		"a script":       {"#!/bin/sh\necho hi\nexit 0\n", "#!/bin/sh\n" + block + "echo hi\nexit 0\n", "added"},
		"env":            {"#!/usr/bin/env bash\necho hi\n", "#!/usr/bin/env bash\n" + block + "echo hi\n", "added"},
		"no first line":  {"echo hi\n", block + "echo hi\n", "added"},
		"ours already":   {"#!/bin/sh\n" + block + "echo hi\n", "#!/bin/sh\n" + block + "echo hi\n", "current"},
		"ours of before": {"#!/bin/sh\n# >>> it >>>\nold\n# <<< it <<<\necho hi\n", "#!/bin/sh\n" + block + "echo hi\n", "added"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "hooks", "post-commit")
			if tc.before != "" {
				must(t, os.MkdirAll(filepath.Dir(path), 0o755))
				must(t, os.WriteFile(path, []byte(tc.before), 0o755))
			}
			must(t, part.Check(path))
			r, err := part.Install(path)
			must(t, err)
			got, err := os.ReadFile(path)
			must(t, err)
			if r.Outcome != tc.outcome || string(got) != tc.after {
				t.Errorf("%s:\n%s", r.Outcome, got)
			}
			if info, err := os.Stat(path); err != nil || tc.outcome != "current" && info.Mode()&0o111 == 0 {
				t.Errorf("it cannot be run: %v, %v", info.Mode(), err)
			}
			if r, err = part.Remove(path); err != nil || r.Outcome != "removed" {
				t.Errorf("removed: %+v, %v", r, err)
			}
			if r, err = part.Remove(path); err != nil || r.Outcome != "absent" {
				t.Errorf("removed twice: %+v, %v", r, err)
			}
			if _, err := os.Stat(path); (err == nil) != (tc.before != "") {
				t.Errorf("after removing: %v", err)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"python": "#!/usr/bin/python3\nprint()\n", "windows": "#!/bin/sh\r\necho\r\n"} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o755))
		if err := part.Check(path); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := part.Install(path); err == nil {
			t.Errorf("%s was changed", name)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "python"), link); err != nil {
		t.Skip(err)
	}
	if err := part.Check(link); !fault.Is(err, fault.KindValidation) {
		t.Errorf("a link: %v", err)
	}
}

// A hook that git passes over stays as it is. One with nothing but the program's lines is switched on, since these were asked for.
func TestSwitchedOff(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode that keeps git from running a hook")
	}
	for name, tc := range map[string]struct {
		before  string
		refused bool
	}{
		"a script":      {"#!/bin/sh\necho hi\n", true},
		"a first line":  {"#!/bin/sh\n", false},
		"ours alone":    {"#!/bin/sh\n" + block, false},
		"ours and more": {"#!/bin/sh\n" + block + "echo hi\n", true},
		"empty":         {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "post-commit")
			must(t, os.WriteFile(path, []byte(tc.before), 0o644))
			checked := part.Check(path)
			_, err := part.Install(path)
			info, serr := os.Stat(path)
			must(t, serr)
			if fault.Is(checked, fault.KindValidation) != tc.refused || fault.Is(err, fault.KindValidation) != tc.refused || (info.Mode()&0o111 == 0) != tc.refused {
				t.Errorf("%v, %v, %v", checked, err, info.Mode())
			}
			if got, err := os.ReadFile(path); tc.refused && string(got) != tc.before {
				t.Errorf("it is %q, %v", got, err)
			}
		})
	}
}

func TestPath(t *testing.T) {
	repo := gittest.New(t)
	if path, err := part.Path(t.Context(), repo.Dir); err != nil || path != filepath.Join(repo.Dir, ".git", "hooks", "post-commit") {
		t.Errorf("%s, %v", path, err)
	}
	repo.Git("config", "core.hooksPath", "tools/hooks")
	if path, err := part.Path(t.Context(), repo.Dir); err != nil || path != filepath.Join(repo.Dir, "tools", "hooks", "post-commit") {
		t.Errorf("inside: %s, %v", path, err)
	}
	repo.Git("config", "core.hooksPath", t.TempDir())
	if _, err := part.Path(t.Context(), repo.Dir); !fault.Is(err, fault.KindValidation) {
		t.Errorf("outside: %v", err)
	}
	if _, err := part.Path(t.Context(), t.TempDir()); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("no repository: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// When husky runs the hooks, each install rewrites its own folder: the lines belong into the hooks that people edit.
func TestPathOfHusky(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Git("config", "core.hooksPath", ".husky/_")
	where := func() string {
		t.Helper()
		at, err := part.Path(t.Context(), repo.Dir)
		must(t, err)
		rel, err := filepath.Rel(repo.Dir, at)
		must(t, err)
		return filepath.ToSlash(rel)
	}
	if got := where(); got != ".husky/_/post-commit" {
		t.Errorf("a folder of that name without husky: %s", got)
	}
	repo.Write(".husky/_/h", "#!/usr/bin/env sh\n")
	if got := where(); got != ".husky/post-commit" {
		t.Errorf("with husky: %s", got)
	}
	hook := repo.Path(".husky/post-commit")
	must(t, os.WriteFile(hook, []byte("npm test\n"), 0o644)) // as husky makes it, and runs it all the same
	for _, want := range []string{"added", "current"} {
		if got, err := part.Install(hook); err != nil || got.Outcome != want {
			t.Errorf("%+v, %v, want %s", got, err, want)
		}
	}
	if info, err := os.Stat(hook); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	must(t, os.Remove(repo.Path(".husky/_/h")))
	if err := part.Check(hook); err == nil {
		t.Error("without husky a hook of this mode is switched off")
	}
}

func TestAnOptionIsGivenAndKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pre-commit")
	if _, err := githook.Citations.Given().Install(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "citecheck hook run --instructions || exit $?\n") {
		t.Fatalf("%q %v", text, err)
	}
	if state, err := githook.Citations.Look(path); state != "current" || err != nil {
		t.Errorf("%q %v", state, err)
	}
	if r, err := githook.Citations.Install(path); r.Outcome != "current" || err != nil {
		t.Errorf("%+v %v: the option is taken out", r, err)
	}
	if r, err := githook.Citations.Remove(path); r.Outcome != "removed" || err != nil {
		t.Errorf("%+v %v", r, err)
	}
	if _, err := githook.Citations.Install(path); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "--instructions") {
		t.Errorf("%q %v: the option is given unasked", text, err)
	}
}
