package verify_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/goldentest"
)

// The whole answer to citations of every form over one history: with the commit, with the line of the memory, by a day, together, by
// the text, in a folder, and with secrets.
func TestCitationsOfOneHistory(t *testing.T) {
	t.Parallel()
	token := "ghp_" + strings.Repeat("aB3dE6", 6)
	repo := gittest.New(t)
	pool := "package pool\n\nimport \"sync\"\n\n// Pool hands out connections.\ntype Pool struct {\n\tmu   sync.Mutex\n\tsize int\n}\n\nfunc (p *Pool) Take() error {\n\tp.mu.Lock()\n\tdefer p.mu.Unlock()\n\tif p.size == 0 {\n\t\treturn errEmpty\n\t}\n\tp.size--\n\treturn nil\n}\n\nfunc (p *Pool) Give() error {\n\tp.mu.Lock()\n\tdefer p.mu.Unlock()\n\tp.size++\n\treturn nil\n}\n"
	gone := "package gone\n\n// Limit bounds the number of open files of a process.\nconst Limit = 250\n\nfunc within(n int) bool {\n\treturn n < Limit\n}\n"
	first := repo.Commit("first", "src/pool.go", pool, "src/gone.go", gone, "src/kept.go", "package kept\n\nconst Kept = 1\n", "src/old.go", "package named\n\n// Named says who it is.\nfunc Named() string {\n\treturn \"it\"\n}\n", "key.yml", "name: x\ntoken: "+token+"\nmore: y\n",
		"docs/memo.md", "# Memo\n\nThe pool locks (src/pool.go:12).\nA limit holds (src/gone.go:4).\n", "data.bin", "a\x00b\n")
	repo.Write("docs/memo.md", "# Memo\n\nThe pool always locks first (src/pool.go:12).\nA limit holds (src/gone.go:4).\n")
	second := repo.Commit("second", "src/pool.go", strings.Replace(pool, "// Pool hands out connections.\n", "// Pool hands out connections,\n// as many as there are.\n//\n// It is safe for concurrent use.\n", 1))
	repo.Git("mv", "src/old.go", "src/named.go")
	repo.Git("rm", "-q", "src/gone.go")
	third := repo.Commit("third", "src/limits.go", "package limits\n\n// Limit bounds the number of open files of a process.\nconst Limit = 250\n", "docs/memo.md", "# Memo of all\n\n\nThe pool always locks first, by its mutex (src/pool.go:12).\nA limit holds (src/gone.go:4).\n")
	repo.Write("src/pool.go", strings.Replace(strings.Replace(pool, "// Pool hands out connections.\n", "// Pool hands out connections,\n// as many as there are.\n//\n// It is safe for concurrent use.\n", 1), "\tp.size++\n", "\tp.size += 1\n", 1))
	short := strings.NewReplacer(first, "FIRST", second, "SECOND", third, "THIRD", first[:7], "FIRST", token, "TOKEN")
	at := func(path string, line, end int, snippet string) verify.Citation {
		return verify.Citation{Path: path, Line: line, EndLine: end, Snippet: snippet}
	}
	with := func(c verify.Citation, edit func(*verify.Citation)) verify.Citation {
		edit(&c)
		return c
	}
	commit := func(c verify.Citation, oid string) verify.Citation { c.Commit = oid; return c }
	memo := func(c verify.Citation, line int, holds string) verify.Citation {
		c.Source = verify.Source{Path: "docs/memo.md", Line: line}
		if holds != "" {
			c.Source.Holds = func(line []byte) bool { return bytes.Contains(line, []byte(holds)) }
		}
		return c
	}
	lock, unlock, up := at("src/pool.go", 12, 0, "p.mu.Lock()"), at("src/pool.go", 13, 0, "defer p.mu.Unlock()"), at("src/pool.go", 24, 0, "p.size++")
	lists := []struct {
		name, dir string
		o         verify.Options
		list      []verify.Citation
	}{
		{"with the commit", "", verify.Options{}, []verify.Citation{
			commit(lock, first), commit(lock, first[:8]), commit(lock, second), commit(at("src/pool.go", 22, 0, "p.mu.Lock()"), first), commit(up, first), commit(at("src/pool.go", 17, 0, ""), first), commit(at("src/pool.go", 11, 19, ""), first), commit(at("src/pool.go", 21, 26, ""), first), commit(at("src/pool.go", 2, 0, ""), first), commit(at("src/pool.go", 99, 0, ""), first),
			commit(at("src/kept.go", 3, 0, "const Kept = 1"), first), commit(at("src/kept.go", 3, 0, ""), first), commit(at("src/kept.go", 1, 3, ""), first), commit(at("src/kept.go", 0, 0, ""), first), commit(at("src/kept.go", 1, 0, "const Kept = 1"), first), commit(at("src/kept.go", 3, 0, "Kept"), first), commit(at("src/kept.go", 3, 0, "nothing"), first), commit(at("src/kept.go", 9, 0, "const Kept = 1"), first),
			commit(at("src/gone.go", 4, 0, "const Limit = 250"), first), commit(at("src/gone.go", 7, 0, "return n < Limit"), first), commit(at("src/gone.go", 4, 0, ""), second), commit(at("src/gone.go", 0, 0, ""), first), commit(at("src/old.go", 4, 0, "func Named() string {"), first), commit(at("src/old.go", 4, 0, ""), first), commit(at("src/old.go", 0, 0, ""), first),
			commit(at("src/pool.go", 5, 0, "Pool hands out connections"), first), commit(at("src/pool.go", 24, 0, "p.size"), first), commit(at("src/pool.go", 5, 0, "out connections."), first),
			commit(at("src/pool.go", 21, 26, "func (p *Pool) Give() error {"), first), commit(at("src/pool.go", 5, 9, "// Pool hands out connections."), first), commit(at("src/pool.go", 11, 26, "func (p *Pool) Take() error {\n\tp.mu.Lock()"), first),
			commit(lock, strings.Repeat("0", 40)), commit(at("src/pool.go", 17, 0, ""), strings.Repeat("0", 40)),
		}},
		{"by the text", "", verify.Options{Around: true}, []verify.Citation{
			lock, unlock, up, at("src/pool.go", 0, 0, ""), at("src/pool.go", 17, 0, ""), at("src/pool.go", 0, 0, "p.mu.Lock()"), at("src/pool.go", 0, 0, "type Pool struct {"), at("src/pool.go", 7, 8, "mu   sync.Mutex\n\tsize int"), at("src/gone.go", 4, 0, "const Limit = 250"), at("src/gone.go", 7, 0, "return n < Limit"), at("src/old.go", 3, 0, "// Named says who it is."),
			with(lock, func(c *verify.Citation) { c.After = "func (p *Pool) Give() error {" }), with(lock, func(c *verify.Citation) { c.After = "func (p *Pool) Take() error {" }), with(unlock, func(c *verify.Citation) { c.Before = "p.size += 1" }), with(unlock, func(c *verify.Citation) { c.Before = "if p.size == 0 {" }),
			at("src/pool.go", 17, 0, "p.size-…"), at("none.go", 1, 0, "nothing like it at all"), at("src", 1, 0, "x"), at("data.bin", 1, 0, "a"), at("../out.go", 1, 0, "x"), at("", 1, 0, "x"), at(`src\kept.go`, 3, 0, "const Kept = 1"), at("src/kept.go", 3, 0, "const kept = 1"),
		}},
		{"by the line of the memory", "", verify.Options{}, []verify.Citation{
			memo(lock, 4, ""), memo(lock, 4, "src/pool.go:12"), memo(lock, 4, "by its mutex"), memo(lock, 4, "never"), memo(lock, 1, "src/pool.go:12"), memo(at("src/pool.go", 22, 0, "p.mu.Lock()"), 4, "src/pool.go:12"), memo(at("src/gone.go", 4, 0, ""), 5, "src/gone.go:4"), memo(at("src/pool.go", 17, 0, ""), 4, "src/pool.go:12"), memo(at("src/pool.go", 17, 0, ""), 4, ""),
		}},
		{"by a line of the memory that is gone", "", verify.Options{}, []verify.Citation{memo(lock, 99, "src/pool.go:12"), memo(at("src/gone.go", 4, 0, ""), 5, "")}},
		{"by a day and together", "", verify.Options{}, []verify.Citation{
			with(lock, func(c *verify.Citation) { c.Verified = "2030-01-01" }), with(lock, func(c *verify.Citation) { c.Verified = "1999-01-01" }), with(lock, func(c *verify.Citation) { c.Verified = "soon" }),
			with(lock, func(c *verify.Citation) { c.Together = "m" }), with(at("src/pool.go", 5, 0, "// Pool hands out connections."), func(c *verify.Citation) { c.Together = "m" }), with(at("src/pool.go", 22, 0, "p.mu.Lock()"), func(c *verify.Citation) { c.Together = "m" }),
		}},
		{"in a folder", "docs", verify.Options{}, []verify.Citation{at("memo.md", 1, 0, "# Memo of all"), commit(at("../src/pool.go", 12, 0, "p.mu.Lock()"), first), at("../src/gone.go", 4, 0, "const Limit = 250"), at("../../out.go", 1, 0, "x"), at("gone.go", 4, 0, "const Limit = 250")}},
		{"in a commit", "", verify.Options{At: first}, []verify.Citation{commit(lock, first), commit(lock, third), up, at("src/gone.go", 4, 0, "const Limit = 250"), at("src/limits.go", 4, 0, "const Limit = 250")}},
		{"in the index", "", verify.Options{At: verify.Index}, []verify.Citation{commit(up, first), commit(lock, first)}},
		{"without secrets", "", verify.Options{}, []verify.Citation{at("key.yml", 2, 0, "token: [redacted GitHub token]"), at("key.yml", 2, 0, "token: "+token), at("key.yml", 3, 0, "more: y"), with(at("key.yml", 3, 0, "more: y"), func(c *verify.Citation) { c.After = "token: [redacted GitHub token]" }), commit(at("key.yml", 1, 0, "token: [redacted GitHub token]"), first), commit(lock, first)}},
		{"with secrets", "", verify.Options{}, []verify.Citation{at("key.yml", 2, 0, "token: "+token), at("key.yml", 1, 0, "token: "+token)}},
	}
	var b strings.Builder
	for _, l := range lists {
		fmt.Fprintf(&b, "# %s\n", l.name)
		c, err := verify.Open(t.Context(), repo.Path(l.dir), l.o)
		if err != nil {
			t.Fatal(err)
		}
		results, err := c.Verify(t.Context(), l.list)
		if err != nil {
			t.Fatal(err)
		}
		var places []verify.Source
		for _, r := range results {
			fmt.Fprintf(&b, "%s:%d-%d %q at %.8s", r.Path, r.Line, r.EndLine, r.Snippet, r.Commit)
			for _, also := range []string{r.After, r.Before, r.Verified, r.Together} {
				if also != "" {
					fmt.Fprintf(&b, " with %q", also)
				}
			}
			if r.Source.Line > 0 {
				fmt.Fprintf(&b, " by line %d", r.Source.Line)
				places = append(places, r.Source)
			}
			fmt.Fprintf(&b, "\n\t%s, low %t, %q", r.Verdict, r.Low, r.Reason)
			if r.FoundPath != "" {
				fmt.Fprintf(&b, " %s:%d-%d %q %.3f", r.FoundPath, r.FoundLine, r.FoundEnd, r.FoundText, r.Score)
			}
			if r.Around != "" {
				fmt.Fprintf(&b, " %d marks around", len(r.Around))
			}
			for _, one := range r.Candidates {
				fmt.Fprintf(&b, "\n\t? %s:%d %q", one.Path, one.Line, one.Text)
			}
			b.WriteString("\n")
		}
		oids, err := c.LastTouched(t.Context(), places)
		if err != nil {
			t.Fatal(err)
		}
		for i, oid := range oids {
			fmt.Fprintf(&b, "line %d was written by %.8q\n", places[i].Line, short.Replace(oid))
		}
		c.Close()
	}
	goldentest.Same(t, "told.txt", short.Replace(strings.NewReplacer(first[:8], "FIRST", second[:8], "SECOND", third[:8], "THIRD").Replace(b.String())), *update)
}
