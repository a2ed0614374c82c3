//go:build !linux

package limit

import "time"

// Up returns "": limits are kept by the clock here.
func Up() (boot string, since time.Duration) { return "", 0 }
