// Package syntax reads openCypher text: an own lexer, a recursive-descent
// parser with Pratt expressions, and the tree they make, with the position of
// every part.
//
// It knows reading clauses only. A clause that writes is recognised as a clause
// and refused by name, so a word such as CREATE in a string, a comment or a
// property name is what it is there. Names, types and aggregation are package
// check's business. Trees are not changed once checked and may then be shared.
package syntax
