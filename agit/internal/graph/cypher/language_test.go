package cypher_test

// feature is a feature of the language, with a query that uses it.
type feature struct {
	Name    string
	Does    string
	Example string
}

// section is a group of features. docs/cypher.md is written from the sections and the table of functions.
type section struct {
	Title    string
	Features []feature
}

// language returns the supported clauses, patterns, operators and expressions.
func language() []section {
	return []section{
		{"Clauses", []feature{
			{"MATCH", "all places where a pattern fits; within one clause no relationship is used twice", "MATCH (n:Task) RETURN n"},
			{"OPTIONAL MATCH", "the same, with nulls where nothing fits", "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN n, r"},
			{"WHERE", "keeps the rows for which a condition is true; false and null drop them", "MATCH (n) WHERE n.x > 1 RETURN n"},
			{"WITH", "passes on the named columns, aggregated if need be, and takes DISTINCT, ORDER BY, SKIP, LIMIT, WHERE", "MATCH (n)-->(m) WITH DISTINCT n, count(*) AS c ORDER BY c SKIP 1 LIMIT 2 WHERE c > 1 RETURN n"},
			{"UNWIND list AS x", "a row for every element; none for null", "UNWIND [1, 2] AS x RETURN x"},
			{"RETURN", "the columns of the answer; takes DISTINCT, *, ORDER BY, SKIP, LIMIT", "MATCH (n) RETURN DISTINCT * ORDER BY n.x SKIP 1 LIMIT 2"},
			{"ORDER BY x [DESC]", "maps, nodes, relationships, lists, paths, dates and times, durations, strings, booleans, numbers, NaN, null, in this order", "MATCH (n) RETURN n ORDER BY n.x DESC, n.y"},
			{"UNION, UNION ALL", "joins queries with the same columns, without and with repeated rows", "RETURN 1 AS x UNION RETURN 2 AS x"},
			{"EXPLAIN, PROFILE", "accepted before a query and without effect", "PROFILE RETURN 1"},
		}},
		{"Patterns", []feature{
			{"(n:Label {key: value})", "a node; every part may be left out", "MATCH (n:Label {key: 1}) RETURN n"},
			{"-[r:TYPE|OTHER {key: value}]->", "a relationship, also <-…- and -…- for either direction", "MATCH ()-[r:A|B {key: 1}]->()<-[:C]-()--() RETURN r"},
			{"-[:TYPE*1..3]->", "a chain of relationships; *, *2, *2.., *..3", "MATCH ()-[:A*]->()-[:A*2]->()-[:A*2..]->()-[:A*..3]->()-[:A*1..3]->() RETURN 1"},
			{"p = (a)-->(b)", "a named path", "MATCH p = (a)-->(b) RETURN p"},
		}},
		{"Expressions", []feature{
			{"+ - * / % ^", "arithmetic; + also joins strings and lists; integers that overflow are an error", "RETURN 1 + 2 - 3 * 4 / 5 % 6 ^ 7"},
			{"= <> < <= > >=", "comparison, also in chains: 1 < x <= 5", "WITH 2 AS x RETURN 1 < x <= 5, x = 1, x <> 1, x >= 1, x > 1"},
			{"AND OR XOR NOT", "logic with true, false and null", "RETURN true AND false OR true XOR NOT null"},
			{"IS NULL, IS NOT NULL", "the only tests that null answers", "RETURN null IS NULL, 1 IS NOT NULL"},
			{"IN", "whether a list has an element", "RETURN 1 IN [1]"},
			{"STARTS WITH, ENDS WITH, CONTAINS, =~", "tests of strings; =~ takes a regular expression (RE2) for the whole string", "RETURN 'ab' STARTS WITH 'a', 'ab' ENDS WITH 'b', 'ab' CONTAINS 'a', 'ab' =~ 'a.'"},
			{"x.key, x['key'], list[i], list[a..b]", "properties, elements counted from 0 (negative: from the end), slices", "WITH {key: [1]} AS x RETURN x.key, x['key'], x.key[-1], x.key[0..1]"},
			{"n:Label", "whether a node has the labels or a relationship the type", "MATCH (n) RETURN n:Label:Other"},
			{"CASE", "both forms, CASE x WHEN … and CASE WHEN …", "RETURN CASE 1 WHEN 1 THEN 2 ELSE 3 END, CASE WHEN true THEN 1 END"},
			{"[x IN list WHERE … | …]", "list comprehension", "RETURN [x IN [1] WHERE x > 0 | x + 1]"},
			{"[(a)-->(b) WHERE … | …]", "pattern comprehension", "MATCH (a) RETURN [(a)-->(b) WHERE b.x > 1 | b.x]"},
			{"all, any, none, single (x IN list WHERE …)", "quantifiers", "RETURN all(x IN [1] WHERE x > 0), any(x IN [] WHERE x), none(x IN [] WHERE x), single(x IN [] WHERE x)"},
			{"reduce(acc = init, x IN list | …)", "folds a list", "RETURN reduce(acc = 0, x IN [1] | acc + x)"},
			{"n {.key, .*, key: value}", "map projection", "MATCH (n) RETURN n {.key, .*, other: 1}"},
			{"EXISTS { … }, EXISTS((a)-->(b))", "whether a subquery or pattern finds anything; in WHERE a bare pattern does too", "MATCH (a) WHERE EXISTS { MATCH (a)-->(b) WHERE b.x = 1 } AND EXISTS((a)-->()) AND (a)--() RETURN a"},
			{"$name", "a parameter", "RETURN $name"},
		}},
	}
}
