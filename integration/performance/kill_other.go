//go:build !unix

package main

import "os/exec"

// killAll leaves a command as it is: its context ends it alone.
func killAll(*exec.Cmd) {}
