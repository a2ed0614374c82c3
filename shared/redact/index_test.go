package redact_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/sessions/index"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// TestNoSecretOfASessionIsInItsIndex puts every form of secret into a person's question, into a command and into the output of its failure,
// and looks for the secrets in the bytes of the index.
func TestNoSecretOfASessionIsInItsIndex(t *testing.T) {
	t.Parallel()
	all := samples()
	if len(all) < 114 {
		t.Fatalf("%d kinds", len(all))
	}
	home := t.TempDir()
	c := sessionstest.Claude{Session: "a", Folder: "/x/app"}
	var rows []sessionstest.Row
	made := map[string][]string{}
	n := 0
	for name, form := range all {
		m := draw(7)
		secret := form(m)
		made[name] = m.made
		n++
		id, at := fmt.Sprint(n), fmt.Sprintf("2026-11-20T%02d:%02d:%02d.000Z", n/3600, n/60%60, n%60)
		rows = append(rows, c.User("u"+id, at, secret), c.Says("a"+id, at, "m"+id, "Deploys use it:\n"+secret, 1, 1),
			c.Calls("c"+id, at, "m"+id, "t"+id, "Bash", sessionstest.Row{"command": "echo kept" + id + "\n" + secret}, 1, 1), c.Returns("r"+id, at, "t"+id, "refused\n"+secret, true))
	}
	sessionstest.Write(t, filepath.Join(home, ".claude/projects/-x/a.jsonl"), sessionstest.Lines(rows...))
	k := index.For(filepath.Join(home, "agit"), home, nil, nil)
	x, err := k.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hits, err := x.Search(t.Context(), index.Query{Command: "kept" + fmt.Sprint(n)})
	if err != nil || len(hits) != 1 {
		t.Errorf("what is not a secret is not found: %v %v", hits, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	kept := ""
	for _, ending := range []string{"", "-wal"} {
		data, err := os.ReadFile(k.Path + ending)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		kept += strings.ToLower(string(data)) // the index of words has small letters
	}
	for name, parts := range made {
		for _, part := range parts {
			if len(part) >= 8 && strings.Contains(kept, strings.ToLower(part)) {
				t.Errorf("%s: the index holds %q", name, part)
			}
		}
	}
}
