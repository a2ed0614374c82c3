package embedding

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/fault"
)

func TestNew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given  config.Recall
		want   string // address of the request
		refuse string // part of the error
	}{
		{given: config.Recall{Embeddings: " "}},
		{given: config.Recall{Embeddings: "http://127.0.0.1:11434"}, want: "http://127.0.0.1:11434/v1/embeddings"},
		{given: config.Recall{Embeddings: "http://localhost:1234/v1/"}, want: "http://localhost:1234/v1/embeddings"},
		{given: config.Recall{Embeddings: "http://[::1]:8080/v1/embeddings"}, want: "http://[::1]:8080/v1/embeddings"},
		{given: config.Recall{Embeddings: "https://api.example.com/v1", EmbeddingsRemote: true}, want: "https://api.example.com/v1/embeddings"},
		{given: config.Recall{Embeddings: "https://api.example.com/v1"}, refuse: "nothing is sent there"},
		{given: config.Recall{Embeddings: "http://api.example.com/v1", EmbeddingsRemote: true}, refuse: "does not use https"},
		{given: config.Recall{Embeddings: "127.0.0.1:11434"}, refuse: "not the address"},
		{given: config.Recall{Embeddings: "http://ann:pw@127.0.0.1/v1"}, refuse: "not the address"},
		{given: config.Recall{Embeddings: "file:///etc/passwd"}, refuse: "not the address"},
	} {
		e, err := New(c.given)
		switch {
		case c.refuse != "":
			if f := fault.From(err); err == nil || !strings.Contains(f.Message, c.refuse) || f.Hint == "" {
				t.Errorf("%q: %v", c.given.Embeddings, err)
			}
		case err != nil, (e == nil) != (c.want == ""), e != nil && e.address != c.want:
			t.Errorf("%q: %+v, %v", c.given.Embeddings, e, err)
		}
	}
}

// serve answers as an endpoint does, and counts the requests.
func serve(t *testing.T, answer func(w http.ResponseWriter, texts []string)) (*Endpoint, *int) {
	t.Helper()
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		var in struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model != "small" || r.Method != http.MethodPost ||
			r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer k" {
			t.Errorf("%s %s %v: %v", r.Method, r.URL, r.Header, err)
		}
		answer(w, in.Input)
	}))
	t.Cleanup(srv.Close)
	e, err := New(config.Recall{Embeddings: srv.URL + "/v1", EmbeddingsModel: "small", EmbeddingsKey: "k", EmbeddingsWait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return e, &asked
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	e, _ := serve(t, func(w http.ResponseWriter, texts []string) { // in another order
		_, _ = w.Write([]byte(`{"object":"list","data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0.5]}],"usage":{}}`))
		if len(texts) != 2 || texts[1] != "b" {
			t.Errorf("got %q", texts)
		}
	})
	got, err := e.Embed(t.Context(), []string{"a", "b"})
	if err != nil || got[0][1] != 0.5 || got[1][1] != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// Any answer of an endpoint other than vectors is an error in words, and never a panic.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"data":[{"index":0,"embedding":[1]}]}`:                             "1 vectors for 2 texts",
		`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`: "a text that was not sent",
		`{"data":[{"index":-1,"embedding":[1]}]}`:                            "a text that was not sent",
		`<html>`: "cannot be read",
		`404 {"error":"model \"small\" not found"}`: "not found",
		`400 {"error":{"message":"too long"}}`:      "too long",
		`302 `:                                      "302",
		`500 oops`:                                  "500",
	} {
		e, _ := serve(t, func(w http.ResponseWriter, _ []string) {
			if code, rest, ok := strings.Cut(body, " "); ok && len(code) == 3 {
				w.Header().Set("Location", "http://127.0.0.1:1/")
				w.WriteHeader(map[string]int{"404": 404, "400": 400, "302": 302, "500": 500}[code])
				_, _ = w.Write([]byte(rest))
				return
			}
			_, _ = w.Write([]byte(body))
		})
		_, err := e.Embed(t.Context(), []string{"a", "b"})
		if f := fault.From(err); err == nil || f.Kind != fault.KindProvider || !strings.Contains(f.Message, want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// An unreachable endpoint is asked at most once a minute.
func TestAwayIsAskedOnce(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	ln.Close()
	e, err := New(config.Recall{Embeddings: "http://" + address + "/v1", EmbeddingsModel: "small", EmbeddingsWait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	_, first := e.Embed(t.Context(), []string{"a"})
	if f := fault.From(first); first == nil || !strings.Contains(f.Message, "no server answers") || f.Hint == "" {
		t.Fatalf("got %v", first)
	}
	until := e.away
	_, second := e.Embed(t.Context(), []string{"a"})
	if second == nil || e.away != until {
		t.Errorf("it was asked again: %v", second)
	}
	e.away = time.Now().Add(-time.Second)
	if _, third := e.Embed(t.Context(), []string{"a"}); third == nil || !e.away.After(until) {
		t.Errorf("it was not asked again after a minute: %v", third)
	}
}

func TestSlow(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	e, _ := serve(t, func(http.ResponseWriter, []string) { <-hold })
	defer close(hold)
	e.wait = 50 * time.Millisecond
	_, err := e.Embed(t.Context(), []string{"a"})
	if f := fault.From(err); err == nil || !strings.Contains(f.Message, "did not answer within 50ms") {
		t.Errorf("got %v", err)
	}
}
