package syntax

import "fmt"

// Pos is a place in a query. Line and Column count from 1, Column in
// characters; Offset counts bytes.
type Pos struct {
	Offset, Line, Column int
}

// Error is a failure in openCypher's own terms: Name is the class
// (SyntaxError, TypeError, …) and Detail the error within it
// (UndefinedVariable, InvalidArgumentType, …).
type Error struct {
	Name    string
	Detail  string
	Message string // the cause
	Line    int    // 0 when the error has no place in the text
	Column  int
	Runtime bool // found while running, not while compiling
}

// Error is one sentence that begins with the openCypher names.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", e.Name, e.Detail, e.Message)
	}
	return fmt.Sprintf("%s: %s: %s (line %d, column %d)", e.Name, e.Detail, e.Message, e.Line, e.Column)
}

// Catch stores in err the *Error that the function which defers it panics with. It lets a reader of queries end at the first mistake,
// however deep, without every step in between passing the error on.
func Catch(err *error) {
	switch failure := recover().(type) {
	case nil:
	case *Error:
		*err = failure
	default:
		panic(failure)
	}
}

// Errorf makes a SyntaxError found at compile time.
func Errorf(at Pos, detail, format string, args ...any) *Error {
	return &Error{Name: "SyntaxError", Detail: detail, Message: fmt.Sprintf(format, args...), Line: at.Line, Column: at.Column}
}

// RuntimeErrorf makes an error found while running.
func RuntimeErrorf(at Pos, name, detail, format string, args ...any) *Error {
	return &Error{Name: name, Detail: detail, Message: fmt.Sprintf(format, args...), Line: at.Line, Column: at.Column, Runtime: true}
}
