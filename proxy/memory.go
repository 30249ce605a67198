package proxy

import (
	"sync"

	"tailrace/proxy/exchange"
)

// memory keeps what the journal does not write down of this process's requests:
// the values of header fields, and the target and body of one that held a
// secret. A retry within the process is then sent with exactly what the request
// had. It is never on disk.
type memory struct {
	mu    sync.Mutex
	row   map[int64]original
	bytes int
}

// original is a request as it was received. Target and body are empty where the
// journal has them unchanged.
type original struct {
	header exchange.Header
	target string
	body   []byte
}

// memoryMost and memoryBytes bound the memory; when one is reached all is
// forgotten, and a retry asks before it goes without a field, or is refused.
const (
	memoryMost  = 4096
	memoryBytes = 64 << 20
)

func (m *memory) keep(row int64, o original) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.row == nil || len(m.row) >= memoryMost || m.bytes+len(o.body) > memoryBytes {
		m.row, m.bytes = map[int64]original{}, 0
	}
	m.bytes += len(o.body) - len(m.row[row].body)
	m.row[row] = o
}

func (m *memory) get(row int64) (original, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.row[row]
	return o, ok
}
