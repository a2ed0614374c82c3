package setup

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"strings"
	"sync"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
)

const (
	home    = "https://github.com/agit-suite/agit"
	summary = "Worktrees, tasks, conflicts before the merge, and memory for several coding agents in one repository"
	// absent is what a session reads when the plugin is installed but its programs are not.
	absent = "The agit plugin is installed, but its programs are not. " + home + " explains how to install them. Go on without them."
)

// pluginFiles returns the files that make this repository a marketplace of plugins, for the clients that support one, by their
// slash-separated paths. The files hold what setup would write, from the same recipes, but start programs by name.
func pluginFiles() map[string]string {
	files := map[string]string{}
	for _, r := range recipes() {
		b, ok := bundles()[r.Name]
		if !ok {
			continue
		}
		root := path.Join("plugins", r.Name)
		about := map[string]any{"name": pluginName, "description": summary, "homepage": home, "repository": home, "license": "MIT"}
		if b.author {
			about["author"] = map[string]any{"name": marketplace}
		}
		servers := map[string]any{}
		for _, name := range Servers {
			servers[name] = edit.Plain(r.Servers.Entry(name, []string{"serve", "--tools", "core"}))
		}
		maps.Copy(about, b.more)
		if b.servers == "" {
			about["mcpServers"] = servers
		} else {
			files[path.Join(root, b.servers)] = jsonText(map[string]any{"mcpServers": servers})
		}
		files[path.Join(root, b.manifest)] = jsonText(about)
		files[path.Join(root, "hooks", "hooks.json")] = jsonText(b.hooks(r))
		for _, name := range skillNames {
			files[path.Join(root, "skills", name, "SKILL.md")] = embedded(path.Join("skills", name, "SKILL.md"))
		}
		if b.agents {
			for _, name := range agentNames {
				description, prompt := definition(embedded("agents/" + name + ".md"))
				files[path.Join(root, "agents", name+r.Agents.Suffix)] = r.Agents.Write(name, description, prompt)
			}
		}
		if b.market != "" {
			market := map[string]any{"name": marketplace, "owner": map[string]any{"name": marketplace}, "plugins": []any{b.entry("./" + root)}}
			if r.Name == "claude-code" {
				market["description"] = summary
			}
			files[b.market] = jsonText(market)
		}
	}
	return files
}

// bundle is the form of a client's plugin. The forms are those of
// https://code.claude.com/docs/en/plugins-reference, https://developers.openai.com/codex/plugins/build,
// https://cursor.com/docs/reference/plugins and https://geminicli.com/docs/extensions/reference.
type bundle struct {
	manifest string
	author   bool
	market   string                // the file of the marketplace, "" for a client that has none
	servers  string                // the file of MCP servers, "" where they stand in the manifest
	seeds    map[string]any        // the initial content of the hooks' file
	silent   bool                  // a hook may print only the client's JSON
	agents   bool                  // it includes agent definitions
	more     map[string]any        // of the manifest
	entry    func(path string) any // in the marketplace
}

var bundles = sync.OnceValue(func() map[string]bundle {
	return map[string]bundle{
		"claude-code": {
			manifest: ".claude-plugin/plugin.json", author: true, market: ".claude-plugin/marketplace.json", servers: ".mcp.json", agents: true,
			entry: func(path string) any {
				return map[string]any{"name": pluginName, "source": path, "description": summary}
			},
		},
		"codex": {
			manifest: ".codex-plugin/plugin.json", author: true, market: ".agents/plugins/marketplace.json", servers: ".mcp.json",
			more: map[string]any{"skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json"},
			entry: func(path string) any {
				return map[string]any{"name": pluginName, "source": map[string]any{"source": "local", "path": path},
					"policy": map[string]any{"installation": "AVAILABLE", "authentication": "ON_INSTALL"}, "category": "Developer Tools"}
			},
		},
		"cursor": {
			manifest: ".cursor-plugin/plugin.json", author: true, market: ".cursor-plugin/marketplace.json", servers: "mcp.json", agents: true, silent: true,
			seeds: map[string]any{"version": 1},
			entry: func(path string) any {
				return map[string]any{"name": pluginName, "source": path, "description": summary}
			},
		},
		// An extension names its own version: the folder's, which matches the programs on PATH.
		"gemini": {manifest: "gemini-extension.json", more: map[string]any{"version": "1.0.0"}},
	}
})

// hooks returns the hooks of setup's recipe. Each does nothing when its program is missing; the first of a session then reports that.
func (b bundle) hooks(r *recipe) map[string]any {
	all := map[string]any{}
	maps.Copy(all, b.seeds)
	events := map[string]any{}
	for _, e := range r.Hooks.Events {
		list, _ := events[e.Event].([]any)
		events[e.Event] = append(list, edit.Plain(r.Hooks.Entry(e, b.guarded(e))))
	}
	all["hooks"] = events
	return all
}

// guarded returns the command of a hook that, without its program, does nothing and succeeds.
func (b bundle) guarded(e event) string {
	without := "exit 0"
	if e.Name == "session-start" && !b.silent {
		without = "{ echo '" + absent + "'; exit 0; }"
	}
	return "command -v " + e.Program + " >/dev/null 2>&1 || " + without + "; " + e.Program + " " + e.Args
}

// jsonText writes JSON in readable form, its members sorted by name.
func jsonText(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil { // maps, lists and texts
		panic(err)
	}
	return strings.TrimSpace(b.String()) + "\n"
}
