package setup

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
	"github.com/agit-suite/agit/shared/fault"
)

// servers are the servers that a run is about, in one file.
func (l lab) servers(o Options) []string {
	l.Helper()
	r, err := l.setup(o).Look(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	of := map[string]bool{}
	for _, it := range r.Items {
		if it.Kind == KindServer {
			of[it.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(of))
}

// A choice of servers holds for the later runs of a project, until another one is made or all is taken out.
func TestChoiceOfServers(t *testing.T) {
	l := newLab(t)
	clients := []string{"claude-code", "cursor"}
	all := slices.Sorted(slices.Values(Servers))
	is := func(when string, want ...string) {
		t.Helper()
		if got := l.servers(Options{Clients: clients}); !slices.Equal(got, want) {
			t.Errorf("%s it is about %q, want %q", when, got, want)
		}
	}
	is("at first", all...)
	if got := l.servers(Options{Clients: clients, Servers: []string{"agit"}}); !slices.Equal(got, []string{"agit"}) {
		t.Errorf("%q", got)
	}
	is("after a look", all...)
	l.apply(Options{Clients: clients, Servers: []string{"memoryd", "agit"}})
	is("after a choice", "agit", "memoryd")
	l.apply(Options{Clients: clients})
	is("after another run", "agit", "memoryd")
	if got := l.servers(Options{Clients: clients, Scope: User}); !slices.Equal(got, all) {
		t.Errorf("the user's own configuration has the project's choice: %q", got)
	}
	if got := l.servers(Options{Clients: clients, Remove: true}); !slices.Equal(got, all) {
		t.Errorf("removal goes by the choice: %q", got)
	}
	l.apply(Options{Clients: clients, Servers: []string{"agit"}, Remove: true})
	is("after a removal of one", "agit", "memoryd")
	l.apply(Options{Clients: clients, NoServers: true})
	is("without servers")
	l.apply(Options{Clients: clients, Servers: []string{AllServers}})
	is("with all again", all...)
	l.apply(Options{Clients: clients, NoServers: true})
	l.apply(Options{Clients: clients, Remove: true})
	is("after a removal of everything", all...)
	for _, servers := range [][]string{{"all", "agit"}, {"nope"}} {
		if _, err := l.setup(Options{Servers: servers}).Look(t.Context()); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%q: %v", servers, err)
		}
	}
}

// A choice for one client is not one for another, and servers alone can be taken out.
func TestChoiceIsAClients(t *testing.T) {
	l := newLab(t)
	all := slices.Sorted(slices.Values(Servers))
	l.apply(Options{Clients: []string{"claude-code", "cursor"}})
	l.apply(Options{Clients: []string{"cursor"}, Servers: []string{"agit"}})
	for client, want := range map[string][]string{"claude-code": all, "cursor": {"agit"}} {
		if got := l.servers(Options{Clients: []string{client}}); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", client, got, want)
		}
	}
	l.apply(Options{Clients: []string{"claude-code"}, Remove: true})
	if got := l.servers(Options{Clients: []string{"cursor"}}); !slices.Equal(got, []string{"agit"}) {
		t.Errorf("a removal for another client forgets the choice: %q", got)
	}
	l.apply(Options{Clients: []string{"claude-code"}})
	l.apply(Options{Clients: []string{"claude-code"}, Servers: []string{AllServers}, Remove: true})
	if _, err := os.Stat(filepath.Join(l.project, ".mcp.json")); err == nil {
		t.Error("the servers are still there")
	}
	if _, err := os.Stat(filepath.Join(l.project, ".claude", "settings.json")); err != nil {
		t.Error("more than the servers was taken out")
	}
}

// A choice that changes no file is kept all the same, and is an error where it cannot be.
func TestChoiceAlone(t *testing.T) {
	l := newLab(t)
	clients := []string{"codex"}
	l.apply(Options{Clients: clients})
	r, err := l.setup(Options{Clients: clients, NoServers: true}).Look(t.Context())
	if err != nil || !r.Chosen || len(r.Files) > 0 {
		t.Errorf("a new choice is seen as %t, with %d files, %v", r.Chosen, len(r.Files), err)
	}
	l.apply(Options{Clients: clients, NoServers: true})
	if r, err := l.setup(Options{Clients: clients}).Look(t.Context()); err != nil || r.Chosen || !r.Current {
		t.Errorf("the choice before is seen as a new one: %+v, %v", r, err)
	}
	if got := l.servers(Options{Clients: clients}); len(got) > 0 {
		t.Errorf("it is about %q", got)
	}
	path := filepath.Join(l.home, ".agit", manifestName)
	if err := errors.Join(os.Rename(path, path+".kept"), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	m := &manifest{Version: manifestVersion, Files: map[string]*record{}}
	if err := m.save(filepath.Dir(path), nil, true); err == nil {
		t.Error("a choice that is not kept is no error")
	}
}

// Without servers the rest is set up.
func TestNoServers(t *testing.T) {
	l := newLab(t)
	l.apply(Options{Clients: []string{"claude-code"}, NoServers: true})
	if _, err := os.Stat(filepath.Join(l.project, ".mcp.json")); err == nil {
		t.Error("it has servers")
	}
	for _, file := range []string{"AGENTS.md", ".claude/settings.json", ".claude/skills/reflect/SKILL.md"} {
		if _, err := os.Stat(filepath.Join(l.project, file)); err != nil {
			t.Error(err)
		}
	}
}

// A question for grades is a choice, which stays where it stands.
func TestChoiceOfGrades(t *testing.T) {
	l := newLab(t)
	yes, no := true, false
	for i, step := range []struct {
		grades *bool
		asks   bool
	}{{nil, false}, {&yes, true}, {nil, true}, {&no, false}, {nil, false}} {
		l.apply(Options{Clients: []string{"codex"}, Grades: step.grades})
		text, err := os.ReadFile(filepath.Join(l.project, "AGENTS.md"))
		if err != nil || strings.Contains(string(text), "for a grade") != step.asks || !strings.Contains(string(text), "A bug you made costs a point") {
			t.Errorf("step %d: %v\n%s", i, err, text)
		}
		r, err := l.setup(Options{Clients: []string{"codex"}}).Look(t.Context())
		if err != nil || !r.Current {
			t.Errorf("step %d: it is not current: %+v, %v", i, r.Items, err)
		}
	}
	l.apply(Options{Clients: []string{"codex"}, Grades: &yes})
	r, err := l.setup(Options{Clients: []string{"codex"}, Grades: &no}).Look(t.Context())
	if err != nil || r.Current {
		t.Errorf("a choice against it finds nothing to do: %v", err)
	}
	l.apply(Options{Clients: []string{"codex"}, Remove: true})
	if left := l.tree(l.project); len(left) > 1 {
		t.Errorf("removal leaves %v", left)
	}
}

// A question for grades stays also where the habits beside it are those of another version.
func TestChoiceOfGradesOfAnotherVersion(t *testing.T) {
	for old, asks := range map[string]bool{"Older habits.\n" + embedded("grades.md"): true, "Older habits.\n": false} {
		l := newLab(t)
		before, _, err := edit.PutBlock("# Mine\n", old)
		if err != nil {
			t.Fatal(err)
		}
		l.write(filepath.Join(l.project, "AGENTS.md"), before, 0o644)
		l.apply(Options{Clients: []string{"codex"}})
		text, err := os.ReadFile(filepath.Join(l.project, "AGENTS.md"))
		if err != nil || strings.Contains(string(text), "Older") || strings.Contains(string(text), embedded("grades.md")) != asks {
			t.Errorf("after %q: %v\n%s", old, err, text)
		}
	}
}
