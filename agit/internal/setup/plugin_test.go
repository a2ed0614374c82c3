package setup

import (
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The plugins in this repository match the recipes.
func TestPluginsAreCurrent(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	want := pluginFiles()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		at := filepath.Join(root, filepath.FromSlash(name))
		if flag.Lookup("update").Value.String() == "true" { // the flag of golden files
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(want[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(at); err != nil || !sameLines(string(got), want[name]) {
			t.Errorf("%s is not what the recipes say (make docs): %v", name, err)
		}
	}
	err := filepath.WalkDir(filepath.Join(root, "plugins"), func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, at)
		if _, ok := want[filepath.ToSlash(name)]; !ok {
			t.Errorf("%s is in no recipe", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Each plugin has its client's shapes, starts programs by name, and brings the hooks that setup writes.
func TestPluginShapes(t *testing.T) {
	t.Parallel()
	files := pluginFiles()
	read := func(name string) (doc map[string]any) {
		if err := json.Unmarshal([]byte(files[name]), &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return doc
	}
	for client, b := range bundles() {
		root := "plugins/" + client + "/"
		about := read(root + b.manifest)
		if about["name"] != pluginName || about["description"] == "" {
			t.Errorf("%s: %v", client, about)
		}
		servers, _ := about["mcpServers"].(map[string]any)
		if b.servers != "" {
			servers, _ = read(root + b.servers)["mcpServers"].(map[string]any)
		}
		for _, name := range Servers {
			if program, args := commandOf(servers[name]); program != name || !slices.Equal(args, []string{"serve", "--tools", "core"}) {
				t.Errorf("%s starts %s with %v", client, program, args)
			}
			for _, problem := range serverShapes[client].check(servers[name]) {
				t.Errorf("%s, %s: %s", client, name, problem)
			}
		}
		events, _ := read(root + "hooks/hooks.json")["hooks"].(map[string]any)
		count := 0
		for event, list := range events {
			if !slices.Contains(moments[client], event) {
				t.Errorf("%s has no moment %s", client, event)
			}
			count += len(list.([]any))
		}
		if count != len(recipeOf(client).Hooks.Events) {
			t.Errorf("%s has %d hooks", client, count)
		}
		for _, name := range skillNames {
			if files[root+"skills/"+name+"/SKILL.md"] == "" {
				t.Errorf("%s lacks the skill %s", client, name)
			}
		}
		if b.market != "" && !strings.Contains(files[b.market], `"./plugins/`+client+`"`) {
			t.Errorf("%s: %s", b.market, files[b.market])
		}
	}
}

// A hook of a plugin succeeds when its program is missing, and the first of a session tells how to get it.
func TestPluginHooksWithoutPrograms(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	for client, b := range bundles() {
		for _, e := range recipeOf(client).Hooks.Events {
			cmd := exec.Command(sh, "-c", b.guarded(e))
			cmd.Env = []string{"PATH=" + t.TempDir()}
			out, err := cmd.CombinedOutput()
			want := ""
			if e.Name == "session-start" && !b.silent {
				want = absent + "\n"
			}
			if err != nil || string(out) != want {
				t.Errorf("%s, %s: %v, %q", client, e.Name, err, out)
			}
		}
	}
}

// The items of an enabled plugin are not put in a second time; habits are put in, since no plugin brings them. An existing set-up beside
// the plugin is reported.
func TestSetupBesideAPlugin(t *testing.T) {
	for client, enable := range map[string]map[string]string{
		"claude-code": {".claude/settings.json": `{"enabledPlugins": {"agit@agit-suite": true}}`},
		"codex":       {".codex/config.toml": "[plugins.\"agit@agit-suite\"]\nenabled = true\n"},
		"gemini":      {".gemini/extensions/agit/gemini-extension.json": "{}"},
	} {
		l := newLab(t)
		for path, text := range enable {
			l.write(filepath.Join(l.home, path), text, 0o600)
		}
		kinds := map[Kind]bool{}
		for _, it := range l.apply(Options{Clients: []string{client}}).Items {
			byPlugin := strings.HasPrefix(it.Why, "comes with the plugin")
			if byPlugin != slices.Contains(recipeOf(client).Plugin.Brings, it.Kind) || byPlugin == (it.Done == Added) {
				t.Errorf("%s: %s %s is %s, %s: %s", client, it.Kind, it.Name, it.State, it.Done, it.Why)
			}
			kinds[it.Kind] = byPlugin
		}
		if !kinds[KindServer] || !kinds[KindHook] || !kinds[KindSkill] || kinds[KindInstructions] {
			t.Errorf("%s: %v", client, kinds)
		}
		_, findings, err := l.setup(Options{}).Findings(t.Context())
		if err != nil || slices.ContainsFunc(findings, func(f Finding) bool { return f.State == "doubled" }) {
			t.Errorf("%s: %v, %+v", client, err, findings)
		}
	}
}

func TestAPluginThatIsOff(t *testing.T) {
	l := newLab(t)
	l.write(filepath.Join(l.home, ".claude/settings.json"), `{"enabledPlugins": {"agit@agit-suite": true}}`, 0o600)
	l.write(filepath.Join(l.project, ".claude/settings.local.json"), `{"enabledPlugins": {"agit@agit-suite": false}}`, 0o600)
	for _, it := range l.apply(Options{Clients: []string{"claude-code"}}).Items {
		if it.Done != Added {
			t.Errorf("%s %s: %s %s", it.Kind, it.Name, it.State, it.Why)
		}
	}
	if err := os.Remove(filepath.Join(l.project, ".claude/settings.local.json")); err != nil {
		t.Fatal(err)
	}
	_, findings, err := l.setup(Options{}).Findings(t.Context())
	if err != nil || !slices.ContainsFunc(findings, func(f Finding) bool { return f.State == "doubled" && f.Client == "claude-code" }) {
		t.Errorf("the doubled set-up is not told: %v, %+v", err, findings)
	}
}
