//go:build !linux

package worktree

import "time"

// childGrace is how long the git of a killed agit may go on before its work is
// mended; nothing here ends it with its parent.
const childGrace = 10 * time.Second

// processMark has nothing here that tells apart processes of one number.
func processMark() string { return unmarked }
