package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// memories creates a memory with n citations in the home's repository, whose lines have moved down by one since.
func (h *home) memories(n int) (file string) {
	h.t.Helper()
	var code, table strings.Builder
	table.WriteString("# Values\n\nThe first is at `values.go:1`.\n\n## Citations\n\n| File | Line | Snippet |\n|---|---|---|\n")
	for i := range n {
		fmt.Fprintf(&code, "var value%d = compute(%d)\n", i, i)
		fmt.Fprintf(&table, "| values.go | %d | `var value%d = compute(%d)` |\n", i+1, i, i)
	}
	file = filepath.Join(h.repo, ".serena", "memories", "values.md")
	must(h.t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(h.t, os.WriteFile(file, []byte(table.String()), 0o640))
	must(h.t, os.WriteFile(filepath.Join(h.repo, "values.go"), []byte("package values\n"+code.String()), 0o644))
	h.ok("git", "add", ".")
	h.ok("git", "commit", "-qm", "values")
	return file
}

// TestCitecheckKilledWhileWriting kills fix at random points: the memory is the old or the new version with its mode, never a mixture,
// and the next run removes leftovers.
func TestCitecheckKilledWhileWriting(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := h.memories(40)
	before, err := os.ReadFile(file)
	must(t, err)
	h.ok("citecheck", "fix")
	after, err := os.ReadFile(file)
	must(t, err)
	if string(after) == string(before) || strings.Contains(string(after), "| values.go | 1 |") {
		t.Fatalf("nothing was fixed:\n%s", after)
	}
	chance, olds, news := rand.New(rand.NewPCG(3, 9)), 0, 0
	for range 40 {
		must(t, os.WriteFile(file, before, 0o640))
		cmd := h.command(t.Context(), "citecheck", "fix")
		must(t, cmd.Start())
		late := time.AfterFunc(time.Duration(chance.IntN(60_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // killed or done
		late.Stop()
		got, err := os.ReadFile(file)
		must(t, err)
		switch string(got) {
		case string(before):
			olds++
		case string(after):
			news++
		default:
			t.Fatalf("neither old nor new:\n%s", got)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
			t.Fatalf("mode %v: %v", info.Mode(), err)
		}
	}
	t.Logf("%d times the old one, %d times the new one", olds, news)
	must(t, os.WriteFile(file, before, 0o640))
	h.ok("citecheck", "fix")
	entries, err := os.ReadDir(filepath.Dir(file))
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestCitecheckServes uses the server over every transport; over HTTP the project is set once per session.
func TestCitecheckServes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.memories(3)
	for _, transport := range []string{"stdio", "http", "sse"} {
		t.Run(transport, func(t *testing.T) {
			cmd := h.command(t.Context(), "citecheck", "serve", "--transport", transport)
			var c *mcpclient.Client
			if transport == "stdio" {
				c = mcpclient.Command(t, cmd)
			} else {
				cmd.Args = append(cmd.Args, "--port", "0")
				server := mcpclient.Start(t, cmd)
				if transport == "http" {
					c = mcpclient.HTTP(t, server.URL)
				} else {
					c = mcpclient.SSE(t, server.URL)
				}
				if f := c.MustFail(t, "cite_verify", map[string]any{"memory": "values"}); f.Kind != "ValidationError" {
					t.Errorf("without a project: %v", f)
				}
			}
			var m struct {
				Confidence float64 `json:"confidence"`
				Stale      []struct {
					Verdict string `json:"verdict"`
					Line    int    `json:"found_line"`
				} `json:"stale_citations"`
			}
			c.MustCall(t, "cite_verify", map[string]any{"memory": "values", "project": h.repo}, &m)
			if m.Confidence != 1 || len(m.Stale) != 3 || m.Stale[0].Verdict != "moved" || m.Stale[0].Line != 2 {
				t.Errorf("%+v", m)
			}
			var all struct {
				Stale int `json:"stale"`
			}
			c.MustCall(t, "cite_verify_all", map[string]any{}, &all)
			if all.Stale != 1 {
				t.Errorf("%+v", all)
			}
			var doc struct {
				Content string `json:"content"`
			}
			if err := c.ReadJSON(t.Context(), "citecheck://memories/values", &doc); err != nil || !strings.HasPrefix(doc.Content, "# Values") {
				t.Errorf("%q %v", doc.Content, err)
			}
			if f := c.MustFail(t, "cite_verify", map[string]any{"memory": "valuse"}); f.Kind != "NotFoundError" || !strings.Contains(f.Message, `"values"`) {
				t.Errorf("%v", f)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(h.dir, "home", ".agit", "agit.db")); err == nil {
		t.Error("looking made a registry")
	}
}

// TestCitecheckServesMemoryds returns a memory of the registry with its text, like one from a file.
func TestCitecheckServesMemoryds(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.memories(1)
	h.ok("memoryd", "remember", "Values begin at `values.go` (line 2)", "--key", "begin")
	c := mcpclient.Command(t, h.command(t.Context(), "citecheck", "serve"))
	var doc struct {
		Content string `json:"content"`
		Total   int    `json:"total_citations"`
	}
	if err := c.ReadJSON(t.Context(), "citecheck://memories/begin", &doc); err != nil || doc.Content != "Values begin at `values.go` (line 2)" || doc.Total != 1 {
		t.Errorf("%+v %v", doc, err)
	}
}
