package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// pieces appends a text to a file in small parts, as a client does, so that lines are incomplete for a moment.
func pieces(path, content string) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	for len(content) > 0 && err == nil {
		n := min(len(content), 37)
		_, err = out.WriteString(content[:n])
		content = content[n:]
	}
	if fault := out.Close(); err == nil {
		err = fault
	}
	return err
}

// TestClientsThatWriteMeanwhile reads repeatedly while clients append, replace and delete, until AGIT_SOAK is over (once otherwise). In the
// end the index holds the same as one that is built from the final files.
func TestClientsThatWriteMeanwhile(t *testing.T) {
	t.Parallel()
	until := time.Now()
	if given := os.Getenv("AGIT_SOAK"); given != "" {
		lasting, err := time.ParseDuration(given)
		if err != nil {
			t.Fatal(err)
		}
		until = until.Add(lasting)
	}
	for n := 0; n == 0 || !t.Failed() && time.Now().Before(until); n++ {
		t.Run(fmt.Sprint(n), writeMeanwhile)
	}
}

func writeMeanwhile(t *testing.T) {
	const rounds = 40
	h := newHome(t)
	h.write(claudeA, "")
	h.write(".qwen/projects/x/chats/q.jsonl", "")
	const chat, fork = ".config/Code/User/workspaceStorage/a/chatSessions/v.json", claudeB
	h.write(chat, `{}`)
	db := sessionstest.NewOpenCode(t, h.path(".local/share/opencode/opencode.db"))
	db.Session("s", "", "/x/app")
	at := func(i int) string {
		return time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Second).Format("2006-01-02T15:04:05.000Z")
	}
	c := sessionstest.Claude{Session: "a", Folder: "/x/app", Branch: "main"}
	writers := []func(i int) error{
		func(i int) error {
			id := fmt.Sprint(i)
			return pieces(h.path(claudeA), sessionstest.Lines(c.User("u"+id, at(i), "Ask "+id), c.Says("a"+id, at(i), "m"+id, "Said "+id, 1, 2)))
		},
		func(i int) error { // a fork of the beginning comes, and goes
			if i%3 == 2 {
				return os.Remove(h.path(fork))
			}
			other := c
			other.Session = "b"
			return pieces(h.path(fork), sessionstest.Lines(other.User("u0", at(0), "Ask 0"), other.User(fmt.Sprint("f", i), at(i), fmt.Sprint("Fork ", i))))
		},
		func(i int) error {
			return pieces(h.path(".qwen/projects/x/chats/q.jsonl"), fmt.Sprintf(`{"type":"user","uuid":"q%d","sessionId":"q","timestamp":%q,"message":{"parts":[{"text":"Qwen %d"}]}}`+"\n", i, at(i), i))
		},
		func(i int) error { // written anew, a moment torn
			whole := fmt.Sprintf(`{"sessionId":"v","creationDate":1763632800000,"requests":[{"requestId":"r%d","message":"Chat %d"}]}`, i, i)
			if err := os.WriteFile(h.path(chat), []byte(whole[:len(whole)/2]), 0o600); err != nil {
				return err
			}
			return os.WriteFile(h.path(chat), []byte(whole), 0o600)
		},
		func(i int) error {
			db.Message("s", fmt.Sprint("m", i), int64(i+1), row{"role": "user", "time": row{"created": 1763632800000 + i}}, row{"type": "text", "text": fmt.Sprint("Code ", i)})
			return nil
		},
	}
	var done sync.WaitGroup
	for _, write := range writers {
		done.Go(func() {
			for i := range rounds {
				if err := write(i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	over, end := context.WithCancel(t.Context())
	go func() { done.Wait(); end() }()
	readings := 0
	for over.Err() == nil {
		h.update()
		readings++
	}
	h.update()
	fresh, err := Open(t.Context(), filepath.Join(t.TempDir(), FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if err := fresh.Update(t.Context(), Options{Home: sessions.Home{Dir: h.dir}}); err != nil {
		t.Fatal(err)
	}
	holds := func() string { // what happened at one time has no order
		all := append(strings.Split(h.entries(), "\n"), h.holds())
		slices.Sort(all)
		return strings.Join(all, "\n")
	}
	grown := holds()
	h.x = fresh
	if diff := cmp.Diff(holds(), grown); diff != "" {
		t.Errorf("after %d readings: %s", readings, diff)
	}
}
