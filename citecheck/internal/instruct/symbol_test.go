package instruct

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSymbolsThatTheCodeHadOnce(t *testing.T) {
	t.Parallel()
	root := repository(t,
		map[string]string{
			"a.go":      "package a\n\nfunc parseConfig() {}\n\nfunc loadAll() { http.NewServeMux() }\n",
			"notes.md":  "parseConfig\n",
			"CLAUDE.md": "`parseConfig()` reads it.\n`loadAll` loads.\n`http.NewServeMux` is used.\n`someThing` never was.\n`oldThing()` was removed.\n",
			"b.go":      "package a\n\nfunc oldThing() {}\n",
		},
		map[string]string{"a.go": "package a\n\nfunc loadAll() {}\n", "b.go": "package a\n"},
	)
	findings, passed := found(t, root, Options{})
	if diff := cmp.Diff([]string{"CLAUDE.md:1 removed symbol parseConfig()"}, findings); diff != "" {
		t.Error(diff)
	}
	want := []string{"http.NewServeMux: " + whyWord, "someThing: " + whyWord, "oldThing(): " + whyDenied}
	if diff := cmp.Diff(want, passed); diff != "" {
		t.Error(diff)
	}
}

func TestDefinesTellsADefinitionFromAUse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"func theName() {": true, "func (r *R) theName() {": true, "\tdef theName(self):": true, "export const theName = 1": true, "pub fn theName(": true,
		"\ttheName: true,": true, "theName = 1": true, "  async theName(a) {": true, "macro_rules! theName {": true, "let mut theName": false,
		"\ttheName()": false, "x := theName": false, "if theName == 1 {": false, "private ws: theName": false, "new theName(x) {": false, "theName::x()": false,
		"func notheName() {": false, "func theNames() {": false, "return theName": false,
	} {
		if got := defines(line, "theName"); got != want {
			t.Errorf("defines(%q) is %v", line, got)
		}
	}
}

func TestSymbolNames(t *testing.T) {
	t.Parallel()
	for span, want := range map[string]string{
		"parseConfig": "parseConfig", "a.b.parseConfig()": "parseConfig", "Foo::do_it_now": "do_it_now", "MAX_RETRIES": "MAX_RETRIES",
		"config": "", "Config": "", "a_b": "", "two words": "", "parse-config": "", "--parse_config": "", "HTTPS": "", "__init__": "",
	} {
		if got := symbolName(span); got != want {
			t.Errorf("%q names %q, not %q", span, got, want)
		}
	}
}

func TestWordsAreFoundWhole(t *testing.T) {
	t.Parallel()
	w := &wordSearch{missing: map[string]bool{}}
	long := strings.Repeat("x", 80)
	for _, name := range []string{"one_two", "three", long} {
		w.missing[name] = true
		w.long[min(len(name), len(w.long)-1)] = true
	}
	w.look([]byte("zone_two one_twos (" + long + ") threes three"))
	if diff := cmp.Diff(map[string]bool{"one_two": true}, w.missing); diff != "" {
		t.Error(diff)
	}
}
