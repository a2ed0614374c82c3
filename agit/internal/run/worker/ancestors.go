package worker

import "os"

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
