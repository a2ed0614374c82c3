// Package memoryfile reads and rewrites one markdown memory: the citations it
// makes of the code, its references in prose, its links to other memories, and
// its metadata, each with its place in the text.
//
// Structure (blocks, code, links) is goldmark's to say; tables of citations are
// read from the raw lines of their section, since GFM refuses tables that
// memories really have: without a head, with missing cells, with a bare | in a
// snippet. Writing replaces the bytes concerned and no others.
//
// The package knows no verdicts, no folder of memories and no registry, and
// never looks at the code that is cited. A Memory belongs to one goroutine; Parse
// may be called from several at once.
package memoryfile
