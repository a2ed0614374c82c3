package command

import (
	"testing"

	"github.com/agit-suite/agit/shared/fault"
)

func TestAllFollow(t *testing.T) {
	t.Parallel()
	f := fault.Validation("repo", "the repository of \"/x\" is not registered yet").WithHint("`agit add .` registers it")
	for some, want := range map[bool]string{
		true:  "the repository of \"/x\" is not registered yet: `agit add .` registers it; all that are follow",
		false: "the repository of \"/x\" is not registered yet, and no other is: `agit add .` registers it",
	} {
		if got := allFollow(f, some); got != want {
			t.Errorf("%s", got)
		}
	}
}
