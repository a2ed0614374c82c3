package durable

// Writable always returns nil, because this system does not report why a process cannot write a file, or in a folder.
func Writable(string) error { return nil }
