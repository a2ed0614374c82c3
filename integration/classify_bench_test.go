package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// BenchmarkProfileLarge: the profile of a repository of 10,000 files in 100
// packages, start to exit, against git listing the files; goal 300 ms.
func BenchmarkProfileLarge(b *testing.B) {
	m := newBench(b, 1)
	m.build("classify", "../classify")
	dir := m.project("large", 10_000)
	var first, again, git []time.Duration
	for b.Loop() {
		git = append(git, m.time("git", "-C", dir, "ls-files", "-co", "--exclude-standard"))
		first = append(first, m.time("classify", "init", dir, "--force", "-q"))
		again = append(again, m.time("classify", "init", dir, "-q"))
	}
	b.ReportMetric(milliseconds(median(first)), "ms")
	b.ReportMetric(milliseconds(median(again)), "ms-unchanged")
	b.ReportMetric(float64(median(first))/float64(median(git)), "x-git")
}

// BenchmarkProfileSmall: the profile of a small project against an empty Go
// program, start to exit, without a registry, unchanged in one, and stored in it,
// which waits for the disk; goal 3.
func BenchmarkProfileSmall(b *testing.B) {
	m := newBench(b, 1)
	m.build("classify", "../classify")
	dir := m.project("small", 5)
	m.run("classify", "init", dir, "-q")
	var empty, dry, unchanged, stored []time.Duration
	for b.Loop() {
		empty = append(empty, m.time("empty"))
		dry = append(dry, m.time("classify", "init", dir, "--dry-run", "-q"))
		unchanged = append(unchanged, m.time("classify", "init", dir, "-q"))
		stored = append(stored, m.time("classify", "init", dir, "--force", "-q"))
	}
	b.ReportMetric(float64(median(dry))/float64(median(empty)), "x-empty")
	b.ReportMetric(float64(median(unchanged))/float64(median(empty)), "x-empty-unchanged")
	b.ReportMetric(float64(median(stored))/float64(median(empty)), "x-empty-stored")
}
