package usage

import (
	"encoding/binary"
	"math"
)

// encode writes rows as bytes: numbers as varints, each text once and then by its number.
func encode(rows []row) []byte {
	out := binary.AppendUvarint(nil, uint64(len(rows)))
	texts := map[string]uint64{}
	text := func(s string) {
		if n, ok := texts[s]; ok {
			out = binary.AppendUvarint(out, n)
			return
		}
		n := uint64(len(texts))
		texts[s] = n
		out = binary.AppendUvarint(out, n)
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	for _, r := range rows {
		out = binary.LittleEndian.AppendUint64(out, r.key)
		out = binary.LittleEndian.AppendUint64(out, r.answer)
		out = binary.AppendVarint(out, r.at)
		agent := byte(0)
		if r.agent {
			agent = 1
		}
		out = append(out, agent)
		for _, s := range r.texts() {
			text(*s)
		}
		for _, n := range r.numbers() {
			out = binary.AppendVarint(out, *n)
		}
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(r.tokens.Cost))
	}
	return out
}

func (r *row) texts() [5]*string {
	return [...]*string{&r.session, &r.parent, &r.folder, &r.branch, &r.model}
}

func (r *row) numbers() [6]*int64 {
	t := &r.tokens
	return [...]*int64{&t.Input, &t.Output, &t.CacheRead, &t.Cache5m, &t.Cache1h, &t.Reasoning}
}

// decode reads the rows of a file; false for bytes that encode did not write.
func (f *file) decode() bool {
	if f.blob == nil {
		return f.rows != nil
	}
	rows, ok := decode(f.blob)
	if f.blob = nil; ok {
		f.rows = rows
	}
	return ok
}

// decode is the reverse of encode; false for other bytes.
func decode(in []byte) (rows []row, ok bool) {
	bad := false
	take := func(n int) []byte {
		if n < 0 || n > len(in) {
			bad, n = true, 0
		}
		part := in[:n]
		in = in[n:]
		return part
	}
	number := func() (v int64) {
		v, n := binary.Varint(in)
		bad = bad || n <= 0
		take(max(n, 0))
		return v
	}
	count := func() uint64 {
		v, n := binary.Uvarint(in)
		bad = bad || n <= 0
		take(max(n, 0))
		return v
	}
	fixed := func() uint64 {
		if part := take(8); len(part) == 8 {
			return binary.LittleEndian.Uint64(part)
		}
		return 0
	}
	n := count()
	if bad || n > uint64(len(in)) { // a row takes more than a byte
		return nil, false
	}
	rows = make([]row, n)
	var texts []string
	for i := range rows {
		r := &rows[i]
		r.key, r.answer = fixed(), fixed()
		r.at = number()
		if part := take(1); len(part) == 1 {
			r.agent = part[0] != 0
		}
		for _, s := range r.texts() {
			switch id := count(); {
			case bad || id > uint64(len(texts)):
				return nil, false
			case id == uint64(len(texts)):
				length := count()
				if length > uint64(len(in)) {
					return nil, false
				}
				texts = append(texts, string(take(int(length))))
				*s = texts[id]
			default:
				*s = texts[id]
			}
		}
		for _, v := range r.numbers() {
			*v = number()
		}
		r.tokens.Cost = math.Float64frombits(fixed())
		if bad {
			return nil, false
		}
	}
	return rows, len(in) == 0
}
