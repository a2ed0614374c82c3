package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agit-suite/agit/citecheck/internal/history"
	"github.com/agit-suite/agit/citecheck/internal/library"
	"github.com/agit-suite/agit/citecheck/internal/memoryfile"
	"github.com/agit-suite/agit/citecheck/internal/verify"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

const cited = "# T\n\n## Citations\n\n| File | Line | Snippet |\n|---|---|---|\n| src/a.go | 3 | `func Login(user string) error` |\n"

func newService(t *testing.T, withHistory bool) (*Service, *gittest.Repo) {
	t.Helper()
	repo := gittest.New(t)
	repo.Write("src/a.go", "package a\n\nfunc Login(user string) error { return nil }\n")
	repo.Write(".serena/memories/m.md", cited)
	repo.Commit("first")
	lib, err := library.Open(library.Options{From: repo.Dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lib.Close() })
	s := &Service{Lib: lib, From: repo.Dir, Now: func() time.Time { return time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC) }}
	if withHistory {
		if s.History, err = history.Open(registrytest.Open(t), repo.Dir); err != nil {
			t.Fatal(err)
		}
	}
	return s, repo
}

// Memories of the registry are checked through memoryd's views, with the commit
// stored beside them, and what was found is what memoryd shows.
func TestRegistryMemories(t *testing.T) {
	s, repo := newService(t, true)
	head := strings.TrimSpace(repo.Git("rev-parse", "HEAD"))
	err := s.History.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		p, err := project.Ensure(tx, s.History.Identity)
		if err != nil {
			return err
		}
		id, err := tx.Insert(`INSERT INTO memories (uid, ref, project_id, type, key, key_key, content, content_hash, used_at, created_at, updated_at)
			VALUES ('u-1', 'm-1', ?, 'pattern', 'login', 'login', 'text', 'hash', ?, ?, ?) RETURNING id`, p.ID, tx.Stamp(), tx.Stamp(), tx.Stamp())
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO memory_citations (memory_id, position, path, line, oid) VALUES (?, 0, 'src/a.go', 3, ?)`, id, head)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	repo.Write("src/a.go", "package a\n\n// Login lets people in.\nfunc Login(user string) error { return nil }\n")
	docs, err := s.All(t.Context(), Options{Registry: true})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := s.Verify(t.Context(), docs, Options{Registry: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Memories) != 2 || sum.Memories[1].ID != "m-1" || sum.Memories[1].Stale[0].FoundLine != 4 {
		t.Fatalf("%+v", sum.Memories)
	}
	var verdict, state string
	err = s.History.DB.Read(t.Context(), func(tx *registry.Tx) error {
		if err := tx.QueryRow(`SELECT verdict FROM citation_verdicts WHERE memory_uid = 'u-1'`).Scan(&verdict); err != nil {
			return err
		}
		return tx.QueryRow(`SELECT state FROM memory_trust WHERE memory_uid = 'u-1'`).Scan(&state)
	})
	if err != nil || verdict != "moved" || state != StateStale {
		t.Errorf("memoryd sees %q, %q: %v", verdict, state, err)
	}
	if sum, err = s.VerifyNamed(t.Context(), []string{"m-1"}, Options{}); err != nil || sum.Memories[0].Source != history.Registry {
		t.Errorf("by name: %+v %v", sum, err)
	}
	fixes, err := s.Fix(t.Context(), docs, FixOptions{})
	if err != nil || fixes.Files != 1 || fixes.Left != 1 {
		t.Errorf("fix: %+v %v", fixes, err)
	}
}

// TestAddToNoMemory: the refusal names the nearest memory, and where and how a new one begins.
func TestAddToNoMemory(t *testing.T) {
	s, _ := newService(t, false)
	for name, want := range map[string]string{
		"nots":      "`echo '# nots' > " + filepath.Join(s.Lib.Dir, "nots.md") + "`",
		"two words": "", "a/b": "", "../b": "", "a\\b": "",
	} {
		_, err := s.Add(t.Context(), New{Memory: name, Place: memoryfile.Place{Path: "src/a.go", Line: 1}})
		f := fault.From(err)
		if err == nil || f.Kind != fault.KindNotFound || !strings.Contains(f.Hint, "; a new memory begins as a file in ") {
			t.Errorf("%q: %v", name, err)
		} else if !strings.Contains(f.Hint, want) || want == "" && strings.Contains(f.Hint, "echo") {
			t.Errorf("%q: %s", name, f.Hint)
		}
	}
}

// Many writers at once: every citation is in the file afterwards.
func TestConcurrentAdds(t *testing.T) {
	s, repo := newService(t, false)
	var code strings.Builder
	for i := range 30 {
		fmt.Fprintf(&code, "var value%d = %d\n", i, i)
	}
	repo.Write("src/b.go", code.String())
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			if _, err := s.Add(context.WithoutCancel(t.Context()), New{Memory: "m", Place: memoryfile.Place{Path: "src/b.go", Line: i + 1}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	sum, err := s.VerifyNamed(t.Context(), []string{"m"}, Options{})
	if err != nil || sum.Memories[0].Total != 31 || !sum.Memories[0].Valid {
		t.Errorf("%+v %v", sum, err)
	}
	left, err := filepath.Glob(filepath.Join(s.Lib.Dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A memory that someone changes between check and write is left alone.
func TestChangedMeanwhile(t *testing.T) {
	s, repo := newService(t, false)
	repo.Write("src/a.go", "package a\n\n// Login lets people in.\nfunc Login(user string) error { return nil }\n")
	docs, err := s.All(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := s.Verify(t.Context(), docs, Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(cited, "| 3 |", "| 1 |", 1)
	repo.Write(".serena/memories/m.md", other)
	if _, err := s.Mark(t.Context(), sum); err == nil {
		t.Error("a changed memory was written")
	}
	_, err = s.rewrite(t.Context(), docs[0].Entry, func(m *memoryfile.Memory, e *memoryfile.Edit) ([]memoryfile.Place, error) {
		repo.Write(".serena/memories/m.md", other+"more\n") // an editor saves now
		return nil, e.Move(m.Citations[0], memoryfile.Place{Path: "src/a.go", Line: 9})
	})
	if err == nil {
		t.Error("an editor's change was overwritten")
	}
	if got, err := os.ReadFile(filepath.Join(s.Lib.Dir, "m.md")); err != nil || string(got) != other+"more\n" {
		t.Errorf("%q %v", got, err)
	}
}

func TestParseVerdicts(t *testing.T) {
	got, err := ParseVerdicts([]string{"stale"})
	if err != nil || len(got) != 6 {
		t.Errorf("%v %v", got, err)
	}
	if got, err = ParseVerdicts([]string{"none"}); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	if got, err = ParseVerdicts([]string{"gone", "outside"}); err != nil || got[1] != verify.Outside {
		t.Errorf("%v %v", got, err)
	}
	if _, err = ParseVerdicts([]string{"rotten"}); err == nil {
		t.Error("rotten is a verdict")
	}
}

// An adopted reference stays adopted whatever is committed in between, and the prose names the line's new place; also when the table's
// section makes git see the last line of the memory as touched.
func TestAdoptTwice(t *testing.T) {
	for name, memory := range map[string]string{
		"line":          "# N\r\n\r\nLogin is at `src/a.go:3`, in short a.go:3-4.\r\nNot more.\r\n",
		"last line":     "# N\n\nLogin is at src/a.go:3",
		"shared line":   "# N\n\nLogin is at src/a.go:3, Logout at src/a.go:5, two ../../src/a.go:3",
		"relative link": "# N\n\n[Login](../../src/a.go#L3) it is.\n",
		"two lines":     "# N\n\nsrc/a.go:3,4 and\nsrc/a.go:3:6 are it\n",
	} {
		t.Run(name, func(t *testing.T) {
			s, repo := newService(t, false)
			repo.Write("src/a.go", "package a\n\nfunc Login(user string) error {\n\treturn check(user)\n}\n\nfunc Logout(user string) {}\n")
			repo.Write(".serena/memories/n.md", strings.Replace(memory, "src/a.go:5", "src/a.go:7", 1))
			repo.Commit("write")
			repo.Write("src/a.go", "package a\n\n// Login lets\n// people in.\nfunc Login(user string) error {\n\treturn check(user)\n}\n")
			repo.Commit("move and delete")
			entries, err := s.Entries([]string{"n"})
			if err != nil {
				t.Fatal(err)
			}
			var after string
			for round := range 3 {
				got, err := s.Adopt(t.Context(), entries, false)
				if err != nil {
					t.Fatal(err)
				}
				text := read(t, repo, ".serena/memories/n.md")
				switch {
				case round == 0 && (got.Files != 1 || got.Outcomes[OutcomeAdopted] == 0):
					t.Fatalf("adopted %+v", got)
				case round > 0 && (got.Files != 0 || got.Outcomes[OutcomeAdopted] != 0 || text != after):
					t.Fatalf("round %d: %+v\n%s", round, got.References, text)
				case name != "shared line" && strings.Contains(text, "a.go:3"), name == "relative link" && !strings.Contains(text, "../../src/a.go#L5)"):
					t.Errorf("the prose says the old line:\n%s", text)
				case name == "shared line" && !strings.Contains(text, "src/a.go:3, Logout at src/a.go:7"):
					t.Errorf("a line with a reference that was not taken up was changed:\n%s", text)
				}
				after = text
				repo.Commit("adopt")
			}
			if name == "line" && !strings.HasPrefix(after, "# N\r\n\r\nLogin is at `src/a.go:5`, in short a.go:5-6.\r\nNot more.\r\n") {
				t.Errorf("more than the numbers changed:\n%q", after)
			}
		})
	}
}

// Two processes that adopt the same references at once write them once.
func TestAdoptAtOnce(t *testing.T) {
	s, repo := newService(t, false)
	repo.Write(".serena/memories/n.md", "# N\n\nIt begins at src/a.go:1, Login is at src/a.go:3\n")
	repo.Commit("name")
	entries, err := s.Entries([]string{"n"})
	if err != nil {
		t.Fatal(err)
	}
	checker, err := s.checker(t.Context(), verify.WorkingTree)
	if err != nil {
		t.Fatal(err)
	}
	defer checker.Close()
	docs, err := library.Map(t.Context(), s.Lib, entries, memoryfile.Citations|memoryfile.References, func(d library.Doc) library.Doc { return d })
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // both read the memory before either wrote
		found, err := s.followAll(t.Context(), checker, docs)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.writeAdopted(t.Context(), docs[0].Entry, found[0]); err != nil {
			t.Fatal(err)
		}
	}
	if text := read(t, repo, ".serena/memories/n.md"); strings.Count(text, "| src/a.go |") != 2 {
		t.Errorf("not each once:\n%s", text)
	}
}

// A memory that cannot be written is reported and does not keep the others from it. A memory that is a link to another one is written under
// the other's name.
func TestOneThatCannotBeWritten(t *testing.T) {
	s, repo := newService(t, false)
	for from, to := range map[string]string{"alias.md": "m.md", "aside.md": "notes.txt"} {
		if err := os.Symlink(to, filepath.Join(s.Lib.Dir, from)); err != nil {
			t.Skip(err)
		}
	}
	repo.Write(".serena/memories/notes.txt", cited+"\nsrc/b.go:1 too\n")
	repo.Write(".serena/memories/z.md", cited+"\nsrc/b.go:1 too\n")
	repo.Write("src/b.go", "package b\n")
	repo.Write("src/a.go", "package a\n\n// Login lets people in.\nfunc Login(user string) error { return nil }\n")

	docs, err := s.All(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	fixes, err := s.Fix(t.Context(), docs, FixOptions{})
	if err != nil || fixes.Files != 2 || fixes.Left != 1 {
		t.Fatalf("%+v %v", fixes, err)
	}
	for _, f := range fixes.Fixes {
		if f.Memory == "alias" || f.Done == (f.Memory == "aside") || !f.Done && !strings.Contains(f.Reason, "symbolic link") {
			t.Errorf("%+v", f)
		}
	}
	entries, err := s.Entries(nil)
	if err != nil {
		t.Fatal(err)
	}
	adopted, err := s.Adopt(t.Context(), entries, false)
	if err != nil || adopted.Files != 1 || adopted.Outcomes[OutcomeLeft] != 1 || adopted.Outcomes[OutcomeAdopted] != 1 {
		t.Errorf("%+v %v", adopted, err)
	}
	sum, err := s.VerifyNamed(t.Context(), nil, Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := s.Mark(t.Context(), sum); changed != 2 || err == nil || !strings.Contains(err.Error(), "aside.md") {
		t.Errorf("%d marked, %v", changed, err)
	}
	// Named alone it is an error.
	one, err := s.Entries([]string{"aside"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Adopt(t.Context(), one, false); err == nil {
		t.Error("a link was adopted into")
	}
}

// Text that a memory cannot hold is not written into it: a name that is not text, a line that is too long.
func TestWhatNoMemoryHolds(t *testing.T) {
	s, repo := newService(t, false)
	repo.Write("src/b.js", strings.Repeat("x1", 3<<20)+"\nfunction after() {}\n")
	added, err := s.Add(t.Context(), New{Memory: "m", Place: memoryfile.Place{Path: "src/b.js", Line: 1}})
	if err != nil || len(added.Snippet) > 400 {
		t.Fatalf("%d bytes are quoted: %v", len(added.Snippet), err)
	}
	sum, err := s.VerifyNamed(t.Context(), []string{"m"}, Options{})
	if err != nil || !sum.Memories[0].Valid || sum.Memories[0].Total != 2 {
		t.Errorf("%+v %v", sum.Memories, err)
	}
	if err := os.WriteFile(filepath.Join(repo.Dir, "src", "caf\xe9.go"), []byte(read(t, repo, "src/a.go")), 0o644); err != nil {
		t.Skip(err) // a file system of text alone
	}
	repo.Git("rm", "-q", "src/a.go")
	repo.Commit("rename")
	docs, err := s.NamedDocuments(t.Context(), []string{"m"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	fixes, err := s.Fix(t.Context(), docs, FixOptions{})
	if err != nil || fixes.Files != 0 || len(fixes.Fixes) != 1 || !strings.Contains(fixes.Fixes[0].Reason, "cannot name that file") {
		t.Errorf("%+v %v", fixes, err)
	}
}

func read(t *testing.T, repo *gittest.Repo, name string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(repo.Dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
