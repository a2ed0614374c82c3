package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// canary sends a new secret through each text of every tool and command, and then looks for all of them in everything that was stored
// or printed.
type canary struct {
	t     *testing.T
	h     *home
	sent  []string // by number, where each secret was sent
	known map[string]string
	seen  map[string]bool
}

// core follows each secret's prefix, and the call's number follows core. It occurs nowhere else, in any case.
var core = strings.Repeat("Q7xk", 7) + "Zw"

var coreSeen = regexp.MustCompile(`(?i)` + core + `([0-9a-z]{6})`)

// text makes a text that holds the next secret.
func (c *canary) text(through string) string {
	c.sent = append(c.sent, through)
	return fmt.Sprintf("use gh"+"p_%s%06d now", core, len(c.sent)-1)
}

// look reports each secret that was stored or printed, once.
func (c *canary) look(where string, content []byte) {
	for _, m := range coreSeen.FindAllSubmatch(content, -1) {
		through := "an unknown call"
		if n := 0; len(m) == 2 {
			if _, err := fmt.Sscanf(string(m[1]), "%06d", &n); err == nil && n < len(c.sent) {
				through = c.sent[n]
			}
		}
		if what := through + " → " + where; !c.seen[what] {
			c.seen[what] = true
			c.t.Errorf("the secret sent through %s is in %s", through, where)
		}
	}
}

func TestNoSecretIsKept(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	c := &canary{t: t, h: h, seen: map[string]bool{}}
	must(t, os.MkdirAll(filepath.Join(h.repo, ".serena", "memories"), 0o755))
	must(t, os.WriteFile(filepath.Join(h.repo, ".serena", "memories", "notes.md"), []byte("# Notes\n\nSee one.txt:3.\n"), 0o644))
	h.ok("agit", "add", ".", "--name", "app")
	c.prepare()
	for _, binary := range []string{"agit", "memoryd", "citecheck", "classify"} {
		c.commands(binary)
	}
	c.inputs()
	c.prepare()
	for _, binary := range []string{"agit", "memoryd", "citecheck", "classify"} {
		c.tools(binary)
	}
	c.everywhere()
	if len(c.sent) < 500 {
		t.Errorf("only %d texts were found to send a secret through", len(c.sent))
	}
	t.Logf("%d secrets sent", len(c.sent))
}

// prepare creates the objects that calls refer to.
func (c *canary) prepare() {
	h := c.h
	task := h.ok("agit", "tasks", "app", "--create", "a task", "--jq", ".id")
	other := h.ok("agit", "tasks", "app", "--create", "another task", "--jq", ".id")
	tree := h.ok("agit", "spawn", "app", "--task", "look at it", "--agent", "ann", "--jq", ".worktree_id")
	bug := h.ok("agit", "bug", "report", "a bug", "--in", other, "--agent", "ann", "--jq", ".id")
	h.ok("memoryd", "remember", "Dates are UTC", "--key", fmt.Sprint("dates", len(c.sent)), "--agent", "ann")
	_, _, _ = h.run("memoryd", "session", "start", "--agent", "ann")
	c.known = map[string]string{
		"repo": "app", "task": task, "task_id": task, "taskid": task, "taskids": task, "agent": "ann", "agent_id": "ann", "agentid": "ann", "name": "ann", "agentname": "ann",
		"worktree": tree, "worktree_id": tree, "path": "one.txt", "file": "one.txt", "file_path": "one.txt", "bugid": bug, "bug": bug, "id": task, "a": task, "b": other, "item": task,
		"source": task, "target": other, "memory": "notes", "memory_id": "notes", "commit": "HEAD", "commit_hash": "HEAD", "base..head": "HEAD..HEAD", "query": "MATCH (n) RETURN count(n)",
		"word": "line", "dir": ".", "relation": "blocks", "status": "in_progress", "line": "1", "key": "agent.stale_after", "pattern": "src/**", "patterns": "src/**", "grade": "2",
		"agent-grade": "2", "user-grade": "2", "memory_type": "pattern", "type": "note", "event_type": "note", "importance": "medium", "tracker": "beads", "title": "a title", "text": "a text",
		"content": "a content", "description": "a description", "summary": "a summary", "reason": "a reason", "agent_type": "custom", "severity": "low",
	}
}

// companions are the flags that another flag needs to have an effect.
func (c *canary) companions(command, flag string) []string {
	task := c.known["task"]
	switch command + " " + flag {
	case "agit tasks --why":
		return []string{"--block", task, "--agent", "ann"}
	case "agit tasks --result":
		return []string{"--fail", task, "--agent", "ann"}
	case "agit tasks --text", "agit tasks --name", "agit tasks --add", "agit tasks --description":
		return []string{"--edit", task}
	case "agit cleanup --message", "agit merge --message":
		return nil
	case "agit watch --exec": // otherwise it waits for an event
		return []string{"--once", "--for", "any"}
	case "agit agents --type", "agit agents --capabilities":
		return []string{"--register", "bob"}
	case "memoryd agent retro --agent-note", "memoryd agent retro --user-note", "memoryd agent retro --scope":
		return []string{"--task", "a task", "--agent-grade", "2", "--user-grade", "2"}
	case "memoryd agent log --outcome", "memoryd agent log --action", "memoryd agent log --decision", "memoryd agent log --scope":
		return []string{"--task", "a task"}
	}
	switch command {
	case "agit tasks":
		if !slices.Contains([]string{"--create", "--claim", "--complete", "--fail", "--release", "--reopen", "--block", "--unblock", "--status", "--edit", "--delete"}, flag) {
			return []string{"--create", "a task"}
		}
	case "memoryd agent grade":
		return []string{"--agent-grade", "2", "--user-grade", "2"}
	}
	return nil
}

// commands runs every command of a binary, by its page: each of its arguments and
// flags once with a secret.
func (c *canary) commands(binary string) {
	pages, err := filepath.Glob(filepath.Join("..", "docs", "cli", binary+"*.md"))
	must(c.t, err)
	usage := regexp.MustCompile("(?m)^```\n(" + binary + "[^\n]*)\n```")
	flagged := regexp.MustCompile("(?m)^\\| `(?:-[a-zA-Z], )?(--[a-z0-9-]+) [^`]+`")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		must(c.t, err)
		m := usage.FindSubmatch(text)
		if m == nil {
			continue
		}
		command, places := split(string(m[1]))
		if skipCommand(command) {
			continue
		}
		var base []string
		for _, place := range places {
			base = append(base, c.value(place))
		}
		for i, place := range places {
			if place == "FILE" || command == "memoryd export" || command == "memoryd import" {
				continue // the caller chose this file name
			}
			args := slices.Clone(base[:i+1])
			args[i] = c.text(command + " " + place)
			c.run(command, append(args, c.companions(command, "")...)...)
		}
		for _, f := range flagged.FindAllSubmatch(text, -1) {
			flag := string(f[1])
			if skipFlag(flag) {
				continue
			}
			args := append(slices.Clone(base), c.companions(command, flag)...)
			c.run(command, append(args, flag, c.text(command+" "+flag))...)
		}
	}
}

// split splits a usage line into the command's words and its placeholders.
func split(usage string) (command string, places []string) {
	var words []string
	for _, w := range strings.Fields(usage) {
		w = strings.Trim(w, "[].")
		switch first := strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("|[:", r) }); {
		case w == "flags" || w == "" || len(first) == 0 || strings.HasPrefix(w, "--exec"):
			return strings.Join(words, " "), places
		case w == strings.ToLower(w) && len(places) == 0 && w != "-":
			words = append(words, w)
		case strings.ToUpper(first[0]) == first[0] && first[0] != "-":
			places = append(places, first[0])
		}
	}
	return strings.Join(words, " "), places
}

func skipCommand(command string) bool {
	for _, word := range []string{"COMMAND", "serve", "completion", "config set", "config unset", "db restore"} {
		if strings.Contains(command, word) {
			return true
		}
	}
	return !strings.Contains(command, " ")
}

// skipFlag leaves out names of files and folders, which are the caller's choice.
func skipFlag(flag string) bool {
	return slices.Contains([]string{"--db", "--config", "--root", "--dir"}, flag)
}

// value returns a usual value for a placeholder or field.
func (c *canary) value(name string) string {
	if v, ok := c.known[strings.ToLower(strings.Trim(name, "-"))]; ok {
		return v
	}
	return "something"
}

// run runs a command, whatever its result, and checks all of its output.
func (c *canary) run(command string, args ...string) {
	words := strings.Fields(command)
	c.runWith("", words[0], append(words[1:], args...)...)
}

func (c *canary) runWith(stdin, binary string, args ...string) {
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	cmd := c.h.command(ctx, binary, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, _ := cmd.CombinedOutput()
	c.look("what "+binary+" "+strings.Join(args[:min(len(args), 2)], " ")+" says", out)
}

// inputs sends secrets in the input of commands.
func (c *canary) inputs() {
	json := func(through string, fields ...string) string {
		var members []string
		for _, f := range fields {
			members = append(members, fmt.Sprintf("%q: %q", f, c.text(through+" "+f)))
		}
		return strings.Join(members, ", ")
	}
	c.runWith("{"+json("tasks --create -", "description", "name", "estimate", "agent")+"}\n", "agit", "tasks", "app", "--create", "-")
	c.runWith("{\"description\": \"plain\", "+json("tasks --create -", "id")+"}\n", "agit", "tasks", "app", "--create", "-")
	c.runWith("{\"id\": \"P-1\", "+json("import -", "name", "description", "notes", "acceptance")+"}\n", "agit", "import", "-")
	c.runWith("{\"id\": \"P-2\", "+json("import -", "description")+"}\n", "agit", "import", "-", "--repo", "app")
	for _, tracker := range []struct{ name, file, text string }{
		{"beads", ".beads/issues.jsonl", `{"id": "x-1", "status": "open", "priority": 1, "issue_type": "task", ` + json("import beads", "title", "description", "design", "notes", "acceptance_criteria", "assignee") + "}\n"},
		{"taskmaster", ".taskmaster/tasks/tasks.json", `{"tasks": [{"id": 1, "status": "pending", "priority": "high", "dependencies": [], "subtasks": [], ` + json("import taskmaster", "title", "description", "details", "testStrategy") + "}]}"},
		{"backlog", "backlog/tasks/task-1.md", "---\nid: task-1\ntitle: " + c.text("import backlog title") + "\nstatus: To Do\n---\n\n" + c.text("import backlog text") + "\n"},
	} {
		file := filepath.Join(c.h.dir, tracker.name, filepath.FromSlash(tracker.file))
		must(c.t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(c.t, os.WriteFile(file, []byte(tracker.text), 0o644))
		c.runWith("", "agit", "import", tracker.name, filepath.Join(c.h.dir, tracker.name), "--repo", "app")
		c.runWith("", "agit", "import", tracker.name, filepath.Join(c.h.dir, tracker.name))
		must(c.t, os.RemoveAll(filepath.Join(c.h.dir, tracker.name)))
	}
	c.runWith("{"+json("remember -", "content", "title", "summary", "context", "key", "thread")+"}\n", "memoryd", "remember", "-", "--agent", "ann")
	c.runWith("{"+json("hook tool", "session_id", "tool_name", "tool_input", "cwd", "prompt")+"}\n", "memoryd", "hook", "tool", "--agent", "ann")
	c.runWith("{"+json("hook session-start", "session_id", "source")+"}\n", "memoryd", "hook", "session-start", "--agent", "ann")
	// Texts of files, commits and manifests are shown, and partly stored.
	secret := c.text("a cited line")
	must(c.t, os.WriteFile(filepath.Join(c.h.repo, "keys.txt"), []byte("first\n"+secret+"\nthird\n"), 0o644))
	must(c.t, os.WriteFile(filepath.Join(c.h.repo, "AGENTS.md"), []byte("# App\n\nThis is an invoice API; "+c.text("AGENTS.md")+"\n"), 0o644))
	must(c.t, os.WriteFile(filepath.Join(c.h.repo, "package.json"), []byte(`{"name": "app", `+json("package.json", "description")+`, "dependencies": {"left-pad": "1.0.0", "x": `+fmt.Sprintf("%q", "git+https://"+c.text("a dependency's address"))+`}}`), 0o644))
	c.runWith("", "git", "add", "AGENTS.md", "package.json", "keys.txt")
	c.runWith("", "git", "commit", "-qm", c.text("a commit's message"))
	c.known["public"] = secret
	for _, args := range []string{"citecheck add notes keys.txt:2 --json", "citecheck verify notes --json", "citecheck verify-all --json", "citecheck health --json", "citecheck ci --json", "classify init --force --json",
		"classify show --json", "classify explain --json", "classify list --json", "memoryd session end --agent ann --json", "memoryd session start --agent ann --json", "memoryd prior-art secret --json"} {
		words := strings.Fields(args)
		c.runWith("", words[0], words[1:]...)
	}
	must(c.t, os.WriteFile(filepath.Join(c.h.repo, "keys.txt"), []byte("before\nfirst\n"+strings.Replace(secret, "use", "take", 1)+"\nthird\n"), 0o644))
	for _, args := range []string{"citecheck verify notes --json", "citecheck verify notes", "citecheck fix --json", "citecheck diff HEAD --json", "citecheck ci --format github", "citecheck history notes --json"} {
		words := strings.Fields(args)
		c.runWith("", words[0], words[1:]...)
	}
}

// tools calls every tool of a server: each of its texts once with a secret.
func (c *canary) tools(binary string) {
	var log bytes.Buffer
	cmd := exec.Command(filepath.Join(binaries, binary), "serve", "--log-level", "debug")
	cmd.Dir, cmd.Env, cmd.Stderr = c.h.repo, c.h.env, &log
	client := mcpclient.Command(c.t, cmd)
	for tool, err := range client.Tools(c.t.Context(), nil) {
		must(c.t, err)
		encoded, err := json.Marshal(tool.InputSchema)
		must(c.t, err)
		var schema node
		must(c.t, json.Unmarshal(encoded, &schema))
		for _, place := range schema.texts(nil) {
			through := tool.Name + " " + strings.Join(place, ".")
			args := c.fill(&schema, "", place, c.text(through))
			result, err := client.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: args})
			if err != nil {
				c.look("an error of "+tool.Name, []byte(err.Error()))
				continue
			}
			answer, err := json.Marshal(result)
			must(c.t, err)
			c.look("the answer of "+tool.Name, answer)
		}
	}
	for resource, err := range client.Resources(c.t.Context(), nil) {
		must(c.t, err)
		read, err := client.ReadResource(c.t.Context(), &mcp.ReadResourceParams{URI: resource.URI})
		if err == nil {
			answer, err := json.Marshal(read)
			must(c.t, err)
			c.look("the resource "+resource.URI, answer)
		}
	}
	_ = client.Close()
	c.look("the log of "+binary+" serve", log.Bytes())
}

// node is a JSON schema.
type node struct {
	Type       any              `json:"type"`
	Properties map[string]*node `json:"properties"`
	Required   []string         `json:"required"`
	Items      *node            `json:"items"`
	Enum       []any            `json:"enum"`
	Additional json.RawMessage  `json:"additionalProperties"`
}

func (n *node) is(kind string) bool {
	if kinds, ok := n.Type.([]any); ok {
		return slices.Contains(kinds, any(kind))
	}
	return n.Type == kind
}

// texts returns the paths to every text below n; a field without a type accepts texts too.
func (n *node) texts(at []string) (places [][]string) {
	switch {
	case n.is("object"):
		if len(n.Properties) == 0 {
			return [][]string{append(slices.Clone(at), "*")}
		}
		names := make([]string, 0, len(n.Properties))
		for name := range n.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			places = append(places, n.Properties[name].texts(append(slices.Clone(at), name))...)
		}
		return places
	case n.is("array") && n.Items != nil:
		return n.Items.texts(append(slices.Clone(at), "0"))
	case n.is("string"), n.Type == nil:
		return [][]string{at}
	}
	return nil
}

// fill makes arguments with text at one place, and usual values at the other required places.
func (c *canary) fill(n *node, name string, place []string, text string) any {
	if place != nil && len(place) == 0 {
		return text
	}
	next := func(step string) []string {
		if len(place) > 0 && place[0] == step {
			return place[1:]
		}
		return nil
	}
	switch {
	case n.is("object"):
		out := map[string]any{}
		if len(n.Properties) == 0 && next("*") != nil {
			out["note"] = text
		}
		for member, inner := range n.Properties {
			if p := next(member); p != nil || slices.Contains(n.Required, member) {
				out[member] = c.fill(inner, member, p, text)
			}
		}
		return out
	case len(n.Enum) > 0:
		return n.Enum[0]
	case n.is("array"):
		if n.Items == nil {
			return []any{}
		}
		return []any{c.fill(n.Items, name, next("0"), text)}
	case n.is("string"), n.Type == nil:
		return c.value(name)
	case n.is("integer"), n.is("number"):
		return 1
	case n.is("boolean"):
		return false
	}
	return c.value(name)
}

// everywhere searches everything that was stored.
func (c *canary) everywhere() {
	h := c.h
	h.ok("agit", "db", "backup", filepath.Join(h.dir, "home", "backup.db"))
	for _, args := range []string{"agit graph export --json", "agit log --json", "agit tasks app --all --json", "agit repos --json", "agit agents --json", "agit status --json",
		"memoryd export " + filepath.Join(h.dir, "home", "export.ndjson"), "memoryd export --status-file", "memoryd stats --json"} {
		words := strings.Fields(args)
		c.runWith("", words[0], words[1:]...)
	}
	out, _, _ := h.run("git", "for-each-ref")
	c.look("the names of branches", []byte(out))
	must(c.t, filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at, _ := filepath.Rel(h.dir, path)
		c.look("the name of a file", []byte(at))
		own := slices.Contains([]string{"AGENTS.md", "package.json", "keys.txt", "COMMIT_EDITMSG"}, d.Name()) || strings.Contains(at, filepath.Join(".git", "logs"))
		if !d.Type().IsRegular() || own { // the test wrote it, or git did for it
			return nil
		}
		content, err := os.ReadFile(path)
		c.look("the file "+at, content)
		return err
	}))
}
