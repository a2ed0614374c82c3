//go:build !windows

package top

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// goesOn tells that the program goes on after it was stopped. The signal that stops it
// is left to the kernel: once Go has handled it, it would stop nothing any more, and a
// group without a shell, which no one could wake, is not stopped by it.
func goesOn() chan os.Signal {
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	return again
}

// stopSelf stops the whole job, the parent with it, until it goes on.
func stopSelf(again chan os.Signal) {
	_ = syscall.Kill(0, syscall.SIGTSTP)
	select { // the stop may come a moment after the call
	case <-again:
	case <-time.After(stopTime):
	}
}

// stopTime is how long a stop may be in coming; where there is no shell it never does.
const stopTime = 200 * time.Millisecond
