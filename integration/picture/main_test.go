package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestPicture(t *testing.T) {
	var out bytes.Buffer
	screen := "\x1b[1mapp\x1b[0m  main\n\x1b[31m-old <line>\n-old too\x1b[39m \x1b[7m> on\x1b[0m\n"
	if err := run([]string{"20"}, strings.NewReader(screen), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`font-weight="bold">app</text>`, `>-old &lt;line&gt;</text>`,
		`fill="#f28b82" xml:space="preserve">-old too</text>`, // a look continues in the next line
		`<rect x="91.6" y="54" width="33.6"`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in\n%s", want, out.String())
		}
	}
}
