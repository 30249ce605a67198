package journal

import "tailrace/proxy/exchange"

// Record queues a copy of a piece of a response body. Pieces are stored in the
// order they come, several to a chunk, and all of them before what is said of
// the claim later. It does not wait for the disk, but it blocks while 16 MiB are
// queued. Pieces of a fenced or finished attempt are dropped. A piece that
// cannot be stored makes Accept refuse the body.
func (j *Journal) Record(c exchange.Claim, piece []byte) {
	if len(piece) > 0 {
		j.queue.record(c, piece, j.torn)
	}
}

// pack is pieces of one body that become a chunk.
type pack struct {
	claim  exchange.Claim
	body   []byte
	pieces int
	queue  *queue
	torn   torn
}

func (p *pack) size() int     { return len(p.body) }
func (p *pack) durable() bool { return false }

func (p *pack) write(s *session) error {
	if p.torn[p.claim] { // a body that ends early can be told from a whole one, one with a hole cannot
		return nil
	}
	s.pieces += uint64(p.pieces)
	var id int64
	found, err := s.get(`SELECT a.id FROM attempts a JOIN requests r ON r.id = a.request_id
		WHERE a.request_id = ? AND a.n = ? AND a.ended_at = 0 AND r.fence = ?`,
		[]any{p.claim.Row, p.claim.Attempt, p.claim.Fence}, &id)
	if err != nil || !found {
		return err
	}
	_, err = s.exec("INSERT INTO chunks (attempt_id, body) VALUES (?, ?)", id, p.body)
	return err
}

func (p *pack) settle(err error) {
	if err != nil {
		p.torn[p.claim] = true
	}
	p.queue.written(len(p.body))
}

// torn names the attempts that miss a piece. There are none while the disk is
// well; only the writer's goroutine looks.
type torn map[exchange.Claim]bool
