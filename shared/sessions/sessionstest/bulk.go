package sessionstest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Bulk writes sessions of Claude Code below a home, some 300 kB each, as clients write them: 90 rows of answers each, and two thirds of the
// bytes in results of tools. It returns the bytes.
func Bulk(t testing.TB, home string, sessions int) (bytes int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var s strings.Builder
		for s.Len() < n {
			fmt.Fprintf(&s, "%s%d ", []string{"parser", "Module", "invoice", "the", "fails", "when", "total_", "cache"}[r.IntN(8)], r.IntN(4000))
		}
		return s.String()
	}
	at := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	for i := range sessions {
		c := Claude{Session: fmt.Sprintf("s-%d", i), Folder: fmt.Sprintf("/src/app%d", i%12), Branch: "main"}
		var rows []Row
		for n := range 45 {
			at = at.Add(7 * time.Second)
			id, when := fmt.Sprintf("%d-%d", i, n), at.Format("2006-01-02T15:04:05.000Z")
			request := Row{"requestId": "req-" + id}
			rows = append(rows, c.User("u"+id, when, text(300)), c.Says("a"+id, when, "m"+id, text(900), 10, 20).With(request),
				c.Calls("c"+id, when, "m"+id, "t"+id, "Bash", Row{"command": text(60)}, 10, 20).With(request),
				c.Returns("r"+id, when, "t"+id, text(2200), n%9 == 0))
		}
		content := Lines(rows...)
		Write(t, filepath.Join(home, ".claude/projects/-src-app", c.Session+".jsonl"), content)
		bytes += len(content)
	}
	return bytes
}
