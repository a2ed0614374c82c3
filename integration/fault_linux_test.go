package integration

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// faultCase is a command that fails at each of its disk calls in turn. Done must hold when it reports success; kept must hold in every
// case.
type faultCase struct{ name, prepare, act, done, kept string }

const workInW = `(` + commitInW + `); git -C .worktrees/* tag -f kept-tip HEAD > /dev/null`

var faultCases = []faultCase{
	{"spawn", `echo KEY=1 > .env; printf .env > .worktreeinclude; git add .worktreeinclude; git commit -qm include`,
		`agit spawn app --task 'Another one' --agent bob --branch x`,
		`cd "$(git worktree list | sed -n 's/ .*\[x\]$//p')"; test "$(git branch --show-current)" = x; test -s .env; test -s src/a.go; test -z "$(git status --porcelain)"`, ``},
	{"merge", workInW, `agit merge app w`, `git merge-base --is-ancestor kept-tip main; test -s new3; test -z "$(git status --porcelain)"`, ``},
	{"merge --rebase with a gate", workInW + `; echo m > m; git add m; git commit -qm m`, `agit merge app w --rebase --gate 'test -e new3'`, `test -s new3; test -s m; test -z "$(git status --porcelain)"`, ``},
	{"update", workInW + `; echo m > m; git add m; git commit -qm m`, `agit update app w`, `test -s .worktrees/*/m; test -z "$(git -C .worktrees/* status --porcelain)"`, ``},
	{"merge where main is not checked out", workInW + `; git switch -qc other`, `agit merge app w`, `git merge-base --is-ancestor kept-tip main`, ``},
	{"removal", workInW + `; echo untracked > $(echo .worktrees/*)/u; echo key > $(echo .worktrees/*)/k.secret`, `agit cleanup app --worktree w --abandon-work --yes`,
		`agit cleanup --trash --json | grep -q '"branch": *"w"'`,
		`test -d .worktrees/*/src || agit cleanup app --restore w; cd .worktrees/*; grep -q untracked u; grep -q key k.secret; test "$(git rev-parse HEAD)" = "$(git rev-parse kept-tip)"`},
	{"restore", workInW + `; echo untracked > $(echo .worktrees/*)/u; agit cleanup app --worktree w --abandon-work --yes`, `agit cleanup app --restore w`,
		`grep -q untracked .worktrees/*/u`,
		`test -d .worktrees/*/src || agit cleanup app --restore w; cd .worktrees/*; grep -q untracked u; test "$(git rev-parse HEAD)" = "$(git rev-parse kept-tip)"`},
	{"config set", `agit config set worktree.stale_after 3d`, `agit config set worktree.stale_after 4d`, `agit config get worktree.stale_after | grep -q 4`, `agit config get worktree.stale_after | grep -q '[34]'`},
	{"db backup", ``, `agit db backup ../copy`, `test -s ../copy`, `test ! -e ../copy || AGIT_DB=$PWD/../copy agit db check`},
	{"memoryd export", `memoryd remember 'Dates are in UTC' --key utc; memoryd export ../out`, `memoryd export ../out`, ``, `grep -q UTC ../out`},
	{"memoryd remember", ``, `memoryd remember 'Dates are in UTC' --key utc`, `memoryd recall --key utc | grep -q UTC`, ``},
	{"citecheck fix", `citecheck add note src/a.go:3; git add .; git commit -qm cited; printf 'package src\n\n// moved\n\nfunc Login() {}\n' > src/a.go`, `citecheck fix`, `citecheck verify note`,
		`grep -q 'See src/a.go' .serena/memories/note.md; git checkout -q src/a.go .serena`},
	{"classify init --write-agents-md", ``, `classify init . --write-agents-md`, `grep -q classify AGENTS.md`, `grep -q '# app' AGENTS.md; git checkout -q AGENTS.md`},
}

// The calls that are made to fail. Go's runtime dies when its own write fails, so write faults are only for git; SQLite uses pwrite64.
var (
	gitCalls = []string{"fsync", "write", "rename", "link", "unlink", "mkdir"}
	goCalls  = []string{"fsync", "fdatasync", "pwrite64", "renameat", "unlinkat", "mkdirat"}
)

// fault is one failing call: the n-th call of a name in the n-th git process (0: the program itself). Each process and thread counts
// separately.
type fault struct {
	git  int
	call string
	n    int
}

func (f fault) String() string {
	who := "the program's"
	if f.git > 0 {
		who = fmt.Sprintf("git %d's", f.git)
	}
	return fmt.Sprintf("%s %s %d", who, f.call, f.n)
}

// faulty is a machine with a git that can be made to fail.
type faulty struct {
	*machine
	real string // the real git
	log  string
}

func newFaulty(t *testing.T) *faulty {
	t.Helper()
	if out, err := exec.Command("strace", "-qq", "-o", os.DevNull, "-e", "inject=fsync:error=EIO", "true").CombinedOutput(); err != nil {
		t.Skipf("failing calls need strace that may trace: %v %s", err, out)
	}
	git, err := exec.LookPath("git")
	must(t, err)
	m := &machine{t: t, dir: t.TempDir()}
	f := &faulty{m, git, filepath.Join(m.dir, "log")}
	shim := filepath.Join(m.dir, "shim")
	for _, dir := range []string{shim, filepath.Join(m.dir, "home", "me"), m.app(), f.log} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	must(t, os.WriteFile(filepath.Join(shim, "git"), []byte(`#!/bin/sh
k=$(($(cat "$LOG/count" 2>/dev/null || echo 0) + 1)); echo $k > "$LOG/count"
[ "$FAULT_GIT" = "$k" ] || [ "$FAULT_GIT" = all ] || exec "$REAL_GIT" "$@"
exec strace -f -qq -o "$LOG/git.$k" $FAULT_HOW "$REAL_GIT" "$@"
`), 0o755))
	m.env = append(environment(filepath.Join(m.dir, "home", "me")), "LOG="+f.log, "REAL_GIT="+git)
	for i, v := range m.env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			m.env[i] = "PATH=" + binaries + ":" + shim + ":" + path
		}
	}
	return f
}

// keepTemplate and reset restore the machine's initial state.
func (f *faulty) keepTemplate() { f.must(`cp -a ../../home ../../work $LOG/`) }

func (f *faulty) reset() {
	f.must(`cd "$LOG/.."; rm -rf home work; cp -a $LOG/home $LOG/work .; rm -f $LOG/count $LOG/git.* $LOG/go`)
}

// run runs a command with a fault; how is the argument of strace.
func (f *faulty) run(act string, at fault, how string) error {
	if at.git > 0 || at.call == "" {
		_, err := f.shell(fmt.Sprintf("FAULT_GIT=%s FAULT_HOW='%s'; export FAULT_GIT FAULT_HOW\n%s", whichGit(at), how, act))
		return err
	}
	_, err := f.shell(fmt.Sprintf("strace -f -qq -o $LOG/go %s %s", how, act))
	return err
}

func whichGit(at fault) string {
	if at.git == 0 {
		return "all"
	}
	return strconv.Itoa(at.git)
}

// faults lists every call of a command that can fail.
func (f *faulty) faults(act string) (all []fault) {
	f.t.Helper()
	f.reset()
	if err := f.run(act, fault{}, "-y -e trace="+strings.Join(gitCalls, ",")); err != nil {
		f.t.Fatalf("%s fails by itself: %v", act, err)
	}
	logs, err := filepath.Glob(filepath.Join(f.log, "git.*"))
	must(f.t, err)
	for k := 1; k <= len(logs); k++ {
		all = append(all, f.counted(filepath.Join(f.log, fmt.Sprintf("git.%d", k)), k, gitCalls)...)
	}
	f.reset()
	if err := f.run(act, fault{call: "none"}, "-y -e trace="+strings.Join(goCalls, ",")); err != nil {
		f.t.Fatalf("%s fails when traced: %v", act, err)
	}
	return append(all, f.counted(filepath.Join(f.log, "go"), 0, goCalls)...)
}

// tracedCall is a line of strace: the process, the call, and the target of its descriptor.
var tracedCall = regexp.MustCompile(`^(\d+) +(\w+)\((?:\d+<(\w*):?)?`)

// counted returns the numbers of each call in any thread. Calls on pipes are counted but never fail, because no disk is involved.
func (f *faulty) counted(log string, git int, calls []string) (all []fault) {
	f.t.Helper()
	content, err := os.ReadFile(log)
	must(f.t, err)
	made := map[string]int{}
	found := map[fault]bool{}
	for line := range strings.Lines(string(content)) {
		part := tracedCall.FindStringSubmatch(line)
		if part == nil {
			continue
		}
		made[part[1]+part[2]]++
		if at := (fault{git, part[2], made[part[1]+part[2]]}); part[3] != "pipe" && !found[at] {
			found[at] = true
			all = append(all, at)
		}
	}
	slices.SortStableFunc(all, func(a, b fault) int {
		return cmp.Or(cmp.Compare(slices.Index(calls, a.call), slices.Index(calls, b.call)), cmp.Compare(a.n, b.n))
	})
	return all
}

// TestDiskFailsAnywhere makes the n-th sync, write, rename, link, unlink and mkdir of a command fail, for every n, git's included.
// Either the command reports it, and doctor or the next command finds nothing lost; or it reports success, and has succeeded. `make
// faults` tries all points, a normal run some, and AGIT_FAULTS="git 3's fsync 2" one.
func TestDiskFailsAnywhere(t *testing.T) {
	t.Parallel()
	budget := 5 // points of each command
	only := os.Getenv("AGIT_FAULTS")
	switch {
	case only != "":
		budget = 1 << 20
	case testing.Short():
		budget = 2
	}
	for _, c := range faultCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t)
			f.must(powerBase)
			if c.prepare != "" {
				f.must(c.prepare)
			}
			f.keepTemplate()
			all := f.faults(c.act)
			failed := 0
			for i, at := range all {
				if only != "" && only != "all" && only != at.String() {
					continue
				}
				if len(all) > budget && i*budget/len(all) == (i-1)*budget/len(all) && i > 0 {
					continue
				}
				f.reset()
				err := f.run(c.act, at, fmt.Sprintf("-e trace=%s -e inject=%s:error=EIO:when=%d", at.call, at.call, at.n))
				if err != nil {
					failed++
				}
				f.afterwards(c, at, err)
			}
			t.Logf("%d calls can fail, %d of those tried made the command fail", len(all), failed)
		})
	}
}

func (f *faulty) afterwards(c faultCase, at fault, failed error) {
	f.t.Helper()
	if failed != nil && (strings.Contains(failed.Error(), "panic") || strings.Contains(failed.Error(), "goroutine ")) {
		f.t.Errorf("%s: it panics: %v", at, failed)
	}
	if failed == nil && c.done != "" {
		if _, err := f.shell(c.done); err != nil {
			f.t.Errorf("%s: it said that it was done: %v", at, err)
		}
	}
	if failed != nil {
		if _, err := f.shell("agit doctor --fix"); err != nil {
			f.t.Errorf("%s failed (%v); doctor does not mend it: %v", at, failed, err)
			return
		}
	}
	for _, check := range []string{"agit doctor", "agit db check", "git fsck --strict --no-dangling 2>&1", `test -z "$(git status --porcelain)" || test -e ../out -o -e .serena`, "test ! -e .git/index.lock", c.kept} {
		if check == "" {
			continue
		}
		if _, err := f.shell(check); err != nil {
			f.t.Errorf("%s (the command: %v): %s: %v", at, failed, check, err)
		}
	}
	if failed != nil && c.done != "" {
		// A retry succeeds, unless doctor had finished the work already.
		if _, err := f.shell(c.done); err == nil {
			return
		}
		if _, err := f.shell(c.act); err != nil {
			f.t.Errorf("%s: trying again: %v", at, err)
		} else if _, err := f.shell(c.done); err != nil {
			f.t.Errorf("%s: tried again: %v", at, err)
		}
	}
}
