package page

// Paint is a view as plain tables, for a page without JavaScript.
type Paint struct {
	Headline string // the first line of the screens
	At       string // the time of day it was read
	Sections []Section
}

// Section is a table.
type Section struct {
	ID, Title, Note string
	Columns         []string
	Rows            [][]string // the first cell names the row
}
