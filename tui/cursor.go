package tui

// cursor is the place in a list: which row is selected and which part of the
// list is on screen. It holds on to the selected row, not to its number: rows
// may come and go around it.
type cursor struct {
	id     uint64   // selected row, 0 while unknown
	line   int      // on the screen, counted from the window's first row
	offset int      // of the window's first row
	follow bool     // the newest row is selected, whichever that is
	ids    []uint64 // of the window
	total  int
	page   int // rows that fit
}

// ask is the window that the cursor wants.
type ask struct {
	find          uint64
	above, offset int
}

// shown is the window that the list has.
type shown struct {
	ids               []uint64
	offset, at, total int
}

func (c *cursor) ask() ask {
	if c.follow {
		return ask{}
	}
	return ask{find: c.id, above: c.line, offset: c.offset}
}

// settle takes in the window. It reports whether another look is needed,
// because rows have gone and the window hangs over the end of the list.
func (c *cursor) settle(s shown) (again bool) {
	c.ids, c.offset, c.total = s.ids, s.offset, s.total
	switch {
	case c.follow:
		c.line = 0
	case s.at >= 0:
		c.line = s.at - s.offset
	}
	if missing := c.page - len(s.ids); missing > 0 && s.offset > 0 && !c.follow {
		c.line += min(missing, s.offset)
		c.offset = max(s.offset-missing, 0)
		return true
	}
	c.line = min(max(c.line, 0), max(len(s.ids)-1, 0))
	c.id = 0
	if len(s.ids) > 0 {
		c.id = s.ids[c.line]
	}
	return false
}

// move goes d rows down (up when negative).
func (c *cursor) move(d int) {
	at := c.offset + c.line
	target := min(max(at+d, 0), max(c.total-1, 0))
	if d < 0 && at == 0 {
		c.follow = true
		return
	}
	c.follow = false
	switch l := target - c.offset; {
	case l >= 0 && l < len(c.ids):
		c.line, c.id = l, c.ids[l]
	case l < 0:
		c.offset, c.line, c.id = target, 0, 0
	default:
		c.offset = max(target-c.page+1, 0)
		c.line, c.id = target-c.offset, 0
	}
}

// top goes to the newest row and stays there; bottom to the oldest.
func (c *cursor) top() { c.follow, c.id, c.line, c.offset = true, 0, 0, 0 }

func (c *cursor) bottom() { c.move(c.total) }

// resize keeps the selected row on the screen.
func (c *cursor) resize(page int) {
	c.page = max(page, 1)
	c.line = min(c.line, c.page-1)
}

// place cuts the window out of a list that is in memory.
func place(ids []uint64, a ask, page int) shown {
	s := shown{offset: a.offset, at: -1, total: len(ids)}
	if a.find != 0 {
		s.at = indexOf(ids, a.find)
	}
	if s.at >= 0 {
		s.offset = max(s.at-a.above, 0)
	}
	s.offset = min(s.offset, len(ids))
	s.ids = ids[s.offset:min(s.offset+page, len(ids))]
	return s
}

func indexOf(ids []uint64, id uint64) int {
	for i, x := range ids {
		if x == id {
			return i
		}
	}
	return -1
}
