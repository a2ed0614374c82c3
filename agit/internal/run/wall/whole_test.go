package wall

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// The whole command and environment of each kind of wall, around an agent and around a plain command.
func TestWholeCommands(t *testing.T) {
	t.Parallel()
	home := user(t, ".ssh/id", ".netrc", "tree/", "common/hooks/", "common/config", "main/", ".claude.json", ".claude/settings.json", ".claude/projects/p", ".claude/plugins/x", ".claude/.credentials.json", ".gitconfig", "door/", "cache/", "vault/key", "docs/a", "own/", "other.db",
		".agit/agit.db", "brief.md", "bin/claude")
	if runtime.GOOS != "linux" || !strings.HasPrefix(home, "/tmp/") {
		t.Skip("other folders are of each run's own here")
	}
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	env := []string{"PATH=" + at("bin") + ":/usr/bin:", "HOME=" + home, "KEY=x", "TMPDIR=/somewhere"}
	rooms := map[string]Room{
		"of an agent": {Run: "run-1", Dir: at("tree"), Git: Git{Common: at("common"), Main: at("main"), Write: []string{at("common")}, Fixed: []string{at("common/hooks"), at("common/config")}}, Client: "claude",
			Env: env, Door: at("door"), Cache: at("cache"), Show: []string{at("brief.md")}},
		"of a command": {Run: "run-2", Dir: at("tree"), Env: env},
	}
	set := Settings{Home: home, Data: at(".agit"), Registry: at("other.db"), Hide: []string{"~/vault"}, Read: []string{at("docs")}, Write: []string{"~/own"}}
	for _, kind := range []Kind{Bwrap, Docker, Seatbelt, Own} {
		var s strings.Builder
		tmp := ""
		for _, name := range []string{"of an agent", "of a command"} {
			w := &Wall{Spec: Spec{Kind: kind, Image: "node:22", Words: []string{"w", "--rw={write}", "--hide", "{hide}", "--ro={fixed}", "--at={dir}", "{command}"}}, path: "/bin/wall", set: set}
			in, err := w.Put(rooms[name], []string{at("bin/claude"), "-p"})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&s, "== %s %s, by %s, %d files\n%s\n== environment\n%s\n", kind, name, in.Maker, len(in.Files), strings.Join(in.Command, "\n"), strings.Join(in.Env, "\n"))
			if own := lookUp(in.Env, "TMPDIR"); strings.HasPrefix(own, "/tmp/") {
				tmp = own
				text := strings.ReplaceAll(s.String(), own, "<own tmp>")
				s.Reset()
				s.WriteString(text)
			}
			in.Close()
			if tmp != "" && exists(tmp) {
				t.Errorf("%s stays", tmp)
			}
		}
		user := fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
		clitest.Golden(t, filepath.Join("testdata", "commands", string(kind)+".txt"), strings.NewReplacer(home, "<home>", user, "<user>").Replace(s.String()))
	}
}

// Variables are set once, the last of several counts, and paths are those of folders in PATH.
func TestEnvironments(t *testing.T) {
	t.Parallel()
	env := []string{"A=1", "B=2", "A=3", "AB=4"}
	if diff := cmp.Diff([]string{"B=2", "AB=4", "A=x=y"}, with(env, "A=x=y")); diff != "" || env[0] != "A=1" {
		t.Error(diff)
	}
	for name, want := range map[string]string{"A": "3", "B": "2", "AB": "4", "C": ""} {
		if got := lookUp(env, name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if diff := cmp.Diff([]string{"/a", "/b"}, programs([]string{"PATH=/a::/:/b"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"GOCACHE=/c/go-build", "npm_config_cache=/c/npm", "PIP_CACHE_DIR=/c/pip", "UV_CACHE_DIR=/c/uv"}, caches([]string{"GOCACHE=/x"}, "/c")); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		p, folder string
		want      bool
	}{{"/a", "/a", true}, {"/a/b", "/a", true}, {"/a/b", "/a/", true}, {"/ab", "/a", false}, {"/", "/a", false}, {"/a", "/", true}, {"/a", "", false}} {
		if below(c.p, c.folder) != c.want {
			t.Errorf("%s lies in %s: %v", c.p, c.folder, !c.want)
		}
	}
	if resolved("relative") != "" || resolved("/no/such/folder") != "" {
		t.Error("a path that does not exist is resolved")
	}
	w := &Wall{set: Settings{Home: "/h"}}
	if w.expand("~/x") != "/h/x" || w.expand("/x") != "/x" || w.cacheFolder(nil) != "/h/.cache" || w.cacheFolder([]string{"XDG_CACHE_HOME=/c"}) != "/c" || w.cacheFolder([]string{"XDG_CACHE_HOME=c"}) != "/h/.cache" {
		t.Error("paths of the home folder are others")
	}
	list := ordered([]mount{{read, "/b", ""}, {write, "/a/b", ""}, {empty, "/a", ""}, {blank, "/a-b", ""}, {write, "/b", "/c"}})
	if diff := cmp.Diff([]mount{{blank, "/a-b", ""}, {empty, "/a", ""}, {write, "/a/b", ""}, {write, "/b", "/c"}}, list, cmp.AllowUnexported(mount{})); diff != "" {
		t.Error(diff)
	}
}

// Names of walls tell them apart; without one there is none, no cache and no setting.
func TestNames(t *testing.T) {
	t.Parallel()
	for want, w := range map[string]*Wall{"none": nil, "docker:node:22": {Spec: Spec{Kind: Docker, Image: "node:22"}}, "mine": {Spec: Spec{Kind: Own, Words: []string{"/bin/mine", "x"}}}, "bwrap": {Spec: Spec{Kind: Bwrap}}} {
		if got := w.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var none *Wall
	w := &Wall{set: Settings{Data: "/data", Sandbox: []string{"bwrap"}}}
	if none.Cache("x") != "" || w.Cache("x") != filepath.FromSlash("/data/cache/walls/x") || len(none.Setting()) != 0 || none.Setting() == nil || !cmp.Equal(w.Setting(), []string{"bwrap"}) {
		t.Error("a wall's cache or setting is another")
	}
	var unwanted *Wanted
	for want, w := range map[string]*Wanted{"": unwanted, "bwrap": {Settings: Settings{Sandbox: []string{"bwrap"}}}, "docker node:22": {Settings: Settings{Sandbox: []string{"docker", "node:22"}}}} {
		if got := w.Name(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := (&Wanted{Settings: Settings{Sandbox: []string{"none"}}}).Name(); got != "" {
		t.Errorf("%q", got)
	}
}
