package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/view/overview"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/htmlpage"
)

// refusing is a model that refuses changes.
type refusing struct{ fixed }

func (refusing) Act(context.Context, Action) (any, error) {
	return nil, fault.Conflict("task", "T-1", "it is ann's").WithHint("wait for it")
}

// TestQuestionOfAURL reads each field of a question from the parameter of its name.
func TestQuestionOfAURL(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodGet, "/api/board?project=p&id=T-1&q=log+in&state=open&epic=e&type=fact&by=decay&sprint=3&assignee=Cy&span=week&done=show&most=7", nil)
	r.SetPathValue("view", "board")
	want := Question{View: "board", Project: "p", ID: "T-1", Filter: overview.Filter{Words: "log in", State: "open", Epic: "e", Type: "fact", Order: "decay", Sprint: "3", Assignee: "Cy", Span: "week", Done: true, Most: 7}}
	if diff := cmp.Diff(want, questionOf(r)); diff != "" {
		t.Error(diff)
	}
	for _, done := range []string{"", "?done=", "?done=hide", "?done=true"} {
		if q := questionOf(httptest.NewRequest(http.MethodGet, "/api/board"+done, nil)); q.Filter.Done {
			t.Errorf("%q shows what is done", done)
		}
	}
}

// TestPackedAnswers packs what is longer than a kilobyte for readers that can unpack it, and marks each version of a document.
func TestPackedAnswers(t *testing.T) {
	t.Parallel()
	s := New(fixed{}, Options{})
	send := func(size int, header, value string) (*http.Response, string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/api/state", nil)
		r.Header.Set(header, value)
		s.send(w, r, strings.Repeat("x", size-2)) // with its quotes
		return w.Result(), w.Body.String()
	}
	plain := `"` + strings.Repeat("x", 1022) + `"`
	for _, c := range []struct {
		size           int
		accepts, packs string
	}{{1024, "gzip, br", ""}, {1025, "gzip, br", "gzip"}, {1025, "br", ""}, {5000, "gzip", "gzip"}} {
		answer, body := send(c.size, "Accept-Encoding", c.accepts)
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Encoding") != c.packs || answer.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%d for %q: %v", c.size, c.accepts, answer.Header)
		}
		if c.packs != "" {
			z, err := gzip.NewReader(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(z)
			if body = string(text); err != nil {
				t.Fatal(err)
			}
		}
		if len(body) != c.size || !strings.HasPrefix(body, plain[:1023]) {
			t.Errorf("%d for %q: %d bytes", c.size, c.accepts, len(body))
		}
	}
	first, _ := send(9, "X-None", "")
	tag := first.Header.Get("ETag")
	if len(tag) != 26 || strings.Trim(tag, `"`) != tag[1:25] {
		t.Errorf("%s", tag)
	}
	if again, body := send(9, "If-None-Match", tag); again.StatusCode != http.StatusNotModified || body != "" || again.Header.Get("ETag") != tag {
		t.Errorf("%d %s", again.StatusCode, body)
	}
	if other, body := send(10, "If-None-Match", tag); other.StatusCode != http.StatusOK || body == "" || other.Header.Get("ETag") == tag {
		t.Errorf("%d %s", other.StatusCode, body)
	}
	w := httptest.NewRecorder()
	if s.send(w, httptest.NewRequest(http.MethodGet, "/", nil), func() {}); w.Code != http.StatusInternalServerError {
		t.Errorf("what is not JSON: %d", w.Code)
	}
}

// TestRefusals holds the status and the words of each kind of error, and which ones are logged.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		body   string
		logged bool
	}{
		{fault.Validation("x", "it is wrong").WithHint("mend it"), 400, `{"error":"it is wrong","hint":"mend it"}`, false},
		{fault.NotFound("task", "T-9"), 404, `{"error":"task \"T-9\" does not exist"}`, false},
		{fault.Conflict("task", "T-1", "it is ann's"), 409, `{"error":"it is ann's"}`, false},
		{errors.New("broken"), 500, `{"error":"broken"}`, true},
	} {
		var log bytes.Buffer
		s := New(fixed{}, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		w := httptest.NewRecorder()
		s.refuse(w, httptest.NewRequest(http.MethodGet, "/api/task", nil), c.err)
		if w.Code != c.status || w.Body.String() != c.body || w.Header().Get("Content-Type") != "application/json" || strings.Contains(log.String(), "path=/api/task") != c.logged {
			t.Errorf("%v: %d %s %v, log %q", c.err, w.Code, w.Body, w.Header(), log.String())
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	w := httptest.NewRecorder()
	if New(fixed{}, Options{}).refuse(w, httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ended), errors.New("x")); w.Body.Len() > 0 {
		t.Errorf("an answer for no one: %s", w.Body)
	}
}

// TestAssetsAsTheyAre serves every embedded file with its type, packed and plain.
func TestAssetsAsTheyAre(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{tablesPath: tablesScript(), lookPath: []byte(htmlpage.CSS())}
	entries, err := static.ReadDir("static")
	if err != nil || len(entries) < 10 {
		t.Fatal(entries, err)
	}
	var loaded []string
	for _, e := range entries {
		data, err := static.ReadFile("static/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		files["/static/"+e.Name()] = data
		if path.Ext(e.Name()) == ".js" && e.Name() != "layout.js" {
			loaded = append(loaded, "/static/"+e.Name())
		}
	}
	if got := scripts(); !slices.Equal(got, append(loaded, tablesPath)) {
		t.Errorf("preloaded are %q", got)
	}
	types := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json"}
	for name, want := range files {
		for _, accepts := range []string{"", "gzip"} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, name, nil)
			r.Header.Set("Accept-Encoding", accepts)
			asset(w, r)
			got := w.Body.Bytes()
			if accepts != "" {
				z, err := gzip.NewReader(w.Body)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if got, err = io.ReadAll(z); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if !bytes.Equal(got, want) || w.Header().Get("Content-Encoding") != accepts || w.Header().Get("Content-Type") != types[path.Ext(name)] {
				t.Errorf("%s packed as %q: %d bytes of %d, %v", name, accepts, len(got), len(want), w.Header())
			}
		}
	}
	if len(assets()) != len(files) {
		t.Errorf("%d files are served of %d", len(assets()), len(files))
	}
	text, found := strings.CutPrefix(string(tablesScript()), "// What each list shows; the server's first page follows it too.\nexport const tables = ")
	var got map[string]table
	if err := json.Unmarshal([]byte(strings.TrimSuffix(text, ";\n")), &got); err != nil || !found {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tables, got); diff != "" {
		t.Error(diff)
	}
}

// broken is a model whose views cannot be read as a whole.
type broken struct{ fixed }

func (broken) Paint(_ context.Context, path, project string) (*Paint, error) {
	return &Paint{Headline: "at " + path + " of " + project, At: "14:02"}, errors.New("the <registry> is locked")
}

// TestFirstPageOf holds which project a page shows, what it may do, and that its problem is shown.
func TestFirstPageOf(t *testing.T) {
	t.Parallel()
	for _, actions := range []bool{false, true} {
		s, base := serve(t, Options{Project: "mine", Actions: actions})
		s.model = broken{}
		once := s.once
		answer, body := get(t, "GET", base+"/once/"+once+"?project=other", nil)
		if answer.Header.Get("Content-Type") != "text/html; charset=utf-8" || strings.Contains(body, ` data-actions="yes"`) != actions {
			t.Errorf("%v: %.300s", answer.Header, body)
		}
		for _, want := range []string{`data-project="other"`, "at / of other", "the &lt;registry&gt; is locked", `data-token="` + s.token + `"`, `<a href="/" aria-current="page">Overview</a>`, `<a href="/board">Board</a>`} {
			if !strings.Contains(body, want) {
				t.Errorf("%q is not in %s", want, body)
			}
		}
		if answer, body = get(t, "GET", base+"/once/"+once, nil); answer.StatusCode != http.StatusGone || !strings.Contains(body, "this address worked once") || strings.Contains(body, s.token) {
			t.Errorf("a second time: %d %s", answer.StatusCode, body)
		}
		for query, project := range map[string]string{"": "mine", "?project=": "", "?project=x": "x"} {
			if _, body = get(t, "GET", base+"/board"+query, nil); !strings.Contains(body, `data-project="`+project+`"`) || strings.Contains(body, s.token) {
				t.Errorf("%q: %.300s", query, body)
			}
		}
	}
}
