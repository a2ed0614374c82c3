package verify

// refute withdraws the result of a comparison for a line that was deleted in history.
func (d *doubtful) refute() {
	switch d.o.how {
	case several:
		d.o = outcome{how: alike, line: d.o.lines[0], last: d.o.lines[0], score: 0.6,
			why: "the same text is there, but git says that the cited line was removed"}
	case found:
		d.o.how, d.o.score = alike, 0.6
		d.o.why = "the same text is there, but git says that the cited line was removed"
	case alike:
		if d.o.score < 0.55 {
			d.o = outcome{}
		}
	}
}
