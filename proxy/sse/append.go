package sse

import "bytes"

// AppendEvent appends one event to dst: an event line when name is not empty,
// a data line for each line of data, and the blank line that ends it. A name
// must hold neither CR nor LF.
func AppendEvent(dst []byte, name string, data []byte) []byte {
	if name != "" {
		dst = append(dst, "event: "...)
		dst = append(dst, name...)
		dst = append(dst, '\n')
	}
	for {
		n := bytes.IndexAny(data, "\r\n")
		if n < 0 {
			break
		}
		dst = appendData(dst, data[:n])
		if data[n] == '\r' && n+1 < len(data) && data[n+1] == '\n' {
			n++
		}
		data = data[n+1:]
	}
	dst = appendData(dst, data)
	return append(dst, '\n')
}

func appendData(dst, line []byte) []byte {
	dst = append(dst, "data: "...)
	dst = append(dst, line...)
	return append(dst, '\n')
}
