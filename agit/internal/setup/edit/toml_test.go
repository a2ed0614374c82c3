package edit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var messyTOML = map[string]string{
	"nothing":            "",
	"one key":            "model = \"x\"\n",
	"no final newline":   "model = \"x\"",
	"CRLF":               "model = \"x\"\r\n\r\n[a]\r\nb = 1\r\n",
	"byte order mark":    "\ufeffmodel = \"x\"\n",
	"comments":           "# mine\nmodel = \"x\" # why\n\n# servers\n[mcp_servers.x] # one\ncommand = \"x\"\n# end\n",
	"blank lines":        "\n\n\nmodel = \"x\"\n\n\n",
	"existing servers":   "[mcp_servers.x]\ncommand = \"x\"\nargs = [\n  \"a\", # one\n]\n[mcp_servers.x.env]\nK = \"v\"\n",
	"the parent's table": "[mcp_servers]\n[mcp_servers.x]\ncommand = \"x\"\n",
	"dotted keys":        "mcp_servers.x.command = \"x\"\n",
	"arrays of tables":   "[[hooks]]\na = 1\n[[hooks]]\na = 2\n",
	"multi-line strings": "a = \"\"\"\n[mcp_servers.agit]\n\"\"\"\n",
	"quoted keys":        "[mcp_servers.\"a b\"]\ncommand = 'x'\n",
	"tabs":               "\tmodel = \"x\"\n\t[a]\n\t\tb = 1\n",
}

func table(name string) Table {
	return Table{Path: []string{"mcp_servers", name}, Value: Object{{"command", `C:\Program Files\` + name}, {"args", []string{"serve", "--tools", "core"}}}}
}

func TestTOMLIsRestored(t *testing.T) {
	for name, before := range messyTOML {
		t.Run(name, func(t *testing.T) {
			for _, order := range [][]int{{1, 0}, {0, 1}} {
				all := []Table{table("agit"), table("memoryd")}
				added := make([]Added, len(all))
				text := before
				for i, one := range all {
					var err error
					if text, added[i], err = PutTOML(text, one); err != nil {
						t.Fatal(err)
					}
				}
				doc, err := ParseTOML(text)
				if err != nil {
					t.Fatal(err)
				}
				for _, one := range all {
					if v, ok := GetTOML(doc, one.Path...); !ok || cmp.Diff(Plain(one.Value), Plain(v)) != "" {
						t.Fatalf("%v is not in\n%s", one.Path, text)
					}
				}
				for _, i := range order {
					if text, err = TakeTOML(text, all[i], added[i]); err != nil {
						t.Fatal(err)
					}
				}
				if text != before {
					t.Fatalf("order %v:\n%q, want\n%q", order, text, before)
				}
			}
		})
	}
}

// Tables that were edited, or whose record is lost, are taken out by their headers.
func TestTOMLWithoutRecord(t *testing.T) {
	text := "# mine\nmodel = \"x\"\n\n[mcp_servers.agit]\ncommand = \"agit\"\n\n[mcp_servers.agit.env]\nK = \"v\"\n\n# the next one\n[mcp_servers.other] # o\ncommand = \"o\"\n"
	got, err := TakeTOML(text, table("agit"), Added{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "# mine\nmodel = \"x\"\n\n# the next one\n[mcp_servers.other] # o\ncommand = \"o\"\n"; got != want {
		t.Error(cmp.Diff(want, got))
	}
}

// Without a record each table takes the blank line in front of it along, also where an editor changed the ends of lines.
func TestTOMLWithoutRecordIsRestored(t *testing.T) {
	for before, want := range map[string]string{
		"model = \"x\"\n":           "model = \"x\"\n",
		"model = \"x\"\r\n":         "model = \"x\"\r\n",
		"model = \"x\"\n\n[t]\na=1": "model = \"x\"\n\n[t]\na=1\n",
	} {
		text := before
		for _, name := range []string{"agit", "memoryd"} {
			text, _, _ = PutTOML(text, table(name))
		}
		text += "\n[mcp_servers.agit.tools.begin]\napproval_mode = \"approve\"\n"
		for _, name := range []string{"agit", "memoryd"} {
			var err error
			if text, err = TakeTOML(text, table(name), Added{}); err != nil {
				t.Fatal(err)
			}
		}
		if text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
	tight := "a = 1\n\n[mcp_servers.agit]\n[t]\n"
	if got, err := TakeTOML(tight, table("agit"), Added{}); err != nil || got != "a = 1\n\n[t]\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTOMLIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"cut off": "[a", "twice": "a = 1\na = 2\n", "inline": "mcp_servers = {x = {command = \"x\"}}\n", "not a table": "mcp_servers = 1\n",
		"it is there": "[mcp_servers.agit]\n", "deep": "a = " + strings.Repeat("[", 100_000),
	} {
		if after, _, err := PutTOML(text, table("agit")); err == nil {
			t.Errorf("%s: %q", name, after)
		}
	}
	for name, text := range map[string]string{
		"inline": "mcp_servers = {agit = {command = \"x\"}}\n", "dotted": "mcp_servers.agit.command = \"x\"\n", "in the parent": "[mcp_servers]\nagit = {command = \"x\"}\n",
	} {
		if after, err := TakeTOML(text, table("agit"), Added{}); err == nil {
			t.Errorf("%s: %q", name, after)
		}
	}
}

func FuzzTOML(f *testing.F) {
	for _, text := range messyTOML {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		after, added, err := PutTOML(text, table("agit"))
		if err != nil {
			return
		}
		back, err := TakeTOML(after, table("agit"), added)
		if err != nil || back != text {
			t.Fatalf("%q, want %q, %v", back, text, err)
		}
		if _, err := TakeTOML(after, table("agit"), Added{}); err != nil {
			t.Fatalf("without its record: %v\n%q", err, after)
		}
	})
}
