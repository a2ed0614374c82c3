//go:build unix

package checkout

import (
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// pushed is a clone of a bare repository, another clone of it, and a commit that the first is to push onto the commit that both have.
type pushed struct {
	t           *testing.T
	bare        *gittest.Repo
	here, other *gittest.Repo
	from, to    string
}

func newPushed(t *testing.T, address func(folder string) string) *pushed {
	t.Helper()
	p := &pushed{t: t, bare: gittest.NewBare(t), here: gittest.New(t)}
	p.from = p.here.Commit("one", "f", "1\n")
	p.here.Git("push", "--quiet", p.bare.Dir, "main")
	url := p.bare.Dir
	if address != nil {
		url = address(filepath.Dir(p.bare.Dir)) + filepath.Base(p.bare.Dir)
	}
	p.here.Git("remote", "add", "origin", url)
	p.other = p.here.At(filepath.Join(gittest.TempDir(t), "other"))
	p.here.Git("clone", "--quiet", p.bare.Dir, p.other.Dir)
	p.to = p.here.Commit("two", "g", "2\n")
	return p
}

func (p *pushed) push() (bool, error) {
	return Push(p.t.Context(), p.here.Repo(), "origin", "main", p.from, p.to, time.Minute)
}

// at is the commit that the remote's branch is at.
func (p *pushed) at() string { return p.bare.Git("rev-parse", "main") }

// want checks what a push did: the remote's branch is at a commit.
func (p *pushed) want(done, wantDone bool, err error, at string) {
	p.t.Helper()
	if done != wantDone || err != nil || p.at() != at {
		p.t.Errorf("done is %v, %v; the remote is at %s, want %s", done, err, p.at(), at)
	}
}

func TestPush(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	done, err := p.push()
	p.want(done, true, err, p.to)
}

func TestPushAfterAnother(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	theirs := p.other.Commit("theirs", "h", "3\n")
	p.other.Git("push", "--quiet", "origin", "main")
	done, err := p.push()
	p.want(done, false, err, theirs)
	if oid, err := Fetch(t.Context(), p.here.Repo(), "origin", "main", time.Minute); err != nil || oid != theirs || p.here.Git("rev-parse", "origin/main") != theirs {
		t.Errorf("it is fetched as %s, %v", oid, err)
	}
}

// A commit that came to the remote by another way, such as a push whose answer was lost, counts as pushed.
func TestPushOfWhatIsThere(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	p.here.Git("push", "--quiet", "origin", p.to+":refs/heads/main")
	p.other.Git("pull", "--quiet", "--ff-only")
	theirs := p.other.Commit("theirs", "h", "3\n")
	p.other.Git("push", "--quiet", "origin", "main")
	done, err := p.push()
	p.want(done, true, err, theirs)
}

func TestPushRefusesWhatIsNotBuiltOnIt(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	p.here.Git("checkout", "--quiet", "--orphan", "apart")
	p.to = p.here.Commit("apart", "z", "9\n")
	if done, err := p.push(); done || err == nil || !strings.Contains(err.Error(), "is not built on") || p.at() != p.from {
		t.Errorf("done is %v, %v", done, err)
	}
}

func TestPushRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hook  func(p *pushed)
		words []string
	}{
		"by a hook there": {func(p *pushed) { p.bare.Hook("pre-receive", "echo one review is missing; exit 1") }, []string{"pre-receive hook declined", "one review is missing"}},
		"by a hook here":  {func(p *pushed) { p.here.Hook("pre-push", "echo no pushes on Fridays >&2; exit 1") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPushed(t, nil)
			c.hook(p)
			done, err := p.push()
			var refused *Refused
			if done || !errors.As(err, &refused) || errors.Is(err, ErrUnsure) || p.at() != p.from {
				t.Fatalf("done is %v, %v", done, err)
			}
			for _, w := range c.words {
				if !strings.Contains(refused.Error(), w) {
					t.Errorf("%q is not in %q", w, refused)
				}
			}
		})
	}
}

// A branch that takes no push is told from a refusal of what was pushed.
func TestPushToAClosedBranch(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]bool{
		"protected branch hook declined error: GH006: Protected branch update failed for refs/heads/main.":      true,
		"GitLab: You are not allowed to push code to protected branches on this project.":                       true,
		"Gitea: Not allowed to push to protected branch main":                                                   true,
		"Branch refs/heads/main can only be modified through pull requests.":                                    true,
		"TF402455: Pushes to this branch are not permitted; you must use a pull request to update this branch.": true,
		"branch is currently checked out":                                                                       true,
		"pre-receive hook declined one review is missing":                                                       false,
		"pre-receive hook declined GH013: Repository rule violations found: Push cannot contain secrets":        false,
	} {
		if got := (&Refused{words}).Closed(); got != want {
			t.Errorf("%s: %v", words, got)
		}
	}
}

// When the remote cannot be reached, nothing was pushed; when it disappears after it took the push, only the remote knows.
func TestPushToARemoteThatGoesAway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		away   string // in the address of a request
		unsure bool
	}{"before": {"info/refs", false}, "in the middle": {"git-receive-pack", true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var away atomic.Bool
			p := newPushed(t, func(folder string) string {
				return gittest.Serve(t, folder, func(w http.ResponseWriter, r *http.Request) bool {
					if away.Load() || strings.Contains(r.URL.Path, c.away) && r.URL.Query().Get("service") != "git-upload-pack" {
						away.Store(true)
						conn, _, err := w.(http.Hijacker).Hijack()
						if err == nil {
							conn.Close()
						}
						return false
					}
					return true
				})
			})
			done, err := p.push()
			if done || err == nil || errors.Is(err, ErrUnsure) != c.unsure || !c.unsure && !fault.Is(err, fault.KindProvider) {
				t.Errorf("done is %v, %v", done, err)
			}
		})
	}
}

func TestFetchFaults(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	p.here.Git("remote", "add", "gone", filepath.Join(t.TempDir(), "gone"))
	for name, c := range map[string]struct {
		remote, branch string
		kind           fault.Kind
		words          string
	}{
		"no such remote": {"upstream", "main", fault.KindValidation, `no remote "upstream"`},
		"no such branch": {"origin", "trunk", fault.KindValidation, `no branch "trunk"`},
		"not there":      {"gone", "main", fault.KindProvider, `remote "gone" cannot be used`},
	} {
		if _, err := Fetch(t.Context(), p.here.Repo(), c.remote, c.branch, time.Minute); !fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDefaultTips(t *testing.T) {
	t.Parallel()
	p := newPushed(t, nil)
	g := func() *git.Repo { return p.here.Repo() }
	p.here.Git("fetch", "--quiet", "origin", "main:refs/remotes/origin/main")
	p.here.Git("update-ref", "refs/remotes/upstream/main", p.from)
	for name, c := range map[string]struct {
		remote string
		want   []string
	}{"none is named": {"", []string{p.to, p.from}}, "the usual one": {"origin", []string{p.to, p.from}}, "another": {"upstream", []string{p.to, p.from, p.from}}, "one never seen": {"fork", []string{p.to, p.from}}} {
		if tips, err := DefaultTips(t.Context(), g(), "main", c.remote); err != nil || !slices.Equal(tips, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, tips, err, c.want)
		}
	}
	for remote, want := range map[string]string{"upstream": p.from, "": p.to, "fork": p.to} {
		if _, oid, err := DefaultBranch(t.Context(), g(), "main", remote); err != nil || oid != want {
			t.Errorf("of %q it is at %s, %v, want %s", remote, oid, err, want)
		}
	}
}
