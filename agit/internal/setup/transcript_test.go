package setup

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// The runs of set-up, as a person sees them: what each finds and does with every item, and the texts of the files that it changes.
func TestTranscript(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("clients keep their files in other folders on other systems")
	}
	gittest.Isolate()
	var all strings.Builder
	yes := true
	everyone := Names()
	for _, c := range []struct {
		name  string
		files map[string]string // of the project; ~/ is the home folder
		steps []Options
	}{
		{name: "a project", steps: []Options{{}, {Clients: everyone}, {Clients: everyone}, {Clients: []string{"codex", "cursor"}, Remove: true}, {Remove: true}}},
		{name: "a user", steps: []Options{{Scope: User, Clients: everyone}, {Scope: User, Clients: everyone}, {Scope: User, Remove: true}}},
		{name: "worktrees and grades", steps: []Options{{Clients: []string{"claude-code", "codex", "cursor", "opencode"}, Worktrees: true, Grades: &yes}, {Clients: []string{"claude-code"}}, {Remove: true}}},
		{name: "portable, with all tools", steps: []Options{{Clients: []string{"claude-code", "codex"}, Portable: true, Tools: "all"}, {Clients: []string{"claude-code", "codex"}}}},
		{name: "two servers", steps: []Options{{Clients: []string{"claude-code"}, Servers: []string{"agit", "memoryd"}}, {Clients: []string{"claude-code"}, Servers: []string{"agit"}, Remove: true}, {Clients: []string{"claude-code"}, NoServers: true}}},
		{name: "clients that are found", files: map[string]string{"~/.cursor/x": "x", "~/.codex/x": "x", ".mcp.json": "{\n  \"mcpServers\": {\"agit\": {\"command\": \"agit\", \"args\": [\"mcp\"], \"env\": {\"KEY\": \"1\"}}}\n}\n"}, steps: []Options{{}, {Within: true}, {Fresh: true}}},
		{name: "skills of the user", files: map[string]string{"~/.claude/skills/reflect/SKILL.md": "mine\n", "~/.codex/skills/reflect/SKILL.md": "mine\n"}, steps: []Options{{Clients: []string{"claude-code", "codex"}, NoServers: true}, {Scope: User, Clients: []string{"claude-code"}, NoServers: true}}},
		{name: "edited by hand", files: map[string]string{".mcp.json": "{\"mcpServers\": {\"agit\": {\"command\": \"other\"}}}\n",
			".claude/settings.json": "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"agit hook session-start --client claude-code --mine\"}]}]}}\n",
			"AGENTS.md":             "<!-- agit:start 0000 -->\nmine\n<!-- agit:end -->\n", ".claude/skills/reflect/SKILL.md": "mine\n", ".agents/skills/reflect/SKILL.md": "mine\n"},
			steps: []Options{{Clients: []string{"claude-code"}}, {Clients: []string{"claude-code"}, Force: true}, {Remove: true, Clients: []string{"claude-code"}}}},
		{name: "files that cannot be used", files: fixtures["broken"], steps: []Options{{Clients: everyone}, {Remove: true}}},
		{name: "imports and contexts", files: map[string]string{"CLAUDE.md": "@AGENTS.md\n", ".gemini/settings.json": "{\"context\": {\"fileName\": \"AGENTS.md\"}}"}, steps: []Options{{Clients: []string{"claude-code", "gemini"}}, {Remove: true}}},
		{name: "entries of others", files: map[string]string{".codex/config.toml": "[mcp_servers.x]\ncommand = \"x\"\n[mcp_servers.agit]\ncommand = \"/old/agit\"\nargs = [\"mcp\"]\n", "opencode.jsonc": "{\n  // mine\n  \"mcp\": {\"agit\": {\"type\": \"local\", \"command\": [\"/old/agit\", \"mcp\"]}},\n}\n"},
			steps: []Options{{Clients: []string{"codex", "opencode"}}, {Clients: []string{"codex", "opencode"}, Remove: true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			for path, text := range c.files {
				if rest, home := strings.CutPrefix(path, "~/"); home {
					l.write(filepath.Join(l.home, rest), text, 0o644)
				} else {
					l.write(filepath.Join(l.project, path), text, 0o644)
				}
			}
			var b strings.Builder
			for i, o := range c.steps {
				fmt.Fprintf(&b, "== %s, step %d\n", c.name, i+1)
				before := l.texts()
				s := l.setup(o)
				planned, err := s.Look(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				looked := b.Len()
				report(&b, l.setup(o), planned)
				plan := b.String()[looked:]
				r := l.apply(o)
				var done strings.Builder
				report(&done, l.setup(o), r)
				for line := range strings.Lines(done.String()) {
					if !strings.Contains(plan, line) {
						b.WriteString("-- and then " + line)
					}
				}
				after := l.texts()
				for _, path := range slices.Sorted(maps.Keys(after)) {
					if after[path] != before[path] {
						fmt.Fprintf(&b, "-- %s is now\n%s\n", path, after[path])
					}
				}
				for _, path := range slices.Sorted(maps.Keys(before)) {
					if _, still := after[path]; !still {
						fmt.Fprintf(&b, "-- %s is gone\n", path)
					}
				}
				clients, findings, err := l.setup(Options{Scope: cmp.Or(o.Scope, Project)}).Findings(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "-- set up are %q\n", clients)
				for _, f := range findings {
					fmt.Fprintf(&b, "%+v\n", f)
				}
			}
			all.WriteString(clitest.NewMasks(t, l.project, "<app>", l.home, "<home>", l.bin, "<bin>").Apply(b.String()))
		})
	}
	clitest.Golden(t, filepath.Join("testdata", "transcript.txt"), all.String())
}

// report shows a report as `agit setup` lists it, with every field.
func report(b *strings.Builder, s *Setup, r Report) {
	if err := s.prepare(); err != nil {
		fmt.Fprintln(b, err)
	}
	for _, f := range r.Clients {
		fmt.Fprintf(b, "%s (%s): found %t %s %s\n", f.Name, f.Title, f.Found, f.How, f.Note)
	}
	for _, row := range Group(r.Items) {
		fmt.Fprintf(b, "%s for %s in %s: %s, %s %s\n", row.Items(), strings.Join(row.Clients, ", "), row.Where(s.root, s.Home), row.State(true), row.State(false), row.Why)
	}
	fmt.Fprintf(b, "current %t, chosen %t, refused %t, inside %t, outside %q, %d files\n", r.Current, r.Chosen, r.Refused(), s.Inside(r), s.Outside(r), len(r.Files))
}

// texts returns the files of the project and of the home that are not copied whole.
func (l lab) texts() map[string]string {
	texts := map[string]string{}
	for name, dir := range map[string]string{"app": l.project, "home": l.home} {
		for path, text := range l.tree(dir) {
			if text == "a folder" || strings.Contains(path, "skills") || strings.Contains(path, "agents") && strings.Contains(path, string(os.PathSeparator)) || strings.HasSuffix(path, ".js") {
				continue
			}
			if strings.Contains(text, "agit:start") && len(text) > 600 { // the habits are a text of their own
				text = text[:300] + " … " + text[len(text)-100:]
			}
			if strings.Count(text, "\n") > 30 { // its bytes are compared elsewhere
				text = strings.Join(strings.Fields(text), " ")
			}
			texts[filepath.Join(name, path)] = text
		}
	}
	return texts
}
