package command

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
)

func TestInQuotes(t *testing.T) {
	t.Parallel()
	missing := fault.NotFound("repo", "Fix").WithHint("`agit repos` lists them")
	if got := inQuotes(missing, `agit tasks create "Fix it"`, "Fix", "it").Error(); got != "repo \"Fix\" does not exist; words that belong together go in quotes: `agit tasks create \"Fix it\"`; `agit repos` lists them" {
		t.Error(got)
	}
	for _, err := range []error{inQuotes(missing, "x", "", "it"), inQuotes(missing, "x", "Fix", "")} {
		if !errors.Is(err, missing) {
			t.Error(err)
		}
	}
	for _, other := range []error{fault.NotFound("task", "t"), fault.Validation("repo", "wrong").About("repo", "x")} {
		if err := inQuotes(other, "x", "Fix", "it"); !errors.Is(err, other) {
			t.Error(err)
		}
	}
}

func TestWithPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		name, want string
		here       bool
	}{
		{"", "", true},
		{".", dir, true},
		{"..", filepath.Dir(dir), false},
		{"./app/", filepath.Join(dir, "app"), false},
		{dir, dir, true},
		{"app", "app", false},
	} {
		env := &cli.Env{Dir: dir}
		if got := withPath(env, c.name); got != c.want || isHere(env, got) != c.here {
			t.Errorf("%q is %q, here: %v", c.name, got, isHere(env, got))
		}
	}
	gone := &cli.Env{}
	if got := withPath(gone, "."); got != "." || !isHere(gone, got) {
		t.Errorf("in a folder that is gone: %q", got)
	}
}

func TestAllFollow(t *testing.T) {
	t.Parallel()
	f := fault.Validation("repo", "the repository of \"/x\" is not registered yet").WithHint("`agit add .` registers it")
	for some, want := range map[bool]string{
		true:  "the repository of \"/x\" is not registered yet: `agit add .` registers it; all registered repositories follow",
		false: "the repository of \"/x\" is not registered yet, and no other is: `agit add .` registers it",
	} {
		if got := allFollow(f, some); got != want {
			t.Errorf("%s", got)
		}
	}
}
