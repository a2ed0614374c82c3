package setup

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// The set-up's files whose present content git has not committed, and the commit of only those.
func TestUncommitted(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write(".gitignore", "private/\n*.local\n")
	r.Commit("first", "kept.json", "{}\n", "edited.json", "{}\n", "theirs.json", "{}\n")
	r.Write("theirs.json", "{\"b\":1}\n")
	r.Write("edited.json", "{\"a\":1}\n")
	r.Write("new/skill.md", "text\n")
	r.Write("new/other.md", "text\n")
	r.Write("private/agent.md", "text\n")
	r.Write("hooks.local", "text\n")
	r.Write("staged.txt", "a person's\n")
	r.Git("add", "staged.txt")
	item := func(file string, state State, done string) Item {
		return Item{File: r.Dir + "/" + file, State: state, Done: done, part: wholeFile{text: "x"}}
	}
	report := Report{Items: []Item{
		item("kept.json", Current, ""), item("edited.json", Stale, Updated), item("theirs.json", Current, ""), item("new/skill.md", Missing, Added), item("new/skill.md", Missing, Added),
		item("private/agent.md", Current, ""), item("hooks.local", Current, Kept), item("new/other.md", Missing, ""), item("../outside.json", Current, ""),
	}}
	s := &Setup{Dir: r.Dir, Options: Options{Scope: Project}}
	files, ignored, err := s.Uncommitted(t.Context(), report)
	if got := strings.Join(files, " ") + "|" + strings.Join(ignored, " "); err != nil || got != "edited.json new/skill.md|private/agent.md hooks.local" && got != "edited.json new/skill.md|hooks.local private/agent.md" {
		t.Fatalf("%q, %v", got, err)
	}
	if got := strings.Join(Tops(append(files, "new/other.md")), " "); got != "edited.json new/" {
		t.Errorf("tops %q", got)
	}
	if _, err := s.Commit(t.Context(), files, "Set up"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(r.Git("show", "--name-only", "--format=%s", "HEAD")), " "); got != "Set up edited.json new/skill.md" {
		t.Errorf("committed %q", got)
	}
	if got := r.Git("diff", "--cached", "--name-only"); strings.TrimSpace(got) != "staged.txt" {
		t.Errorf("staged %q", got)
	}
	if files, _, err = s.Uncommitted(t.Context(), report); err != nil || len(files) != 0 {
		t.Errorf("afterwards %q, %v", files, err)
	}
	r.Write("edited.json", "{}\n")
	r.Git("rm", "-q", "--cached", "new/skill.md")
	r.Remove("new/skill.md")
	r.Write("staged-only.md", "text\n")
	r.Git("add", "staged-only.md")
	gone := Report{Items: []Item{item("edited.json", Current, Removed), item("new/skill.md", Current, Removed), item("new/skill.md", Current, Removed), item("theirs.json", Current, ""),
		item("kept.json", Current, Removed), item("staged-only.md", Current, Removed), item("hooks.local", Current, Removed), item("../outside.json", Current, Removed)}}
	if files, err = s.Removed(t.Context(), gone); err != nil || strings.Join(files, " ") != "edited.json new/skill.md" {
		t.Errorf("removed: %q, %v", files, err)
	}
	user := &Setup{Dir: r.Dir, Options: Options{Scope: User}}
	if files, ignored, err = user.Uncommitted(t.Context(), report); err != nil || len(files)+len(ignored) != 0 {
		t.Errorf("of the user's own: %q %q, %v", files, ignored, err)
	}
	bare := &Setup{Dir: t.TempDir(), Options: Options{Scope: Project}}
	if files, ignored, err = bare.Uncommitted(t.Context(), Report{Items: []Item{{File: bare.Dir + "/a", State: Current}}}); err != nil || len(files)+len(ignored) != 0 {
		t.Errorf("outside a repository: %q %q, %v", files, ignored, err)
	}
	if files, err = bare.Removed(t.Context(), Report{Items: []Item{{File: bare.Dir + "/a", Done: Removed}}}); err != nil || len(files) != 0 {
		t.Errorf("removed outside a repository: %q, %v", files, err)
	}
	r.Git("clone", "-q", "--bare", r.Dir, bare.Dir+"/.git")
	if files, _, err = bare.Uncommitted(t.Context(), Report{Items: []Item{{File: bare.Dir + "/a", Done: Added}}}); err != nil || strings.Join(files, " ") != "a" {
		t.Errorf("beside a bare repository: %q, %v", files, err)
	}
}

// Changes of an earlier run are uncommitted too, while a person's own changes to a file that is committed with the set-up are
// theirs.
func TestUncommittedOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	part := block{inner: "habits\n"}
	with, _, err := edit.PutBlock("# Rules\n", part.inner)
	if err != nil {
		t.Fatal(err)
	}
	older, _, err := edit.PutBlock("# Rules\n", "older habits\n")
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(with, "habits", "habits of mine", 1)
	r := gittest.New(t)
	s := &Setup{Dir: r.Dir, Options: Options{Scope: Project}}
	removing := &Setup{Dir: r.Dir, Options: Options{Scope: Project, Remove: true}}
	for name, c := range map[string]struct {
		committed, now string
		state          State
		uncommitted    bool
		removed        bool
	}{
		"put in":                        {"# Rules\n", with, Current, true, false},
		"put in anew":                   {older, with, Current, true, false},
		"a person added a line":         {with, with + "more\n", Current, false, false},
		"taken out":                     {with, "# Rules\n", Missing, false, true},
		"an older one taken out":        {older, "# Rules\n", Missing, false, true},
		"taken out with an edited text": {edited, "# Rules\n", Missing, false, false},
		"never there":                   {"# Rules\n", "# Rules\nmore\n", Missing, false, false},
		"stale":                         {"# Rules\n", older, Stale, false, false},
	} {
		r.Commit(name, "AGENTS.md", c.committed)
		r.Write("AGENTS.md", c.now)
		report := Report{Items: []Item{{File: r.Path("AGENTS.md"), Kind: KindInstructions, State: c.state, part: part}}}
		files, _, err := s.Uncommitted(t.Context(), report)
		if err != nil || (len(files) == 1) != c.uncommitted {
			t.Errorf("%s: uncommitted %q, %v", name, files, err)
		}
		if files, err = removing.Removed(t.Context(), report); err != nil || (len(files) == 1) != c.removed {
			t.Errorf("%s: removed %q, %v", name, files, err)
		}
		r.Write("AGENTS.md", c.committed)
	}
}

// In the middle of a merge that brings a file, the last commit has none of that name.
func TestUncommittedInAMerge(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("first", "a.txt", "a\n")
	r.Git("switch", "-q", "-c", "theirs")
	r.Commit("theirs", "AGENTS.md", "# Rules\n")
	r.Commit("theirs again", "AGENTS.md", "# More rules\n")
	r.Git("switch", "-q", "main")
	if _, err := r.TryGit("cherry-pick", "theirs"); err == nil {
		t.Fatal("there is no conflict")
	}
	if state := r.Git("status", "--porcelain"); !strings.HasPrefix(state, "DU") {
		t.Fatalf("git's state is %q", state)
	}
	s := &Setup{Dir: r.Dir, Options: Options{Scope: Project}}
	report := Report{Items: []Item{{File: r.Path("AGENTS.md"), Kind: KindInstructions, State: Current, part: block{inner: "habits\n"}}}}
	files, _, err := s.Uncommitted(t.Context(), report)
	if err != nil || strings.Join(files, " ") != "AGENTS.md" {
		t.Errorf("%q, %v", files, err)
	}
}
