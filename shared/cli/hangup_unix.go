//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// hangUp ends the run when its terminal closes, unless it was started to outlive that, as nohup does.
func hangUp(ctx context.Context) {
	if signal.Ignored(syscall.SIGHUP) {
		return
	}
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGHUP)
	go func() {
		defer signal.Stop(ch)
		select {
		case sig := <-ch:
			if s := running.Load(); s != nil {
				s.got.Store(sig)
				s.end()
			}
		case <-ctx.Done():
		}
	}()
}
