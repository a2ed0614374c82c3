package integration

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agit-suite/agit/integration/mcpclient"
)

// prepare creates what the seed's scenarios of resources refer to: two worktrees with a conflict, tasks in several states, and two
// agents, one of them silent.
func prepare(t testing.TB, w *world) (left, right worktreeDoc) {
	t.Helper()
	w.agit(t, "tasks", "app", "--create", "pending one")
	w.agit(t, "tasks", "app", "--create", "claimed one")
	w.read(t, &left, "spawn", "app", "--agent", "ann", "--task", "left")
	w.read(t, &right, "spawn", "app", "--agent", "bob", "--task", "right")
	write(t, left.Path, "file.txt", "left\n")
	write(t, right.Path, "file.txt", "right\n")
	return left, right
}

func TestMCPResources(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world, c *mcpclient.Client) {
		left, right := prepare(t, w)
		read := func(uri string, out any) {
			t.Helper()
			if err := c.ReadJSON(t.Context(), uri, out); err != nil {
				t.Fatal(err)
			}
		}
		var repos struct{ Repos []repoDoc }
		if read("agit://repos", &repos); len(repos.Repos) != 1 || repos.Repos[0].Path != w.repo || *repos.Repos[0].TaskCount != 4 {
			t.Errorf("repos %+v", repos)
		}
		var repo struct {
			repoDoc
			Worktrees []worktreeDoc
		}
		if read("agit://repos/app", &repo); *repo.WorktreeCount != 2 || *repo.TaskCount != 4 || *repo.ActiveAgentCount != 2 || len(repo.Worktrees) != 2 {
			t.Errorf("repo %+v", repo)
		}
		var conflicts conflictsDoc
		read("agit://repos/APP/conflicts", &conflicts)
		if len(conflicts.Conflicts) != 1 || conflicts.Conflicts[0].File != "file.txt" || len(conflicts.Conflicts[0].Worktrees) != 2 ||
			conflicts.Conflicts[0].Worktrees[0].ID != left.ID || conflicts.Conflicts[0].Worktrees[1].ID != right.ID {
			t.Errorf("conflicts %+v", conflicts)
		}
		var tasks struct{ Tasks []taskDoc }
		if read("agit://repos/app/tasks", &tasks); len(tasks.Tasks) != 4 || tasks.Tasks[0].CreatedAt == "" {
			t.Errorf("tasks %+v", tasks)
		}
		var agents struct{ Agents []agentDoc }
		if read("agit://agents", &agents); len(agents.Agents) != 2 || agents.Agents[0].CurrentWorktree != left.ID || agents.Agents[0].LastSeen == "" || agents.Agents[0].Status != "active" {
			t.Errorf("agents %+v", agents)
		}

		// The document is the one that the tool gives.
		for uri, tool := range map[string]string{"agit://repos": "agit_list_repos", "agit://repos/app/conflicts": "agit_check_conflicts"} {
			var a, b map[string]any
			read(uri, &a)
			in := args{}
			if tool == "agit_check_conflicts" {
				in["repo"] = "app"
			}
			c.MustCall(t, tool, in, &b)
			if diff := cmp.Diff(b, a); diff != "" {
				t.Errorf("%s (-tool +resource):\n%s", uri, diff)
			}
		}
		for _, uri := range []string{"agit://repos/nowhere", "agit://repos/nowhere/tasks", "agit://repos/nowhere/conflicts", "agit://nothing", "agit://repos/a%00b"} {
			err := c.ReadJSON(t.Context(), uri, nil)
			if err == nil || !strings.Contains(err.Error(), "does not exist") && !strings.Contains(err.Error(), "NUL") {
				t.Errorf("%s: %v", uri, err)
			}
		}
		list, err := c.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 2 {
			t.Errorf("%d resources, %v", len(list.Resources), err)
		}
		templates, err := c.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 3 {
			t.Errorf("%d templates, %v", len(templates.ResourceTemplates), err)
		}
	})
}

func TestMCPPromptsAndCompletion(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world, c *mcpclient.Client) {
		prepare(t, w)
		c.MustCall(t, "agit_create_task", args{"repo": "app", "description": "Reword the title", "id": "UAT-7"}, nil)
		list, err := c.ListPrompts(t.Context(), nil)
		if err != nil || len(list.Prompts) != 3 {
			t.Fatalf("%d prompts, %v", len(list.Prompts), err)
		}
		get := func(name string, arguments map[string]string) (string, error) {
			r, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: arguments})
			if err != nil {
				return "", err
			}
			text, err := json.Marshal(r.Messages)
			return string(text), err
		}
		for _, tc := range []struct {
			name      string
			arguments map[string]string
			says      []string
		}{
			{"orchestrate", map[string]string{"repo": "app", "goal": "Ship it"}, []string{"Ship it", "agit_create_task", "agit_begin"}},
			{"work_on_task", map[string]string{"repo": "app"}, []string{"agit_begin", "next ready"}},
			{"work_on_task", map[string]string{"repo": "app", "task_id": "uat-7"}, []string{"UAT-7", "Reword the title"}},
			{"resolve_conflicts", map[string]string{"repo": "app"}, []string{"file.txt", "agit_merge_worktree"}},
		} {
			text, err := get(tc.name, tc.arguments)
			for _, want := range tc.says {
				if err != nil || !strings.Contains(text, want) {
					t.Errorf("%s%v does not say %q: %v %s", tc.name, tc.arguments, want, err, text)
				}
			}
		}
		for _, tc := range []struct {
			name      string
			arguments map[string]string
			says      string
		}{
			{"orchestrate", map[string]string{"repo": "app"}, `"goal"`},
			{"orchestrate", map[string]string{"repo": "nowhere", "goal": "x"}, "does not exist"},
			{"work_on_task", map[string]string{"repo": "app", "task_id": "none"}, "does not exist"},
			{"work_on_task", map[string]string{"repo": "app", "task": "none"}, "did you mean"},
			{"resolve_conflicts", map[string]string{}, `"repo"`},
		} {
			if text, err := get(tc.name, tc.arguments); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s%v: %v %s", tc.name, tc.arguments, err, text)
			}
		}

		complete := func(ref *mcp.CompleteReference, argument, value string, others map[string]string) []string {
			t.Helper()
			r, err := c.Complete(t.Context(), &mcp.CompleteParams{
				Ref: ref, Argument: mcp.CompleteParamsArgument{Name: argument, Value: value}, Context: &mcp.CompleteContext{Arguments: others},
			})
			if err != nil {
				t.Fatal(err)
			}
			return r.Completion.Values
		}
		work := &mcp.CompleteReference{Type: "ref/prompt", Name: "work_on_task"}
		for _, tc := range []struct {
			ref             *mcp.CompleteReference
			argument, value string
			others          map[string]string
			want            []string
		}{
			{work, "repo", "A", nil, []string{"app"}},
			{work, "repo", "z", nil, []string{}},
			{work, "task_id", "uat", map[string]string{"repo": "app"}, []string{"UAT-7"}},
			{work, "task_id", "UAT", nil, []string{"UAT-7"}},
			{&mcp.CompleteReference{Type: "ref/prompt", Name: "orchestrate"}, "goal", "", nil, []string{}},
			{&mcp.CompleteReference{Type: "ref/resource", URI: "agit://repos/{name}/tasks"}, "name", "", nil, []string{"app"}},
		} {
			if diff := cmp.Diff(tc.want, complete(tc.ref, tc.argument, tc.value, tc.others)); diff != "" {
				t.Errorf("%v %s=%q: %s", tc.ref, tc.argument, tc.value, diff)
			}
		}
	})
}

// A client is notified of other processes' changes: by a command, and by an edit of a file, which causes no registry event.
func TestMCPSubscriptions(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, w *world, c *mcpclient.Client) {
		var left, right worktreeDoc
		w.read(t, &left, "spawn", "app", "--agent", "ann", "--task", "left")
		w.read(t, &right, "spawn", "app", "--agent", "bob", "--task", "right")
		told := func(what, uri string, change func()) {
			t.Helper()
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
			change()
			c.AwaitUpdate(t, uri)
			if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri}); err != nil {
				t.Fatalf("after %s: %v", what, err)
			}
		}
		told("a task", "agit://repos/app/tasks", func() { w.agit(t, "tasks", "app", "--create", "x") })
		told("a task", "agit://repos/app", func() { w.agit(t, "tasks", "app", "--create", "y") })
		told("an agent", "agit://agents", func() { w.agit(t, "agents", "--register", "cy") })
		told("a repository", "agit://repos", func() {
			w.makeRepo(t, w.home+"/other")
			w.agit(t, "add", w.home+"/other")
		})
		told("an edited file", "agit://repos/app/conflicts", func() {
			write(t, left.Path, "file.txt", "left\n")
			write(t, right.Path, "file.txt", "right\n")
		})
		var found conflictsDoc
		if err := c.ReadJSON(t.Context(), "agit://repos/app/conflicts", &found); err != nil || len(found.Conflicts) != 1 {
			t.Errorf("conflicts %+v, %v", found, err)
		}
		told("a file put back", "agit://repos/app/conflicts", func() { write(t, right.Path, "file.txt", strings.Repeat("line\n", 10)) })
		if err := c.ReadJSON(t.Context(), "agit://repos/app/conflicts", &found); err != nil || len(found.Conflicts) != 0 {
			t.Errorf("conflicts %+v, %v", found, err)
		}
	})
}
