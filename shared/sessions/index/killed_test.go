package index

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/sessions"
	"github.com/agit-suite/agit/shared/sessions/sessionstest"
)

// childHome names the variable that makes this test's program a process which reads the sessions of a home and prints a line for each
// transaction.
const childHome = "INDEX_TEST_HOME"

func readAsAChild(dir string) int {
	ctx := context.Background()
	x, err := Open(ctx, filepath.Join(dir, "agit", FileName))
	if err == nil {
		err = x.Update(ctx, Options{Home: sessions.Home{Dir: dir}, Progress: func(done, _ int64) { fmt.Println(done) }})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestAKilledReadingGoesOn kills a process that makes the index, after each of its transactions, while it writes the next. The index that
// the next reading completes holds the same as one that was made in one go.
func TestAKilledReadingGoesOn(t *testing.T) {
	t.Parallel()
	const rows = batch*2 + batch/2
	h := &home{t: t, dir: t.TempDir()}
	start := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for n, name := range []string{"a", "b", "c"} {
		c := sessionstest.Claude{Session: name, Folder: "/x/" + name, Branch: "main"}
		var all []sessionstest.Row
		for i := range rows / 3 {
			at := start.Add(time.Duration(n*rows+i) * time.Second).Format("2006-01-02T15:04:05.000Z")
			all = append(all, c.User(fmt.Sprint(name, i), at, fmt.Sprintf("Ask %d of %s", i, name)))
		}
		h.write(".claude/projects/-x/"+name+".jsonl", sessionstest.Lines(all...))
	}
	open := func(path string) {
		t.Helper()
		x, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = x.Close() })
		h.x = x
	}
	open(h.path("fresh/" + FileName))
	h.update()
	want := h.holds() + "\n" + h.entries()
	for after := range 3 {
		if err := os.RemoveAll(h.path("agit")); err != nil {
			t.Fatal(err)
		}
		killReading(t, h.dir, after)
		open(h.path("agit/" + FileName))
		h.sound()
		kept := 0
		h.get(`SELECT count(*) FROM entries`, &kept)
		if kept < after*batch {
			t.Errorf("killed after %d transactions it holds %d entries", after, kept)
		}
		h.update()
		if diff := cmp.Diff(want, h.holds()+"\n"+h.entries()); diff != "" {
			t.Errorf("killed after %d transactions: %.2000s", after, diff)
		}
		if err := h.x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killReading starts a process that reads the sessions of a home, and kills it after so many transactions.
func killReading(t *testing.T, dir string, after int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childHome+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range after {
		if !lines.Scan() {
			t.Fatal("the process ended early")
		}
	}
	if after == 0 { // the file exists, and the first transaction goes on
		for _, err := os.Stat(filepath.Join(dir, "agit", FileName)); err != nil; {
			_, err = os.Stat(filepath.Join(dir, "agit", FileName))
		}
	}
	_ = child.Process.Kill()
	_ = child.Wait()
}

// rewriting emits a text that grows, twice in one reading of its file.
type rewriting struct{ texts []string }

func (r rewriting) Client() string { return "rewriting" }

func (r rewriting) Find(home sessions.Home, _ func(string, error)) []sessions.Source {
	return []sessions.Source{{Path: filepath.Join(home.Dir, "chat"), Size: int64(len(r.texts)), Database: true}}
}

func (r rewriting) Read(_ context.Context, _ sessions.Source, from sessions.Position, emit func(sessions.Row, sessions.Position) error) (sessions.Position, error) {
	for _, text := range r.texts {
		if err := emit(sessions.Row{Kind: sessions.Answer, Key: "k", Session: "s", At: time.Unix(1, 0), Text: text, Grows: true}, from); err != nil {
			return from, err
		}
	}
	return from, nil
}

func TestATextThatGrowsWithinOneReading(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	read := func(texts ...string) {
		t.Helper()
		if err := h.x.Update(t.Context(), Options{Home: sessions.Home{Dir: h.dir}, Readers: []sessions.Reader{rewriting{texts}}}); err != nil {
			t.Fatal(err)
		}
		h.sound()
	}
	read("first", "first and second", "fir")
	if diff := cmp.Diff("answer first and second", h.entries()); diff != "" {
		t.Error(diff)
	}
	read("first", "first and second", "first and second and third", "first and second and third, fourth")
	if diff := cmp.Diff("answer first and second and third, fourth", h.entries()); diff != "" {
		t.Error(diff)
	}
}
