//go:build unix

package verify_test

import (
	"syscall"
	"testing"
)

func fifo(t *testing.T, path string) {
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip(err)
	}
}
