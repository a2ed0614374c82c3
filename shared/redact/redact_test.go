package redact_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/redact"
)

func newMaker(seed uint64) *maker { return &maker{Rand: rand.New(rand.NewPCG(seed, 3))} }

func TestWhatIsLeft(t *testing.T) {
	m := newMaker(1)
	github := "gh" + "p_" + m.of(alnums, 36)
	tail := m.of(alnums, 20)
	for given, want := range map[string]string{
		"use " + github + " there":                                             "use [redacted GitHub token] there",
		"x" + github:                                                           "x[redacted GitHub token]",
		"postgres://app:hunter2x@db.local:5432/app":                            "postgres://app:[redacted URL password]@db.local:5432/app",
		"postgres://app:a@b/c@db.local:5432/app":                               "postgres://app:[redacted URL password]@db.local:5432/app",
		"https://u:s3cretx@h.example/@scope/pkg":                               "https://u:[redacted URL password]@h.example/@scope/pkg",
		"https://" + github + "@github.com/x":                                  "https://[redacted GitHub token]@github.com/x",
		"[redacted password] and " + github:                                    "[redacted password] and [redacted GitHub token]",
		"[redacted password]" + github + "[redacted password] API_KEY=" + tail: "[redacted password][redacted GitHub token][redacted password] API_KEY=[redacted secret]",
		"DB_PASSWORD=s3cr3t!pass":                                              "DB_PASSWORD=[redacted password]",
		"the password is tr0ub4dor.":                                           "the password is [redacted password].",
		"password=hunter2x/" + tail:                                            "password=[redacted password]",
		"password=" + github + "/" + tail:                                      "password=[redacted GitHub token]",
		`{"client_secret": "` + tail + `"}`:                                    `{"client_secret": "[redacted secret]"}`,
		"first " + tail + ", then API_KEY=" + tail:                             "first [redacted secret], then API_KEY=[redacted secret]",
		"a " + github + " and b " + github:                                     "a [redacted GitHub token] and b [redacted GitHub token]",
		"a " + github + " b " + github + " c " + github:                        "a [redacted GitHub token] b [redacted GitHub token] c [redacted GitHub token]",
		tail + ", of API_KEY=" + tail:                                          "[redacted secret], of API_KEY=[redacted secret]",
		"x://u:a1b2c3@h.io has a1b2c3":                                         "x://u:[redacted URL password]@h.io has [redacted URL password]",
		"x://u:a1b2@h.io a1b2 API_KEY=" + tail + " " + tail:                    "x://u:[redacted URL password]@h.io a1b2 API_KEY=[redacted secret] [redacted secret]",
		"https://h.example/x?key=" + tail + "&q=1":                             "https://h.example/x?key=[redacted secret]&q=1",
		"https://h.example/x?key=a1b2c3d4e5f6g7h8&q=1":                         "https://h.example/x?key=[redacted secret]&q=1",
		"https://h.example/x?key=a1b2c3d4e5&q=1":                               "https://h.example/x?key=[redacted secret]&q=1",
		"https://h.example/x?key=a1b2c3d4e&q=1":                                "https://h.example/x?key=a1b2c3d4e&q=1",
		"https://h.example/x?key=translation_of_pages&q=1":                     "https://h.example/x?key=translation_of_pages&q=1",
		"password=x1" + github:                                                 "password=[redacted GitHub token]",
		"Server=x;Pwd=abc123def;Database=y":                                    "Server=x;Pwd=[redacted password];Database=y",
		"--password abc123def --yes":                                           "--password [redacted password] --yes",
		"-----BEGIN PRIVATE" + " KEY-----\n" + tail + "\n":                     "[redacted private key]\n",
	} {
		if got, _ := redact.Redact(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

// A value ends where other text follows, and not before.
func TestWhereAValueEnds(t *testing.T) {
	const hidden = "[redacted password]"
	for given, want := range map[string]string{
		"?password=abc123def&page=2":           "?password=" + hidden + "&page=2",
		"password=abc123&def4":                 "password=" + hidden,
		`see ?page=2 password="abc123&def4"`:   `see ?page=2 password="` + hidden + `"`,
		"password=abc123def, user=joe":         "password=" + hidden + ", user=joe",
		"password=abc123def,\nuser=joe":        "password=" + hidden + ",\nuser=joe",
		"password=abc123def,user=joe":          "password=" + hidden + ",user=joe",
		"password=abc123def,user:joe":          "password=" + hidden + ",user:joe",
		"password=abc123,def4 and=more":        "password=" + hidden + " and=more",
		"password=abc123def,":                  "password=" + hidden + ",",
		`password=abc123def\ngone`:             `password=` + hidden + `\ngone`,
		`password=abc123def\n`:                 `password=` + hidden + `\n`,
		"password=abc123,d":                    "password=" + hidden,
		`password="abc123, def4" user=joe`:     `password="` + hidden + `" user=joe`,
		`password='abc123 def4'`:               `password='` + hidden + `'`,
		"password=\"abc123 def4\nuser=\"joe":   "password=\"" + hidden + " def4\nuser=\"joe",
		"password=abc123,d and so on":          "password=" + hidden + " and so on",
		`password=abc123\def4`:                 `password=` + hidden,
		`password=abc123def4\`:                 `password=` + hidden + `\`,
		"[password=abc123def]":                 "[password=" + hidden + "]",
		"password=abc12]3def and more":         "password=" + hidden + " and more",
		"password=abc12[3def":                  "password=" + hidden,
		`password="]abc123def"`:                `password="` + hidden + `"`,
		"<password>abc123def</password>":       "<password>" + hidden + "</password>",
		`password="abc123<def4" and so on`:     `password="` + hidden + `" and so on`,
		`password="abc123def;user=joe" and on`: `password="` + hidden + `" and on`,
	} {
		if got, _ := redact.Redact(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

func TestValue(t *testing.T) {
	m := newMaker(2)
	secret := m.of(alnums, 24)
	clean, kinds := redact.Value(map[string]any{"password": "s3cr3tpass", "list": []any{"API_KEY=" + secret, 3}, "why": "the token bucket", "n": nil})
	encoded, err := json.Marshal(clean)
	if want := `{"list":["API_KEY=[redacted secret]",3],"n":null,"password":"[redacted password]","why":"the token bucket"}`; err != nil || string(encoded) != want || len(kinds) != 2 {
		t.Errorf("%s, %q, %v", encoded, kinds, err)
	}
}

func TestJSON(t *testing.T) {
	m := newMaker(3)
	secret := m.of(alnums, 32)
	for given, want := range map[string]string{
		`{"a":"x", "token":12,"b":["API_KEY=` + secret + `\n<b>"]}`: `{"a":"x", "token":12,"b":["API_KEY=[redacted secret]\n<b>"]}`,
		`{"q":"say \"API_KEY=` + secret + `\" twice"}`:              `{"q":"say \"API_KEY=[redacted secret]\" twice"}`,
		`{"a":"nothing","b":1.50}`:                                  `{"a":"nothing","b":1.50}`,
		`"unended API_KEY=` + secret:                                `"unended API_KEY=` + secret,
	} {
		if got, _ := redact.JSON([]byte(given)); string(got) != want {
			t.Errorf("%s became %s, want %s", given, got, want)
		}
	}
}

func TestTaken(t *testing.T) {
	redact.Taken()
	github := "gh" + "p_" + newMaker(4).of(alnums, 36)
	redact.Text("one " + github)
	redact.Text("the same " + github)
	redact.Text("nothing")
	if said := redact.Sentence(redact.Taken()); said != "1 secret was taken out before storing: GitHub token" {
		t.Error(said)
	}
	if redact.Sentence(redact.Taken()) != "" {
		t.Error("said twice")
	}
}

// Checking a name takes nothing out that a command would report at its end.
func TestTelling(t *testing.T) {
	redact.Taken()
	for name, want := range map[string]bool{"GEMINI_API_KEY": true, "password": true, "npm_config__authToken": true, "EDITOR": false, "": false} {
		if redact.Telling(name) != want {
			t.Errorf("%q holds a secret: %v", name, !want)
		}
	}
	if kinds := redact.Taken(); kinds != nil {
		t.Errorf("it says that %v were taken out", kinds)
	}
}

// Passwords are hidden in the configuration of curl, in a table, in a block of YAML and in an address; the rest stays.
func TestPlaces(t *testing.T) {
	const hidden = "[redacted password]"
	for given, want := range map[string]string{
		`user = "joe:hunter2x"`:                              `user = "joe:` + hidden + `"`,
		"curl -K x\nuser = joe:hunter2x":                     "curl -K x\nuser = joe:" + hidden,
		"user = joe:hunter2x":                                "user = joe:hunter2x",
		`user = "joe:short"`:                                 `user = "joe:short"`,
		`user = ":hunter2x"`:                                 `user = ":hunter2x"`,
		`user = "joe:$PASSWORD1"`:                            `user = "joe:$PASSWORD1"`,
		"| name | password |\n|---|---|\n| joe | hunter2x |": "| name | password |\n|---|---|\n| joe | " + hidden + " |",
		"| password | name |\n|---|---|\n| hunter2x | joe |": "| password | name |\n|---|---|\n| " + hidden + " | joe |",
		"||name||password||\n|joe|hunter2x|":                 "||name||password||\n|joe|" + hidden + "|",
		"name,password\njoe,hunter2x\nann,tr0ub4dor":         "name,password\njoe," + hidden + "\nann," + hidden,
		"password:\n  value: hunter2x\n":                     "password:\n  value: " + hidden + "\n",
		"password:\n  name: joe\n  value: hunter2x\n":        "password:\n  name: joe\n  value: " + hidden + "\n",
		"postgres://app:hunter2x@db.local:65535/app":         "postgres://app:[redacted URL password]@db.local:65535/app",
	} {
		if got, _ := redact.Redact(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	m := newMaker(5)
	for _, form := range samples() {
		f.Add(form(m))
	}
	for _, trap := range traps(m) {
		f.Add(trap)
	}
	f.Add("a://b:c@d gh" + "p_")
	f.Fuzz(func(t *testing.T, s string) {
		clean, kinds := redact.Redact(s)
		if (clean == s) != (kinds == nil) || utf8.ValidString(s) && !utf8.ValidString(clean) {
			t.Errorf("%q became %q, %q", s, clean, kinds)
		}
		if twice, _ := redact.Redact(clean); twice != clean {
			t.Errorf("%q became %q, and then %q", s, clean, twice)
		}
	})
}

// A secret that is taken out once does not remain anywhere else in the text.
func FuzzNothingIsLeft(f *testing.F) {
	f.Add("so ", " and ", uint64(1))
	f.Add("password=", "/", uint64(2))
	f.Add("://a:", "@", uint64(3))
	f.Add("eyJ", ".eyJ", uint64(3))
	f.Fuzz(func(t *testing.T, before, after string, seed uint64) {
		m := newMaker(seed)
		secret := "gh" + "p_" + m.of(alnums, 36)
		if clean, _ := redact.Redact(before + secret + after + " " + secret); strings.Contains(clean, m.made[0]) {
			t.Errorf("%q stays in %q", m.made[0], clean)
		}
	})
}

func TestLines(t *testing.T) {
	m := newMaker(6)
	key := "-----BEGIN PRIVATE" + " KEY-----\r\n" + m.of(base64s, 64) + "\n-----END PRIVATE" + " KEY-----"
	given := "first\n" + key + "\nAPI_KEY=" + m.of(alnums, 32) + "\nlast"
	want := "first\n[redacted private key]\r\n[redacted private key]\n[redacted private key]\nAPI_KEY=[redacted secret]\nlast"
	if got := redact.Lines(given); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := redact.Lines("one\ntwo"); got != "one\ntwo" {
		t.Error(got)
	}
}
