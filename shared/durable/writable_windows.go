package durable

// Writable returns why this process cannot write a file, or in a folder: no permission, a file system that is read-only. It is nil where
// it can, and where the system does not say, as here.
func Writable(string) error { return nil }
