package words_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/text/words"
)

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"the and of":                  "",
		"Running runs ran":            "run run run",
		"configuration configured":    "configur configur",
		"don't Caroline's":            "don carolin",
		"getUserById":                 "get user id getuserbyid",
		"user_id":                     "user id userid",
		"userID userIDs":              "user id userid user id userid",
		"HTTPServer":                  "http server httpserver",
		"parse_HTTPRequest.go":        "pars http request httprequest go parsehttprequestgo",
		"src/api/auth.ts":             "src api auth ts srcapiautht",
		"python3 utf8":                "python3 python utf8 utf",
		"Müller Straße café":          "muller strass cafe",
		"ＦＵＬＬ width":                  "full width",
		"データベース移行":                    "デー ータ タベ ベー ース ス移 移行 行",
		"はUTC時刻":                      "は utc 時刻 刻",
		"report后索引清零":                 "report 后索 索引 引清 清零 零",
		"使用Redis缓存v2会话":               "使用 用 redi 缓存 存 v2 会话 话",
		"API를 쓴다 第3章":                 "api 를 쓴다 다 第 3 章",
		"ระบบAPIใหม่":                 "ระ ะบ บบ บ api ให หม ม",
		"C++ C# F# C, c++/C#.":        "cplusplus csharp fsharp c cplusplus csharp",
		"Objective-C++ notepad++ a+b": "object cplusplus notepad notepadplusplus b",
		"issue#12 C++17 x+=1 #a +b":   "issu 12 cplusplus 17 x 1 b",
		"мигрируем базу":              "мигрируем базу",
		"v2.1.0":                      "v2 1 0 v210",
		"\xff\xfe broken \x00 bytes":  "break byte",
		"404 500ms":                   "404 500ms",
		"status statuses bus process": "status status bus process",
	} {
		var stems []string
		for _, term := range words.Terms(text) {
			stems = append(stems, term.Text)
		}
		if got := strings.Join(stems, " "); got != want {
			t.Errorf("Terms(%q) = %q, want %q", text, got, want)
		}
	}
}

// Pairs of the examples in Porter's paper and of forms that developers use.
func TestStem(t *testing.T) {
	for _, pair := range strings.Fields(`caresses/caress ponies/poni cats/cat feed/feed plastered/plaster motoring/motor sing/sing
		conflated/conflat troubled/troubl sized/size hopping/hop falling/fall failing/fail filing/file happy/happi relational/relat
		conditional/condit vietnamization/vietnam triplicate/triplic hopefulness/hope goodness/good revival/reviv allowance/allow
		adjustment/adjust adoption/adopt probate/probat rate/rate controlling/control roll/roll caching/cach caches/cach cached/cach
		migrations/migrat migrate/migrat deployed/deploi deploys/deploi deployment/deploy chose/choos`) {
		word, want, _ := strings.Cut(pair, "/")
		if got := words.Stem(word); got != want {
			t.Errorf("Stem(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestWordsInsideNamesAreFlagged(t *testing.T) {
	want := []words.Term{{Text: "max", Raw: "max"}, {Text: "retri", Raw: "retries"}, {Text: "maxretri", Raw: "maxretries", Whole: true}}
	if diff := cmp.Diff(want, words.Terms("maxRetries")); diff != "" {
		t.Error(diff)
	}
}

func TestWeak(t *testing.T) {
	for word, want := range map[string]bool{"what": true, "why": true, "database": false, "": false} {
		if words.Weak(word) != want {
			t.Errorf("Weak(%q) = %v", word, !want)
		}
	}
}

func FuzzTerms(f *testing.F) {
	for _, seed := range []string{"fooBar_baz", "HTTPServer", "don't", "移行", "a\xff", "ÀÉ", "__--..//''", "'s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, term := range words.Terms(s) {
			if term.Text == "" || len(term.Text) > 48 || !utf8.ValidString(term.Text) {
				t.Errorf("%q gives %q", s, term.Text)
			}
			for _, r := range term.Text {
				if strings.ContainsRune(" \"'()*:^-+_./\x00\t\n", r) {
					t.Errorf("%q gives %q, which a query could not hold", s, term.Text)
				}
			}
		}
	})
}
