// Package description reads the descriptions of tickets, whatever their
// provider writes: markdown (Linear, GitHub, local tickets), Atlassian Document
// Format JSON (Jira Cloud), wiki markup (Jira Server, CSV exports) and HTML
// (Azure DevOps, Asana). All become one small tree of blocks, and a tree becomes
// markdown again to be shown.
//
// Structure that people type by hand, without a button of their editor, counts
// too: lines that begin with "•" or "1)" are a list, "☐" is an open task, lines
// of "|" are a table.
//
// Descriptions come from strangers. Parse bounds the size that is read and the
// depth of the tree, and its time grows with the size alone.
package description
