package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An entry of an earlier tracker is taken out; the comments and entries around it stay.
func TestOldPluginEntriesGo(t *testing.T) {
	t.Parallel()
	for entry, old := range map[string]bool{
		"file:///home/u/src/agent-tracker": true, "file:///home/u/agent-tracker/dist/index.js": true, "file:///c/agent-tracker/": true,
		"agent-tracker": false, "/home/u/.config/opencode/plugins/agent-tracker": false, "file:///home/u/my-agent-tracker": false, "file:///home/u/other": false,
	} {
		if got := isOldPlugin(entry); got != old {
			t.Errorf("%s: %v, not %v", entry, got, old)
		}
	}
	if isOldPlugin(map[string]any{"file": "file:///agent-tracker"}) {
		t.Error("an object is not such an entry")
	}
}

func TestOldPluginsAreTakenOut(t *testing.T) {
	l := newLab(t)
	at := filepath.Join(l.project, "opencode.json")
	l.write(at, "{\n  // mine\n  \"plugin\": [\n    \"file:///x/agent-tracker\",\n    \"other\", // kept\n    \"file:///y/agent-tracker/dist\"\n  ]\n}\n", 0o644)
	r := l.apply(Options{Clients: []string{"opencode"}})
	text, err := os.ReadFile(at)
	if err != nil || strings.Contains(string(text), "agent-tracker") || !strings.Contains(string(text), "\"other\" // kept") || !strings.Contains(string(text), "// mine") {
		t.Errorf("%v\n%s", err, text)
	}
	if i := slices.IndexFunc(r.Items, func(it Item) bool { return it.Name == "old plugin" }); i < 0 || r.Items[i].State != Stale || r.Items[i].Done != Updated {
		t.Errorf("it is not told: %+v", r.Items)
	}
	if !r.Current {
		t.Error("something is left to do")
	}
	for _, it := range l.apply(Options{Clients: []string{"opencode"}}).Items {
		if it.Name == "old plugin" {
			t.Errorf("the second time: %+v", it)
		}
	}
}

// A skill in a folder that a client reads anyway is put in again only for clients that do not read that folder.
func TestSkillsInAClientsOwnFolder(t *testing.T) {
	for _, folder := range []string{".opencode/skills", ".claude/skills"} {
		l := newLab(t)
		l.write(filepath.Join(l.project, folder, "structured-review", "SKILL.md"), "mine\n", 0o644)
		shared := filepath.Join(l.project, ".agents/skills")
		l.apply(Options{Clients: []string{"opencode"}})
		if exists(filepath.Join(shared, "structured-review")) || !exists(filepath.Join(shared, "memory-citations")) {
			t.Errorf("%s: opencode would have the skill twice, or lacks another", folder)
		}
		l.apply(Options{Clients: []string{"opencode", "gemini"}})
		if !exists(filepath.Join(shared, "structured-review")) {
			t.Errorf("%s: Gemini CLI lacks the skill", folder)
		}
	}
}
