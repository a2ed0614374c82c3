package sessions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// documents are JSON and nearly JSON.
var documents = []string{
	``, ` `, `1`, `-`, `-0`, `01`, `1.`, `1.5e+3`, `1e`, `1E-2`, `.5`, `+1`, `--1`, `12a`, `nul`, `null`, `nulls`, `true`, `false`, `tru`, `True`,
	`"`, `"a`, `"a"`, `"a" `, `"a"b`, "\"a\tb\"", "\"a\x00b\"", `"\u00e9\ud83d\ude00"`, `"\u0000"`, `[tru`, `"\ud83d"`, `"\ud83dx\ude00"`, `"\ud83d\u0041"`, `"\ude00\ud83d"`, `"\u12"`, `"\u12g4"`, `"\x"`, `"\`, `"\"`,
	`"\"\\\/\b\f\n\r\t"`, "\"\xff\xfe \\n\"", "\"\xe2\x82\"", `"é€😀"`, "\"\x7f\u2028\"", `"12345678"`, `"1234567\n"`, `"12345678\"90123456789"`, "\"1234567\x1f\"",
	`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1,2`, `[1}`, `[[[]],[]]`, `{}`, `{ }`, `{"a"}`, `{"a":}`, `{"a":1}`, `{"a":1,}`, `{"a" : 1 , "b":[true,false,null]}`, `{a:1}`, `{1:1}`, `{"a":1]`,
	`{"a":1,"a":2}`, `{"\u0061":3}`, "{\"\xff\":3}", ` {"a":{"b":{"c":"d"}}} `, "\t{\r\n}\n", "\v{}", `{}{}`, `{"a":1}x`, `{"a":"b","n":-1.25e3}`,
	strings.Repeat("[", mostDepth) + strings.Repeat("]", mostDepth), strings.Repeat("[", mostDepth+1) + strings.Repeat("]", mostDepth+1),
	strings.Repeat(`{"a":`, mostDepth) + "1" + strings.Repeat("}", mostDepth), strings.Repeat(`{"a":`, mostDepth+1) + "1" + strings.Repeat("}", mostDepth+1),
}

// scanned compares what a scan reads of a document with what encoding/json reads.
func scanned(t *testing.T, doc string) {
	t.Helper()
	valid := json.Valid([]byte(doc))
	if s := document([]byte(doc), (*scan).pass); s.bad == valid {
		t.Errorf("%.80q is passed over: %v, is JSON: %v", doc, !s.bad, valid)
	}
	members := map[string]json.RawMessage{}
	s := document([]byte(doc), func(s *scan) { s.members(func(name []byte) { members[string(name)] = s.raw() }) })
	if s.bad == valid {
		t.Errorf("%.80q is read as an object: %v, is JSON: %v", doc, !s.bad, valid)
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal([]byte(doc), &want); valid && (err != nil) != s.odd {
		t.Errorf("%.80q is odd: %v, want %v", doc, s.odd, err)
	} else if err == nil && len(want)+len(members) > 0 && !cmp.Equal(members, want) {
		t.Errorf("%.80q has %q, want %q", doc, members, want)
	}
	var list []json.RawMessage
	s = document([]byte(doc), func(s *scan) { s.elements(func() { list = append(list, s.raw()) }) })
	if s.bad == valid {
		t.Errorf("%.80q is read as a list: %v, is JSON: %v", doc, !s.bad, valid)
	}
	var wantList []json.RawMessage
	if err := json.Unmarshal([]byte(doc), &wantList); valid && (err != nil) != s.odd {
		t.Errorf("%.80q is odd: %v, want %v", doc, s.odd, err)
	} else if err == nil && len(list)+len(wantList) > 0 && !cmp.Equal(list, wantList) {
		t.Errorf("%.80q has %q, want %q", doc, list, wantList)
	}
	value(t, doc, "unread", (*scan).text)
	value(t, doc, true, (*scan).yes)
	value(t, doc, int64(7), (*scan).whole)
	value(t, doc, 7.5, (*scan).number)
}

// value compares a value of one type; before is what the variable held.
func value[T comparable](t *testing.T, doc string, before T, read func(*scan, *T)) {
	t.Helper()
	got, want := before, before
	s := document([]byte(doc), func(s *scan) { read(s, &got) })
	err := json.Unmarshal([]byte(doc), &want)
	valid := json.Valid([]byte(doc))
	if s.bad == valid || valid && s.odd != (err != nil) {
		t.Errorf("%.80q as %T: bad %v, odd %v, want %v", doc, got, s.bad, s.odd, err)
	}
	if valid && got != want {
		t.Errorf("%.80q as %T: %v, want %v", doc, got, got, want)
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	for _, doc := range append(documents, fmt.Sprint(math.MaxInt64), "9223372036854775808", "1e400") {
		scanned(t, doc)
	}
}

func TestScanPassesOverWhatIsNotRead(t *testing.T) {
	t.Parallel()
	var got string
	s := document([]byte(`[{"a":[1,{"b":2}],"c":"one"},5,{"c":"two","d":{}}]`), func(s *scan) {
		s.elements(func() {
			s.members(func(name []byte) {
				if string(name) == "c" {
					s.text(&got)
					got += "."
				}
			})
		})
	})
	if s.bad || !s.odd || got != "two." {
		t.Errorf("%q %+v", got, s)
	}
}

// TestScanFindsTheEndOfTexts has each byte at each place of a text of up to three times the bytes that are looked at together.
func TestScanFindsTheEndOfTexts(t *testing.T) {
	t.Parallel()
	for length := range 24 {
		for place := range length {
			for c := range 256 {
				text := bytes.Repeat([]byte("x"), length)
				text[place] = byte(c)
				doc := append(append([]byte{'"'}, text...), '"')
				if s := document(doc, (*scan).pass); s.bad == json.Valid(doc) {
					t.Errorf("%q: %v", doc, s.bad)
				}
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, doc := range documents {
		if len(doc) < 1000 {
			f.Add(doc)
		}
	}
	f.Fuzz(scanned)
}
