package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/doctor/worktreecheck"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// A version of git without merge-tree --write-tree is a warning, a git that does not answer is an error with a step.
func TestGitByItsVersion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    git.Version
		err  error
		want Check
	}{
		{git.Version{Major: 2, Minor: 38}, nil, Check{"git", "git", OK, "git 2.38.0", ""}},
		{git.Version{Major: 3, Minor: 1, Patch: 4}, nil, Check{"git", "git", OK, "git 3.1.4", ""}},
		{git.Version{Major: 2, Minor: 37, Patch: 9}, nil, Check{"git", "git", Warning, "git 2.37.9 is older than 2.38: conflicts at depth merge are not available", "upgrade git"}},
		{git.Version{}, errors.New("no answer"), Check{"git", "git", Error, fault.From(errors.New("no answer")).Error(), "install git and put it on PATH"}},
		{git.Version{}, fault.Operation(nil, "git is broken").WithHint("mend it"), Check{"git", "git", Error, "git is broken", "mend it"}},
	} {
		if diff := cmp.Diff(c.want, gitCheck(c.v, c.err)); diff != "" {
			t.Errorf("%v, %v: %s", c.v, c.err, diff)
		}
	}
}

// The programs of the suite by where they are and what they answer, each with its server.
func TestReleases(t *testing.T) {
	t.Parallel()
	at := func(name, path, version string, err error) installed { return installed{name, path, version, err} }
	whole := func(version string) []installed {
		return []installed{at("agit", "/bin/agit", version, nil), at("agit-mcp", "/bin/agit-mcp", version, nil)}
	}
	const again = "install the whole suite from one release"
	for name, c := range map[string]struct {
		found []installed
		path  map[string]string
		want  []Check
	}{
		"one release":       {whole("1"), nil, []Check{{"programs", "programs", OK, "all are 1", ""}}},
		"PATH names them":   {whole("1"), map[string]string{"agit": "/bin/agit"}, []Check{{"programs", "programs", OK, "all are 1", ""}}},
		"some are not here": {append(whole("1"), at("pmsync", "", "", nil), at("pmsync-mcp", "", "", nil), at("memoryd", "", "", nil)), nil, []Check{{"programs", "programs", OK, "all are 1; not installed: pmsync, memoryd", ""}}},
		"none":              {[]installed{at("agit", "", "", nil), at("agit-mcp", "", "", nil)}, nil, []Check{{"programs", "programs", Warning, "none of the suite's programs is beside this one or on PATH", again}}},
		"no server": {append(whole("1"), at("pmsync", "/bin/pmsync", "1", nil), at("pmsync-mcp", "", "", nil)), nil,
			[]Check{{"program pmsync-mcp", "programs", Warning, "is not installed: `pmsync serve` cannot start", again + ", so that its programs are in one folder"}}},
		"a server alone": {[]installed{at("agit", "", "", nil), at("agit-mcp", "/bin/agit-mcp", "1", nil)}, nil, []Check{{"programs", "programs", OK, "all are 1; not installed: agit", ""}}},
		"broken":         {[]installed{at("agit", "/bin/agit", "", errors.New("it ended"))}, nil, []Check{{"program agit", "programs", Error, "/bin/agit does not run: it ended", "install it again from the release of the others"}}},
		"two releases": {append(whole("2"), at("pmsync", "/bin/pmsync", "1", nil), at("pmsync-mcp", "/bin/pmsync-mcp", "1", nil)), nil,
			[]Check{{"versions", "programs", Warning, "the programs are of several releases: pmsync, pmsync-mcp 1; agit, agit-mcp 2", again}}},
		"another on PATH": {whole("1"), map[string]string{"agit-mcp": "/old/agit-mcp"},
			[]Check{{"program agit-mcp", "programs", Warning, "PATH leads to another one, /old/agit-mcp: shells, hooks and agent clients start that", "let PATH name /bin first"}}},
	} {
		if diff := cmp.Diff(c.want, release(c.found, func(name string) string { return c.path[name] })); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Room is scarce below a gigabyte, and none is left below 16 megabytes.
func TestBoundsOfRoom(t *testing.T) {
	t.Parallel()
	for free, want := range map[uint64]string{
		scarce: "", scarce - 1: "warning 1023 MB are left where the registry is", full: "warning 16 MB are left where the registry is",
		full - 1: "error hardly any room is left where the registry is: 16383 kB are left", 0: "error hardly any room is left where the registry is: 0 kB are left",
	} {
		got := ""
		for _, c := range room(nil, "registry", free, true) {
			got += string(c.Status) + " " + c.Message
		}
		if got != want {
			t.Errorf("%d: %q, want %q", free, got, want)
		}
		if got := room([]Check{{Name: "x"}}, "registry", free, false); len(got) != 1 {
			t.Errorf("%d, not known: %+v", free, got)
		}
	}
}

// A clock may be a minute ahead.
func TestClocksThatAreAhead(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	_, err := (&task.Store{DB: p.Fixture.DB}).Claim(t.Context(), "T-1", "ann")
	worktreetest.Must(t, err)
	for ahead, want := range map[time.Duration]string{50 * time.Second: "agents", 70 * time.Second: "clock", 0: "agents"} {
		p.Exec(`UPDATE agents SET last_seen_at = ?`, worktreetest.Stamp(ahead))
		checks, err := p.agents(t.Context(), false)
		if err != nil || len(checks) != 1 || checks[0].Name != want {
			t.Errorf("%s ahead: %+v, %v", ahead, checks, err)
		}
	}
}

// A [[repo]] table is for a registered repository, in any case of its name, or is named.
func TestTablesOfNoRepository(t *testing.T) {
	t.Parallel()
	d := &Doctor{Config: &config.Config{Repos: []config.Repo{{Name: "App", From: "f:1"}, {Name: "typo", From: "f:4"}}}}
	want := []string{"warning config, configuration: the [[repo]] table \"typo\" in f:4 is for no registered repository; correct its name; `agit repos` lists the repositories"}
	if diff := cmp.Diff(want, all(d.tables([]repo.Repo{{Name: "aPP"}}))); diff != "" {
		t.Error(diff)
	}
}

// The checks of git and of the configuration stand in a visit in their order, and leave it well.
func TestOrderOfAVisit(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	r, err := p.Visit(t.Context(), false)
	worktreetest.Must(t, err)
	var order []string
	for _, c := range r.Checks {
		if c.Category != "programs" && c.Category != "disk" && (len(order) == 0 || order[len(order)-1] != c.Category) {
			order = append(order, c.Category)
		}
	}
	if diff := cmp.Diff([]string{"registry", "git", "config", "repos", "worktrees", "agents", "tasks", "clients"}, order); diff != "" {
		t.Error(diff)
	}
}

// Repositories by their host and their folder, each with the whole check.
func TestRepositoriesInWords(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	look := func() Check { return p.check(p.repos, false, "repository app") }
	if diff := cmp.Diff(Check{"repository app", "repos", OK, p.Main.Dir, ""}, look()); diff != "" {
		t.Error(diff)
	}
	worktreetest.Must(t, os.Rename(filepath.Join(p.Main.Dir, ".git"), filepath.Join(p.Main.Dir, "away")))
	broken := look()
	if broken.Category != "repos" || broken.Status != Error || broken.Message == p.Main.Dir || broken.Fix == "" {
		t.Errorf("%+v", broken)
	}
	p.Exec(`UPDATE repos SET host = 'elsewhere'`)
	worktreetest.Must(t, os.Rename(filepath.Join(p.Main.Dir, "away"), filepath.Join(p.Main.Dir, ".git")))
	if c := look(); c.Status != Warning || c.Fix == "" {
		t.Errorf("with another name of the machine: %+v", c)
	}
	worktreetest.Must(t, os.Remove(filepath.Join(p.Main.Dir, ".git", "agit", "repo")))
	if diff := cmp.Diff(Check{"repository app", "repos", OK, "is on machine elsewhere", ""}, look()); diff != "" {
		t.Error(diff)
	}
}

// A finding with a remedy that only a person has stays an error under fix.
func TestFindingsKeepTheirWords(t *testing.T) {
	t.Parallel()
	f := worktreecheck.Finding{Worktree: "w-2", Text: "it is odd", Remedy: "look at it"}
	for _, fix := range []bool{false, true} {
		if diff := cmp.Diff(Check{"worktree w-2", "worktrees", Error, "it is odd", "look at it"}, finding(t.Context(), f, fix)); diff != "" {
			t.Errorf("fix %t: %s", fix, diff)
		}
	}
}
