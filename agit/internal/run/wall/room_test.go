package wall

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/door"
)

// user creates a home folder with files and returns it.
func user(t *testing.T, files ...string) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		p := filepath.Join(home, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(p, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(p), 0o755); err == nil {
			err = os.WriteFile(p, []byte(name), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// seen returns how a plan mounts a path: by the nearest mount above it.
func seen(list []mount, p string) (h how, at string) {
	h = -1
	for _, m := range list {
		if below(p, m.at) {
			h, at = m.how, m.at
		}
	}
	return h, at
}

func TestPlan(t *testing.T) {
	t.Parallel()
	home := user(t, ".ssh/id", ".netrc", ".config/gh/hosts.yml", ".agit/agit.db", ".agit/logs/w-1/brief.md", "vault/key", "cache/x", "src/repo/file", "tree/", "own/", "other.db", "other.db-wal", ".kube/config",
		".claude/settings.json", ".claude/projects/p", ".claude/plugins/x", ".claude/.credentials.json", ".claude.json")
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	w := &Wall{set: Settings{Home: home, Data: at(".agit"), Registry: at("other.db"), Hide: []string{"~/vault"}, Read: []string{"~/.kube"}, Write: []string{"~/own"}}}
	list, err := w.plan(Room{Dir: at("tree"), Git: Git{Common: at("src/repo"), Main: at("src"), Write: []string{at("src/repo")}, Fixed: []string{at("src/repo/file")}}, Client: "claude",
		Show: []string{at(".agit/logs/w-1/brief.md")}, Cache: at("cache"), Env: []string{"PATH=/usr/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]how{
		".ssh/id": empty, ".netrc": blank, ".config/gh/hosts.yml": empty, ".agit/agit.db": empty, ".agit/logs/w-1/other": empty, ".agit/logs/w-1/brief.md": read, "vault/key": empty,
		"other.db": blank, "other.db-wal": blank, ".kube/config": read, "own/x": write, "tree/x": write, "src/repo/x": write, "src/repo/file": read,
		".claude/new": fresh, ".claude/settings.json": copied, ".claude/projects/p": write, ".claude/todos/x": write, ".claude/plugins/x": read, ".claude/.credentials.json": write, ".claude.json": copied,
	} {
		if got, by := seen(list, at(name)); got != want {
			t.Errorf("%s is seen as %d by %s, want %d", name, got, by, want)
		}
	}
	if i := slices.IndexFunc(list, func(m mount) bool { return m.at == at(".cache") }); i >= 0 {
		t.Error("a cache folder that does not exist has a place")
	}
	for i, m := range list {
		if slices.ContainsFunc(list[:i], func(earlier mount) bool { return earlier.at == m.at || below(earlier.at, m.at) }) {
			t.Errorf("%s comes after what lies in it", m.at)
		}
	}
	w.set.Write = []string{"~/missing"}
	if _, err := w.plan(Room{Dir: at("tree")}); err == nil || !strings.Contains(err.Error(), `"~/missing" of work.sandbox_write does not exist`) {
		t.Errorf("a path that does not exist: %v", err)
	}
}

// State folders follow the clients' variables. A state folder that is kept whole contains program folders that are read-only.
func TestStates(t *testing.T) {
	t.Parallel()
	home := user(t, "conf/settings.json", ".claude/projects/x", "data/opencode/log", ".local/state/opencode/x")
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	list := ordered(stateOf("claude", home, []string{"CLAUDE_CONFIG_DIR=" + at("conf")}))
	if how, _ := seen(list, at(".claude/projects/x")); how != -1 {
		t.Errorf("the default folder is seen as %d", how)
	}
	if how, _ := seen(list, at("conf/settings.json")); how != copied {
		t.Errorf("the named folder is seen as %d", how)
	}
	list = ordered(stateOf("opencode", home, []string{"XDG_DATA_HOME=" + at("data")}))
	for name, want := range map[string]how{"data/opencode/log": write, "data/opencode/bin/x": read, "data/opencode/plugins/x": read, ".local/state/opencode/x": write} {
		if got, _ := seen(list, at(name)); got != want {
			t.Errorf("%s is seen as %d, want %d", name, got, want)
		}
	}
	if list := stateOf("nothing known", home, nil); list != nil {
		t.Errorf("an unknown client: %+v", list)
	}
	for client, all := range states {
		for _, s := range all {
			if s.Folder == "" || filepath.IsAbs(s.Folder) || s.Keeps != nil && s.Fixed != nil {
				t.Errorf("%s: %+v", client, s)
			}
		}
	}
}

// following reports whether words appear in a command in sequence.
func following(command []string, words ...string) bool {
	for i := range command {
		if len(command[i:]) >= len(words) && slices.Equal(command[i:i+len(words)], words) {
			return true
		}
	}
	return false
}

func TestCommands(t *testing.T) {
	t.Parallel()
	home := user(t, ".ssh/id", "tree/", "common/hooks/", ".claude.json", "door/", "cache/")
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	room := Room{Run: "run-1", Dir: at("tree"), Git: Git{Common: at("common"), Write: []string{at("common")}, Fixed: []string{at("common/hooks")}}, Client: "claude",
		Env: []string{"PATH=/usr/bin", "HOME=" + home, "KEY=x", "TMPDIR=/somewhere"}, Door: at("door"), Cache: at("cache")}
	put := func(s Spec, path string) Inside {
		t.Helper()
		in, err := (&Wall{Spec: s, path: path, set: Settings{Home: home}}).Put(room, []string{"/usr/bin/claude", "-p"})
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	in := put(Spec{Kind: Bwrap}, "/bin/bwrap")
	defer in.Close()
	for _, want := range [][]string{{"--cap-drop", "ALL"}, {"--unshare-pid"}, {"--die-with-parent"}, {"--ro-bind", "/", "/"}, {"--tmpfs", at(".ssh")}, {"--remount-ro", at(".ssh")}, {"--bind", at("tree"), at("tree")},
		{"--bind", at("common"), at("common")}, {"--ro-bind", at("common/hooks"), at("common/hooks")}, {"--bind-data", "3", at(".claude.json")}, {"--bind", at("cache"), at(".cache")},
		{"--ro-bind", at("door"), "/run/agit"}, {"--chdir", at("tree"), "--", "/usr/bin/claude", "-p"}} {
		if !following(in.Command, want...) {
			t.Errorf("bwrap lacks %q: %q", want, in.Command)
		}
	}
	if lookUp(in.Env, "TMPDIR") != "/tmp" || lookUp(in.Env, door.Variable) != "/run/agit/door" || lookUp(in.Env, "GIT_CONFIG_COUNT") != "4" || len(in.Files) != 1 || in.Maker != "bwrap" {
		t.Errorf("the environment is %q, %d files, %q", in.Env, len(in.Files), in.Maker)
	}

	in = put(Spec{Kind: Docker, Image: "node:22"}, "/bin/docker")
	for _, want := range [][]string{{"/bin/docker", "run", "--rm"}, {"--name", "agit-run-1"}, {"--cap-drop", "ALL"}, {"--env", "AGIT_RUN"}, {"--env", "KEY"}, {"--workdir", at("tree")},
		{"--mount", "type=bind,src=" + at("tree") + ",dst=" + at("tree")}, {"--mount", "type=bind,src=" + at("common/hooks") + ",dst=" + at("common/hooks") + ",readonly"},
		{"--mount", "type=bind,src=" + at("cache") + ",dst=" + at(".cache")}, {"--mount", "type=bind,src=" + at("door") + ",dst=/run/agit"}, {"node:22", "claude", "-p"}} {
		if !following(in.Command, want...) {
			t.Errorf("docker lacks %q: %q", want, in.Command)
		}
	}
	for _, arg := range in.Command {
		if strings.Contains(arg, "=x") || strings.Contains(arg, ".ssh") || arg == "PATH" || arg == "TMPDIR" {
			t.Errorf("docker has %q", arg)
		}
	}

	in = put(Spec{Kind: Seatbelt}, "/usr/bin/sandbox-exec")
	tmp := lookUp(in.Env, "TMPDIR")
	text := in.Command[2]
	for _, want := range []string{`(deny file-write*)`, `(allow file-write* (subpath "` + tmp + `")`, `(deny file-read* file-write* (subpath "` + at(".ssh") + `"))`, `(allow file-read* file-write* (subpath "` + at("tree") + `"))`,
		`(deny file-write* (subpath "` + at("common/hooks") + `"))`, `(deny file-write* (subpath "` + at(".claude.json") + `"))`, `(allow network-outbound (literal "` + at("door/door") + `"))`} {
		if !strings.Contains(text, want) {
			t.Errorf("the profile lacks %s:\n%s", want, text)
		}
	}
	if strings.Index(text, at("common")+`")`) > strings.Index(text, at("common/hooks")) || lookUp(in.Env, "GOCACHE") != at("cache/go-build") || !slices.Equal(in.Command[3:], []string{"--", "/usr/bin/claude", "-p"}) {
		t.Errorf("%q\n%q", in.Command, in.Env)
	}
	in.Close()
	if exists(tmp) {
		t.Errorf("%s stays", tmp)
	}

	in = put(Spec{Kind: Own, Words: []string{"w", "--rw={write}", "--hide", "{hide}", "--ro={fixed}", "--at={dir}", "{command}", "--end"}}, "/bin/a-rather-long-name")
	defer in.Close()
	for _, want := range [][]string{{"--rw=" + at("cache")}, {"--rw=" + at("common")}, {"--rw=" + at("tree"), "--rw=" + at("door")}, {"--hide", at(".ssh")}, {"--ro=" + at(".claude.json")}, {"--ro=" + at("common/hooks")},
		{"--at=" + at("tree"), "/usr/bin/claude", "-p", "--end"}} {
		if !following(in.Command, want...) {
			t.Errorf("one's own lacks %q: %q", want, in.Command)
		}
	}
	if in.Maker != "a-rather-long-n" {
		t.Errorf("its process is called %q", in.Maker)
	}
	var none *Wall
	if in, err := none.Put(room, []string{"claude"}); err != nil || !slices.Equal(in.Command, []string{"claude"}) || !slices.Equal(in.Env, room.Env) {
		t.Errorf("without a wall: %+v, %v", in, err)
	}
}

func TestOption(t *testing.T) {
	t.Parallel()
	if got := option("type=bind", `src=/a,b`, `dst=/a"b`); got != `type=bind,"src=/a,b","dst=/a""b"` {
		t.Error(got)
	}
}

// The door's programs are named after the worker's own, and a copied file stays within the bound.
func TestWithin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		p       string
		folders []string
		want    bool
	}{{"/tmp/x", []string{"/tmp"}, true}, {"/tmp", []string{"/tmp"}, false}, {"/tmpx", []string{"/tmp"}, false}, {"/a/b", []string{"", "/c", "/a"}, true}, {"", []string{"/"}, false}} {
		if got := within(tt.p, tt.folders); got != tt.want {
			t.Errorf("%q in %q: %v", tt.p, tt.folders, got)
		}
	}
}
