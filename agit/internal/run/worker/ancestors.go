package worker

import "os"

// Ancestors are the processes that this one descends from, itself first, as far as the system shows them. A process whose parents have
// ended descends from whoever adopted it, which is `agit work` for all that its agents start (Linux).
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
