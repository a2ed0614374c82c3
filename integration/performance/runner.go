package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// result is the output of a benchmark: a row for itself, or one for each of its parts.
type result struct {
	benchmark
	Rows      []row
	Processor string
	Failure   string // why rows are missing
	Kept      string // rows of an earlier page, in place of its own
	Took      time.Duration
}

// row is one line of `go test -bench`. Part is empty for a benchmark without parts.
type row struct {
	Part    string
	Time    time.Duration // of one operation; 0 when it has no meaning
	Metrics []metric
}

type metric struct {
	Value float64
	Unit  string
}

// runner runs benchmarks one after the other.
type runner struct {
	work   string
	repeat string
	limit  time.Duration
	built  map[string]error // test programs, by folder
}

// program is the file of a folder's tests.
func (r *runner) program(ctx context.Context, folder string) (string, error) {
	file := filepath.Join(r.work, strings.ReplaceAll(filepath.ToSlash(folder), "/", "-")+".test")
	if _, tried := r.built[folder]; !tried {
		// Only one is on the disk at a time: benchmarks run folder by folder.
		old, _ := filepath.Glob(filepath.Join(r.work, "*.test"))
		for _, one := range old {
			_ = os.Remove(one) // what is left goes with the folder
		}
		out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", file, "./"+filepath.ToSlash(folder)).CombinedOutput()
		if err != nil {
			err = errors.New("it does not compile: " + lastLine(out))
		}
		r.built = map[string]error{folder: err}
	}
	return filepath.Abs(file)
}

func (r *runner) run(ctx context.Context, b benchmark) (res result) {
	began := time.Now()
	defer func() { res.Took = time.Since(began) }()
	res.benchmark = b
	file, err := r.program(ctx, b.Folder)
	if err = cmp.Or(r.built[b.Folder], err); err != nil {
		res.Failure = err.Error()
		return res
	}
	temporary := filepath.Join(r.work, "t")
	if err := os.Mkdir(temporary, 0o755); err != nil {
		res.Failure = err.Error()
		return res
	}
	defer os.RemoveAll(temporary)
	ctx, cancel := context.WithTimeout(ctx, r.limit) // -test.timeout does not hold for benchmarks
	defer cancel()
	cmd := exec.CommandContext(ctx, file, "-test.v", "-test.run=^$", "-test.bench=^"+b.Name+"$", "-test.benchtime="+r.repeat)
	cmd.Dir, cmd.Env, cmd.WaitDelay = b.Folder, append(os.Environ(), "TMPDIR="+temporary), 5*time.Second
	killAll(cmd)
	out, err := cmd.CombinedOutput()
	res.read(string(out))
	switch {
	case ctx.Err() != nil:
		res.Failure = fmt.Sprintf("it took longer than %s", r.limit)
	case err != nil:
		res.Failure = "it failed: " + reason(out)
	case len(res.Rows) == 0:
		res.Failure = "it was skipped: " + reason(out)
	}
	return res
}

// read parses result lines from the output of a test program. A benchmark's log may split a line in two.
func (res *result) read(out string) {
	for line := range strings.Lines(out) {
		if cpu, ok := strings.CutPrefix(line, "cpu: "); ok {
			res.Processor = strings.TrimSpace(cpu)
		}
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], res.Name) {
			continue
		}
		if _, err := strconv.Atoi(fields[1]); err != nil {
			continue
		}
		name := fields[0]
		if i := strings.LastIndexByte(name, '-'); i > 0 { // the number of processors
			name = name[:i]
		}
		one := row{Part: strings.TrimPrefix(strings.TrimPrefix(name, res.Name), "/")}
		for pair := range slices.Chunk(fields[2:], 2) {
			value, err := strconv.ParseFloat(pair[0], 64)
			if err != nil || len(pair) != 2 {
				break
			}
			if pair[1] == "ns/op" {
				one.Time = time.Duration(value)
				continue
			}
			one.Metrics = append(one.Metrics, metric{value, pair[1]})
		}
		res.Rows = append(res.Rows, one)
	}
}

// reason returns the first line that a failed or skipped benchmark logged.
func reason(out []byte) string {
	for line := range strings.Lines(string(out)) {
		if at := strings.Index(line, "_test.go:"); at >= 0 {
			if _, said, ok := strings.Cut(line[at+len("_test.go:"):], ": "); ok {
				return strings.TrimSpace(said)
			}
		}
	}
	return lastLine(out)
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
