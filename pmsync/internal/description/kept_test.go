package description

import (
	"strings"
	"testing"
)

// The readable text keeps something of pictures, cards, people, numbers and code.
func TestWhatMarkdownKeeps(t *testing.T) {
	t.Parallel()
	doc := func(content string) string { return `{"type":"doc","version":1,"content":[` + content + `]}` }
	for _, c := range []struct{ text, want string }{
		{doc(`{"type":"codeBlock","content":[{"type":"text","text":"a\n` + "```" + `\nb"}]}`), "````\na\n```\nb\n````"},
		{doc(`{"type":"paragraph","content":[{"type":"text","text":"a` + "`" + `b","marks":[{"type":"code"}]}]}`), "``a`b``"},
		{doc(`{"type":"paragraph","content":[{"type":"text","text":"` + "`" + `b","marks":[{"type":"code"}]}]}`), "`` `b ``"},
		{doc(`{"type":"paragraph","content":[{"type":"mention","attrs":{"id":"5b"}}]}`), "@5b"},
		{doc(`{"type":"paragraph","content":[{"type":"inlineCard","attrs":{"data":{"@id":"https://example.com/s"}}}]}`), "https://example.com/s"},
		{doc(`{"type":"blockCard","attrs":{"data":{"url":"https://example.com/t"}}}`), "https://example.com/t"},
		{doc(`{"type":"mediaSingle","content":[{"type":"media","attrs":{"type":"external","url":"https://example.com/f.png","alt":"the form"}}]}`), "[the form](https://example.com/f.png)"},
		{doc(`{"type":"mediaSingle","content":[{"type":"media","attrs":{"type":"file","id":"a","alt":"s.png"}}]}`), "[picture: s.png]"},
		{doc(`{"type":"mediaGroup","content":[{"type":"media","attrs":{"type":"file","id":"a"}}]}`), "[picture]"},
		{doc(`{"type":"mediaGroup","content":[{"type":"media","attrs":{"type":"file","id":"a","alt":"a.png"}},{"type":"media","attrs":{"type":"file","id":"b","alt":"b.png"}}]}`), "[picture: a.png] [picture: b.png]"},
		{doc(`{"type":"mediaSingle","content":[{"type":"media","attrs":{"type":"file","id":"a"}},{"type":"caption","content":[{"type":"text","text":"the old form"}]}]}`), "[picture]\n\nthe old form"},
		{doc(`{"type":"orderedList","attrs":{"order":3},"content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"third"}]}]}]}`), "3. third"},
		{`<p>See <img src="https://example.com/a?f=form.png" alt="form.png"> here</p>`, "See [form.png](https://example.com/a?f=form.png) here"},
		{`<p><img src="data:image/png;base64,AAAA"></p>`, "[picture]"},
		{`<ol start="4"><li>four</li></ol>`, "4. four"},
	} {
		format := ADF
		if strings.HasPrefix(c.text, "<") {
			format = HTML
		}
		d, err := Parse(c.text, format)
		if got := strings.TrimSpace(d.Markdown()); err != nil || got != c.want {
			t.Errorf("%s\n is %q, want %q (%v)", c.text, got, c.want, err)
		}
	}
}
