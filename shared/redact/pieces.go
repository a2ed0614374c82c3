package redact

import "strings"

// pieces are the texts of a tree in reading order. Secrets are searched in all of them at once, because a name can be in bold and its value
// after it, or each in a cell of its own. A secret is taken out of the pieces that hold it.
type pieces struct {
	all   strings.Builder
	parts []span
}

// add adds a text and returns its place among the pieces.
func (p *pieces) add(s string) int {
	from := p.all.Len()
	p.all.WriteString(s)
	p.parts = append(p.parts, span{from, p.all.Len()})
	return len(p.parts) - 1
}

// gap adds the text that a reader sees between two texts: the end of a line, of a cell.
func (p *pieces) gap(s string) {
	if all := p.all.String(); s != "\n" || all != "" && !strings.HasSuffix(all, "\n") {
		p.all.WriteString(s)
	}
}

// redacted returns, by place, the pieces that changed, without their secrets.
func (p *pieces) redacted() (changed map[int]string, kinds []string) {
	all := p.all.String()
	changed = map[int]string{}
	at := 0
	var out strings.Builder
	hits := find(all)
	for i, part := range p.parts {
		for at < len(hits) && hits[at].to <= part.from {
			at++
		}
		if at >= len(hits) {
			break
		}
		if hits[at].from >= part.to {
			continue
		}
		out.Reset()
		done := part.from
		for k := at; k < len(hits) && hits[k].from < part.to; k++ {
			h := hits[k]
			if h.from > done {
				out.WriteString(all[done:h.from])
			}
			if h.from >= part.from { // a secret is named where it begins
				out.WriteString(Marked(h.kind))
				kinds = append(kinds, h.kind)
			}
			done = max(done, h.to)
		}
		if done < part.to {
			out.WriteString(all[done:part.to])
		}
		changed[i] = out.String()
	}
	for i, part := range p.parts { // what came together where a secret was
		was, is := changed[i]
		if !is {
			was = all[part.from:part.to]
		}
		if now, found := Redact(was); found != nil {
			changed[i] = now
			kinds = append(kinds, found...)
		}
	}
	return changed, kinds
}
