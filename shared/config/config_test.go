package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
)

// world is a home folder and a project in a temporary folder.
type world struct {
	t *testing.T
	Options
}

func newWorld(t *testing.T) *world {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, Options: Options{UserHome: filepath.Join(root, "home"), Project: filepath.Join(root, "project")}}
	w.Dir = w.Project
	for _, dir := range []string{w.UserHome, w.Project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// write makes a file; the path starts with home/ or project/.
func (w *world) write(path, text string) string {
	w.t.Helper()
	path = w.path(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) path(path string) string {
	return filepath.Join(filepath.Dir(w.UserHome), filepath.FromSlash(path))
}

func (w *world) load() *Config {
	w.t.Helper()
	c, err := Load(w.Options)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) origin(key string) string {
	w.t.Helper()
	v, err := w.load().Get(key)
	if err != nil {
		w.t.Fatal(err)
	}
	return v.Text() + " from " + filepath.ToSlash(v.Origin)
}

func TestLayers(t *testing.T) {
	w := newWorld(t)
	steps := []struct {
		layer func()
		want  string
	}{
		{func() {}, "300 from built-in"},
		{func() {
			w.write("home/.config/semfora-pm/config.json", "defaults:\n  sync:\n    auto_pull_threshold_seconds: 301\n")
		},
			"301 from ~/.config/semfora-pm/config.json:3"},
		{func() {
			w.write("home/.config/semfora-pm/config.json", "sync:\n    auto_pull_threshold_seconds: 302\ndefaults:\n  sync:\n    auto_pull_threshold_seconds: 301\n")
		},
			"302 from ~/.config/semfora-pm/config.json:2"},
		{func() {
			w.write("home/.agit/config.toml", "# mine\n\n[sync]\nauto_pull_threshold_seconds = 303\n")
		},
			"303 from ~/.agit/config.toml:4"},
		{func() {
			w.write("project/.pm/config.json", "{\n \"sync\": {\n  \"auto_pull_threshold_seconds\": 304 } }")
		},
			"304 from .pm/config.json:3"},
		{func() { w.write("project/.agit.toml", "sync.auto_pull_threshold_seconds = 305") }, "305 from .agit.toml:1"},
		{func() { w.Env = append(w.Env, "AGIT_CFG_SYNC_AUTO_PULL_THRESHOLD_SECONDS=306") },
			"306 from AGIT_CFG_SYNC_AUTO_PULL_THRESHOLD_SECONDS"},
	}
	for _, step := range steps {
		step.layer()
		if got := w.origin("sync.auto_pull_threshold_seconds"); got != step.want {
			t.Errorf("%s, want %s", got, step.want)
		}
	}
}

func TestFlagsWin(t *testing.T) {
	w := newWorld(t)
	w.Env = []string{"AGIT_CFG_LOG_LEVEL=error", "AGIT_DB=env.db", "AGIT_CFG_DATABASE_PATH=cfg.db"}
	if got := w.origin("database.path"); got != filepath.Join(w.UserHome, "env.db")+" from AGIT_DB" {
		t.Error(got)
	}
	w.LogLevel, w.Database = "DEBUG", "flag.db"
	if got := w.origin("log.level"); got != "debug from --log-level" {
		t.Error(got)
	}
	if got := w.origin("database.path"); got != filepath.Join(w.Project, "flag.db")+" from --db" {
		t.Error(got)
	}
}

func TestDatabasePath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths are written for Unix")
	}
	home := "/home/user"
	for _, c := range []struct {
		name string
		env  []string
		flag string
		want string
	}{
		{"default", nil, "", "/home/user/.agit/agit.db"},
		{"AGIT_HOME", []string{"AGIT_HOME=/srv/agit"}, "", "/srv/agit/agit.db"},
		{"relative AGIT_HOME", []string{"AGIT_HOME=work/agit"}, "", "/home/user/work/agit/agit.db"},
		{"AGIT_HOME with ~", []string{"AGIT_HOME=~/x"}, "", "/home/user/x/agit.db"},
		{"AGIT_DB", []string{"AGIT_DB=/srv/a.db", "AGIT_HOME=/other"}, "", "/srv/a.db"},
		{"relative AGIT_DB", []string{"AGIT_DB=a.db"}, "", "/home/user/a.db"},
		{"AGIT_DB with ~", []string{"AGIT_DB=~/a.db"}, "", "/home/user/a.db"},
		{"AGIT_DB as ~", []string{"AGIT_DB=~"}, "", "/home/user"},
		{"flag", []string{"AGIT_DB=/srv/a.db"}, "/tmp/b.db", "/tmp/b.db"},
		{"relative flag", nil, "b.db", "/work/b.db"},
		{"flag with ~", nil, "~/b.db", "/home/user/b.db"},
		{"flag upwards", nil, "../b.db", "/b.db"},
	} {
		got, err := Load(Options{UserHome: home, Dir: "/work", Env: c.env, Database: c.flag})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Database.Path != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.Database.Path, c.want)
		}
	}
	for given, want := range map[string]string{"": "", "p.json": "/home/user/p.json", "~/p.json": "/home/user/p.json", "/srv/p.json": "/srv/p.json"} {
		got, err := Load(Options{UserHome: home, Dir: "/work", Env: []string{"AGIT_CFG_WORK_PRICES=" + given}})
		if err != nil || got.Work.Prices != want {
			t.Errorf("prices %q: %v, want %s, %v", given, got, want, err)
		}
	}
	for given, want := range map[string]string{"trees": "trees", "../trees": "../trees", "~/trees": "/home/user/trees", "a/~": "a/~", "/srv/trees": "/srv/trees"} {
		got, err := Load(Options{UserHome: home, Dir: "/work", Env: []string{"AGIT_CFG_WORKTREE_DIR=" + given}})
		if err != nil || got.Worktree.Dir != want {
			t.Errorf("worktrees %q: %v, want %s, %v", given, got, want, err)
		}
	}
	for name, o := range map[string]Options{
		"other user": {UserHome: home, Env: []string{"AGIT_DB=~root/a.db"}},
		"NUL":        {UserHome: home, Database: "a\x00b", Dir: "/"},
		"no home":    {},
	} {
		if _, err := Load(o); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The files in semfora-pm's own documentation are read unchanged.
const (
	semforaProject = `# Project-specific configuration
# Located in project root

# Provider settings
provider: linear
provider_config:
  team_id: "YOUR_TEAM_ID"
  # For Jira:
  # url: https://company.atlassian.net
  # project_key: PROJ

sync:
  auto_pull_on_session_start: true
  auto_pull_threshold_seconds: 120
  pull_item_types:
    - ticket
    - sprint
  queue_changes_when_offline: true
memory:
  max_items_per_type: 90
session:
  max_events_before_compaction: 2000
acceptance_criteria:
  auto_parse: true
  patterns:
    - "AC:"
    - "- [ ]"
  require_evidence_for_verification: true
`
	semforaGlobal = `# User-wide configuration
# cache_dir: /custom/path
cache_dir: /custom
providers:
  linear:
    api_key: ${LINEAR_API_KEY}
  jira:
    url: https://company.atlassian.net
    email: ${JIRA_EMAIL}
    api_token: ${JIRA_TOKEN}
  asana:
    access_token: ${ASANA_TOKEN}
  azure_ado:
    organization: ${ADO_ORG}
    pat: ${ADO_PAT}
defaults:
  provider: azure_ado
  sync:
    auto_pull_threshold_seconds: 30
    push_debounce_seconds: 9
  memory:
    max_items_per_type: 77
`
)

func TestSemforaFiles(t *testing.T) {
	w := newWorld(t)
	w.Env = []string{"LINEAR_API_KEY=lin", "JIRA_EMAIL=me@example.org", "JIRA_TOKEN=jt$x", "ADO_ORG=org", "ADO_PAT=pat"}
	w.write("home/.config/semfora-pm/config.json", semforaGlobal)
	w.write("project/.pm/config.json", semforaProject)
	c := w.load()

	want := Default()
	want.Database.Path = filepath.Join(w.UserHome, ".agit", "agit.db")
	want.Provider = Provider{Name: "linear", TeamID: "YOUR_TEAM_ID"}
	want.Providers.Linear.APIKey = "lin"
	want.Providers.Jira.URL = "https://company.atlassian.net"
	want.Providers.Jira.Email = "me@example.org"
	want.Providers.Jira.APIToken = "jt$x"
	want.Providers.AzureDevOps.Organization = "org"
	want.Providers.AzureDevOps.PAT = "pat"
	want.Sync.AutoPullThresholdSeconds = 120
	want.Sync.PushDebounceSeconds = 9
	want.Sync.PullItemTypes = []string{"ticket", "sprint"}
	want.Memory.MaxItemsPerType = 90
	want.Session.MaxEventsBeforeCompaction = 2000
	want.Criteria.Patterns = []string{"AC:", "- [ ]"}
	want.Criteria.RequireEvidenceForVerification = true
	want.source, c.source = nil, &source{warnings: c.Warnings()}
	if len(c.Warnings()) > 0 {
		t.Errorf("warnings: %q", c.Warnings())
	}
	c.source = nil
	if diff := cmp.Diff(want, c, cmp.AllowUnexported(Config{})); diff != "" {
		t.Error(diff)
	}
}

func TestSemforaOriginsAndAliases(t *testing.T) {
	w := newWorld(t)
	w.write("home/.config/semfora-pm/config.json", semforaGlobal)
	w.write("project/.pm/config.json", semforaProject)
	for key, want := range map[string]string{
		"provider.name":                       "linear from .pm/config.json:5",
		"provider.team_id":                    "YOUR_TEAM_ID from .pm/config.json:7",
		"providers.azure_devops.organization": " from ~/.config/semfora-pm/config.json:14",
		"sync.push_debounce_seconds":          "9 from ~/.config/semfora-pm/config.json:20",
	} {
		if got := w.origin(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	w.write("project/.pm/config.json", `{"provider": "azure_ado", "provider_config": {"project": "P"}}`)
	if c := w.load(); c.Provider.Name != "azure_devops" || c.Provider.Project != "P" {
		t.Errorf("azure_ado is %+v", c.Provider)
	}
	w.write("home/.config/semfora-pm/config.json", `{"provider_config": {"pat": "${P}"}}`)
	w.Env = []string{"P=s3cret"}
	if got := w.load().Providers.AzureDevOps.PAT.Reveal(); got != "s3cret" {
		t.Errorf("credentials in provider_config of the user's file: %q", got)
	}
}

func TestExpansionOnlyInCredentials(t *testing.T) {
	w := newWorld(t)
	w.Env = []string{"SECRET=leaked"}
	w.write("home/.agit/config.toml", `
[worktree]
branch_prefix = "x/"
dir = "${SECRET}"
[hooks]
post_spawn = ["echo ${SECRET}"]
[providers.linear]
api_key_command = "pass ${SECRET}"
[providers.jira]
api_token = "a$SECRET${SECRET}b${}c${SECRET"
`)
	c := w.load()
	if c.Worktree.Dir != "${SECRET}" || c.Hooks.PostSpawn[0] != "echo ${SECRET}" || c.Providers.Linear.APIKeyCommand != "pass ${SECRET}" {
		t.Errorf("expanded outside credentials: %+v", c)
	}
	if got := c.Providers.Jira.APIToken.Reveal(); got != "a$SECRETleakedb${}c${SECRET" {
		t.Errorf("credential is %q", got)
	}
}

func TestUnknownKeys(t *testing.T) {
	w := newWorld(t)
	w.write("home/.agit/config.toml", "colour = true\n[agent]\nstale_afer = \"1m\"\n[agnt]\nx = 1\n[[repo]]\nname = \"a\"\ndefault_brnch = \"m\"\n")
	w.Env = []string{"AGIT_CFG_AGENT_STALEAFTER=1m", "AGIT_AGENT=me", "AGIT_TASK=t-1", "AGIT_PORT=20000", "AGIT_REPO=r", "AGIT_WORKTREE=w"}
	want := []string{
		"~/.agit/config.toml:8: unknown configuration key default_brnch; did you mean default_branch?",
		"~/.agit/config.toml:3: unknown configuration key agent.stale_afer; did you mean agent.stale_after?",
		"~/.agit/config.toml:5: unknown configuration key agnt.x",
		"~/.agit/config.toml:1: unknown configuration key colour",
		"unknown configuration key AGIT_CFG_AGENT_STALEAFTER; did you mean AGIT_CFG_AGENT_STALE_AFTER?",
	}
	var got []string
	for _, warning := range w.load().Warnings() {
		got = append(got, filepath.ToSlash(warning))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWrongValues(t *testing.T) {
	for text, want := range map[string]string{
		"[agent]\nstale_after = \"soon\"":              "config.toml:2: agent.stale_after has a wrong value: \"soon\" is not a duration",
		"[agent]\nstale_after = 5":                     "agent.stale_after must be a duration such as \"5m\", not 5",
		"[agent]\nstale_after = \"0\"":                 "agent.stale_after must be longer than 0",
		"[forge]\ninterval = \"9s\"":                   "forge.interval is 9s and must be at least 10s",
		"[agent]\nstale_after = \"-5m\"":               "is not a duration",
		"[agent]\nstale_after = \"11000d\"":            "longer than ten years",
		"max_database_size = \"1KB\"":                  "config.toml:1: max_database_size is 1KB and must be between 1MB and 2GB",
		"max_database_size = 3000000000":               "must be between 1MB and 2GB",
		"max_database_size = \"big\"":                  "is not a size",
		"[conflicts]\ndepth = \"deep\"":                "conflicts.depth is \"deep\" and must be one of file, lines, uses, merge",
		"[conflicts]\nworkers = 1.5":                   "conflicts.workers must be a whole number, not 1.5",
		"[conflicts]\nworkers = -1":                    "must be between 0 and 256",
		"[server]\nport = 70000":                       "must be between 0 and 65535",
		"[sync]\nauto_push_on_session_end = \"yes\"":   "must be true or false, not \"yes\"",
		"[sync]\npush_debounce_seconds = -1":           "must not be negative",
		"[hooks]\npost_spawn = [1]":                    "must be a list of texts, and element 1 is 1",
		"hooks = 1":                                    "", // an unknown key, and a warning
		"[worktree]\nbranch_prefix = \"-x\"":           "cannot begin the name of a branch",
		"[worktree]\nbranch_prefix = \"a b\"":          "cannot begin the name of a branch",
		"[worktree]\ndir = \"\"":                       "must name a folder",
		"[log]\nlevel = 1":                             "log.level must be text in quotes, not 1",
		"[log]\nlevel.x = 1":                           "log.level must be text in quotes, not a section",
		"[providers.linear]\napi_key = 123456":         "providers.linear.api_key must be text",
		"agent = \n":                                   "config.toml:1:",
		"[agent]\n[agent]\n":                           "config.toml:",
		"a = \"\x00\"":                                 "config.toml:1:",
		"\xff":                                         "config.toml:1:1",
		"repo = 1":                                     "repo must be a list of tables",
		"[[repo]]\ndefault_branch = \"x\"":             "a [[repo]] table needs a name",
		"[[repo]]\nname=\"A\"\n[[repo]]\nname = \"a\"": "config.toml:3: there is a second [[repo]] table named \"a\"",
		"[[repo]]\nname=\"a\"\nhooks.timeout = 1":      "config.toml:3: repo[0].hooks.timeout must be a duration",
	} {
		w := newWorld(t)
		w.write("home/.agit/config.toml", text)
		_, err := Load(w.Options)
		if want == "" && err == nil {
			continue
		}
		if !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "123456") {
			t.Errorf("the error shows a secret: %v", err)
		}
	}
}

func TestWrongVariables(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"AGIT_CFG_CONFLICTS_WORKERS=many", "AGIT_CFG_CONFLICTS_WORKERS must be a whole number"},
		{"AGIT_CFG_MAX_DATABASE_SIZE=1", "AGIT_CFG_MAX_DATABASE_SIZE is 1 and must be between"},
		{"AGIT_CFG_SYNC_AUTO_PUSH_ON_SESSION_END=ja", "must be true or false"},
		{"AGIT_CFG_HOOKS_POST_SPAWN=[1]", "must be a list"},
	} {
		_, err := Load(Options{UserHome: "/h", Env: []string{c.env}})
		if !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.env, err)
		}
	}
	c, err := Load(Options{UserHome: "/h", Env: []string{"AGIT_CFG_HOOKS_POST_SPAWN=one\ntwo", "AGIT_CFG_HOOKS_PRE_MERGE=[\"a b\"]",
		"AGIT_CFG_MAX_DATABASE_SIZE=1gb", "AGIT_CFG_SYNC_AUTO_PUSH_ON_SESSION_END=FALSE", "AGIT_CFG_LOG_LEVEL="}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one", "two"}, c.Hooks.PostSpawn); diff != "" {
		t.Error(diff)
	}
	if c.Hooks.PreMerge[0] != "a b" || c.MaxDatabaseSize != 1<<30 || c.Sync.AutoPushOnSessionEnd || c.Log.Level != "warn" {
		t.Errorf("variables give %+v", c)
	}
}

// Branches are shared where that is asked for, of all repositories or of one.
func TestShare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		all, one   string
		app, other bool
	}{{}, {"branches", "", true, true}, {"branches", "never", false, true}, {"never", "branches", true, false}} {
		all := Default()
		all.Share, all.Repos = c.all, []Repo{{Name: "app", Share: c.one}}
		if app, other := all.ForRepo("app").Share, all.ForRepo("other").Share; app != c.app || other != c.other {
			t.Errorf("%+v: %v, %v", c, app, other)
		}
	}
	if Default().ForRepo("app").Share {
		t.Error("branches are shared without being asked to")
	}
}

func TestConfigFlag(t *testing.T) {
	w := newWorld(t)
	w.write("home/.agit/config.toml", "log.level = \"error\"")
	w.write("project/other.toml", "log.level = \"debug\"")
	w.File = "other.toml"
	if got := w.load().Log.Level; got != "debug" {
		t.Errorf("--config: %s", got)
	}
	w.File = "missing.toml"
	if _, err := Load(w.Options); !fault.Is(err, fault.KindValidation) {
		t.Errorf("a missing --config file: %v", err)
	}
}

func TestRepos(t *testing.T) {
	w := newWorld(t)
	w.write("home/.agit/config.toml", `
[hooks]
post_spawn = ["general"]
timeout = "1m"
[[repo]]
name = "My.App"
default_branch = "trunk"
hooks.post_spawn = []
[[repo]]
name = "other"
[repo.worktree]
dir = "~/elsewhere"
`)
	w.write("project/.agit.toml", "[[repo]]\nname = \"MY.app\"\nworktree.dir = \"trees\"\nhooks.timeout=\"2m\"\n")
	if err := Trust(w.Options, files(t, w.Options)); err != nil {
		t.Fatal(err)
	}
	c := w.load()
	if diff := cmp.Diff(RepoSettings{DefaultBranch: "trunk", GateTimeout: 30 * time.Minute, Land: "review", Hooks: Hooks{PostSpawn: []string{}, Timeout: 2 * time.Minute}, WorktreeDir: "trees"},
		c.ForRepo("My.App")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(RepoSettings{GateTimeout: 30 * time.Minute, Land: "review", Hooks: Hooks{PostSpawn: []string{"general"}, Timeout: time.Minute}, WorktreeDir: w.path("home/elsewhere")},
		c.ForRepo("other")); diff != "" {
		t.Error(diff)
	}
	if got := c.ForRepo("my.app").WorktreeDir; got != "trees" {
		t.Errorf("a name in another case: %s", got)
	}
	if c.Repos[0].From != "~/.agit/config.toml:5" || len(c.Repos) != 2 {
		t.Errorf("%+v", c.Repos)
	}
	for key, want := range map[string]string{
		"repo[My.App].default_branch":   "trunk from ~/.agit/config.toml:7",
		"repo[My.App].hooks.post_spawn": "[] from ~/.agit/config.toml:8",
		"repo[My.App].worktree.dir":     "trees from .agit.toml:3",
		"repo[other].worktree.dir":      w.path("home/elsewhere") + " from ~/.agit/config.toml:12",
	} {
		if got := w.origin(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

func TestSchema(t *testing.T) {
	env := map[string]string{}
	for name, k := range schema() {
		if k.doc == "" {
			t.Errorf("%s has no description", name)
		}
		if other := env[EnvName(name)]; other != "" {
			t.Errorf("%s and %s share %s", name, other, EnvName(name))
		}
		env[EnvName(name)] = name
		if strings.HasSuffix(name, "_command") && !k.has(ruleUser) {
			t.Errorf("%s is a command that a project could set", name)
		}
		if (k.kind == secretType) != k.has(ruleSecret) {
			t.Errorf("%s: a secret has rules %q", name, k.rules)
		}
	}
	for name, k := range repoSchema() {
		if k.doc == "" {
			t.Errorf("repo.%s has no description", name)
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	w := newWorld(t)
	w.write("home/.agit/config.toml", "[providers.linear]\napi_key = \"hunter2\"\n")
	c := w.load()
	if c.Providers.Linear.APIKey.Reveal() != "hunter2" {
		t.Fatal("the secret is lost")
	}
	for _, v := range c.Origins() {
		if strings.Contains(v.Text(), "hunter2") {
			t.Errorf("%s shows the secret", v.Key)
		}
	}
	if got := w.origin("providers.linear.api_key"); got != "******** from ~/.agit/config.toml:2" {
		t.Error(got)
	}
}

func TestSecretsInExposedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no mode bits")
	}
	w := newWorld(t)
	w.Env = []string{"K=fromenv"}
	path := w.write("home/.agit/config.toml", "[providers.linear]\napi_key = \"hunter2\"\n[providers.asana]\naccess_token = \"${K}\"\n")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	c := w.load()
	if c.Providers.Linear.APIKey != "" || c.Providers.Asana.AccessToken != "fromenv" {
		t.Errorf("secrets: %q, %q", c.Providers.Linear.APIKey.Reveal(), c.Providers.Asana.AccessToken.Reveal())
	}
	if len(c.Warnings()) != 1 || !strings.Contains(c.Warnings()[0], "chmod 600") {
		t.Errorf("warnings: %q", c.Warnings())
	}
}

func TestForgivenFiles(t *testing.T) {
	w := newWorld(t)
	w.write("home/.agit/config.toml", "[agent]\nstale_after = \"7m\"\n")
	w.write("project/.pm/config.json", `{"sync": {"autoPullThreshold": 60}}`)
	if c, err := LoadForgiving(w.Options); err != nil || c.LeftOut() != "" {
		t.Errorf("nothing is wrong, and %q was left out: %v", c.LeftOut(), err)
	}
	w.write("project/.agit.toml", "[log]\nlevel = \"debug\"\nx [\n")
	if _, err := Load(w.Options); err == nil {
		t.Error("what acts goes on with a broken file")
	}
	c, err := LoadForgiving(w.Options)
	if err != nil || c.Agent.StaleAfter != 7*time.Minute || c.IsSet("log.level") {
		t.Fatalf("the user's own settings are not in force alone: %v", err)
	}
	if warnings := c.Warnings(); len(warnings) != 1 || warnings[0] != c.LeftOut() || !strings.Contains(c.LeftOut(), ".agit.toml:3:") || !strings.Contains(c.LeftOut(), w.Project) {
		t.Errorf("the warning does not name folder, file and line: %q", warnings)
	}
	w.write("home/.agit/config.toml", "x [\n")
	if _, err := LoadForgiving(w.Options); err == nil {
		t.Error("the user's own broken file is left out")
	}
}

func TestOddFiles(t *testing.T) {
	w := newWorld(t)
	w.write("project/.pm", "a file where a folder should be")
	w.write("home/.agit/config.toml", "\ufeff[log]\nlevel = \"debug\"\n")
	if got := w.load().Log.Level; got != "debug" {
		t.Errorf("byte order mark: %s", got)
	}
	if err := os.Mkdir(filepath.Join(w.Project, ".agit.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(w.Options); !fault.Is(err, fault.KindValidation) {
		t.Errorf("a folder as a file: %v", err)
	}
	w = newWorld(t)
	w.write("home/.agit/config.toml", "#"+strings.Repeat("x", maxFile))
	if _, err := Load(w.Options); !fault.Is(err, fault.KindValidation) {
		t.Errorf("a huge file: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("[agent]\nstale_after = \"5m\"\n[[repo]]\nname=\"a\"\nhooks.post_spawn=[\"x\"]\n", "provider: linear\nprovider_config: {pat: x}\n")
	f.Add("a.b.c = 1979-05-27\n[x]\ny=[{z=1}]\n", `{"providers": {"azure_ado": []}, "defaults": 1}`)
	f.Fuzz(func(t *testing.T, ours, legacy string) {
		w := newWorld(t)
		w.write("project/.agit.toml", ours)
		w.write("home/.agit/config.toml", ours)
		w.write("project/.pm/config.json", legacy)
		w.write("home/.config/semfora-pm/config.json", legacy)
		c, err := Load(w.Options)
		if err != nil {
			var fl *fault.Fault
			if !errors.As(err, &fl) || fl.Kind != fault.KindValidation {
				t.Fatal(err)
			}
			return
		}
		c.Origins()
		if _, err := ProjectFiles(w.Options); err != nil {
			t.Fatal(err)
		}
	})
}

// The command in a warning or hint can be typed as it is, even if a folder's name has a space.
func TestHintsQuotePaths(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no mode bits")
	}
	w := newWorld(t)
	w.Env = []string{"AGIT_HOME=" + w.path("home/my suite")}
	settings := w.write("home/my suite/config.toml", "[providers.linear]\napi_key = \"hunter2\"\n")
	if err := os.Chmod(settings, 0o644); err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(w.load().Warnings(), "\n"); !strings.Contains(said, "`chmod 600 '"+settings+"'`") {
		t.Errorf("warnings: %s", said)
	}
	record := w.write("home/my suite/"+trustFileName, "")
	if err := os.Chmod(record, 0o622); err != nil {
		t.Fatal(err)
	}
	_, err := (&loader{source: &source{home: filepath.Dir(record)}}).readTrust()
	var f *fault.Fault
	if !errors.As(err, &f) || f.Hint != "run `chmod 600 '"+record+"'` after looking at it" {
		t.Errorf("%v: %+v", err, f)
	}
}
