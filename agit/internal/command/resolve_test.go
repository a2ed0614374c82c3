package command

import (
	"errors"
	"testing"

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
