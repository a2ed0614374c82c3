package command

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/memoryd/internal/session"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/clienthook"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// conversation runs the hooks of a client's conversation in a repository.
type conversation struct {
	*clitest.Run
	said clienthook.Event
}

func newConversation(t *testing.T, id string) *conversation {
	t.Helper()
	run := clitest.NewRun(t)
	g := gittest.New(t)
	g.Commit("first", "a.txt", "a")
	run.Dir = g.Dir
	return &conversation{run, clienthook.Event{SessionID: id, Cwd: g.Dir}}
}

func (c *conversation) options(agent string) hookOptions {
	o := hookOptions{Client: "claude-code", Plain: true, Budget: session.DefaultBudget}
	o.env, o.Agent = c.Env, agent
	return o
}

// agents returns the agents that have a session, with its status.
func (c *conversation) sessions(t *testing.T) string {
	t.Helper()
	st, err := open(t.Context(), c.Env)
	if err != nil {
		t.Fatal(err)
	}
	page, err := st.Sessions.List(t.Context(), session.Filter{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, s := range page.Sessions {
		all = append(all, s.Agent+" "+s.Status)
	}
	return strings.Join(all, ", ")
}

// A conversation without a named agent gets the first free number of its client for all of its hooks. The session of a named agent belongs
// to that agent.
func TestHooksOfAConversation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ id, agent, want string }{
		"no agent is named":  {"a", "", "claude-1"},
		"an agent is named":  {"a", "ann", "ann"},
		"no conversation id": {"", "ann", "ann"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newConversation(t, c.id)
			o := x.options(c.agent)
			if err := hookStart(t.Context(), &o, x.said); err != nil {
				t.Fatal(err)
			}
			if told := x.Out.String(); !strings.Contains(told, c.want) {
				t.Errorf("it is told\n%s", told)
			}
			if got := x.sessions(t); got != c.want+" active" {
				t.Errorf("sessions are %q", got)
			}
			if err := hookTool(t.Context(), &hookToolOptions{hookOptions: o, Kind: "tool", Times: 3}, x.said); err != nil {
				t.Error(err)
			}
			st, err := open(t.Context(), x.Env)
			if err != nil {
				t.Fatal(err)
			}
			scores, err := st.Records.List(t.Context())
			if err != nil || len(scores) != 1 || scores[0].Agent != c.want || scores[0].XP == 0 {
				t.Errorf("%+v, %v", scores, err)
			}
			x.Out.Reset()
			if err := runHookSheet(t.Context(), &o); err != nil {
				t.Error(err)
			}
			if c.id == "" {
				return
			}
			if err := hookEnd(t.Context(), &o, x.said); err != nil {
				t.Error(err)
			}
			if got := x.sessions(t); got != c.want+" completed" {
				t.Errorf("sessions are %q", got)
			}
		})
	}
}

// A hook without an agent earns nothing, and a conversation may begin with a tool.
func TestFirstWordOfAConversation(t *testing.T) {
	t.Parallel()
	x := newConversation(t, "")
	o := hookToolOptions{hookOptions: x.options(""), Kind: "tool", Times: 1}
	if err := hookTool(t.Context(), &o, x.said); err == nil || !strings.Contains(err.Error(), "no agent is named") {
		t.Errorf("%v", err)
	}
	x.said.SessionID = "b"
	if err := hookTool(t.Context(), &o, x.said); err != nil {
		t.Fatal(err)
	}
	st, err := open(t.Context(), x.Env)
	if err != nil {
		t.Fatal(err)
	}
	w, err := o.who(t.Context(), st.DB, x.said)
	if err != nil || w.Agent != "claude-1" || !w.Made || w.Client != x.said.Conversation() {
		t.Errorf("%+v, %v", w, err)
	}
	again, err := o.seated(t.Context(), st.DB, x.said)
	if err != nil || again != w {
		t.Errorf("%+v, %v", again, err)
	}
	named := x.options("ann")
	if w, err := named.seated(t.Context(), st.DB, x.said); err != nil || w.Agent != "ann" || w.Made {
		t.Errorf("%+v, %v", w, err)
	}
	x.said.SessionID = "c"
	if w, err := o.who(t.Context(), st.DB, x.said); err != nil || w.Agent != "" {
		t.Errorf("before it sits: %+v, %v", w, err)
	}
}
