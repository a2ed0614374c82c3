package mcpserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
	"github.com/agit-suite/agit/shared/registry"
)

// world is a server in a repository with two memories.
type world struct {
	*service
	t     *testing.T
	repo  *gittest.Repo
	home  string
	local *mcpkit.Local
}

func newWorld(t *testing.T) *world {
	t.Helper()
	home, repo := t.TempDir(), gittest.New(t)
	env := mcptest.Env(t, home, repo.Dir)
	w := &world{service: mcptest.Build(t, Server, env), t: t, repo: repo, home: home}
	repo.Write("src/a.go", "package a\n\nfunc Login(user string) error { return nil }\n")
	repo.Write(".serena/memories/login.md", "# Login\n\nSee [[deep/other]].\n\n## Citations\n\n| File | Line | Snippet |\n|---|---|---|\n| src/a.go | 3 | `func Login(user string) error { return nil }` |\n")
	repo.Write(".serena/memories/deep/other.md", "# Other\n\n[[login]] [[logim]]\n")
	repo.Commit("first")
	w.local = w.MCP.Local()
	t.Cleanup(w.local.Close)
	return w
}

func (w *world) registry() string { return filepath.Join(w.home, ".agit", "agit.db") }

type args = map[string]any

// must calls a tool that succeeds.
func (w *world) must(tool string, in args) (out map[string]any) {
	w.t.Helper()
	if in["project"] == nil {
		in["project"] = w.repo.Dir
	}
	r := mcptest.Call(w.t, w.local, tool, in)
	if r.IsError {
		w.t.Fatalf("%s: %s", tool, r.StructuredContent)
	}
	if err := json.Unmarshal(r.StructuredContent, &out); err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestHealthTellsWhatInstructionsSay(t *testing.T) {
	w := newWorld(t)
	w.repo.Write("AGENTS.md", "Read `src/a.go` and `src/b.go`.\n")
	told := w.must("cite_health", args{})["instructions"].(map[string]any)
	if told["files"] != 3.0 || told["true"] != 2.0 || told["stale"] != 1.0 {
		t.Errorf("%v", told)
	}
	if f := told["findings"].([]any)[0].(map[string]any); f["file"] != "AGENTS.md" || f["verdict"] != "missing" || f["text"] != "src/b.go" {
		t.Errorf("%v", f)
	}
}

func TestAnAgentsLoop(t *testing.T) {
	w := newWorld(t)
	if m := w.must("cite_verify", args{"memory": "login"}); m["valid"] != true || m["confidence"] != 1.0 {
		t.Errorf("verify: %v", m)
	}
	w.repo.Write("src/a.go", "package a\n\n// Login lets people in.\nfunc Login(user string) error { return nil }\n")
	m := w.must("cite_verify", args{"memory": "login"})
	stale := m["stale_citations"].([]any)[0].(map[string]any)
	if stale["verdict"] != "moved" || stale["found_line"] != 4.0 {
		t.Errorf("moved: %v", stale)
	}
	if all := w.must("cite_verify_all", args{}); all["stale"] != 1.0 || all["total"] != 2.0 {
		t.Errorf("all: %v", all)
	}
	if f := w.must("cite_fix", args{"dry_run": true}); f["left"] != 0.0 || f["files"] != 0.0 || f["fixes"].([]any)[0].(map[string]any)["to"] != "src/a.go:4" {
		t.Errorf("fix, dry run: %v", f)
	}
	if d := w.must("cite_diff", args{"range": "HEAD"}); d["moved"] != 1.0 {
		t.Errorf("diff: %v", d)
	}
	if m := w.must("cite_verify", args{"memory": "login", "at": "HEAD"}); m["valid"] != true {
		t.Errorf("at HEAD: %v", m)
	}
	if a := w.must("cite_add", args{"memory": "deep/other", "path": "src/a.go", "line": 4}); a["changed"] != true {
		t.Errorf("add: %v", a)
	}
	if g := w.must("cite_graph", args{"memory": "login"}); g["visited"] != 2.0 || len(g["broken"].([]any)) != 1 {
		t.Errorf("graph: %v", g)
	}
	if r := w.must("cite_related", args{"memory": "login"}); r["linked_by"].([]any)[0] != "deep/other" {
		t.Errorf("related: %v", r)
	}
	if h := w.must("cite_health", args{}); h["counts"].(map[string]any)["stale"] != 1.0 {
		t.Errorf("health: %v", h)
	}
	if s := w.must("cite_search", args{"query": "login", "verify": true}); len(s["memories"].([]any)) != 2 {
		t.Errorf("search: %v", s)
	}
	if _, err := os.Stat(w.registry()); err == nil {
		t.Error("looking made a registry")
	}
	v := w.must("cite_confirm", args{"memory": "login", "vote": "dispute", "agent": "ann", "note": "no"})
	if v["disputes"] != 1.0 || v["confidence"] != 0.5 || v["booked_on"].(map[string]any)["agent"] != "ann" {
		t.Errorf("confirm: %v", v)
	}
	if h := w.must("cite_history", args{"memory": "login"}); len(h["events"].([]any)) != 2 || h["history"] != true {
		t.Errorf("history: %v", h)
	}
	w.repo.Write(".serena/memories/prose.md", "# Prose\n\nLogin is `src/a.go`:4, else src/b.go (line 400).\n\n## Citations\n\n| File | Line |\n|---|---|\n| src/a.go | 99999 |\n| src/a.go | 2 |\n")
	if a := w.must("cite_adopt", args{"memory": "prose", "dry_run": true}); a["files"] != 0.0 || a["outcomes"].(map[string]any)["adopted"] != 1.0 || a["outcomes"].(map[string]any)["missing"] != 1.0 {
		t.Errorf("adopt, dry run: %v", a)
	}
	// A memory that cannot be checked never looks sound.
	if m := w.must("cite_verify", args{"memory": "prose"}); m["valid"] != false || len(m["unverifiable"].([]any)) != 1 || len(m["stale_citations"].([]any)) != 1 {
		t.Errorf("unverifiable: %v", m)
	}
	all := w.must("cite_verify_all", args{})
	if v := all["verdicts"].(map[string]any); v["unverifiable"] != 1.0 || v["gone"] != 1.0 || len(all["memories"].([]any)) == 0 {
		t.Errorf("all: %v", all)
	}
	raw, err := w.local.Do(t.Context(), "resources/read", map[string]any{"uri": "citecheck://memories/deep/other"})
	if err != nil || !strings.Contains(string(raw), `# Other`) {
		t.Errorf("resource: %s %v", raw, err)
	}
	if raw, err = w.local.Do(t.Context(), "resources/read", map[string]any{"uri": "citecheck://health"}); err != nil {
		t.Errorf("resource: %s %v", raw, err)
	}
}

// A call with bad input is refused in a sentence, reads nothing outside the project and changes nothing.
func TestHostileArguments(t *testing.T) {
	w := newWorld(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("# secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(w.repo.Dir, "way-out")); err != nil {
		t.Skip(err)
	}
	long := strings.Repeat("x", 5000)
	for _, call := range []struct {
		tool string
		in   args
	}{
		{"cite_verify", args{"memory": outside}},
		{"cite_verify", args{"memory": "../../../etc/passwd"}},
		{"cite_verify", args{"memory": "way-out/secret.md"}},
		{"cite_verify", args{"memory": "a\x00b"}},
		{"cite_verify", args{"memory": ""}},
		{"cite_verify", args{"memory": long}},
		{"cite_verify", args{"memory": "login", "project": "/nowhere/at/all"}},
		{"cite_verify", args{"memory": "login", "project": "no such project"}},
		{"cite_verify_all", args{"since": "--output=/tmp/x"}},
		{"cite_verify_all", args{"since": "nonsense"}},
		{"cite_add", args{"memory": "login", "path": "/etc/passwd", "line": 1}},
		{"cite_add", args{"memory": "login", "path": "../x", "line": 1}},
		{"cite_add", args{"memory": "login", "path": "way-out/secret.md", "line": 1}},
		{"cite_add", args{"memory": "login", "path": ".git/config", "line": 1}},
		{"cite_add", args{"memory": "login", "path": "src/a.go", "line": 1 << 30}},
		{"cite_add", args{"memory": "login", "path": "src/a.go\n| x | 1 |", "line": 1}},
		{"cite_add", args{"memory": outside, "path": "src/a.go", "line": 3}},
		{"cite_add", args{"memory": "login", "path": "src/a.go", "snippet": "no such text | `"}},
		{"cite_graph", args{"memory": "../x"}},
		{"cite_graph", args{"memory": "login", "depth": 1e9}},
		{"cite_related", args{"memory": outside}},
		{"cite_search", args{"query": "|"}},
		{"cite_search", args{"query": long}},
		{"cite_confirm", args{"memory": "nothing"}},
		{"cite_confirm", args{"memory": "login", "vote": "maybe"}},
	} {
		if call.in["project"] == nil {
			call.in["project"] = w.repo.Dir
		}
		r := mcptest.Call(t, w.local, call.tool, call.in)
		if !r.IsError {
			t.Errorf("%s%.80v succeeded: %s", call.tool, call.in, r.StructuredContent)
			continue
		}
		var f struct{ Error, Message string }
		if err := json.Unmarshal(r.StructuredContent, &f); err != nil || f.Error == "" || strings.Contains(string(r.StructuredContent), "# secret") {
			t.Errorf("%s%.80v: %s", call.tool, call.in, r.StructuredContent)
		}
	}
	if status := strings.TrimSpace(w.repo.Git("status", "--porcelain")); status != "?? way-out" {
		t.Errorf("something was changed: %s", status)
	}
}

// A client's vote is booked on the agent of its seat, as its other servers book: it votes once, however often it is started.
func TestConfirmTakesTheSeatOfTheClient(t *testing.T) {
	w := newWorld(t)
	said := ""
	for range 2 {
		var out strings.Builder
		in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"zed","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"cite_confirm","arguments":{"memory":"login"}}}
`)
		if err := w.MCP.Serve(t.Context(), mcpkit.ServeOptions{In: in, Out: &out}); err != nil {
			t.Fatal(err)
		}
		said = out.String()
	}
	if !strings.Contains(said, `"agent":"zed-1"`) || !strings.Contains(said, `"confirms":1`) {
		t.Error(said)
	}
}

// A client without a folder names its project once; the name last given stays in effect.
func TestProjectByName(t *testing.T) {
	w := newWorld(t)
	w.must("cite_confirm", args{"memory": "login", "agent": "ann"})
	var id string
	db, err := w.Env.Registry(t.Context())
	if err == nil {
		err = db.Read(t.Context(), func(tx *registry.Tx) error {
			return tx.QueryRow(`SELECT uid FROM projects`).Scan(&id)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	fresh := w.MCP.Local()
	defer fresh.Close()
	for _, in := range []args{{"memory": "login", "project": id}, {"memory": "login"}} {
		if r := mcptest.Call(t, fresh, "cite_verify", in); r.IsError {
			t.Errorf("%v: %s", in, r.StructuredContent)
		}
	}
}
