package worker

import (
	"context"
	"os"
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

// kin identifies the processes of a run.
type kin struct {
	run    string         // its id, which is in their environment
	leader int            // the program; 0 when unknown
	maker  string         // the process name of a sandbox around it; "" for none
	seen   map[int]string // earlier finds with their marks: their parents and environments may be gone
}

// find returns the processes that run now.
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

// live are the programs of this process's jobs, by process number, with their start time as the system stores it. Between start and the
// entry no process is reaped.
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

// endAll ends the remaining processes of the job and returns the names of those that the program left behind when it exited by itself.
func (r *running) endAll() (left []string) {
	for _, f := range r.kin.find() {
		if f.pid != r.pid && r.over && (f.name != r.job.Maker || f.name == "") && !slices.Contains(left, f.name) {
			left = append(left, f.name)
		}
	}
	r.kin.end(r.job.Grace, r.ended)
	return left
}

// EndRun ends the remaining processes of a run whose agit was killed: processes with its id in their environment, and the program
// itself if pid still has the mark. It returns how many processes it found.
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

// endEvery is the polling interval while a run ends.
const endEvery = 50 * time.Millisecond

// end asks the processes of a run to end and kills the remaining ones after the grace. It finds processes that are started meanwhile,
// until none is left or many rounds have found some.
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

// asked returns the processes that are asked to end. Processes of a sandbox are not: they would end everything in it at once.
func (k *kin) asked(all []found) []found {
	inside := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return k.maker != "" && f.name == k.maker })
	if len(inside) == 0 {
		return all
	}
	return inside
}

// waitFor polls, because there is no event for processes that are not our children.
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

// Ancestors returns this process and its ancestors, itself first, as far as the system shows them. A process whose parent has ended is
// adopted by another. On Linux `agit work` adopts the processes of its agents.
func Ancestors() (pids []int64) {
	const deepest = 1000
	for pid := os.Getpid(); pid > 1 && len(pids) < deepest; {
		pids = append(pids, int64(pid))
		parent, ok := parentOf(pid)
		if !ok {
			break
		}
		pid = parent
	}
	return pids
}
