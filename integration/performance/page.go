package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// page is docs/performance.md.
type page struct {
	repeat  string
	began   time.Time
	results []result
}

// headed matches the first row of a benchmark, with its name in the last cell.
var headed = regexp.MustCompile("\\| (`[^`]+` \\w+) \\|\n$")

// rowsOf returns the rows of a page by the names of their benchmarks.
func rowsOf(page string) map[string]string {
	rows, name := map[string]string{}, ""
	for line := range strings.Lines(page) {
		if head := headed.FindStringSubmatch(line); head != nil {
			name = head[1]
		} else if !strings.HasPrefix(line, "| – ") {
			name = ""
		}
		if name != "" {
			rows[name] += line
		}
	}
	return rows
}

// noResult begins the reason in a row without figures.
const noResult = "**no result**"

// ratio are units such as x-git and merge-x-unsynced.
var ratio = regexp.MustCompile(`(^|-)x-`)

func (p *page) String() string {
	var b strings.Builder
	cpu, kept := "an unknown processor", 0
	for _, r := range p.results {
		if r.Processor != "" {
			cpu = r.Processor
		}
		if r.Kept != "" {
			kept++
		}
	}
	fmt.Fprintf(&b, `# Performance

Measured by %[1]smake bench-table%[1]s with %[2]s on %[3]d cores of %[4]s, %[5]s each, in %[6]s; the load average at the
end was %[7]s. A load above the number of cores means that other work ran beside it: then ratios still say something, because both
sides ran in turn, and times are too long.

A ratio is to what the row names, run in turn with it: x-git 1.5 is one and a half times what git takes. "One operation" is ours,
and the median where the benchmark keeps one. %[1]smake bench BENCH=NAME%[1]s runs one benchmark.
`, "`", runtime.Version(), runtime.NumCPU(), cpu, p.repeat, time.Since(p.began).Round(time.Minute), load())
	if kept > 0 {
		fmt.Fprintf(&b, "\n%d of the %d benchmarks were not measured in this run; their rows are those of an earlier one.\n", kept, len(p.results))
	}
	module := ""
	for _, r := range p.results {
		if name, _, _ := strings.Cut(r.Folder, "/"); name != module {
			module = name
			fmt.Fprintf(&b, "\n## %s\n\n| what is measured, and beside what | ratio | one operation | also | benchmark |\n|---|---|---|---|---|\n", module)
		}
		r.write(&b)
	}
	return b.String()
}

// title names a benchmark on the page.
func (b benchmark) title() string {
	return fmt.Sprintf("`%s` %s", b.Folder, strings.TrimPrefix(b.Name, "Benchmark"))
}

// write adds the rows: one for a benchmark without parts, otherwise a heading row and one for each part.
func (r *result) write(b *strings.Builder) {
	if r.Kept != "" {
		b.WriteString(r.Kept)
		return
	}
	name := r.title()
	alone := len(r.Rows) == 1 && r.Rows[0].Part == ""
	switch {
	case alone && r.Failure == "":
		fmt.Fprintf(b, "| %s | %s | %s |\n", cell(r.Does), r.Rows[0].columns(), name)
		return
	case r.Failure != "":
		fmt.Fprintf(b, "| %s | %s: %s | | | %s |\n", cell(r.Does), noResult, cell(r.Failure), name)
	default:
		fmt.Fprintf(b, "| %s | | | | %s |\n", cell(r.Does), name)
	}
	for _, one := range r.Rows {
		fmt.Fprintf(b, "| – %s | %s | |\n", cell(strings.ReplaceAll(one.Part, "_", " ")), one.columns())
	}
}

func (r row) columns() string {
	var ratios, others []string
	for _, m := range r.Metrics {
		text := number(m.Value) + " " + m.Unit
		if ratio.MatchString(m.Unit) {
			ratios = append(ratios, text)
		} else {
			others = append(others, text)
		}
	}
	return cell(strings.Join(ratios, ", ")) + " | " + span(r.Time) + " | " + cell(strings.Join(others, ", "))
}

// number formats three significant digits.
func number(v float64) string {
	switch {
	case v >= 100 || v == float64(int64(v)):
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// span formats a time in a suitable unit.
func span(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d)
	case d < time.Millisecond:
		return number(float64(d)/1e3) + " µs"
	case d < time.Second:
		return number(float64(d)/1e6) + " ms"
	}
	return number(d.Seconds()) + " s"
}

// cell keeps a text within its cell of the table.
func cell(text string) string {
	return strings.TrimSpace(strings.NewReplacer("|", `\|`, "\n", " ").Replace(text))
}

func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
