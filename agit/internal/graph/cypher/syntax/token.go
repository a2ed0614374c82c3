package syntax

import "strings"

// Kind is the kind of a token.
type Kind uint8

// The kinds of token.
const (
	EOF Kind = iota
	Ident
	Quoted // `an identifier in back quotes`
	Integer
	Float
	String
	Param
	Symbol // an operator or bracket, in Text
)

// Token is one word of a query.
type Token struct {
	Kind  Kind
	Text  string // identifier or parameter name, symbol, decoded string, digits of a number
	Pos   Pos
	End   int   // byte offset after the token
	Match int   // for an opening bracket: the index of the closing one, or 0 if there is none
	Bad   error // a malformed number: an error only where a number is expected
}

// is reports whether t is the keyword word, given in capitals.
func (t Token) is(word string) bool {
	return t.Kind == Ident && len(t.Text) == len(word) && strings.EqualFold(t.Text, word)
}

// symbol reports whether t is the symbol s.
func (t Token) symbol(s string) bool { return t.Kind == Symbol && t.Text == s }

// describe returns the name of t for an error message.
func (t Token) describe() string {
	switch t.Kind {
	case EOF:
		return "the end of the query"
	case String:
		return "a string"
	case Param:
		return "parameter $" + t.Text
	case Quoted:
		return "`" + t.Text + "`"
	}
	return t.Text
}
