package text

// identifying is the form of the suite's ids (t-4k2m, w-1s7q3ntmzy), of trackers' keys (SEM-12, SEM-12#2) and of their numbers (12, #12).
var identifying = Pattern{Expr: `^(#?[0-9]+|[A-Za-z][A-Za-z0-9_]*-[A-Za-z0-9]*[0-9][A-Za-z0-9]*(#[0-9]+)?)$`}

// Identifies reports whether a word has the form of an id or of a ticket's key, and not of a command's name.
func Identifies(word string) bool { return identifying.Regexp().MatchString(word) }
