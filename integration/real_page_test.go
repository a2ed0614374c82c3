//go:build unix

package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// ofSuite matches the name of a tool of the suite's servers in the form that clients use.
var ofSuite = regexp.MustCompile(`^(mcp_+)?(agit|pmsync|memoryd|citecheck|classify)_+`)

// firstTools finds the first model request that contains tools of the suite, and returns their number and their bytes.
func firstTools(t *testing.T, log string) (tools, size int) {
	t.Helper()
	text, err := os.ReadFile(log)
	must(t, err)
	for line := range bytes.Lines(text) {
		at := bytes.IndexByte(line, '{')
		var request struct{ Tools []object }
		if at < 0 || json.Unmarshal(line[at:], &request) != nil {
			continue
		}
		if tools, size = countTools("", request.Tools); tools > 0 {
			return tools, size
		}
	}
	return 0, 0
}

// countTools counts the suite's tools in a request, including grouped ones, without the descriptions of groups and the client's
// additions.
func countTools(group string, all []object) (tools, size int) {
	for _, one := range all {
		name, _ := one["name"].(string)
		if f, ok := one["function"].(object); ok { // OpenAI's Chat
			name, _ = f["name"].(string)
		}
		within := []object{}
		for _, key := range []string{"tools", "functionDeclarations"} {
			list, _ := one[key].([]any)
			for _, v := range list {
				if o, ok := v.(object); ok {
					within = append(within, o)
				}
			}
		}
		switch {
		case len(within) > 0:
			if name != "" {
				name += "__"
			}
			n, bytes := countTools(group+name, within)
			tools, size = tools+n, size+bytes
		case ofSuite.MatchString(group + name):
			if schema, ok := one["parametersJsonSchema"].(object); ok { // Gemini CLI adds a property of its own to each tool
				if properties, ok := schema["properties"].(object); ok {
					delete(properties, "wait_for_previous")
				}
			}
			text, _ := json.Marshal(one)
			tools, size = tools+1, size+len(text)+len(",")
		}
	}
	return tools, size
}

// TestNightPage replaces the table, and adds nothing for clients that did not meet every situation.
func TestNightPage(t *testing.T) {
	path := t.TempDir() + "/clients.md"
	t.Setenv("AGIT_CLIENTS_PAGE", path)
	const old = "above\n" + pageBegin + "old\n" + pageEnd + "below\n"
	must(t, os.WriteFile(path, []byte(old), 0o600))
	row := nightRow{client: "claude", way: "`agit work` runs it by its command line, claude 2.1.197; logged in", tools: 20, bytes: 11023, met: map[string]string{}}
	nightPage{row}.keep(t)
	if text, err := os.ReadFile(path); err != nil || string(text) != old {
		t.Errorf("a client that met nothing is written: %v\n%s", err, text)
	}
	for _, c := range nightCases {
		row.met[c.name] = "as it should"
	}
	row.met["529"] = "wrong"
	nightPage{row}.keep(t)
	text, err := os.ReadFile(path)
	must(t, err)
	got := string(text)
	for _, want := range []string{"above\n" + pageBegin + "| client, on 20", "| five tasks | 401 | 429 | 529 | denied tool | silence | tools in the first request |\n",
		"\n| claude 2.1.197 | as it should | as it should | as it should | wrong | as it should | as it should | 20, 11023 bytes |\n" + pageEnd + "below\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("it has no %q:\n%s", want, got)
		}
	}
}

func TestCountTools(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request     string
		tools, size int
	}{
		"Messages":         {`[{"name":"Bash"},{"name":"mcp__agit__agit_begin"}]`, 1, len(`{"name":"mcp__agit__agit_begin"},`)},
		"Chat":             {`[{"function":{"name":"memoryd_remember"}},{"function":{"name":"agitate"}}]`, 1, len(`{"function":{"name":"memoryd_remember"}},`)},
		"a group of Codex": {`[{"name":"mcp__pmsync","description":"x","tools":[{"name":"sync"},{"name":"pull"}]},{"name":"shell"}]`, 2, len(`{"name":"sync"},{"name":"pull"},`)},
		"Gemini":           {`[{"functionDeclarations":[{"name":"mcp_classify_text"},{"name":"run"}]}]`, 1, len(`{"name":"mcp_classify_text"},`)},
		"Gemini's own property": {`[{"functionDeclarations":[{"name":"mcp_agit_x","parametersJsonSchema":{"properties":{"wait_for_previous":{"type":"boolean"}}}}]}]`, 1,
			len(`{"name":"mcp_agit_x","parametersJsonSchema":{"properties":{}}},`)},
		"none of the suite's": {`[{"name":"Bash"}]`, 0, 0},
	} {
		var all []object
		must(t, json.Unmarshal([]byte(test.request), &all))
		if tools, size := countTools("", all); tools != test.tools || size != test.size {
			t.Errorf("%s: %d tools of %d bytes, want %d of %d", name, tools, size, test.tools, test.size)
		}
	}
}

// nightRow is the result of one client.
type nightRow struct {
	client, way  string
	tools, bytes int
	met          map[string]string
}

type nightPage []nightRow

// The table of docs/clients.md stands between these lines.
const (
	pageBegin = "<!-- written by make check-clients -->\n"
	pageEnd   = "<!-- end of what make check-clients writes -->\n"
)

// keep writes the table of a page with the date, if AGIT_CLIENTS_PAGE names one.
func (p nightPage) keep(t *testing.T) {
	t.Helper()
	path := os.Getenv("AGIT_CLIENTS_PAGE")
	if path == "" {
		return
	}
	for _, r := range p {
		if len(r.met) < len(nightCases) {
			t.Logf("%s is left as it is: %s did not meet everything", path, r.client)
			return
		}
	}
	old, err := os.ReadFile(path)
	must(t, err)
	before, rest, found := strings.Cut(string(old), pageBegin)
	_, after, ended := strings.Cut(rest, pageEnd)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", path)
	}
	must(t, os.WriteFile(path, []byte(before+pageBegin+p.table(time.Now())+pageEnd+after), 0o644)) //nolint:gosec // a page of the docs
}

// table is the page's table for people.
func (p nightPage) table(day time.Time) string {
	var b strings.Builder
	b.WriteString("| client, on " + day.Format(time.DateOnly) + " |")
	for _, c := range nightCases {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString(" tools in the first request |\n|---|" + strings.Repeat("---|", len(nightCases)+1) + "\n")
	for _, r := range p {
		fmt.Fprintf(&b, "| %s |", r.version())
		for _, c := range nightCases {
			b.WriteString(" " + r.met[c.name] + " |")
		}
		fmt.Fprintf(&b, " %d, %d bytes |\n", r.tools, r.bytes)
	}
	return b.String()
}

var version = regexp.MustCompile(`, (?:by )?([\w-]+) v?([0-9][^;, ]*)`)

// version returns the client's name with its version, from doctor's output.
func (r nightRow) version() string {
	if m := version.FindStringSubmatch(r.way); m != nil {
		return r.client + " " + m[2]
	}
	return r.client
}
