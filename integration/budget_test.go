//go:build unix

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestBudgetOfADay ends the running task at the budget, keeps its work, and goes on with a larger one where it was.
func TestBudgetOfADay(t *testing.T) {
	t.Parallel()
	h, _, _ := workHome(t, "costs/12: one", "good: two")
	cmd, said := h.acpWorker("--budget", "10usd/day")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, part := range []string{"budget: $0.00 of $10.00 a day", "budget spent: $12.00 of $10.00 a day (not counted)", "$10.00 a day; it ends"} {
		if !strings.Contains(said.String(), part) {
			t.Errorf("the worker does not say %q:\n%s", part, said)
		}
	}
	if h.status("T-1") != "pending" || h.status("T-2") != "pending" {
		t.Errorf("the tasks are %s and %s", h.status("T-1"), h.status("T-2"))
	}
	// The bill contains it once, for the task and the agent.
	if bill := h.ok("agit", "usage", "--by", "task", "--json", "--jq", `[.rows[] | .key, .cost[0].amount, .cost[0].computed]`); strings.Join(strings.Fields(bill), "") != `["T-1",12,0]` {
		t.Error(bill)
	}
	// No task begins on the same day.
	cmd, said = h.acpWorker("--budget", "10usd/day")
	if err := cmd.Wait(); err != nil || !strings.Contains(said.String(), "nothing was begun") {
		t.Errorf("%v\n%s", err, said)
	}
	cmd, said = h.acpWorker("--budget", "100usd/day")
	if err := cmd.Wait(); err != nil || h.status("T-1") != "completed" || h.status("T-2") != "completed" {
		t.Fatalf("%v, the tasks are %s and %s\n%s", err, h.status("T-1"), h.status("T-2"), said)
	}
	if _, err := os.Stat(filepath.Join(h.repo, "T-1-half.txt")); err != nil {
		t.Errorf("what was done before is lost: %v", err)
	}
	// A resumed session reports its total cost again. 0.25 is less than the earlier total, so it counts as new.
	const want = "12.25"
	if got := h.ok("agit", "log", "--json", "--jq", `.events[] | select(.id == "T-1" and .new == "completed") | .cost.cost[0].amount`); strings.TrimSpace(got) != want {
		t.Errorf("the log says %s", got)
	}
	if got := h.ok("agit", "review", "--json", "--jq", `.landed[] | select(.task_id == "T-1") | .cost.cost[0].amount`); strings.TrimSpace(got) != want {
		t.Errorf("the review says %s", got)
	}
	if got := h.ok("agit", "review"); !strings.Contains(got, "$12.25") {
		t.Errorf("the review says\n%s", got)
	}
}

// TestBudgetOfATask skips the task whose budget is used up, and continues with others.
func TestBudgetOfATask(t *testing.T) {
	t.Parallel()
	h, _, _ := workHome(t, "costs/3: one", "good: two")
	h.ok("agit", "config", "set", "work.budget", "2usd/task", "1M tokens/task")
	cmd, said := h.acpWorker()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if h.status("T-1") != "pending" || h.status("T-2") != "completed" {
		t.Errorf("the tasks are %s and %s\n%s", h.status("T-1"), h.status("T-2"), said)
	}
	if !strings.Contains(said.String(), "the budget of T-1 is spent: $3.00 of $2.00 a task") {
		t.Errorf("the worker does not say why it ends:\n%s", said)
	}
	if _, errs, code := h.run("agit", "work", "app", "--agent", "ann", "--budget", "20/day", "--acp", "--", "fakeacp"); code != 2 || !strings.Contains(errs, `"20/day" is not a budget`) {
		t.Errorf("%d %s", code, errs)
	}
}

// TestBudgetIsShownWhileItWaits: a worker without an end waits for the next day, and the screens show it.
func TestBudgetIsShownWhileItWaits(t *testing.T) {
	t.Parallel()
	h, _, _ := workHome(t, "good: one", "good: two")
	cmd, said := h.worker("--agent", "ann", "--budget", "6000 tokens/day", "--acp", "--", "fakeacp") // a task takes more
	const words = "budget spent: 6.54k of 6.00k tokens a day, until "
	within(t, "the status shows the budget", func() bool { return strings.Contains(h.ok("agit", "status", "app"), words) })
	if first := h.status("T-1"); first != "completed" && first != "pending" || h.status("T-2") != "pending" { // it may be ended at the limit while it runs
		t.Errorf("the tasks are %s and %s", first, h.status("T-2"))
	}
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait()
	if !strings.Contains(said.String(), words) {
		t.Errorf("the worker does not say it:\n%s", said)
	}
}

// TestBudgetSurvivesAKill: the use of a killed worker's task counts.
func TestBudgetSurvivesAKill(t *testing.T) {
	t.Parallel()
	h, _, played := workHome(t, "costs/7: one", "good: two")
	cmd, _ := h.acpWorker("--budget", "100usd/day")
	h.await(filepath.Join(played, "up"))
	bill := func() string {
		return strings.TrimSpace(h.ok("agit", "usage", "--json", "--jq", ".total.cost[0].amount // 0"))
	}
	within(t, "the bill has what the running task took", func() bool { return bill() == "7" })
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	cmd, said := h.acpWorker("--budget", "5usd/day")
	if err := cmd.Wait(); err != nil || strings.Contains(said.String(), "landed") {
		t.Errorf("%v\n%s", err, said)
	}
	if got := bill(); got != "7" {
		t.Errorf("the bill says %s", got)
	}
	if stray := h.stray(); len(stray) > 0 {
		t.Errorf("it leaves %v", stray)
	}
}
