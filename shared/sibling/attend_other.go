//go:build !linux

package sibling

import "os/exec"

// endWithParent does nothing: only Linux ends a process with its parent. Elsewhere the
// program ends when its terminal does.
func endWithParent(*exec.Cmd) {}
