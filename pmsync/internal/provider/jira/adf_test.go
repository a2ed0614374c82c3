package jira

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/description"
)

// TestReadBack: tables and task lists come back as they were sent, and a list that is
// tasks in part stays a list.
func TestReadBack(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"- [ ] the page loads\n- [x] the link expires":               "- [ ] the page loads\n- [x] the link expires",
		"| case | result |\n|---|---|\n| wrong password | refused |": "| case | result |\n| --- | --- |\n| wrong password | refused |",
		"- [ ] open\n- closed":                                       "- [ ] open\n- closed",
		"~~old~~ and **new**":                                        "~~old~~ and **new**",
		"## Why\n\n1. one\n2. two":                                   "## Why\n\n1. one\n2. two",
	} {
		raw, err := json.Marshal(Document(markdown))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := description.Parse(string(raw), description.ADF)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(strings.TrimSpace(doc.Markdown()), `\[`, "["); got != want {
			t.Errorf("%q comes back as\n%q, want\n%q", markdown, got, want)
		}
	}
}

// TestNodes has texts and the content that Jira is sent.
func TestNodes(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"a\nb  \nc": `[{"content":[{"text":"a b","type":"text"},{"type":"hardBreak"},{"text":"c","type":"text"}],"type":"paragraph"}]`,
		"| a |\n|---|\n| b |": `[{"content":[{"content":[{"attrs":{},"content":[{"content":[{"text":"a","type":"text"}],"type":"paragraph"}],"type":"tableHeader"}],"type":"tableRow"},` +
			`{"content":[{"attrs":{},"content":[{"content":[{"text":"b","type":"text"}],"type":"paragraph"}],"type":"tableCell"}],"type":"tableRow"}],"type":"table"}]`,
		"- [x] a\n- [ ]": `[{"attrs":{"localId":"list-of-task-1"},"content":[{"attrs":{"localId":"task-1","state":"DONE"},"content":[{"text":"a","type":"text"}],"type":"taskItem"},` +
			`{"attrs":{"localId":"task-2","state":"TODO"},"type":"taskItem"}],"type":"taskList"}]`,
		"> - [x] a\n> - [ ] b": `[{"content":[{"content":[{"text":"[x] ","type":"text"},{"text":"a","type":"text"}],"type":"paragraph"},` +
			`{"content":[{"text":"[ ] ","type":"text"},{"text":"b","type":"text"}],"type":"paragraph"}],"type":"blockquote"}]`,
		"3. a\n\n```Go\nb\n```": `[{"attrs":{"order":3},"content":[{"content":[{"content":[{"text":"a","type":"text"}],"type":"paragraph"}],"type":"listItem"}],"type":"orderedList"},` +
			`{"attrs":{"language":"go"},"content":[{"text":"b","type":"text"}],"type":"codeBlock"}]`,
		"[a](/b) **[c](d:e)** **`f`** ![](g:h)": `[{"content":[{"text":"a","type":"text"},{"text":" ","type":"text"},{"marks":[{"attrs":{"href":"d:e"},"type":"link"},{"type":"strong"}],"text":"c","type":"text"},` +
			`{"text":" ","type":"text"},{"marks":[{"type":"code"}],"text":"f","type":"text"},{"text":" ","type":"text"},{"marks":[{"attrs":{"href":"g:h"},"type":"link"}],"text":"g:h","type":"text"}],"type":"paragraph"}]`,
	} {
		raw, err := json.Marshal(Document(markdown).(node)["content"])
		if err != nil || string(raw) != want {
			t.Errorf("%q is\n%s, want\n%s; %v", markdown, raw, want, err)
		}
	}
}
