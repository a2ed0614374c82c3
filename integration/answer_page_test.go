//go:build unix

package integration

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// page is a page of agit web that a program asks as the browser's scripts do.
type page struct {
	t           testing.TB
	base, token string
}

func (h *home) page(args ...string) page {
	h.t.Helper()
	cmd := h.command(h.t.Context(), "agit", append([]string{"web", "--port", "0"}, args...)...)
	out, err := cmd.StdoutPipe()
	must(h.t, err)
	must(h.t, cmd.Start())
	h.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	must(h.t, err)
	base, token, found := strings.Cut(strings.TrimSpace(line), "/#t=")
	if !found {
		h.t.Fatalf("the page's address is %q", line)
	}
	return page{h.t, base, token}
}

// ask sends a request and reads the answer into a value.
func (p page) ask(method, path, body string, into any) int {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(body))
	must(p.t, err)
	r.Header.Set("Authorization", "Bearer "+p.token)
	answer, err := http.DefaultClient.Do(r)
	must(p.t, err)
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil && answer.StatusCode != http.StatusForbidden {
		p.t.Fatalf("%s %s: %s, %v", method, path, answer.Status, err)
	}
	return answer.StatusCode
}

// TestQuestionsOnThePage answers agents' questions on the page, which shows the whole call, and notifies watching pages.
func TestQuestionsOnThePage(t *testing.T) {
	t.Parallel()
	h, _, _ := workHome(t, "asks: one", "asks/strange: two")
	cmd, said := h.acpWorker()
	id := h.asked()
	var event struct{ Question, Text, Note string }
	must(t, json.Unmarshal([]byte(h.ok("agit", "watch", "app", "--json", "--jq", ".")), &event)) // as soon as it waits
	if event.Question != id || !strings.Contains(event.Text, "shell: odd now") || !strings.Contains(event.Text, "`agit answer "+id+" --allow`") {
		t.Errorf("who watches is told %+v", event)
	}
	p := h.page("--actions")
	var state struct {
		Needs []struct {
			Kind, Who, Next string
			Question        *struct {
				ID, Call string
				Rules    []string
			}
		}
	}
	if p.ask("GET", "/api/state", "", &state); len(state.Needs) != 1 || state.Needs[0].Question == nil || state.Needs[0].Question.ID != id || state.Needs[0].Question.Call != "shell: odd now" || state.Needs[0].Who != "ann" {
		t.Fatalf("the page shows %+v", state.Needs)
	}
	var refusal struct{ Error string }
	reader := h.page()
	if code := reader.ask("POST", "/api/action", `{"do":"allow","question":"`+id+`"}`, &refusal); code != http.StatusForbidden {
		t.Errorf("a page that only shows answers %d", code)
	}
	if code := p.ask("POST", "/api/action", `{"do":"allow","question":"q-nothing"}`, &refusal); code != http.StatusNotFound {
		t.Errorf("a question that is not there: %d %+v", code, refusal)
	}
	var answered struct{ State, ID string }
	if code := p.ask("POST", "/api/action", `{"do":"always","question":"`+id+`"}`, &answered); code != http.StatusOK || answered.State != "allowed" {
		t.Errorf("%d %+v", code, answered)
	}
	if rules := h.ok("agit", "config", "get", "work.allow"); !strings.Contains(rules, "shell(odd now)") {
		t.Errorf("the rules are %s", rules)
	}
	next := h.asked()
	if code := p.ask("POST", "/api/action", `{"do":"deny","question":"`+next+`","why":"not today"}`, &answered); code != http.StatusOK || answered.State != "denied" {
		t.Errorf("%d %+v", code, answered)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	if log := h.logs(); !strings.Contains(log, "[allowed] shell: odd now (a person allowed it)") || !strings.Contains(log, "[denied] shell: strange now (a person denied it: not today)") {
		t.Errorf("the log lacks the answers:\n%s", log)
	}
	if code := p.ask("POST", "/api/action", `{"do":"allow","question":"`+next+`"}`, &refusal); code != http.StatusConflict || !strings.Contains(refusal.Error, "denied already") {
		t.Errorf("a second answer: %d %+v", code, refusal)
	}
}

// A page that an agent started cannot answer, like the agent's shell.
func TestPageOfAnAgentAnswersNothing(t *testing.T) {
	t.Parallel()
	h, _, _ := workHome(t, "asks: one")
	cmd, said := h.acpWorker()
	id := h.asked()
	ann := *h
	ann.env = append(h.env[:len(h.env):len(h.env)], "AGIT_AGENT=ann")
	var refusal struct{ Error string }
	if code := ann.page("--actions").ask("POST", "/api/action", `{"do":"allow","question":"`+id+`"}`, &refusal); code != http.StatusConflict || !strings.Contains(refusal.Error, `agent "ann" may not`) {
		t.Errorf("%d %+v", code, refusal)
	}
	h.ok("agit", "answer", id, "--deny")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
