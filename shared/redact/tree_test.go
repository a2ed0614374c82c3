package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/redact"
)

// adf is a document of Atlassian with the blocks given.
func adf(blocks ...string) string {
	return `{"type":"doc","version":1,"content":[` + strings.Join(blocks, ",") + `]}`
}

func paragraph(inline ...string) string {
	return `{"type":"paragraph","content":[` + strings.Join(inline, ",") + `]}`
}

func word(s, mark string) string {
	encoded, _ := json.Marshal(s)
	if mark == "" {
		return `{"type":"text","text":` + string(encoded) + `}`
	}
	return `{"text":` + string(encoded) + `,"type":"text","marks":[{"type":"` + mark + `"}]}`
}

func cell(kind string, inline ...string) string {
	return `{"type":"` + kind + `","content":[` + paragraph(inline...) + `]}`
}

// A name and its value can be in differently styled words, in two cells and in two rows; the other words of the document stay.
func TestStyledTexts(t *testing.T) {
	t.Parallel()
	m := newMaker(11)
	pass := m.of(alnums, 8) + "9!" + m.of(alnums, 6)
	token := "gh" + "p_" + m.of(alnums, 36)
	const hidden = "[redacted password]"
	for name, test := range map[string]struct{ given, want string }{
		"bold name":     {adf(paragraph(word("Password:", "strong"), word(" "+pass, ""))), adf(paragraph(word("Password:", "strong"), word(" "+hidden, "")))},
		"code":          {adf(paragraph(word("password", "strong"), word(": ", ""), word(pass, "code"))), adf(paragraph(word("password", "strong"), word(": ", ""), word(hidden, "code")))},
		"half a token":  {adf(paragraph(word("use "+token[:12], "em"), word(token[12:]+" there", ""))), adf(paragraph(word("use [redacted GitHub token]", "em"), word(" there", "")))},
		"quoted words":  {adf(paragraph(word(`password: "`+pass+` and 3 more"`, ""))), adf(paragraph(word(`password: "`+hidden+`"`, "")))},
		"cells":         {adf(`{"type":"table","content":[{"type":"tableRow","content":[` + cell("tableHeader", word("Password", "")) + `,` + cell("tableCell", word(pass, "")) + `]}]}`), adf(`{"type":"table","content":[{"type":"tableRow","content":[` + cell("tableHeader", word("Password", "")) + `,` + cell("tableCell", word(hidden, "")) + `]}]}`)},
		"link":          {adf(paragraph(`{"type":"text","text":"here","marks":[{"type":"link","attrs":{"href":"https://joe:` + pass[:8] + `@x.example.com"}}]}`)), adf(paragraph(`{"type":"text","text":"here","marks":[{"type":"link","attrs":{"href":"https://joe:[redacted URL password]@x.example.com"}}]}`))},
		"nothing":       {adf(paragraph(word("Password:", "strong"), word(" at least 8 characters", ""))), adf(paragraph(word("Password:", "strong"), word(" at least 8 characters", "")))},
		"inside of one": {`{"description":` + adf(paragraph(word("Password:", "strong"), word(" "+pass, ""))) + `}`, `{"description":` + adf(paragraph(word("Password:", "strong"), word(" "+hidden, ""))) + `}`},
	} {
		got, _ := redact.JSON([]byte(test.given))
		if string(got) != test.want {
			t.Errorf("%s: %s became %s, want %s", name, test.given, got, test.want)
		}
		if again, kinds := redact.JSON(got); string(again) != string(got) || kinds != nil {
			t.Errorf("%s: a second time %s became %s", name, got, again)
		}
	}
}

func TestHTML(t *testing.T) {
	t.Parallel()
	m := newMaker(12)
	pass := m.of(alnums, 8) + "9!" + m.of(alnums, 6)
	for given, want := range map[string]string{
		"<p><b>Password:</b> <code>" + pass + "</code></p>":                                            "<p><b>Password:</b> <code>[redacted password]</code></p>",
		"<div><strong>pass</strong>word: " + pass + " &amp; more</div>":                                "<div><strong>pass</strong>word: [redacted password] &amp; more</div>",
		"<table><tr><td><p>Password</p></td><td><p>" + pass + "</p></td></tr></table>":                 "<table><tr><td><p>Password</p></td><td><p>[redacted password]</p></td></tr></table>",
		"<tr><th>user</th><th>password</th></tr><tr><td>joe</td><td>" + pass + "</td></tr>":            "<tr><th>user</th><th>password</th></tr><tr><td>joe</td><td>[redacted password]</td></tr>",
		"password=&quot;" + pass + "&quot;<br>done":                                                    "password=&#34;[redacted password]&#34;<br>done",
		`<a href="https://joe:` + pass[:8] + `@x.example.com">here</a>`:                                `<a href="https://joe:[redacted URL password]@x.example.com">here</a>`,
		"<p>password:</p><p>" + pass + "</p>":                                                          "<p>password:</p><p>[redacted password]</p>",
		"<ul><li>password: " + pass + "</li><li>a &lt; b</li></ul>":                                    "<ul><li>password: [redacted password]</li><li>a &lt; b</li></ul>",
		"<tr><td>user</td><td>password</td></tr><p>joe</p><p>mountains</p>":                            "<tr><td>user</td><td>password</td></tr><p>joe</p><p>mountains</p>",
		"<dl><dt>Password</dt><dd>" + pass + "</dd></dl>":                                              "<dl><dt>Password</dt><dd>[redacted password]</dd></dl>",
		"<?php x ?><p>password: " + pass + "<!-- open":                                                 "<?php x ?><p>password: [redacted password]<!-- open",
		"<tr><td>password</td><td><div>" + pass + "</div></td></tr><tr><td>a</td></tr>":                "<tr><td>password</td><td><div>[redacted password]</div></td></tr><tr><td>a</td></tr>",
		"<p>Passwords have 8 characters &lt; 64.</p><!-- " + strings.Repeat("x", 9) + " --><hr/>a < b": "<p>Passwords have 8 characters &lt; 64.</p><!-- " + strings.Repeat("x", 9) + " --><hr/>a < b",
	} {
		if got, _ := redact.HTML(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

// The name of a member counts, and so does a name that a member beside it holds.
func TestMembers(t *testing.T) {
	t.Parallel()
	m := newMaker(13)
	pass := m.of(alnums, 8) + "9x" + m.of(alnums, 6)
	for given, want := range map[string]string{
		`{"password": "` + pass + `", "n": 1.50}`:                           `{"password": "[redacted password]", "n": 1.50}`,
		`{"password":{"value":"` + pass + `"}}`:                             `{"password":{"value":"[redacted password]"}}`,
		`[{"value":"` + pass + `","name":"DB_PASSWORD"}]`:                   `[{"value":"[redacted password]","name":"DB_PASSWORD"}]`,
		`{"tokens":["` + pass + "aB1" + `"]}`:                               `{"tokens":["[redacted secret]"]}`,
		`{"password":"required","token":"refresh","secret":"in the vault"}`: `{"password":"required","token":"refresh","secret":"in the vault"}`,
		`{"text":"say \"password: ` + pass + `\" twice"}`:                   `{"text":"say \"password: [redacted password]\" twice"}`,
		`{"name":"value","value":"` + pass + `"}`:                           `{"name":"value","value":"` + pass + `"}`,
	} {
		if got, _ := redact.JSON([]byte(given)); string(got) != want {
			t.Errorf("%s became %s, want %s", given, got, want)
		}
		var value any
		if err := json.Unmarshal([]byte(given), &value); err != nil {
			t.Fatal(err)
		}
		clean, _ := redact.Value(value)
		var wanted any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(clean)
		if b, _ := json.Marshal(wanted); string(a) != string(b) {
			t.Errorf("decoded, %s became %s, want %s", given, a, b)
		}
	}
}

// A document stays valid JSON after redaction.
func FuzzJSON(f *testing.F) {
	m := newMaker(14)
	f.Add(adf(paragraph(word("password:", "strong"), word(" "+m.of(alnums, 14), ""))))
	f.Add(`{"password":"` + m.of(alnums, 14) + `","a":[1,{"name":"token","value":"x"}]}`)
	f.Add(`{"a":"\u0000\ud800"`)
	f.Fuzz(func(t *testing.T, s string) {
		clean, _ := redact.JSON([]byte(s))
		if json.Valid([]byte(s)) && !json.Valid(clean) {
			t.Errorf("%q became %q", s, clean)
		}
	})
}

func FuzzHTML(f *testing.F) {
	m := newMaker(15)
	f.Add("<p><b>password:</b> " + m.of(alnums, 14) + "</p><!-- x")
	f.Add("<a href='x'>&lt;</a><")
	f.Fuzz(func(t *testing.T, s string) {
		if clean, kinds := redact.HTML(s); (clean == s) != (kinds == nil) {
			t.Errorf("%q became %q, %q", s, clean, kinds)
		}
	})
}
