package conflict

import "testing"

// An agent is not warned of itself: it is the one that is named, else that of the session, else the worktree's, else the only one in it.
func TestWhoAsks(t *testing.T) {
	anns := []Worktree{{Path: "/app/ann", Agent: "ann"}}
	main := []Worktree{{Path: "/app"}}
	alone := []place{{"/app", "cyd", "s1"}, {"/app/bob", "bob", "s2"}}
	two := append(alone, place{"/app", "dee", "s3"})
	again := append(alone, place{"/app", "cyd", "s4"})
	for name, c := range map[string]struct {
		by     Caller
		own    []Worktree
		places []place
		want   string
	}{
		"named":                          {Caller{Agent: "eve", Session: "s1"}, anns, alone, "eve"},
		"the session's":                  {Caller{Session: "s2"}, anns, alone, "bob"},
		"of a session that is elsewhere": {Caller{Session: "s9"}, anns, alone, "ann"},
		"the worktree's":                 {Caller{}, anns, []place{{"/app/ann", "bob", "s1"}}, "ann"},
		"the only one there":             {Caller{}, main, alone, "cyd"},
		"twice the same one there":       {Caller{}, main, again, "cyd"},
		"one of two there":               {Caller{}, main, two, ""},
		"which of two says the session":  {Caller{Session: "s3"}, main, two, "dee"},
		"no session is nobody's":         {Caller{}, main, []place{{"/other", "bob", ""}}, ""},
		"in no worktree":                 {Caller{}, nil, alone, ""},
	} {
		if got := c.by.agent(c.own, c.places); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
