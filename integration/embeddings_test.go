package integration

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestEmbeddings queries memoryd with an endpoint that treats herons and zwickies as equal, then without it, and then with another
// model.
func TestEmbeddings(t *testing.T) {
	t.Parallel()
	var texts atomic.Int64
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" {
			t.Errorf("%s: %v", r.URL, err)
		}
		type one struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var data []one
		for i, s := range in.Input {
			texts.Add(1)
			birds := strings.Contains(s, "heron") || strings.Contains(s, "zwicky")
			numbers := map[bool][]float32{true: {1, 0.1, 0}, false: {0, 0.1, 1}}[birds]
			if in.Model == "large" {
				numbers = append(numbers, 0)
			}
			data = append(data, one{i, numbers})
		}
		must(t, json.NewEncoder(w).Encode(map[string]any{"data": data}))
	}))
	defer endpoint.Close()

	h := newHome(t)
	var lines strings.Builder
	for _, key := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x") {
		lines.WriteString(`{"key": "` + key + `", "content": "the paint of wall ` + key + ` is blue"}` + "\n")
	}
	lines.WriteString(`{"key": "door", "content": "a heron lets people in"}` + "\n")
	cmd := h.command(t.Context(), "memoryd", "remember", "-")
	cmd.Stdin = strings.NewReader(lines.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	type answer struct {
		Memories []struct {
			Key  string
			Weak bool
		}
		Alone string `json:"words_alone"`
	}
	recall := func(question string) (a answer) {
		t.Helper()
		must(t, json.Unmarshal([]byte(h.ok("memoryd", "recall", question, "--json")), &a))
		return a
	}
	if a := recall("where is the zwicky?"); len(a.Memories) != 0 && !a.Memories[0].Weak {
		t.Errorf("without an endpoint: %+v", a)
	}

	h.ok("memoryd", "config", "set", "recall.embeddings", endpoint.URL+"/v1")
	h.ok("memoryd", "config", "set", "recall.embeddings_model", "small")
	if out := h.ok("memoryd", "embed"); !strings.Contains(out, "25 memories") {
		t.Errorf("embed: %s", out)
	}
	before := texts.Load()
	if a := recall("where is the zwicky?"); len(a.Memories) == 0 || a.Memories[0].Key != "door" || a.Memories[0].Weak || a.Alone != "" {
		t.Errorf("by meaning: %+v", a)
	}
	if n := texts.Load() - before; n != 1 {
		t.Errorf("a question sent %d texts", n)
	}
	h.ok("memoryd", "remember", "a zwicky wrote this", "--key", "note")
	if a := recall("who is the heron?"); len(a.Memories) < 2 || a.Memories[0].Weak || a.Memories[1].Weak {
		t.Errorf("after another memory: %+v", a)
	}

	h.ok("memoryd", "config", "set", "recall.embeddings_model", "large")
	if out := h.ok("memoryd", "embed"); !strings.Contains(out, "26 memories") {
		t.Errorf("another model: %s", out)
	}

	endpoint.Close()
	if a := recall("which wall is blue?"); len(a.Memories) == 0 || !strings.Contains(a.Alone, "no server answers") {
		t.Errorf("without the endpoint: %+v", a)
	}
	h.ok("memoryd", "remember", "the endpoint was taken away")
	if _, errs, code := h.run("memoryd", "embed"); code == 0 || !strings.Contains(errs, "no server answers") {
		t.Errorf("embed without the endpoint: %d, %s", code, errs)
	}
	h.ok("memoryd", "config", "set", "recall.embeddings", "https://embeddings.example.com/v1")
	if out, errs, code := h.run("memoryd", "recall", "which wall is blue?"); code != 0 || !strings.Contains(errs, "nothing is sent there") || !strings.Contains(out, "blue") {
		t.Errorf("on another machine: %d, %s, %s", code, out, errs)
	}
	h.sound()
}
