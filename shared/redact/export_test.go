package redact

// Work returns how many bytes of a text are looked at, counting each look.
func Work(s string) int {
	t := search(s)
	t.again()
	return t.work
}
