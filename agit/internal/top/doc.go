// Package top is the screen of `agit top`: what waits for a person, who works,
// what collides, what lands and how the tasks stand, live in a terminal. It shows
// what package overview says and acts through the stores that the commands use; it
// asks neither the registry nor git itself.
//
// Where to look: rows.go turns a state into parts and rows, columns.go fits rows
// into a width, view.go draws the whole screen as lines of text, without a terminal;
// model.go has what is selected and what keys do, panel.go texts that are read
// (a diff, a log, reasons), prompt.go questions; actions.go does what was agreed to;
// app.go is the loop between a terminal and all that, and main.go the program. Only
// app.go knows tcell.
//
// A model belongs to one goroutine.
package top
