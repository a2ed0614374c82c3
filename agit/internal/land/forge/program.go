package forge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/sibling"
	"github.com/agit-suite/agit/shared/text"
)

// programTime is how long a forge's program may take, including the network.
const programTime = 2 * time.Minute

// draft is a pull request to be opened.
type draft struct {
	Branch, Base, Title, Body string
	Draft                     bool
}

// program is a forge's own program. Pull requests that it returns have what the forge said of them, and nothing else.
type program interface {
	// find returns the open pull request of a branch; nil when there is none.
	find(ctx context.Context, branch string) (*PullRequest, error)
	// create opens a pull request and returns it.
	create(ctx context.Context, d draft) (PullRequest, error)
	// view returns a pull request by its number.
	view(ctx context.Context, number int64) (PullRequest, error)
	// source returns a pull request by its number, and where its commits come from.
	source(ctx context.Context, number int64) (PullRequest, source, error)
	// checks returns the checks of a pull request's newest commit.
	checks(ctx context.Context, number int64) (results, error)
	// log returns what a check printed, by the id that checks returned for it.
	log(ctx context.Context, job string) ([]byte, error)
	// comments returns what people wrote on a pull request, the oldest first, whoever they are.
	comments(ctx context.Context, number int64) ([]Comment, error)
	// merges lets the forge merge a pull request by itself, at the commit head, once its rules are met.
	merges(ctx context.Context, number int64, head string) error
}

// programOf returns the program for a remote, run in the folder dir.
func (s *Store) programOf(kind Kind, r remote, dir string) program {
	if s.instead != nil {
		return s.instead(kind, r)
	}
	t := tool{dir: dir, env: slices.Clip(s.Env), host: r.Host} // so that an append of one call does not reach another
	switch kind {
	case GitLab:
		t.name, t.title, t.login = "glab", "GitLab's glab", "glab auth login --hostname "+r.Host
		t.env = append(t.env, "GLAB_NO_PROMPT=1", "NO_PROMPT=1", "NO_COLOR=1")
		return gitlab{t}
	case Azure:
		t.name, t.title, t.login = "az", "Azure's az", "az login"
		t.env = append(t.env, "AZURE_CORE_NO_COLOR=true", "AZURE_CORE_ONLY_SHOW_ERRORS=true")
		return azure{t}
	}
	t.name, t.title, t.login = "gh", "GitHub's gh", "gh auth login --hostname "+r.Host
	t.env = append(t.env, "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1")
	return github{t, r}
}

// tool runs a program.
type tool struct {
	name, title, login string
	host               string
	dir                string
	env                []string
}

func (t tool) run(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	a, err := sibling.Ask(ctx, sibling.Call{Program: t.name, Args: args, Dir: t.dir, Env: t.env, Stdin: strings.NewReader(stdin), Timeout: programTime})
	switch {
	case fault.Is(err, fault.KindNotFound):
		return nil, fault.NotFound("program", t.name).WithHint("install %s and log in with `%s`, or open the pull request by hand", t.title, t.login)
	case err != nil:
		return nil, err
	case a.Status != 0:
		return nil, t.failed(a)
	}
	return a.Out, nil
}

// read runs a program that prints JSON.
func (t tool) read(ctx context.Context, into any, args ...string) error {
	out, err := t.run(ctx, "", args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return unexpected(err, t.name)
	}
	return nil
}

// unexpected is the fault for an answer of a program that cannot be read.
func unexpected(err error, program string) error {
	return fault.Provider(err, "the answer of %s is not what was expected", program).
		WithHint("`%s --version` prints its version; a newer one may answer differently", program)
}

// together returns the state of several checks: that of one that failed, else of one that runs, else of one that passed; "" for none.
func together[T any](checks []T, state func(T) string) (verdict string) {
	for _, c := range checks {
		switch s := state(c); {
		case s == ChecksFailed:
			return s
		case s == ChecksRunning || verdict == "":
			verdict = s
		}
	}
	return verdict
}

// errLimited is a forge's refusal of more requests for a while.
var errLimited = errors.New("the forge's limit of questions")

// Limited reports whether a forge refused because it got too many requests.
func Limited(err error) bool { return errors.Is(err, errLimited) }

// loginStatus is gh's exit status when it is not logged in.
const loginStatus = 4

// failed returns the fault for a program that failed. A missing login is the most common cause, and only gh has a status for it.
func (t tool) failed(a sibling.Answer) error {
	said := cmp.Or(text.Visible(redact.Clean(string(a.Err)), 400), text.Visible(redact.Clean(string(a.Out)), 400))
	low := bytes.ToLower(a.Err)
	for _, sign := range []string{"rate limit", "429", "too many requests", "tf400733"} {
		if bytes.Contains(low, []byte(sign)) {
			return fault.Provider(errLimited, "%s is asked too often by this login: %s", t.host, said).WithHint("wait for some minutes").Retry()
		}
	}
	for _, sign := range []string{"auth login", "az login", "not logged in", "401", "unauthorized", "authentication failed", "tf400813"} {
		if t.name == "gh" && a.Status == loginStatus || t.name != "gh" && bytes.Contains(low, []byte(sign)) {
			f := fault.Provider(nil, "%s is not logged in to %s", t.name, t.host).WithHint("`%s` does that; then try again", t.login)
			f.Retryable = false
			return f
		}
	}
	return fault.Provider(nil, "%s failed with status %d: %s", t.name, a.Status, said)
}
