package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/benchtest"
)

// project makes a folder with files of a TypeScript project in it, in git.
func (m *bench) project(name string, files int) string {
	m.b.Helper()
	dir := filepath.Join(m.dir, name)
	put := func(path, text string) {
		path = filepath.Join(dir, path)
		must(m.b, os.MkdirAll(filepath.Dir(path), 0o755))
		must(m.b, os.WriteFile(path, []byte(text), 0o644))
	}
	put("package.json", `{"private": true, "workspaces": ["pkg*"], "dependencies": {"next": "15", "react": "19"}, "devDependencies": {"typescript": "5"}}`)
	put(".gitignore", "node_modules/\n*.log\n/dist\n")
	extensions := []string{"ts", "tsx", "js", "json", "md", "css"}
	for i := range files {
		put(fmt.Sprintf("pkg%02d/src/f%05d.%s", i/100, i, extensions[i%len(extensions)]), strings.Repeat(fmt.Sprintf("export const x%d = %d\n", i, i), 20))
		if i%100 == 0 {
			put(fmt.Sprintf("pkg%02d/package.json", i/100), fmt.Sprintf(`{"name": "p%d", "dependencies": {"react": "19", "lodash": "4"}}`, i))
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "first"}} {
		m.run("git", append([]string{"-C", dir}, args...)...)
	}
	return dir
}

// BenchmarkProfileLarge: the profile of a repository of 10,000 files in 100 packages,
// start to exit, beside git listing the files. Goal: 300 ms.
func BenchmarkProfileLarge(b *testing.B) {
	m := newBench(b, 1)
	dir := m.project("large", 10_000)
	medians := benchtest.Turns(b, m.side("classify", "init", dir, "--force", "-q"), m.side("classify", "init", dir, "-q"),
		m.side("git", "-C", dir, "ls-files", "-co", "--exclude-standard"))
	b.ReportMetric(float64(medians[0].Nanoseconds()), "ns/op")
	b.ReportMetric(benchtest.Ratio(medians[0], medians[2]), "x-git")
	b.ReportMetric(benchtest.Milliseconds(medians[1]), "ms-unchanged")
}

// BenchmarkProfileSmall: the profile of a small project, start to exit, beside an
// empty Go program: without a registry, unchanged in one, and stored in it, which
// waits for the disk. Goal: 3 without a registry.
func BenchmarkProfileSmall(b *testing.B) {
	m := newBench(b, 1)
	dir := m.project("small", 5)
	m.run("classify", "init", dir, "-q")
	medians := benchtest.Turns(b, m.side("classify", "init", dir, "--dry-run", "-q"), m.side("classify", "init", dir, "-q"),
		m.side("classify", "init", dir, "--force", "-q"), m.side("empty"))
	b.ReportMetric(float64(medians[0].Nanoseconds()), "ns/op")
	for i, name := range []string{"x-empty", "unchanged-x-empty", "stored-x-empty"} {
		b.ReportMetric(benchtest.Ratio(medians[i], medians[3]), name)
	}
}
