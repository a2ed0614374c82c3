package verify

import (
	"context"
	"fmt"
	"github.com/agit-suite/agit/citecheck/internal/verify/textfile"
	"os"
	"strconv"
	"testing"
)

func TestDebugWalk(t *testing.T) {
	repo := os.Getenv("REPO")
	if repo == "" {
		t.Skip()
	}
	ctx := context.Background()
	c, err := Open(ctx, repo, Options{At: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	from, _ := c.Resolve(ctx, os.Getenv("FROM"))
	line, _ := strconv.Atoi(os.Getenv("LINE"))
	path := os.Getenv("FILE")
	j := newJob("", Citation{Path: path, Line: line, Commit: from})
	trails, err := c.trails(ctx, from, []*job{j})
	if err != nil {
		t.Fatal(err)
	}
	at, _ := c.oldFile(ctx, from, path)
	w := &walker{a: anchor{claim: claimOf(at, []int{line - 1}), lines: []int{line - 1}, whole: true}, line: line - 1}
	for _, oid := range trails[path] {
		o, _ := c.objects.Read(ctx, oid, maxFile)
		next := textfile.Parse(o.Data)
		p := newPair(at, next)
		before := w.line
		how := p.m.To[w.line]
		w.step(p)
		fmt.Printf("%s map %d: %d -> %d edited %v lost %v %q\n", oid[:8], how+1, before+1, w.line+1, w.edited, w.lost, next.Line(w.line))
		at = next
	}
}
