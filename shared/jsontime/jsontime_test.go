package jsontime_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/jsontime"
)

type inner struct {
	At   time.Time  `json:"at"`
	Seen *time.Time `json:"seen,omitempty"`
}

type outer struct {
	inner
	Text  string         `json:"text"`
	Items []inner        `json:"items"`
	Any   any            `json:"any"`
	Free  map[string]any `json:"free"`
	Bare  time.Time
}

func TestEveryTimeHasOneForm(t *testing.T) {
	at := time.Date(2026, 11, 22, 9, 0, 9, 360_000_000, time.UTC)
	fine := at.Add(123456)
	away := time.Date(2026, 11, 22, 10, 0, 9, 0, time.FixedZone("x", 3600))
	for _, c := range []struct {
		v    any
		want string
	}{
		{inner{At: at, Seen: &fine}, `{"at":"2026-11-22T09:00:09.360Z","seen":"2026-11-22T09:00:09.360Z"}`},
		{[]inner{{At: away}}, `[{"at":"2026-11-22T09:00:09.000Z"}]`},
		{map[string]any{"list": []inner{{At: at}}, "n": 1}, `{"list":[{"at":"2026-11-22T09:00:09.360Z"}],"n":1}`},
		{map[string]any{"made": at, "text": "2026-11-22T09:00:09Z"}, `{"made":"2026-11-22T09:00:09.360Z","text":"2026-11-22T09:00:09Z"}`},
		{outer{inner: inner{At: at}, Text: `a "at":"2026-11-22T09:00:09Z" b \`, Any: inner{At: away}, Free: map[string]any{"at": "soon"}, Bare: away},
			`{"at":"2026-11-22T09:00:09.360Z","text":"a \"at\":\"2026-11-22T09:00:09Z\" b \\","items":null,"any":{"at":"2026-11-22T09:00:09.000Z"},"free":{"at":"soon"},"Bare":"2026-11-22T09:00:09.000Z"}`},
		{map[string]any{"text": "<&>"}, `{"text":"<&>"}`},
		{nil, `null`},
	} {
		for _, indent := range []string{"", "  "} {
			got, err := jsontime.Encode(c.v, indent)
			if err != nil {
				t.Fatal(err)
			}
			var a, b any
			if err := json.Unmarshal(got, &a); err != nil {
				t.Fatalf("%s: %v", got, err)
			}
			if err := json.Unmarshal([]byte(c.want), &b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(b, a); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", c.v, diff)
			}
			if indent == "" && string(got) != c.want+"\n" {
				t.Errorf("got %s", got)
			}
		}
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("at", `"at":"2026-11-22T09:00:09Z"`)
	f.Add(`a\`, "\x00\"")
	f.Fuzz(func(t *testing.T, key, text string) {
		v := map[string]any{key: text, "made": time.Unix(1, 5).UTC(), "x": []any{text, inner{}}}
		got, err := jsontime.Encode(v, "")
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var a, b map[string]any
		if err := json.Unmarshal(got, &a); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if err := json.Unmarshal(plain, &b); err != nil {
			t.Fatal(err)
		}
		delete(a, "made")
		delete(b, "made")
		delete(a, "x")
		delete(b, "x")
		if key != "at" && !cmp.Equal(a, b) {
			t.Errorf("%v became %v", b, a)
		}
	})
}
