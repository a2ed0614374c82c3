package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
)

// refPatience is how long a user waits without a message; refLimit is the time after which a git at work on refs is ended. git itself takes
// milliseconds: the rest is for a reference-transaction hook, which git runs in between. They are variables for tests.
var refPatience, refLimit = 3 * time.Second, 30 * time.Second

// UpdateRefs runs git update-ref with args. When it takes long, notice gets a sentence; notice may be nil. After half a minute it is ended
// together with the hook that holds it. The caller must then check whether the refs have moved. refs are the refs whose locks are cleared.
// The error is git's, or a fault that names the hook.
func UpdateRefs(ctx context.Context, g *git.Repo, o git.Options, notice func(string), refs []string, args ...string) error {
	began := time.Now()
	bounded, cancel := context.WithTimeout(ctx, refLimit)
	defer cancel()
	defer Slow(notice, func() string { return fmt.Sprintf("waiting for %s, for at most %s", refHook(bounded, g), refLimit) })()
	_, err := g.Output(bounded, o, append([]string{"update-ref"}, args...)...)
	ended := err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded)
	if err == nil || ended {
		ClearOwnLocks(ctx, g, began, refs...)
	}
	if ended {
		return fault.Operation(nil, "%s did not end within %s, and was ended", refHook(ctx, g), refLimit).
			WithHint("look for what it waits for, then try again")
	}
	return err
}

// Slow passes the sentence what to notice, which may be nil, once a few seconds have gone by, unless done is called before. done waits
// until a call of notice that has begun ends.
func Slow(notice func(string), what func() string) (done func()) {
	if notice == nil {
		return func() {}
	}
	told := make(chan struct{})
	timer := time.AfterFunc(refPatience, func() {
		defer close(told)
		notice(what())
	})
	return func() {
		if !timer.Stop() {
			<-told
		}
	}
}

// refHook names what git is waiting for while it moves refs.
func refHook(ctx context.Context, g *git.Repo) string {
	path, err := g.Run(ctx, "rev-parse", "--git-path", "hooks/reference-transaction")
	if err != nil {
		return "git update-ref"
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(g.Dir(), path)
	}
	if _, err := os.Stat(path); err != nil {
		return "git update-ref"
	}
	return fmt.Sprintf("git's hook %q", path)
}
