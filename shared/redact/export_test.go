package redact

// Work is how many bytes are looked at in a text, each as often as it is.
func Work(s string) int {
	t := search(s)
	t.again()
	return t.work
}
