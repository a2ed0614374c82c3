//go:build !windows

package top

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// goesOn returns a channel that receives a signal when the program continues after a stop. The stopping signal is left to the kernel: once
// Go has handled it, it would no longer stop anything. The kernel also does not stop a group without a shell, which could not be woken.
func goesOn() chan os.Signal {
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	return again
}

// stopSelf stops the whole job, including the parent, until the job is continued.
func stopSelf(again chan os.Signal) {
	_ = syscall.Kill(0, syscall.SIGTSTP)
	select { // the stop may come a moment after the call
	case <-again:
	case <-time.After(stopTime):
	}
}

// stopTime is how long a stop may take to arrive; without a shell it never arrives.
const stopTime = 200 * time.Millisecond
