package cypher

import "github.com/agit-suite/agit/agit/internal/cypher/function"

// Feature is one thing the language has, with what there is to know about it.
type Feature struct {
	Name string
	Does string
}

// Section is a group of features. Sections and the table of functions are what
// docs/cypher.md is written from.
type Section struct {
	Title    string
	Features []Feature
}

// Language lists the clauses, patterns, operators and expressions supported.
func Language() []Section {
	return []Section{
		{"Clauses", []Feature{
			{"MATCH", "all places where a pattern fits; within one clause no relationship is used twice"},
			{"OPTIONAL MATCH", "the same, with nulls where nothing fits"},
			{"WHERE", "keeps the rows for which a condition is true; false and null drop them"},
			{"WITH", "passes on the named columns, aggregated if need be, and takes DISTINCT, ORDER BY, SKIP, LIMIT, WHERE"},
			{"UNWIND list AS x", "a row for every element; none for null"},
			{"RETURN", "the columns of the answer; takes DISTINCT, *, ORDER BY, SKIP, LIMIT"},
			{"ORDER BY x [DESC]", "maps, nodes, relationships, lists, paths, strings, booleans, numbers, NaN, null, in this order"},
			{"UNION, UNION ALL", "joins queries with the same columns, without and with repeated rows"},
			{"EXPLAIN, PROFILE", "accepted before a query and without effect"},
		}},
		{"Patterns", []Feature{
			{"(n:Label {key: value})", "a node; every part may be left out"},
			{"-[r:TYPE|OTHER {key: value}]->", "a relationship, also <-…- and -…- for either direction"},
			{"-[:TYPE*1..3]->", "a chain of relationships; *, *2, *2.., *..3"},
			{"p = (a)-->(b)", "a named path"},
		}},
		{"Expressions", []Feature{
			{"+ - * / % ^", "arithmetic; + also joins strings and lists; integers that overflow are an error"},
			{"= <> < <= > >=", "comparison, also in chains: 1 < x <= 5"},
			{"AND OR XOR NOT", "logic with true, false and null"},
			{"IS NULL, IS NOT NULL", "the only tests that null answers"},
			{"IN", "whether a list has an element"},
			{"STARTS WITH, ENDS WITH, CONTAINS, =~", "tests of strings; =~ takes a regular expression (RE2) for the whole string"},
			{"x.key, x['key'], list[i], list[a..b]", "properties, elements counted from 0 (negative: from the end), slices"},
			{"n:Label", "whether a node has the labels or a relationship the type"},
			{"CASE", "both forms, CASE x WHEN … and CASE WHEN …"},
			{"[x IN list WHERE … | …]", "list comprehension"},
			{"[(a)-->(b) WHERE … | …]", "pattern comprehension"},
			{"all, any, none, single (x IN list WHERE …)", "quantifiers"},
			{"reduce(acc = init, x IN list | …)", "folds a list"},
			{"n {.key, .*, key: value}", "map projection"},
			{"EXISTS { … }, EXISTS((a)-->(b))", "whether a subquery or pattern finds anything; in WHERE a bare pattern does too"},
			{"$name", "a parameter"},
		}},
	}
}

// Functions is the table of functions.
func Functions() []function.Function { return function.All() }
