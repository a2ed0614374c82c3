package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/wall"
	"github.com/agit-suite/agit/agit/internal/setup"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/githook"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// onPath makes the programs of a test the only ones on PATH beside git.
func onPath(t *testing.T) (put func(program, script string)) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func(program, script string) {
		t.Helper()
		gittest.WriteProgram(t, filepath.Join(bin, program), "#!/bin/sh\n"+script+"\n")
	}
}

// TestClientsThatAreSetUp holds what is told of clients that are set up: current, changed, set up twice, and not known.
func TestClientsThatAreSetUp(t *testing.T) {
	put := onPath(t)
	for _, program := range []string{"agit", "agit-mcp"} {
		put(program, `echo '{"version":"1"}'`)
	}
	home, dir := t.TempDir(), t.TempDir()
	of := func(scope setup.Scope, clients ...string) *setup.Setup {
		return &setup.Setup{Dir: dir, Home: home, Suite: filepath.Join(home, ".agit"), Getenv: os.Getenv, Options: setup.Options{Scope: scope, Clients: clients, Servers: []string{"agit"}}}
	}
	look := func(setups ...*setup.Setup) []string {
		t.Helper()
		checks, err := (&Doctor{Clients: setups}).clients(t.Context(), false)
		worktreetest.Must(t, err)
		return all(checks)
	}
	none := []string{"ok clients, clients: no agent client is set up here; `agit setup` sets up those that are installed;"}
	if diff := cmp.Diff(none, look(of(setup.Project, "codex"), of(setup.User, "codex"))); diff != "" {
		t.Error(diff)
	}
	for _, client := range []string{"codex", "cursor"} {
		if _, err := of(setup.Project, client).Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	current := []string{"ok clients, clients: codex, cursor: what is set up is current;"}
	if diff := cmp.Diff(current, look(of(setup.Project, "codex"), of(setup.Project, "codex", "cursor"), of(setup.User, "codex"))); diff != "" {
		t.Error(diff)
	}
	worktreetest.Must(t, os.Remove(filepath.Join(dir, ".cursor", "mcp.json")))
	got := look(of(setup.Project, "cursor"))
	want := []string{"warning clients, client cursor: server agit in .cursor/mcp.json is missing; `agit setup cursor`"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	worktreetest.Must(t, os.WriteFile(filepath.Join(dir, ".cursor", "mcp.json"), []byte("{"), 0o644))
	if got = look(of(setup.Project, "cursor"), of(setup.Project, "codex")); len(got) != 1 || !strings.HasPrefix(got[0], "warning clients, client cursor: server agit in .cursor/mcp.json is broken: ") {
		t.Errorf("%q", got)
	}
	if got = look(of(setup.Project, "nothing"), of(setup.Project, "cursor")); len(got) != 2 || !strings.HasPrefix(got[0], `warning clients, clients: `) || !strings.Contains(got[0], "nothing") || !strings.HasPrefix(got[1], "warning clients, client cursor") {
		t.Errorf("%q", got)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if checks, err := (&Doctor{Clients: []*setup.Setup{of(setup.Project, "codex")}}).clients(ended, false); checks != nil || err == nil {
		t.Errorf("after the end: %+v, %v", checks, err)
	}
}

// TestTrackerAnswers holds what is told of a tracker that answers, is away, refuses, and has no program.
func TestTrackerAnswers(t *testing.T) {
	put := onPath(t)
	d := &Doctor{Config: config.Default(), Dir: t.TempDir()}
	look := func() []string {
		t.Helper()
		checks, err := d.tracker(t.Context(), false)
		worktreetest.Must(t, err)
		return all(checks)
	}
	d.Config.Provider.Name = "local"
	if got := look(); got != nil {
		t.Errorf("%q", got)
	}
	d.Config.Provider.Name = "jira"
	if got := look(); len(got) != 1 || !strings.HasPrefix(got[0], "warning tracker, tracker jira: the program pmsync, which does this, is not in ") {
		t.Errorf("%q", got)
	}
	fails := func(kind fault.Kind, retryable bool) string {
		wire, _ := json.Marshal(map[string]any{"error": kind, "message": "it is away", "retryable": retryable})
		return "echo '" + string(wire) + "' >&2; exit 1"
	}
	for _, c := range []struct{ script, want string }{
		{`[ "$*" = "status --online --json" ] && [ "$PWD" = "` + d.Dir + `" ] && echo '{"account": "ann@example.com"}'`, "ok tracker, tracker jira: answers, and knows you as ann@example.com;"},
		{fails(fault.KindProvider, true), "warning tracker, tracker jira: it is away; changes of yours wait until it can be reached; `pmsync sync` then"},
		{fails(fault.KindProvider, false), "error tracker, tracker jira: it is away; `pmsync providers` shows which credentials are missing; `pmsync connect jira` tests them"},
		{fails(fault.KindValidation, false), "warning tracker, tracker jira: it is away; `pmsync status --online` tries again"},
	} {
		put("pmsync", c.script)
		if diff := cmp.Diff([]string{c.want}, look()); diff != "" {
			t.Error(diff)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if checks, err := d.tracker(ended, false); checks != nil || err == nil {
		t.Errorf("after the end: %+v, %v", checks, err)
	}
}

// TestProgramsThatAreFound asks each of the suite's programs for its version, and compares the places.
func TestProgramsThatAreFound(t *testing.T) {
	put := onPath(t)
	for _, name := range programNames() {
		put(name, `[ "$*" = "version --json" ] && echo '{"version":"1.2.3"}'`)
	}
	checks, err := (&Doctor{}).programs(t.Context(), false)
	if diff := cmp.Diff([]string{"ok programs, programs: all are 1.2.3;"}, all(checks)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	put("agit-mcp", "echo broken >&2; exit 3")
	checks, err = (&Doctor{}).programs(t.Context(), false)
	if got := all(checks); err != nil || len(got) != 1 || !strings.HasPrefix(got[0], "error programs, program agit-mcp: ") || !strings.HasSuffix(got[0], "agit-mcp does not run: agit-mcp failed: broken; install it again from the release of the others") {
		t.Errorf("%q, %v", got, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	worktreetest.Must(t, os.Symlink(filepath.Dir(link), link))
	if got := real(link); got != real(filepath.Dir(link)) || real("/nothing/there") != "/nothing/there" {
		t.Errorf("%s", got)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if checks, err = (&Doctor{}).programs(ended, false); checks != nil || err == nil {
		t.Errorf("after the end: %+v, %v", checks, err)
	}
	at := func(name, path string) installed { return installed{name: name, path: path, version: "1"} }
	other := release([]installed{at("agit", "/my bin/agit"), at("agit-mcp", "/my bin/agit-mcp")}, func(name string) string { return map[string]string{"agit": "/old/agit"}[name] })
	if diff := cmp.Diff([]string{"warning programs, program agit: PATH leads to another one, /old/agit: shells, hooks and agent clients start that; let PATH name '/my bin' first"}, all(other)); diff != "" {
		t.Error(diff)
	}
}

// TestConfigurationIsJudged holds what is told of keys that are not known, and of a project's file that was left out.
func TestConfigurationIsJudged(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		worktreetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		worktreetest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(filepath.Join(home, ".agit", "config.toml"), "nothing = 1\n")
	load := func() []string {
		t.Helper()
		c, err := config.LoadForgiving(config.Options{UserHome: home, Project: project, Dir: project})
		worktreetest.Must(t, err)
		checks, err := (&Doctor{Config: c}).config(t.Context(), false)
		worktreetest.Must(t, err)
		return all(checks)
	}
	if got := load(); len(got) != 1 || !strings.HasPrefix(got[0], "warning config, configuration: ") || !strings.Contains(got[0], "nothing") {
		t.Errorf("%q", got)
	}
	for _, name := range []string{".agit.toml", "agit.toml", filepath.Join(".agit", "config.toml")} {
		write(filepath.Join(project, name), "gate = [\n")
	}
	got := load()
	if !slices.ContainsFunc(got, func(line string) bool {
		return strings.HasPrefix(line, "error config, configuration: ") && strings.Contains(line, project)
	}) ||
		!slices.ContainsFunc(got, func(line string) bool {
			return strings.HasPrefix(line, "warning config, configuration: ") && strings.Contains(line, "nothing")
		}) {
		t.Errorf("%q", got)
	}
}

// TestRegistryIsJudged holds what is told of a sound registry, of one that is nearly full, and of its folder.
func TestRegistryIsJudged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agit.db")
	look := func() []string {
		t.Helper()
		db, err := registry.Open(t.Context(), registry.Options{Path: path})
		worktreetest.Must(t, err)
		defer db.Close()
		checks, err := (&Doctor{DB: db}).registry(t.Context(), false)
		worktreetest.Must(t, err)
		return all(checks)
	}
	sound := regexp.MustCompile(`^ok registry, registry: ` + regexp.QuoteMeta(path) + fmt.Sprintf(` is sound: schema %d, SQLite %s, journal wal, \d.\d MB of at most 513 MB;$`, registry.SchemaVersion, registry.SQLiteVersion()))
	if got := look(); len(got) != 1 || !sound.MatchString(got[0]) {
		t.Errorf("%q", got)
	}
	db, err := registry.Open(t.Context(), registry.Options{Path: path, MaxSize: registry.MinMaxSize})
	worktreetest.Must(t, err)
	defer db.Close()
	f := worktreetest.Of(t, gittest.New(t), db)
	report, err := db.Check(t.Context())
	worktreetest.Must(t, err)
	for _, c := range []struct {
		tenths int64
		checks int
	}{{8, 1}, {9, 2}} { // of the limit, and a little more
		f.Exec(`UPDATE repos SET remote_url = ''`)
		f.Exec(`UPDATE repos SET remote_url = ?`, strings.Repeat("x", int(report.LimitBytes*c.tenths/10-report.StoredBytes+report.LimitBytes/50)))
		checks, err := (&Doctor{DB: db}).registry(t.Context(), false)
		worktreetest.Must(t, err)
		got := all(checks)
		if len(got) != c.checks || c.checks > 1 && (!strings.HasPrefix(got[1], "warning registry, registry size: the registry uses ") || !strings.HasSuffix(got[1], "; raise max_database_size, or give unused pages back with `agit db vacuum`")) {
			t.Errorf("at %d tenths: %q", c.tenths, got)
		}
	}
}

// TestCopiesAreNamed lists the copies beside a registry that is damaged, and which one mends it.
func TestCopiesAreNamed(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "my files")
	worktreetest.Must(t, os.Mkdir(folder, 0o755))
	path, copied := filepath.Join(folder, "agit.db"), filepath.Join(folder, "copy.db")
	db, err := registry.Open(t.Context(), registry.Options{Path: path})
	worktreetest.Must(t, err)
	worktreetest.Must(t, db.Backup(t.Context(), copied, false))
	worktreetest.Must(t, db.Close())
	at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.Local)
	worktreetest.Must(t, os.Chtimes(copied, at, at))
	want := []string{
		"error registry, registry: " + path + ": the page is wrong; `agit db restore '" + copied + "'` puts the newest copy back and keeps the damaged file",
		"ok registry, copy: " + copied + ", of 2026-11-25 12:00, is sound;",
	}
	if diff := cmp.Diff(want, all(damaged(t.Context(), path, "the page is wrong"))); diff != "" {
		t.Error(diff)
	}
	want[0] = "error registry, registry: the file " + path + " is wrong; `agit db restore '" + copied + "'` puts the newest copy back and keeps the damaged file"
	r := Damaged(t.Context(), path, fault.Database(nil, "the file %s is wrong", path))
	if diff := cmp.Diff(want, all(r.Checks)); diff != "" || r.OK {
		t.Error(diff, r.OK)
	}
}

// TestLeftoversGo removes by request the copies that killed processes left.
func TestLeftoversGo(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	left := filepath.Join(filepath.Dir(p.Fixture.DB.Path()), "copy.db.part")
	worktreetest.Must(t, os.WriteFile(left, []byte("half"), 0o600))
	old := time.Now().Add(-2 * time.Hour)
	worktreetest.Must(t, os.Chtimes(left, old, old))
	for _, c := range []struct {
		fix  bool
		want string
	}{{false, "warning"}, {true, "fixed"}} {
		checks, err := p.leftovers(t.Context(), c.fix)
		fix := map[bool]string{false: "`agit doctor --fix` removes them; the next `agit db merge` does too", true: "removed"}[c.fix]
		if diff := cmp.Diff([]string{c.want + " registry, leftovers: processes that were killed left copies of a registry that nothing needs: " + left + "; " + fix}, all(checks)); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if _, err := os.Stat(left); os.IsNotExist(err) != c.fix {
			t.Errorf("with fix %t: %v", c.fix, err)
		}
	}
}

// TestRoomInWords holds what is told of disks with little room, and with enough.
func TestRoomInWords(t *testing.T) {
	t.Parallel()
	fix := "; make room; `agit cleanup` moves worktrees that are done into the trash, which is emptied after its time"
	var checks []Check
	for whose, free := range map[string]uint64{"registry": 300<<20 + 5} {
		checks = room(checks, whose, free, true)
	}
	checks = room(checks, "repository app", 5<<10, true)
	want := []string{"warning disk, disk: 300 MB are left where the registry is" + fix, "error disk, disk: hardly any room is left where the repository app is: 5 kB are left; free some space on that disk"}
	if diff := cmp.Diff(want, all(checks)); diff != "" {
		t.Error(diff)
	}
	p := newPatient(t)
	got := all(p.disk([]repo.Repo{{Name: "app", Path: p.Main.Dir}}))
	if runtime.GOOS == "linux" && len(got) == 1 && !regexp.MustCompile(`^ok disk, disk: \d+ GB are free where the registry is;$`).MatchString(got[0]) {
		t.Errorf("%q", got)
	}
}

// TestFoldersOfARepository lists what git and agit write in a repository.
func TestFoldersOfARepository(t *testing.T) {
	t.Parallel()
	common := t.TempDir()
	for _, folder := range []string{"objects/0a", "objects/pack"} {
		worktreetest.Must(t, os.MkdirAll(filepath.Join(common, filepath.FromSlash(folder)), 0o755))
	}
	worktreetest.Must(t, os.WriteFile(filepath.Join(common, "objects", "file"), nil, 0o644))
	want := []string{common, filepath.Join(common, "refs"), filepath.Join(common, "refs", "heads"), "/app", filepath.Join(common, "objects"),
		filepath.Join(common, "agit"), filepath.Join(common, "agit", "trash"), filepath.Join(common, "objects", "0a"), filepath.Join(common, "objects", "pack")}
	if diff := cmp.Diff(want, repoFolders(repo.Repo{Path: "/app", CommonDir: common})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/x", "/x/agit.db", "/x/agit.db-wal", "/x/agit.db-shm", "/x/agit.db-present"}, registryFiles("/x/agit.db")); diff != "" {
		t.Error(diff)
	}
}

// TestWallIsJudged holds what is told of a wall that cannot be, and of a program that is one.
func TestWallIsJudged(t *testing.T) {
	put := onPath(t)
	d := &Doctor{Wall: &wall.Wanted{Settings: wall.Settings{Sandbox: []string{"no-such-wall"}}}}
	checks, err := d.sandbox(t.Context(), false)
	if got := all(checks); err != nil || len(got) != 1 || !strings.HasPrefix(got[0], "error sandbox, sandbox: ") || !strings.Contains(got[0], "no-such-wall") || checks[0].Fix == "" {
		t.Errorf("%q, %v", got, err)
	}
	put("my-wall", `shift; exec "$@"`)
	d.Wall = &wall.Wanted{Settings: wall.Settings{Sandbox: []string{"my-wall", "--"}}}
	checks, err = d.sandbox(t.Context(), false)
	if got := all(checks); err != nil || len(got) != 1 || !strings.HasPrefix(got[0], "ok sandbox, sandbox: agents of `agit work` and gates run inside my-wall, which works here;") {
		t.Errorf("%q, %v", got, err)
	}
}

// TestHookThatCannotBeWritten stays a warning, with the reason.
func TestHookThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	worktreetest.Must(t, os.WriteFile(file, nil, 0o644))
	c := Check{Status: Warning, Message: "old", Fix: "write"}
	c.mend(githook.Suite()[0], filepath.Join(file, "hook"))
	if c.Status != Warning || c.Fix != "write" || !strings.HasPrefix(c.Message, "old: ") {
		t.Errorf("%+v", c)
	}
}

// TestVisitOfAClosedRegistry reports each area that could not be looked at, and looks at the others; an ended visit has no report.
func TestVisitOfAClosedRegistry(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	ended, end := context.WithCancel(t.Context())
	end()
	if r, err := p.Visit(ended, false); err == nil || r.OK {
		t.Errorf("after the end: %+v, %v", r, err)
	}
	worktreetest.Must(t, p.Fixture.DB.Close())
	r, err := p.Visit(t.Context(), false)
	if err != nil || r.OK {
		t.Errorf("%+v, %v", r.OK, err)
	}
	failed := map[string]Status{}
	for _, c := range r.Checks {
		failed[c.Name] = c.Status
	}
	for name, want := range map[string]Status{"registry": Error, "repos": Error, "worktrees": Error, "agents": Error, "tasks": Error, "configuration": OK, "git": OK} {
		if failed[name] != want {
			t.Errorf("%s: %q, want %q", name, failed[name], want)
		}
	}
}

// TestItemsInACircle names them in their order, with the way out.
func TestItemsInACircle(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	fine := "ok tasks, dependencies: every item knows what it waits for;"
	look := func(fix bool) []string {
		t.Helper()
		checks, err := p.dependencies(t.Context(), fix)
		worktreetest.Must(t, err)
		return all(checks)
	}
	if diff := cmp.Diff([]string{fine}, look(false)); diff != "" {
		t.Error(diff)
	}
	p.Exec(`INSERT INTO dependencies (uid, source_id, target_id, relation, notes, created_at) SELECT 'x', b.id, a.id, 'blocks', '', '2026-01-01T00:00:00.000Z'
		FROM items a, items b WHERE a.ref = 'T-1' AND b.ref = 'T-2'`)
	p.Exec(`UPDATE items SET holds = 7 WHERE ref IN ('T-1', 'T-2')`)
	got := look(false)
	if len(got) != 2 || got[0] != "error tasks, dependencies: 2 items have a wrong count of what they wait for; `agit doctor --fix` counts again" || !regexp.MustCompile("^error tasks, cycle: these wait for each other in a circle: T-. → T-. → T-.; take one of the edges away with `agit graph unlink`$").MatchString(got[1]) {
		t.Errorf("%q", got)
	}
	if got = look(true); len(got) != 2 || got[0] != "fixed tasks, dependencies: 2 items have a wrong count of what they wait for; counted again" {
		t.Errorf("%q", got)
	}
	if got = look(false); len(got) != 2 || got[0] != fine {
		t.Errorf("%q", got)
	}
}
