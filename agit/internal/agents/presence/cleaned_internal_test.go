package presence

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/registry"
)

// A question belongs to a session that waits, a note to that and to an idle worker, and a host is this one unless it is named.
func TestCleaned(t *testing.T) {
	t.Parallel()
	here := registry.Host()
	for _, c := range []struct{ st, want Statement }{
		{Statement{State: Waiting, Source: Hook, Note: "a  b\n", Asked: "x"}, Statement{State: Waiting, Source: Hook, Note: "a b", Asked: "x", Host: here}},
		{Statement{State: Working, Source: Work, Note: "a", Asked: "x", Ended: "e"}, Statement{State: Working, Source: Work, Ended: "e", Host: here}},
		{Statement{State: Idle, Source: Work, Note: "a", Asked: "x"}, Statement{State: Idle, Source: Work, Note: "a", Host: here}},
		{Statement{State: Idle, Source: Hook, Note: "a", Asked: "x", Host: "there"}, Statement{State: Idle, Source: Hook, Host: "there"}},
		{Statement{State: Gone, Source: Work, Note: "a", Session: "s\x07"}, Statement{State: Gone, Source: Work, Session: "s", Host: here}},
	} {
		got, err := cleaned(c.st)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%+v: %v\n%s", c.st, err, diff)
		}
	}
	if _, err := cleaned(Statement{State: "asleep"}); err == nil || !strings.Contains(err.Error(), `"asleep" is not a state of an agent`) {
		t.Error(err)
	}
	if got, _ := cleaned(Statement{State: Waiting, Note: strings.Repeat("é", 1000), Session: strings.Repeat("s", 1000)}); len([]rune(got.Note)) > maxNote || len([]rune(got.Session)) > maxSession {
		t.Errorf("%d, %d", len(got.Note), len(got.Session))
	}
}
