package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agit-suite/agit/agit/internal/worktree/process"
)

// found is a process of a run.
type found struct {
	pid  int
	mark string
	name string
}

// kin are the processes of a run.
type kin struct {
	run    string         // its id, which their environment holds
	leader int            // the program; 0 when it is not known
	maker  string         // the name of processes of a sandbox around it; "" for none
	seen   map[int]string // what was found before, with its mark: its parents may be gone, and its environment too
}

// find returns those that run now.
func (k *kin) find() []found {
	all := k.search()
	if k.seen == nil {
		k.seen = map[int]string{}
	}
	for _, f := range all {
		k.seen[f.pid] = f.mark
	}
	return all
}

// live are the programs of this process's jobs, by process number, with the time when each began as the system has it. Between start and
// the entry nothing is reaped.
var live = struct {
	sync.Mutex
	pids map[int]uint64
}{pids: map[int]uint64{}}

func (r *running) forget() {
	live.Lock()
	delete(live.pids, r.pid)
	live.Unlock()
	reap()
}

// endAll ends what still runs of the job and returns the names of what the program left behind after it ended by itself.
func (r *running) endAll() (left []string) {
	for _, f := range r.kin.find() {
		if f.pid != r.pid && r.over && (f.name != r.job.Maker || f.name == "") && !slices.Contains(left, f.name) {
			left = append(left, f.name)
		}
	}
	r.kin.end(r.job.Grace, r.ended)
	return left
}

// EndRun ends whatever is left of a run whose agit was killed: what has its id in its environment, and the program itself, if
// pid is still the one with the mark. It returns how many processes it found.
func EndRun(ctx context.Context, run string, pid int64, mark string, grace time.Duration) int {
	leader := 0
	if pid > 0 && mark != process.Unmarked && mark != "" && process.MarkOf(pid) == mark {
		leader = int(pid)
	}
	k := kin{run: run, leader: leader}
	all := k.find()
	if len(all) == 0 {
		return 0
	}
	if ctx.Err() != nil {
		grace = 0
	}
	k.end(grace, func() bool { return true })
	return len(all)
}

// endEvery is how often it is looked whether a run has ended.
const endEvery = 50 * time.Millisecond

// end asks the processes of a run to end, and kills what has not after the grace. Processes that start others while they are
// ended are found again, until none is left or many rounds found some.
func (k *kin) end(grace time.Duration, leaderEnded func() bool) {
	gone := func() bool { return leaderEnded() && len(k.find()) == 0 }
	if gone() {
		return
	}
	ask(k.leader, k.asked(k.find()))
	if waitFor(gone, grace) {
		return
	}
	const rounds = 20
	for range rounds {
		kill(k.leader, k.find())
		if waitFor(gone, 10*endEvery) {
			return
		}
	}
}

// asked are the processes that are asked to end. Those of a sandbox are not: they would take all that is in it along at once.
func (k *kin) asked(all []found) []found {
	inside := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return k.maker != "" && f.name == k.maker })
	if len(inside) == 0 {
		return all
	}
	return inside
}

// waitFor polls: there is no event for processes that are not ours.
func waitFor(done func() bool, most time.Duration) bool {
	deadline := time.Now().Add(most)
	for {
		reap()
		if done() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		<-time.After(endEvery)
	}
}
