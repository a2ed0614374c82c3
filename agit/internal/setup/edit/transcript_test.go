package edit

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/cli/clitest"
)

// Texts of every layout, each with the results of the edits: what is put in, what is taken out with and without the record of it, and what
// is refused.
func TestTranscript(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	show := func(what, text string, err error, more ...any) {
		if err != nil {
			fmt.Fprintf(&all, "  %s: %v\n", what, err)
			return
		}
		fmt.Fprintf(&all, "  %s: %q", what, text)
		for _, one := range more {
			encoded, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			if string(encoded) != "{}" {
				fmt.Fprintf(&all, " %s", encoded)
			}
		}
		all.WriteString("\n")
	}
	is := func(v any) bool {
		o, ok := v.(map[string]any)
		if list, inner := o["hooks"].([]any); inner && len(list) == 1 {
			o, ok = list[0].(map[string]any)
		}
		return ok && o["c"] == "ours"
	}
	entries := map[string]Entry{
		"member":  {Path: []string{"s"}, Key: "agit", Value: Object{{"command", "agit"}, {"args", []string{"serve", "x"}}, {"n", 2}, {"on", true}}},
		"root":    {Key: "agit", Value: "x"},
		"deep":    {Path: []string{"a", "b", "c"}, Key: "k", Value: []any{1, "two"}},
		"element": {Path: []string{"h", "l"}, Value: Object{{"c", "ours"}}, Is: is, Inner: "hooks"},
	}
	for _, text := range []string{
		"", " \n", "// c", "/* c */\r\n", "\ufeff", "{}", "{ }", "{\n}", "{\n}\n", "[]", "1", "{", "{\"a\": 1} x", "{\"s\": null}", "{\"s\": {}}", "{\"s\": {\n}}", "{\"s\":{},\"t\":1}", "{\"a\":1,\"s\":{\"x\":{}}}",
		"{\"a\": 1, \"s\": {\"x\": {}}}", "{\n\t\"s\": {\n\t\t\"x\": 1\n\t}\n}\n", "{\n  \"s\": {\n    \"x\": 1, // mine\n  },\n}\n", "{\r\n  \"s\": {\r\n    \"x\": 1 // mine\r\n  }\r\n}\r\n", "{\n  \"s\": {\n    \"x\": 1 /* a */ /* b */\n  }\n}",
		"{\n  \"s\": {\n    // only a remark\n  }\n}\n", "{ // one\n  \"a\": 1, \"b\": 2\n}\n", "\ufeff{\n  \"h\": {\"l\": []}\n}\n", "{\"h\": {\"l\": [{\"c\": \"theirs\"}]}}", "{\"h\": {\"l\": [\n  {\"c\": \"theirs\"},\n]}}", "{\"h\": {\"l\": {}}}", "{\"h\": []}", "{\"a\": {\"b\": {}}}", "{\"a\": {\"b\": 1}}",
		"{\"s\": {\"agit\": {\"command\": \"other\"}}}", "{\n  \"s\": {\n    \"agit\": 1,\n    \"y\": 2\n  }\n}\n", "{\n  \"s\": {\n    \"y\": 2,\n    \"agit\": 1\n  }\n}\n", "{\n  \"s\": {\n    \"agit\": 1,\n  },\n}\n", "{\"h\": {\"l\": [{\"c\": \"ours\"}, {\"c\": \"x\"}]}}", "{\"h\": {\"l\": [{\"hooks\": [{\"c\": \"ours\"}]}, 1]}}",
		strings.Repeat("[", 201) + strings.Repeat("]", 201), "{\"a\": \"{[\\\"{\"}",
	} {
		fmt.Fprintf(&all, "%q\n", text)
		j, err := ParseJSON(text)
		if err != nil {
			fmt.Fprintf(&all, "  refused: %v\n", err)
			continue
		}
		fmt.Fprintf(&all, "  blank %t, only a %t, only nothing %t\n", Blank(text), j.Only(Object{{"a", 1}, {"b", 2}}), j.Only(nil))
		for _, name := range []string{"member", "root", "deep", "element"} {
			e := entries[name]
			put, added, err := j.Put(e)
			show("put "+name, put, err, added)
			if err != nil {
				_, found := j.Find(e)
				taken, err := j.Take(e, Added{})
				show(fmt.Sprintf("take %s, there %t", name, found), taken, err)
				continue
			}
			after, err := ParseJSON(put)
			if err != nil {
				t.Fatal(err)
			}
			taken, err := after.Take(e, added)
			show("take "+name, taken, err)
			if left, failed := ParseJSON(taken); err == nil && failed == nil {
				bare, err := left.TakeMade(added)
				show("take what was made", bare, err)
			}
			blind, err := after.Take(e, Added{})
			show("take without the record", blind, err)
		}
	}
	table := Table{Path: []string{"s", "agit"}, Value: Object{{"command", "agit"}, {"args", []string{"serve", "x"}}, {"n", 2}}}
	for _, text := range []string{
		"", "\n", "\ufeff", "# c", "a = 1", "a = 1\n", "a = 1\r\n\r\n", "a =", "[s]\nx = 1\n", "[s.agit]\ncommand = \"other\"\n", "[s.agit]\ncommand = \"other\"\n\n# of t\n[t]\ny = 1\n", "[s.agit]\n# alone\n", "[s.agit]\nx = 1\n# end\n", "[s.agit]\n[s.agit.env]\nK = \"v\"\n\n[t]\n",
		"[t]\ny = 1\n[s.agit] # it\nargs = [ # one\n  \"#x\",\n] # two\n", "[s.agit.env]\nK = 1\n", "s.agit.command = \"x\"\n", "s = {agit = {command = \"x\"}}\n", "[[s.agit]]\nx = 1\n", "[\"s\".'agit']\ncommand = '''a\nb''' # c\n", "[s.agits]\nx = 1\n", "[ s . agit ]\ncommand=1#x\n",
	} {
		fmt.Fprintf(&all, "%q\n", text)
		put, added, err := PutTOML(text, table)
		show("put", put, err, added)
		if err == nil {
			taken, err := TakeTOML(put, table, added)
			show("take", taken, err)
			blind, err := TakeTOML(put, table, Added{})
			show("take without the record", blind, err)
		}
		taken, err := TakeTOML(text, table, Added{})
		show("take what is there", taken, err)
		changed, added, err := ChangeTOML(text, table)
		show("change", changed, err, added)
		if err == nil && added.Text != "" {
			back, err := TakeTOML(changed, table, added)
			show("take the change", back, err)
		}
	}
	for _, text := range []string{
		"", "# A", "# A\n", "# A\n\n", "# A\r\n\r\ntext\r\n", "\ufeff# A\n", "---\na: b\n---\n# A\n", "---\na\n", "x\n<!-- agit:start -->\nold\n<!-- agit:end -->\ny\n", "<!-- agit:start v=2 sha=00000000 -->\r\nold\r\n<!-- agit:end --> \r\nafter", "\ufeff<!-- agit:start -->\n<!-- agit:end -->",
		"<!-- agit:start -->\n", "<!-- agit:end -->\n<!-- agit:start -->\n", "<!-- agit:start -->\n<!-- agit:end -->\n<!-- agit:end -->\n", " <!-- agit:start -->\n <!-- agit:end -->\n",
	} {
		fmt.Fprintf(&all, "%q\n", text)
		if b, err := FindBlock(text); err != nil || b != nil {
			show("block", "", err, b)
			if b != nil {
				fmt.Fprintf(&all, "  from %d to %d\n", b.Start(), b.End())
			}
		}
		put, added, err := PutBlock(text, "one\ntwo\n")
		show("put", put, err, added)
		if err == nil {
			taken, err := TakeBlock(put, added)
			show("take", taken, err)
			blind, err := TakeBlock(put, Added{})
			show("take without the record", blind, err)
			again, _, err := PutBlock(put, "three\n")
			show("put another", again, err)
		}
		first, added, err := PutBlockFirst(text, "one\n")
		show("put first", first, err, added)
		if err == nil {
			taken, err := TakeBlock(first, added)
			show("take the first", taken, err)
		}
	}
	clitest.Golden(t, filepath.Join("testdata", "transcript.txt"), all.String())
}
