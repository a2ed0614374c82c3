//go:build !linux && !darwin

package seat

// look finds no process on this system: a seat is found by its conversation alone.
func look(int64) (name string, parent int64, mark string) { return "", 0, "" }
