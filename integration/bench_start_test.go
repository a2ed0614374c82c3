package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/benchtest"
)

// reads is a command of each binary that reads the registry or the project.
var reads = map[string][]string{
	"agit":      {"status", "app", "--json"},
	"memoryd":   {"session", "list", "--json"},
	"citecheck": {"verify-all", "--json"},
	"classify":  {"search", "app", "--json"},
	"pmsync":    {"ready", "--json"},
}

// BenchmarkStart: every program and its server, start to exit, beside an empty Go
// program: printing its version, which is the cost of its libraries, and one
// command that reads.
func BenchmarkStart(b *testing.B) {
	m := newBench(b, 1)
	memories := filepath.Join(m.repo, ".serena", "memories")
	must(b, os.MkdirAll(memories, 0o755))
	must(b, os.WriteFile(filepath.Join(memories, "one.md"), []byte("# One\n\nSee d00/f00000.txt:2.\n"), 0o644))
	m.run("agit", "tasks", "app", "--create", "a task")
	servers, err := filepath.Glob("../*/cmd/*-mcp")
	must(b, err)
	m.run("classify", "init", m.repo, "-q")
	for _, server := range servers {
		name := program(server)
		b.Run(name+"/version", func(b *testing.B) { m.besideEmpty(b, name, "--version") })
		b.Run(name+"/read", func(b *testing.B) { m.besideEmpty(b, name, reads[name]...) })
		b.Run(name+"-mcp/version", func(b *testing.B) { m.besideEmpty(b, name+"-mcp", "--version") })
	}
}

// program is the binary whose server lies in a folder.
func program(server string) string { return strings.TrimSuffix(filepath.Base(server), "-mcp") }

// besideEmpty reports a program beside the empty one.
func (m *bench) besideEmpty(b *testing.B, name string, args ...string) {
	m.run(name, args...) // the first start reads the program from the disk
	benchtest.Beside(b, "empty", m.side(name, args...), m.side("empty"))
}
