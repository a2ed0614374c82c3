// Package memoryfile reads and rewrites one markdown memory: its citations of the code, its references in prose, its links to other
// memories, and its metadata, each with its position in the text.
//
// goldmark determines the structure (blocks, code, links). Tables of citations are read from the raw lines of their section, since GFM
// refuses tables that memories really have: without a head, with missing cells, with a bare | in a snippet. Writing replaces only the bytes
// concerned.
//
// The package knows no verdicts, no folder of memories and no registry, and never looks at the cited code. A Memory belongs to one
// goroutine; Parse may be called from several at once.
package memoryfile
