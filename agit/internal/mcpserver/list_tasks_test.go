package mcpserver

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/shared/git/gittest"
)

func TestListsAreBriefAndPaged(t *testing.T) {
	w := newWorld(t)
	long := "name\n" + strings.Repeat("é", 5000)
	id := w.task(long)
	for range 24 {
		w.task("short")
	}
	var page task.Page
	w.must("agit_list_tasks", args{"repo": "app"}, &page)
	if len(page.Tasks) != tasksPage || page.Next == "" || len(page.Tasks[0].Description) > listedText+3 || !strings.HasSuffix(page.Tasks[0].Description, "é…") {
		t.Errorf("%d tasks, next %q, %.400q", len(page.Tasks), page.Next, page.Tasks[0].Description)
	}
	var rest task.Page
	w.must("agit_list_tasks", args{"repo": "app", "after": page.Next}, &rest)
	if len(rest.Tasks) != 5 || rest.Next != "" {
		t.Errorf("%d tasks, next %q", len(rest.Tasks), rest.Next)
	}
	var one task.Page
	w.must("agit_list_tasks", args{"repo": "app", "task_id": strings.ToUpper(id)}, &one)
	if len(one.Tasks) != 1 || one.Tasks[0].Description != long {
		t.Errorf("the whole task has %d bytes", len(one.Tasks[0].Description))
	}
	// Who claims it has to know all of it.
	var claimed taskOutput
	w.must("agit_claim_task", args{"task_id": id}, &claimed)
	if claimed.Description != long {
		t.Errorf("the claim tells %d bytes", len(claimed.Description))
	}
}

// A page of long tasks ends before clients refuse to show it, and the next one begins behind it.
func TestAPageOfTasksIsBounded(t *testing.T) {
	w := newWorld(t)
	for range 120 {
		w.task(strings.Repeat("é", 60) + "\n" + strings.Repeat("x", 400))
	}
	seen := map[string]bool{}
	for after, pages := "", 0; ; pages++ {
		var page task.Page
		w.must("agit_list_tasks", args{"repo": "app", "limit": 200, "after": after}, &page)
		if size(page.Tasks) > pageBytes+len(page.Tasks)+2 {
			t.Errorf("a page has %d bytes", size(page.Tasks))
		}
		for _, one := range page.Tasks {
			seen[one.ID] = true
		}
		if after = page.Next; after == "" {
			if pages == 0 || len(seen) != 120 {
				t.Errorf("%d tasks on %d more pages", len(seen), pages)
			}
			break
		}
	}
}

func TestATaskIsListedInItsRepositoryAlone(t *testing.T) {
	w := newWorld(t)
	id := w.task("of app")
	other := gittest.New(t)
	other.Write("x", "x")
	other.Commit("first")
	w.must("agit_add_repo", args{"path": other.Dir, "name": "other"}, nil)
	if r := w.fails("agit_list_tasks", args{"repo": "other", "task_id": id}); r.Error != "NotFoundError" || !strings.Contains(r.Message, `"app"`) {
		t.Errorf("got %+v", r)
	}
	if r := w.fails("agit_list_tasks", args{"repo": "none", "task_id": id}); r.Error != "NotFoundError" {
		t.Errorf("got %+v", r)
	}
}

func TestPagesOfWorktrees(t *testing.T) {
	list := make([]worktree.Worktree, worktreesPage+10)
	for i := range list {
		list[i].Ref = "w-" + strings.Repeat("x", i+1)
		list[i].Task = strings.Repeat("t", 500) + "\nmore"
	}
	first, err := pageOfTrees(list, "")
	if err != nil || len(first.Worktrees) != worktreesPage || first.Next == "" || len(first.Worktrees[0].Task) > listedTask+3 {
		t.Fatalf("%d, %q, %v", len(first.Worktrees), first.Next, err)
	}
	rest, err := pageOfTrees(list, strings.ToUpper(first.Next))
	if err != nil || len(rest.Worktrees) != 10 || rest.Next != "" {
		t.Errorf("%d, %q, %v", len(rest.Worktrees), rest.Next, err)
	}
	if _, err := pageOfTrees(list, "w-gone"); err == nil {
		t.Error("an unknown cursor is accepted")
	}
}
