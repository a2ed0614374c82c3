package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/rogpeppe/go-internal/testscript"
)

// commands are the commands of scripts beyond testscript's own.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"repo":   makeRepo,
	"exits":  exits,
	"json":   jsonIs,
	"setvar": setVar,
	"lines":  setLines,
	"suite":  copySuite,

	"replace": replaceText,
	"tracker": trackerCommand,
	"agent":   agentCommand,

	"registry": registryIn,
}

// makeRepo is `repo DIR`: a git repository with one commit.
func makeRepo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(os.WriteFile(dir+"/README.md", []byte("# Title\n\none\ntwo\nthree\nfour\nfive\n"), 0o644))
	for _, line := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "first"}} {
		ts.Check(ts.Exec("git", append([]string{"-C", dir}, line...)...))
	}
}

// replaceText is `replace OLD NEW FILE`: every OLD in the file becomes NEW.
func replaceText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace OLD NEW FILE")
	}
	file := ts.MkAbs(args[2])
	text := ts.ReadFile(file)
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s does not hold %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(file, []byte(strings.ReplaceAll(text, args[0], args[1])), 0o644))
}

// exits is `exits STATUS COMMAND…`: the command must end with that status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		got = -1
		if status, ok := err.(interface{ ExitCode() int }); ok {
			got = status.ExitCode()
		}
	}
	if got != want {
		ts.Fatalf("%s exits with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// jsonIs is `json FILE EXPR PATTERN`: the jq expression's value, as text, must
// match the whole pattern. FILE may be stdout or stderr.
func jsonIs(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE EXPR PATTERN")
	}
	got := query(ts, args[0], args[1])
	matched, err := regexp.MatchString("^(?:"+args[2]+")$", got)
	ts.Check(err)
	if matched == neg {
		ts.Fatalf("%s of %s is %q, pattern %q (negated: %t)\n%s", args[1], args[0], got, args[2], neg, ts.ReadFile(args[0]))
	}
}

// setVar is `setvar NAME FILE EXPR`: it stores a value of a JSON document.
func setVar(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: setvar NAME FILE EXPR")
	}
	ts.Setenv(args[0], query(ts, args[1], args[2]))
}

// query runs a jq expression on the last JSON document of a file.
func query(ts *testscript.TestScript, file, expression string) string {
	text := bytes.TrimSpace([]byte(ts.ReadFile(file)))
	var document any
	decoder := json.NewDecoder(bytes.NewReader(text))
	for decoder.More() {
		if err := decoder.Decode(&document); err != nil {
			ts.Fatalf("%s is not JSON: %v\n%s", file, err, text)
		}
	}
	q, err := gojq.Parse(expression)
	ts.Check(err)
	var values []string
	iter := q.Run(document)
	for {
		value, ok := iter.Next()
		if !ok {
			break
		}
		if err, failed := value.(error); failed {
			ts.Fatalf("%s: %v", expression, err)
		}
		if s, isText := value.(string); isText {
			values = append(values, s)
			continue
		}
		encoded, err := json.Marshal(value)
		ts.Check(err)
		values = append(values, string(encoded))
	}
	return fmt.Sprint(strings.Join(values, " "))
}

// setLines is `lines NAME`: a value of two lines, which a script cannot write.
func setLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lines NAME")
	}
	ts.Setenv(args[0], "two\nlines")
}

// copySuite is `suite DIR PROGRAM…`: a folder with only these programs, so that they find no others beside them.
func copySuite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: suite DIR PROGRAM…")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	for _, program := range args[1:] {
		from, to := filepath.Join(binaries, program), filepath.Join(dir, program)
		if os.Link(from, to) == nil {
			continue
		}
		content, err := os.ReadFile(from) // another file system
		ts.Check(err)
		ts.Check(os.WriteFile(to, content, 0o755))
	}
}
