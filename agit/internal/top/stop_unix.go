//go:build !windows

package top

import (
	"os"
	"os/signal"
	"syscall"
)

// stopSignals tells of the signal by which a shell stops a job.
func stopSignals() chan os.Signal {
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, syscall.SIGTSTP)
	return stops
}

// stopSelf stops the whole job, of which the parent is a part, until it goes on.
func stopSelf(stops chan os.Signal) {
	signal.Reset(syscall.SIGTSTP)
	_ = syscall.Kill(0, syscall.SIGTSTP)
	signal.Notify(stops, syscall.SIGTSTP)
}
