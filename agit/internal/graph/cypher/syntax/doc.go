// Package syntax reads openCypher text: a lexer, a recursive-descent parser with Pratt expressions, and the syntax tree with the
// position of every part. It knows reading clauses only and refuses a clause that writes by its name; a word such as CREATE in a
// string, a comment or a property name is not a clause. Names, types and aggregation belong to package check, and a checked tree does not
// change.
package syntax
