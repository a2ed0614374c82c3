package door

import (
	"encoding/binary"
	"io"
	"strconv"
)

// A frame is one byte for its kind, the length of the payload in four bytes (big-endian), and the payload.
const (
	kindRequest byte = 'q' // once, first: a Request as JSON
	kindInput   byte = 'i' // empty at the end of the input
	kindOutput  byte = 'o'
	kindErrors  byte = 'e'
	kindStatus  byte = 'x' // once, last: the exit status in digits
)

// Bounds of a frame's payload, when writing and when reading.
const (
	mostInFrame  = 64 << 10
	longestFrame = 1 << 20 // a request has all arguments
)

func writeFrame(w io.Writer, kind byte, payload []byte) error {
	head := make([]byte, 5, 5+len(payload))
	head[0] = kind
	binary.BigEndian.PutUint32(head[1:], uint32(len(payload))) //nolint:gosec // a frame is far shorter than 4 GB
	_, err := w.Write(append(head, payload...))
	return err
}

// readFrame returns the next frame. The error is io.EOF between two frames, io.ErrUnexpectedEOF inside one.
func readFrame(r io.Reader) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > longestFrame {
		return 0, nil, errFrame
	}
	payload = make([]byte, n)
	if _, err := io.ReadFull(r, payload); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	return head[0], payload, nil
}

func statusOf(payload []byte) (int, error) {
	n, err := strconv.Atoi(string(payload))
	if err != nil || n < 0 || n > 255 {
		return 0, errFrame
	}
	return n, nil
}
